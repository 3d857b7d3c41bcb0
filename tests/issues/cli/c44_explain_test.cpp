// C44 API usability: why this variant, and why not every other one. On every profile, in text and as JSON, with the failed condition and its
// numbers; the exit code says when nothing runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "program.hpp"

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

const std::string kSource = HALFBYTE_SOURCE_DIR;
const std::string kPackage = kSource + "/kernels/com.microsoft.MatMulNBits";

std::vector<std::string> profiles() {
  std::vector<std::string> files;
  for (const char* folder : {"/profiles", "/profiles/field"})
    for (const auto& entry : fs::directory_iterator(kSource + folder))
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

std::set<std::string> variants() {
  std::set<std::string> ids;
  const Workspace space;
  const Outcome cat = space.run({"cat", kPackage + "/manifest.json"});
  const json manifest = json::parse(cat.out);
  for (const json& variant : manifest.at("variants")) ids.insert(variant.at("id"));
  return ids;
}

Outcome explain(const Workspace& space, const std::string& profile, std::vector<std::string> more) {
  std::vector<std::string> arguments{"explain", kPackage, "--profile", profile, "-K", "4096", "-N", "4096"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return space.halfbyte(arguments);
}

// A sentence says what failed with what there is: a number for each name of a comparison, or the thing that the device lacks.
void expect_reason(const std::string& verdict, const std::string& why) {
  static const std::regex lacks(
      R"(the device (lacks the (WGSL language )?feature ".+"|does not list matrixConfig\(.+\)))");
  static const std::regex needs(R"(needs \w+ (of at least|above) [0-9.]+, the device has [0-9.]+( \(.+\))?)");
  static const std::regex compared(R"(.+ is (-?[0-9.]+|"\w+"|true|false)(, .+ is (-?[0-9.]+|"\w+"|true|false))*)");
  static const std::regex order(R"(priority [0-9.]+ (is below [0-9.]+ of|as) \w+.*)");
  static const std::regex winner(R"(priority [0-9.]+.*)");
  const auto is = [&](const std::regex& form) { return std::regex_match(why, form); };
  if (verdict == "chosen") EXPECT_TRUE(is(winner)) << why;
  if (verdict == "eligible") EXPECT_TRUE(is(order)) << why;
  if (verdict == "demoted")
    EXPECT_TRUE(why.starts_with("demoted, since ") && (is(compared) || why.ends_with(" holds"))) << why;
  if (verdict == "rejected") EXPECT_TRUE(is(lacks) || is(needs) || is(compared)) << why;
}

TEST(FieldCase, C44_EveryVariantOnEveryProfileSaysWhy) {
  const Workspace space;
  const std::set<std::string> all = variants();
  ASSERT_FALSE(all.empty());
  EXPECT_GE(profiles().size(), 20U);
  for (const std::string& profile : profiles()) {
    SCOPED_TRACE(profile);
    const Outcome outcome = explain(space, profile, {"-M", "1", "--dtype", "f32", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json said = json::parse(outcome.out);
    std::set<std::string> listed;
    std::map<std::string, int> verdicts;
    for (const json& variant : said.at("variants")) {
      listed.insert(variant.at("id"));
      verdicts[variant.at("verdict")] += 1;
      expect_reason(variant.at("verdict"), variant.at("why"));
      if (variant.at("verdict") == "chosen") EXPECT_EQ(variant.at("id"), said.at("winner"));
    }
    EXPECT_EQ(listed, all);
    EXPECT_EQ(verdicts["chosen"], 1);
    EXPECT_EQ(said.at("variants").size(), all.size()) << "each once";
  }
}

TEST(FieldCase, C44_TextSaysTheSame) {
  const Workspace space;
  const std::string profile = kSource + "/profiles/field/compat.json";
  const json said = json::parse(explain(space, profile, {"-M", "1", "--dtype", "f32", "--json"}).out);
  const Outcome text = explain(space, profile, {"-M", "1", "--dtype", "f32"});
  EXPECT_EQ(text.exit_code, 0);
  for (const json& variant : said.at("variants"))
    for (const char* part : {"id", "verdict", "why"})
      EXPECT_THAT(text.out, HasSubstr(variant.at(part).get<std::string>()));
}

// Sentences that people act on, whole.
TEST(FieldCase, C44_TheFailedConditionWithBothNumbers) {
  const Workspace space;
  const auto why = [&](const std::string& profile, const std::string& M, const std::string& id,
                       const std::string& dtype = "f16") {
    const std::string file = kSource + "/profiles/" + profile + ".json";
    const json said = json::parse(explain(space, file, {"-M", M, "--dtype", dtype, "--json"}).out);
    for (const json& variant : said.at("variants"))
      if (variant.at("id") == id) return variant.at("why").get<std::string>();
    return "there is no " + id;
  };
  EXPECT_EQ(why("field/compat", "1", "prefill_tiled", "f32"),
            "needs maxComputeInvocationsPerWorkgroup of at least 256, the device has 128");
  EXPECT_EQ(why("field/ff", "512", "prefill_fma"),
            "needs maxComputeWorkgroupStorageSize of at least 20480, the device has 16384 ((fmaRows + 8) * 16 * 80)");
  EXPECT_EQ(why("field/nvlinux", "64", "sgmat"), "the device lacks the feature \"shader-f16\"");
  EXPECT_EQ(why("nvidia-h200", "64", "gemv"), "aRows == 1 is false: aRows is 64");
  EXPECT_EQ(why("nvidia-h200", "1", "prefill_tile4x4"),
            "demoted, since aRows < tunables.TILE4X4_MIN_M holds: aRows is 1, tunables.TILE4X4_MIN_M is 2");
}

TEST(FieldCase, C44_NothingRunsIsExitCodeOne) {
  const Workspace space;
  const std::string profile = kSource + "/profiles/field/compat.json";
  const Outcome forced = explain(space, profile, {"-M", "2", "--variant", "gemv", "--json"});
  EXPECT_EQ(forced.exit_code, 1);
  EXPECT_TRUE(json::parse(forced.out).at("winner").is_null());

  // A package none of whose variants is ever eligible.
  fs::copy(kPackage, space.path() / "none", fs::copy_options::recursive);
  json manifest = json::parse(space.read("none/manifest.json"));
  for (json& variant : manifest.at("variants")) variant["when"].push_back("attrs.K < 0");
  space.write("none/manifest.json", manifest.dump());
  const Outcome none = space.halfbyte({"explain", "none", "--profile", profile, "-M", "1", "-K", "64", "-N", "64"});
  EXPECT_EQ(none.exit_code, 1) << none.err;
  EXPECT_THAT(none.out, HasSubstr("nothing runs: no variant of"));
  EXPECT_THAT(none.out, HasSubstr("attrs.K < 0 is false: attrs.K is 64"));
  EXPECT_EQ(explain(space, profile, {"-M", "0.5"}).exit_code, 2);
}

}  // namespace
}  // namespace halfbyte::cli_test
