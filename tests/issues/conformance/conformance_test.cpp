// `halfbyte conformance`: reports of several devices become one table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "io/files.hpp"
#include "program.hpp"

namespace halfbyte::cli_test {
namespace {

using ::testing::HasSubstr;

const std::string kFolder = std::string(HALFBYTE_SOURCE_DIR) + "/tests/issues/conformance/";

std::string text_of(const std::string& path) {
  const auto text = read_text(path);
  if (!text) throw std::runtime_error(text.error().to_string());
  return *text;
}

// One variant passes on both devices, one on one, one on none; one fails; a case is skipped; names hold what Markdown takes for its own.
TEST(Conformance, MakesTheGoldenTable) {
  const Workspace workspace;
  workspace.write("one.json", text_of(kFolder + "one.json"));
  workspace.write("two.json", text_of(kFolder + "two.json"));
  const Outcome outcome = workspace.halfbyte({"conformance", "one.json", "two.json"});
  EXPECT_EQ(outcome.exit_code, 1) << "one row failed. " << outcome.err;
  const char* update = std::getenv("HALFBYTE_UPDATE_GOLDEN");
  if (update && std::string(update) == "1") ASSERT_TRUE(write_file(kFolder + "golden.md", outcome.out));
  EXPECT_EQ(outcome.out, text_of(kFolder + "golden.md")) << "HALFBYTE_UPDATE_GOLDEN=1 writes the file anew";

  const Outcome written = workspace.halfbyte({"conformance", "two.json", "--out", "table.md"});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_THAT(workspace.read("table.md"), HasSubstr("halfbyte conformance two.json"));
}

TEST(Conformance, ListsEveryVariantOfThePackage) {
  const Workspace workspace;
  workspace.write("two.json", text_of(kFolder + "two.json"));
  const Outcome outcome = workspace.halfbyte({"conformance", "two.json", "--package",
                                              std::string(HALFBYTE_SOURCE_DIR) + "/kernels/com.microsoft.MatMulNBits"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("| sgmat_half | not in the report | **no device.**"));
  EXPECT_LT(outcome.out.find("| gemv |"), outcome.out.find("| scalar |"));
}

TEST(Conformance, RefusesWhatIsNoReport) {
  const Workspace workspace;
  workspace.write("one.json", text_of(kFolder + "one.json"));
  workspace.write("text.json", "no JSON");
  workspace.write("empty.json", "{}");
  std::string other = text_of(kFolder + "two.json");
  other.replace(other.find("com.microsoft.MatMulNBits"), 25, "et_vk.linear_q4gsw");
  workspace.write("other.json", other);
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"conformance"}, "reports"},
      {{"conformance", "nowhere.json"}, "nowhere.json"},
      {{"conformance", "text.json"}, "text.json is not a JSON object"},
      {{"conformance", "empty.json"}, "empty.json: \"package\" must be a string"},
      {{"conformance", "one.json", "other.json"}, "a table is of one package"},
  };
  for (const auto& [arguments, said] : bad) {
    const Outcome outcome = workspace.halfbyte(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(said));
  }
}

}  // namespace
}  // namespace halfbyte::cli_test
