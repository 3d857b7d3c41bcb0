// ONNX Runtime beside ours: bench/ort, and what becomes of its figures.
#include <cstdlib>
#include <filesystem>

#include "space.hpp"

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

class Ort : public Bench {
 protected:
  static std::string why_not() {
    if (space().run({"node", "--version"}).exit_code != 0) return "node is not here";
    if (!fs::exists(kSource + "/node_modules/onnxruntime-node")) return "onnxruntime-node is not installed (npm ci)";
    return "";
  }
  static Outcome script(std::vector<std::string> more) {
    std::vector<std::string> arguments{"node", kSource + "/bench/ort/run.mjs", "--cases", "shapes.json", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return space().run(arguments);
  }
};

TEST_F(Bench, AnotherRuntimesTimesStandBesideOurs) {
  space().write("other.json", R"({"schema":"halfbyte.other/1","runtime":"Another 1","results":[
    {"M":1,"K":64,"N":96,"bits":4,"block_size":32,"dtype":"float32","us":1e6,"note":"made up"}]})");
  const Outcome outcome =
      bench(few(), {"--only", "up", "--compare", "other.json", "--json", "beside.json", "--html", "beside.html"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = read_json("beside.json");
  EXPECT_EQ(report.at("other_runtime"), "Another 1");
  const json& row = report.at("results")[0];
  EXPECT_NEAR(row.at("other").at("ratio").get<double>(), 1e6 / row.at("us").get<double>(), 1e-3);
  EXPECT_FALSE(report.at("results")[1].contains("other"));
  EXPECT_THAT(space().read("beside.html"), HasSubstr("Another 1"));
}

// The CPU provider is always there: chains and layers side by side, zero points, and a case that it refuses.
TEST_F(Ort, ScriptTimesChainsAndReportsWhatFails) {
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  space().write("shapes.json", R"([
    {"M":4,"K":64,"N":96,"bits":4,"block_size":32,"dtype":"float32","zero_points":false,"accuracy_level":0},
    {"M":1,"K":64,"N":64,"bits":4,"block_size":32,"dtype":"float16","zero_points":true,"accuracy_level":4},
    {"M":1,"K":64,"N":64,"bits":3,"block_size":32,"dtype":"float32","zero_points":false,"accuracy_level":0}])");
  const Outcome outcome = script({"--provider", "cpu", "--out", "cpu.json", "--seconds", "0.05"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json times = read_json("cpu.json");
  EXPECT_EQ(times.at("schema"), "halfbyte.other/1");
  EXPECT_THAT(times.at("runtime").get<std::string>(), HasSubstr("CPU provider"));
  // On so small a layer the noise can be larger than the difference; that is said, and is no time.
  EXPECT_EQ(times.at("results").size() + times.at("failed").size(), 3u);
  for (const json& result : times.at("results")) EXPECT_GT(result.at("us").get<double>(), 0);
  for (const json& failed : times.at("failed"))
    EXPECT_TRUE(!failed.contains("bits") || failed.at("why").get<std::string>().contains("not slower")) << failed;
  ASSERT_FALSE(times.at("failed").empty());
  EXPECT_EQ(times.at("failed").back().at("K"), 64);
  EXPECT_FALSE(times.at("failed").back().at("why").get<std::string>().empty());

  const Outcome late = script({"--provider", "cpu", "--out", "late.json", "--budget", "0"});
  EXPECT_EQ(late.exit_code, 1);
  ASSERT_EQ(read_json("late.json").at("failed").size(), 3u);
  EXPECT_THAT(read_json("late.json").at("failed")[0].at("why").get<std::string>(), HasSubstr("--budget"));
}

TEST_F(Ort, WebGpuProviderIsMeasuredInTheSameRun) {
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  setenv("HALFBYTE_ORT", (kSource + "/bench/ort").c_str(), 1);
  const Outcome outcome = bench(few(), {"--only", "up M4", "--ort", "--json", "ort.json"});
  unsetenv("HALFBYTE_ORT");
  if (outcome.exit_code != 0 && outcome.err.contains("bench/ort: K=64"))
    GTEST_SKIP() << "ONNX Runtime's WebGPU provider does not run here: "
                 << outcome.err.substr(outcome.err.find("bench/ort: K=64"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json report = read_json("ort.json");
  EXPECT_THAT(report.at("other_runtime").get<std::string>(), HasSubstr("WebGPU provider"));
  EXPECT_GT(report.at("results")[0].at("other").at("us").get<double>(), 0);
  EXPECT_GT(report.at("results")[0].at("other").at("ratio").get<double>(), 0);
}

TEST_F(Ort, AMissingScriptIsNamed) {
  setenv("HALFBYTE_ORT", space().path().c_str(), 1);
  const Outcome outcome = bench(few(), {"--only", "up M4", "--ort", "--json", "none.json"});
  unsetenv("HALFBYTE_ORT");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("HALFBYTE_ORT"));
}

}  // namespace
}  // namespace halfbyte::cli_test
