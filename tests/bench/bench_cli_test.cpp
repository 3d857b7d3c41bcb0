// What a user sees of measuring and tuning, on shapes that a CPU does in milliseconds. No time is asserted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"
#include "tune/records.hpp"

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSource = HALFBYTE_SOURCE_DIR;
const std::string kPackage = kSource + "/kernels/com.microsoft.MatMulNBits";
const std::string kTiny = kSource + "/tests/bench/tiny.json";

// A workspace with a cache folder of its own, kept for all tests, since the device's record takes seconds to measure.
class Bench : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space_ = new Workspace;
    setenv("XDG_CACHE_HOME", (space_->path() / "cache").c_str(), 1);
    adapter_ = space_->halfbyte({"device"}).exit_code == 0;
    if (adapter_) measured_ = space_->halfbyte({"device", "--measure", "--json", "--seed", "5"});
  }
  static void TearDownTestSuite() { delete space_; }
  void SetUp() override {
    if (!adapter_) GTEST_SKIP() << "no adapter";
  }

  static const Workspace& space() { return *space_; }
  static Outcome bench(std::vector<std::string> more) {
    std::vector<std::string> arguments{"bench", kPackage, "--cases", kTiny, "--stored-peaks"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return space_->halfbyte(arguments);
  }
  static json read_json(const std::string& name) { return json::parse(space_->read(name)); }

  inline static Workspace* space_ = nullptr;
  inline static bool adapter_ = false;
  inline static Outcome measured_;
};

TEST_F(Bench, DeviceIsMeasuredCheckedAndKept) {
  ASSERT_EQ(measured_.exit_code, 0) << measured_.err;
  const json record = json::parse(measured_.out);
  EXPECT_EQ(record.at("schema"), "halfbyte.device/1");
  int good = 0;
  for (const json& peak : record.at("peaks")) {
    const std::string id = peak.at("id");
    SCOPED_TRACE(id);
    const std::string why = peak.value("why", "");
    // Whatever the device has must be measured and right; what it lacks says so.
    if (peak.at("value").get<double>() > 0) {
      EXPECT_TRUE(peak.at("checked").get<bool>());
      ++good;
    } else {
      EXPECT_THAT(why, HasSubstr("the device lacks"));
    }
  }
  EXPECT_GE(good, 4);
  int files = 0;
  for (const auto& [name, contents] : space().files()) {
    if (!name.starts_with("cache/halfbyte/devices/")) continue;
    ++files;
    EXPECT_EQ(json::parse(contents).at("peaks"), record.at("peaks"));
  }
  EXPECT_EQ(files, 1);
}

TEST_F(Bench, EveryVariantIsTimedAndChecked) {
  const Outcome outcome = bench({"--all-variants", "--json", "all.json", "--html", "all.html", "--seed", "7"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("all.json");
  EXPECT_EQ(report.at("seed"), 7);
  std::map<std::string, int> chosen, rows;
  for (const json& row : report.at("results")) {
    const std::string id = row.at("case");
    SCOPED_TRACE(id + " " + row.at("variant").get<std::string>());
    ++rows[id];
    chosen[id] += row.at("chosen").get<bool>() ? 1 : 0;
    EXPECT_FALSE(row.contains("why")) << row.at("why");
    ASSERT_TRUE(row.contains("us"));
    EXPECT_GT(row.at("us").get<double>(), 0);
    EXPECT_GE(row.at("samples").get<int>(), 1);
    EXPECT_TRUE(row.at("check").at("pass").get<bool>());
    EXPECT_LE(row.at("check").at("error").get<double>(), row.at("check").at("bound").get<double>());
    EXPECT_GT(row.at("share").get<double>(), 0);
    if (row.contains("prepack")) {
      EXPECT_EQ(row.at("prepack").at("timed"), false);
    }
  }
  EXPECT_EQ(rows.size(), 5u);
  for (const auto& [id, count] : chosen) {
    EXPECT_EQ(count, 1) << id;
    EXPECT_GT(rows[id], 1) << id;
  }
  // M = 4 lacks the head's own time, which counts at one row.
  ASSERT_EQ(report.at("model_sums").size(), 2u);
  EXPECT_EQ(report.at("model_sums")[0].at("layers"), 5);
  EXPECT_EQ(report.at("model_sums")[1].at("head_for_last_token_only"), true);
  EXPECT_THAT(space().read("all.html"), HasSubstr("<polyline"));

  const Outcome again = space().halfbyte({"bench", "--from", "all.json", "--html", "again.html"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(space().read("again.html"), HasSubstr("<polyline"));
}

TEST_F(Bench, WithoutTimestampsTheWallClockIsUsedAndNamed) {
  const Outcome outcome = bench({"--only", "up M1", "--disable-feature", "timestamps", "--json", "wall.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("wall.json");
  EXPECT_THAT(report.at("clock").get<std::string>(), HasSubstr("wall clock"));
  EXPECT_GT(report.at("results")[0].at("us").get<double>(), 0);
}

TEST_F(Bench, OptionsChooseWhatIsMeasured) {
  EXPECT_EQ(bench({"--only", "down", "-M", "2,3", "--variant", "scalar", "--cached", "--no-prepack", "--json", "few.json"}).exit_code, 0);
  const json report = read_json("few.json");
  EXPECT_EQ(report.at("cached"), true);
  ASSERT_EQ(report.at("results").size(), 2u);
  for (const json& row : report.at("results")) {
    EXPECT_EQ(row.at("variant"), "scalar");
    EXPECT_EQ(row.at("weight_sets"), 1);
  }
  EXPECT_EQ(report.at("results")[1].at("M"), 3);
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{
           {"--only", "nothing"}, {"--set", "bitz=4"}, {"--set", "M"}, {"--variant", "gemw", "--only", "up M1"}, {"--json", "/nowhere/x.json"}, {"--compare", "none.json", "--only", "up M1"}}) {
    const Outcome outcome = bench(bad);
    EXPECT_NE(outcome.exit_code, 0) << bad[0];
    EXPECT_THAT(outcome.err + outcome.out, ::testing::ContainsRegex("nothing|bitz|NAME=VALUE|gemw|nowhere|none.json"));
  }
  EXPECT_EQ(space().halfbyte({"bench"}).exit_code, 2);
}

TEST_F(Bench, AnotherRuntimesTimesStandBesideOurs) {
  space().write("other.json", R"({"schema":"halfbyte.other/1","runtime":"Another 1","results":[
    {"M":1,"K":64,"N":96,"bits":4,"block_size":32,"dtype":"float32","us":1e6,"note":"made up"}]})");
  const Outcome outcome = bench({"--only", "up", "--compare", "other.json", "--json", "beside.json", "--html", "beside.html"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = read_json("beside.json");
  EXPECT_EQ(report.at("other_runtime"), "Another 1");
  EXPECT_GT(report.at("results")[0].at("other").at("ratio").get<double>(), 0);
  EXPECT_FALSE(report.at("results")[1].contains("other"));
  EXPECT_THAT(space().read("beside.html"), HasSubstr("Another 1"));
}

TEST_F(Bench, TuningIsKeptUsedAndResumed) {
  const auto tune = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"--tuning", "tuned.json", "tune", kPackage, "--cases", kTiny, "--only", "up", "--most", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return space().halfbyte(arguments);
  };
  // No time at all: nothing is found, nothing is lost.
  const Outcome hasty = tune({"--per-case", "0.0001"});
  ASSERT_TRUE(TuningRecords::parse(space().read("tuned.json"), "tuned.json"));
  EXPECT_THAT(space().read("tuned.json"), HasSubstr("unfinished")) << hasty.err;

  const Outcome outcome = tune({"--per-case", "60"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json file = read_json("tuned.json");
  ASSERT_EQ(file.at("entries").size(), 1u);
  ASSERT_EQ(file.at("entries")[0].at("problems").size(), 1u);
  const json& points = file.at("entries")[0].at("problems")[0].at("points");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_FALSE(file.at("entries")[0].at("problems")[0].contains("unfinished"));
  std::vector<std::string> winners;
  for (const json& point : points) {
    EXPECT_EQ(point.at("complete"), true);
    EXPECT_TRUE(point.at("failed").empty()) << point.at("failed");
    EXPECT_GT(point.at("candidates").size(), 2u);
    winners.push_back(point.at("candidates")[0].at("variant"));
    // The winner is never slower than what the manifest would choose.
    EXPECT_LE(point.at("candidates")[0].at("us").get<double>(), point.at("default").at("us").get<double>());
  }

  const Outcome known = tune({"--per-case", "60"});
  EXPECT_THAT(known.out, HasSubstr("known before"));

  const Outcome used = space().halfbyte({"--tuning", "tuned.json", "bench", kPackage, "--cases", kTiny, "--stored-peaks", "--only", "up", "--json", "used.json"});
  EXPECT_EQ(used.exit_code, 0) << used.err;
  const json report = read_json("used.json");
  ASSERT_EQ(report.at("results").size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(report.at("results")[i].at("variant"), winners[i]);
    EXPECT_EQ(report.at("results")[i].at("tuned"), true);
  }

  // Another package hash: the records say nothing of it.
  fs::copy(kPackage, space().path() / "changed", fs::copy_options::recursive);
  std::ofstream(space().path() / "changed" / "manifest.json", std::ios::app) << "\n";
  const Outcome changed = space().halfbyte({"--tuning", "tuned.json", "bench", "changed", "--cases", kTiny, "--stored-peaks", "--only", "up M1", "--json", "changed.json"});
  EXPECT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_EQ(read_json("changed.json").at("results")[0].at("tuned"), false);
  EXPECT_THAT(changed.out, HasSubstr("tuning records are not used"));

  space().write("broken.json", "{");
  EXPECT_EQ(space().halfbyte({"--tuning", "broken.json", "bench", kPackage, "--cases", kTiny}).exit_code, 2);
  EXPECT_EQ(space().halfbyte({"--tuning", "none.json", "bench", kPackage, "--cases", kTiny}).exit_code, 2);
}

// A kernel that computes something else, quickly.
TEST_F(Bench, AWrongKernelIsFoundAndNeverWins) {
  const fs::path folder = space().path() / "wrong";
  fs::copy(kPackage, folder, fs::copy_options::recursive);
  const fs::path shader = folder / "matmul-nbits.wgsl.jinja";
  std::stringstream text;
  text << std::ifstream(shader).rdbuf();
  std::string wgsl = text.str();
  const size_t at = wgsl.find("fn main(");
  ASSERT_NE(at, std::string::npos) << "the scalar kernel has another form now; break it in another way";
  const size_t body = wgsl.find('{', wgsl.find(')', at));
  ASSERT_NE(body, std::string::npos);
  std::ofstream(shader) << wgsl.insert(body + 1, "\n  if (params.rows > 0u) { return; }\n");

  const Outcome outcome = space().halfbyte({"bench", folder.string(), "--cases", kTiny, "--stored-peaks", "--only", "up M4", "--variant", "scalar", "--json", "wrong.json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("FAILED tiny/up/M4 by scalar"));
  const json row = read_json("wrong.json").at("results")[0];
  EXPECT_FALSE(row.contains("us"));
  EXPECT_EQ(row.at("check").at("pass"), false);

  const Outcome tuned = space().halfbyte({"--tuning", "wrong_tuned.json", "tune", folder.string(), "--cases", kTiny, "--only", "up M4", "--most", "1", "--per-case", "60"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err << tuned.out;
  const json point = read_json("wrong_tuned.json").at("entries")[0].at("problems")[0].at("points")[0];
  ASSERT_EQ(point.at("failed").size(), 1u);
  EXPECT_THAT(point.at("failed")[0].get<std::string>(), HasSubstr("scalar"));
  for (const json& candidate : point.at("candidates")) EXPECT_NE(candidate.at("variant"), "scalar");
}

TEST_F(Bench, OnnxRuntimeIsComparedWhereNodeIsAtHand) {
  if (!fs::exists(kSource + "/node_modules/onnxruntime-node")) GTEST_SKIP() << "onnxruntime-node is not installed (npm ci)";
  setenv("HALFBYTE_ORT", (kSource + "/bench/ort").c_str(), 1);
  const Outcome outcome = bench({"--only", "up M4", "--ort", "--json", "ort.json"});
  unsetenv("HALFBYTE_ORT");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("ort.json");
  EXPECT_THAT(report.at("other_runtime").get<std::string>(), HasSubstr("WebGPU provider"));
  EXPECT_GT(report.at("results")[0].at("other").at("us").get<double>(), 0);
}

}  // namespace
}  // namespace halfbyte::cli_test
