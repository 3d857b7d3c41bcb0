// device --measure and bench, on shapes that a CPU does in milliseconds.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "space.hpp"

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

using Device = Bench;

TEST_F(Device, IsMeasuredCheckedAndKept) {
  ASSERT_EQ(measured().exit_code, 0) << measured().err;
  const json record = json::parse(measured().out);
  EXPECT_EQ(record.at("schema"), "halfbyte.device/1");
  std::set<std::string> kinds;
  for (const json& peak : record.at("peaks")) {
    SCOPED_TRACE(peak.at("id").get<std::string>());
    // Whatever the device has must be measured and right; what it lacks says so.
    if (peak.at("value").get<double>() > 0) {
      EXPECT_TRUE(peak.at("checked").get<bool>());
      kinds.insert(peak.at("kind"));
    } else {
      EXPECT_THAT(peak.value("why", ""), HasSubstr("the device lacks"));
    }
  }
  for (const char* kind : {"fma", "read", "copy", "dispatch"}) EXPECT_TRUE(kinds.contains(kind)) << kind;
  int files = 0;
  for (const auto& [name, contents] : space().files()) {
    if (!name.starts_with("cache/halfbyte/devices/")) continue;
    ++files;
    EXPECT_EQ(json::parse(contents).at("peaks"), record.at("peaks"));
  }
  EXPECT_EQ(files, 1);
}

void expect_sound(const json& row) {
  EXPECT_FALSE(row.contains("why")) << row.at("why");
  ASSERT_TRUE(row.contains("us"));
  EXPECT_GT(row.at("us").get<double>(), 0);
  EXPECT_GE(row.at("us").get<double>(), row.at("us_min").get<double>());
  EXPECT_LE(row.at("us").get<double>(), row.at("us_max").get<double>());
  EXPECT_GE(row.at("samples").get<int>(), 1);
  EXPECT_NEAR(row.at("tflops").get<double>() * 1e12 * row.at("us").get<double>() * 1e-6, row.at("flops").get<double>(),
              1e-6 * row.at("flops").get<double>());
  EXPECT_EQ(row.at("flops"), 2 * row.at("M").get<double>() * row.at("K").get<double>() * row.at("N").get<double>());
  EXPECT_TRUE(row.at("check").at("pass").get<bool>());
  EXPECT_LE(row.at("check").at("error").get<double>(), row.at("check").at("bound").get<double>());
  EXPECT_NEAR(row.at("share").get<double>(), row.at("limit").at("us").get<double>() / row.at("us").get<double>(), 1e-6);
  if (row.contains("prepack")) {
    EXPECT_EQ(row.at("prepack").at("timed"), false);
  }
}

// Of the real package, on one case: what needs what is for lint and verify.
TEST_F(Bench, EveryVariantIsTimedAndChecked) {
  const Outcome outcome = bench(kPackage, {"--all-variants", "--only", "up M4", "--json", "all.json", "--seed", "7"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("all.json");
  EXPECT_EQ(report.at("schema"), "halfbyte.bench/1");
  EXPECT_EQ(report.at("seed"), 7);
  std::set<std::string> variants;
  int chosen = 0;
  for (const json& row : report.at("results")) {
    SCOPED_TRACE(row.at("variant").get<std::string>());
    expect_sound(row);
    chosen += row.at("chosen").get<bool>() ? 1 : 0;
    EXPECT_TRUE(variants.insert(row.at("variant")).second) << "twice";
    EXPECT_THAT(outcome.out, HasSubstr(row.at("variant").get<std::string>()));
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_GE(variants.size(), 4u);
  EXPECT_TRUE(variants.contains("scalar"));
}

TEST_F(Bench, ReportIsWhole) {
  const Outcome outcome = bench(few(), {"--all-variants", "--json", "few.json", "--html", "few.html"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("few.json");
  for (const char* key :
       {"tool", "measured_at", "package", "package_hash", "clock", "cached", "rotate_bytes", "remarks"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report.at("device").at("peaks"), json::parse(measured().out).at("peaks"));
  std::map<std::string, int> chosen, rows;
  for (const json& row : report.at("results")) {
    SCOPED_TRACE(row.at("case").get<std::string>() + " " + row.at("variant").get<std::string>());
    ++rows[row.at("case")];
    chosen[row.at("case")] += row.at("chosen").get<bool>() ? 1 : 0;
    expect_sound(row);
  }
  EXPECT_EQ(rows.size(), 5u);
  for (const auto& [id, count] : chosen) {
    EXPECT_EQ(count, 1) << id;
    EXPECT_GT(rows[id], 1) << id;
  }
  // M = 4 lacks the head's own time, which counts at one row.
  const json& sums = report.at("model_sums");
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].at("layers"), 5);
  EXPECT_EQ(sums[0].at("head_for_last_token_only"), false);
  EXPECT_EQ(sums[1].at("head_for_last_token_only"), true);
  double seconds = 0;
  for (const json& row : report.at("results"))
    if (row.at("chosen") && row.at("M") == 1) seconds += row.at("count").get<double>() * row.at("us").get<double>();
  EXPECT_NEAR(sums[0].at("us").get<double>(), seconds, 1e-6 * seconds);
  const std::string page = space().read("few.html");
  for (const char* part : {"<!doctype html>", "<polyline", "Roofline", "Whole models", "</html>"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* outside : {"http://", "https://", "<script", "src="}) EXPECT_THAT(page, Not(HasSubstr(outside)));

  const Outcome again =
      space().halfbyte({"bench", "--from", "few.json", "--html", "again.html", "--json", "again.json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(space().read("again.html"), page);
  const json kept = read_json("again.json").at("results");
  ASSERT_EQ(kept.size(), report.at("results").size());
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i].at("variant"), report.at("results")[i].at("variant"));
    EXPECT_NEAR(kept[i].at("us").get<double>(), report.at("results")[i].at("us").get<double>(), 1e-6);
  }
}

TEST_F(Bench, WithoutTimestampsTheWallClockIsUsedAndNamed) {
  const Outcome outcome = bench(few(), {"--only", "up M1", "--disable-feature", "timestamps", "--json", "wall.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("wall.json");
  EXPECT_THAT(report.at("clock").get<std::string>(), HasSubstr("wall clock"));
  EXPECT_GT(report.at("results")[0].at("us").get<double>(), 0);
}

TEST_F(Bench, OptionsChooseWhatIsMeasured) {
  const Outcome outcome = bench(few(), {"--only", "down", "-M", "2,3", "--variant", "scalar", "--cached",
                                        "--no-prepack", "--json", "options.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("options.json");
  EXPECT_EQ(report.at("cached"), true);
  ASSERT_EQ(report.at("results").size(), 2u);
  for (const json& row : report.at("results")) {
    EXPECT_EQ(row.at("variant"), "scalar");
    EXPECT_EQ(row.at("weight_sets"), 1);
  }
  EXPECT_EQ(report.at("results")[1].at("M"), 3);
}

TEST_F(Bench, WrongOptionsSayWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"--only", "nothing"}, "--only"},
      {{"--set", "bitz=4"}, "bitz"},
      {{"--set", "M"}, "NAME=VALUE"},
      {{"--variant", "gemw", "--only", "up M1"}, "gemw"},
      {{"--json", "/nowhere/x.json"}, "/nowhere/x.json"},
      {{"--compare", "none.json", "--only", "up M1"}, "none.json"}};
  for (const auto& [arguments, said] : all) {
    const Outcome outcome = bench(few(), arguments);
    EXPECT_NE(outcome.exit_code, 0) << said;
    EXPECT_THAT(outcome.err + outcome.out, HasSubstr(said));
  }
  EXPECT_EQ(space().halfbyte({"bench"}).exit_code, 2);
}

TEST_F(Bench, WhenTheTimeIsUsedUpTheRestSaysSo) {
  const Outcome outcome = bench(few(), {"--budget", "1e-6", "--json", "late.json"});
  EXPECT_EQ(outcome.exit_code, 1) << "nothing was measured";
  const json report = read_json("late.json");
  EXPECT_EQ(report.at("results").size(), 5u);
  for (const json& row : report.at("results")) EXPECT_THAT(row.at("why").get<std::string>(), HasSubstr("--budget"));
}

// A kernel that computes something else, quickly.
TEST_F(Bench, AWrongKernelIsFoundAndNeverWins) {
  const fs::path folder = space().path() / "wrong";
  fs::copy(few(), folder, fs::copy_options::recursive);
  const std::string shader = "wrong/matmul-nbits.wgsl.jinja";
  std::string wgsl = space().read(shader);
  const size_t at = wgsl.find("fn main(");
  ASSERT_NE(at, std::string::npos) << "the scalar kernel has another form now; break it in another way";
  const size_t body = wgsl.find('{', wgsl.find(')', at));
  ASSERT_NE(body, std::string::npos);
  space().write(shader, wgsl.insert(body + 1, "\n  if (params.rows > 0u) { return; }\n"));

  const Outcome outcome = bench(folder.string(), {"--only", "up M4", "--variant", "scalar", "--json", "wrong.json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("FAILED tiny/up/M4 by scalar"));
  const json row = read_json("wrong.json").at("results")[0];
  EXPECT_FALSE(row.contains("us"));
  EXPECT_EQ(row.at("check").at("pass"), false);

  const Outcome tuned = space().halfbyte({"--tuning", "wrong_tuned.json", "tune", folder.string(), "--cases", kTiny,
                                          "--only", "up M4", "--most", "1", "--per-case", "60"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err << tuned.out;
  const json point = read_json("wrong_tuned.json").at("entries")[0].at("problems")[0].at("points")[0];
  ASSERT_FALSE(point.at("failed").empty());
  for (const json& failed : point.at("failed")) EXPECT_THAT(failed.get<std::string>(), ::testing::StartsWith("scalar"));
  ASSERT_FALSE(point.at("candidates").empty());
  for (const json& candidate : point.at("candidates")) EXPECT_NE(candidate.at("variant"), "scalar");
}

}  // namespace
}  // namespace halfbyte::cli_test
