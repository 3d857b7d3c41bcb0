// tune, and everything that follows its records.
#include <filesystem>

#include "space.hpp"
#include "tune/records.hpp"

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Tune : public Bench {
 protected:
  static Outcome tune(std::vector<std::string> more) {
    std::vector<std::string> arguments{"--tuning", "tuned.json", "tune", few(),    "--cases",
                                       kTiny,      "--only",     "up",   "--most", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return space().halfbyte(arguments);
  }
  static const json& problem(const json& file) { return file.at("entries")[0].at("problems")[0]; }
};

TEST_F(Tune, GoesOnWhereItStopped) {
  // No time at all: nothing is found, nothing is lost.
  const Outcome hasty = tune({"--per-case", "0.0001"});
  ASSERT_TRUE(TuningRecords::parse(space().read("tuned.json"), "tuned.json"));
  EXPECT_TRUE(problem(read_json("tuned.json")).contains("unfinished")) << hasty.err;

  const Outcome outcome = tune({"--per-case", "60"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const json file = read_json("tuned.json");
  ASSERT_EQ(file.at("entries").size(), 1u);
  ASSERT_EQ(file.at("entries")[0].at("problems").size(), 1u);
  EXPECT_FALSE(problem(file).contains("unfinished"));
  ASSERT_EQ(problem(file).at("points").size(), 2u);
  for (const json& point : problem(file).at("points")) {
    EXPECT_EQ(point.at("complete"), true);
    EXPECT_TRUE(point.at("failed").empty()) << point.at("failed");
    EXPECT_GT(point.at("candidates").size(), 2u);
    // The manifest's own choice was tried too, and the winner is not slower.
    EXPECT_GT(point.at("default").at("us").get<double>(), 0);
    EXPECT_LE(point.at("candidates")[0].at("us").get<double>(), point.at("default").at("us").get<double>());
  }

  const Outcome known = tune({"--per-case", "60"});
  EXPECT_EQ(known.exit_code, 0);
  EXPECT_THAT(known.out, HasSubstr("known before"));
  const json again = read_json("tuned.json");
  for (size_t i = 0; i < 2; ++i) {
    const json &before = problem(file).at("points")[i], &after = problem(again).at("points")[i];
    ASSERT_EQ(after.at("candidates").size(), before.at("candidates").size());
    for (size_t k = 0; k < after.at("candidates").size(); ++k)
      EXPECT_NEAR(after.at("candidates")[k].at("us").get<double>(), before.at("candidates")[k].at("us").get<double>(),
                  1e-6);  // not measured again
  }
}

// Records whose winner is another variant than the manifest's choice: real ones with the figures changed, so that what follows does not
// depend on this machine.
TEST_F(Tune, RecordsChangeTheChoiceEverywhere) {
  ASSERT_TRUE(fs::exists(space().path() / "tuned.json")) << "made by the test before";
  const std::string explained =
      space().halfbyte({"explain", few(), "-M", "1", "-K", "64", "-N", "96", "--dtype", "f32", "--json"}).out;
  const std::string first = json::parse(explained).at("winner");
  EXPECT_TRUE(json::parse(explained).at("tuned").is_null());
  ASSERT_NE(first, "scalar");
  json file = read_json("tuned.json");
  for (json& point : file.at("entries")[0].at("problems")[0].at("points")) {
    const double scale = point.at("M").get<double>();
    point["default"] = {{"variant", first}, {"us", 31.0 * scale}};
    point["candidates"] = json::array();
    for (const auto& [variant, us] : {std::pair<std::string, double>{"scalar", 14.2}, {first, 31.0}})
      point["candidates"].push_back(
          {{"variant", variant}, {"tunables", json::object()}, {"us", us * scale}, {"spread", 0.01}});
  }
  file["entries"][0]["problems"][0]["points"][0]["candidates"][0]["tunables"] = {{"WORKGROUP_SIZE", 32}};
  space().write("made.json", file.dump());

  const std::vector<std::string> call{"-M", "1", "-K", "64", "-N", "96", "--dtype", "f32"};
  const auto explain = [&](std::vector<std::string> front, std::vector<std::string> back) {
    front.insert(front.end(), {"explain", few()});
    front.insert(front.end(), back.begin(), back.end());
    return space().halfbyte(front);
  };
  const Outcome text = explain({"--tuning", "made.json"}, call);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("tuned: 14.2 us against 31.0 us for the manifest's first choice, " + first));
  std::vector<std::string> as_json = call;
  as_json.emplace_back("--json");
  const json tuned = json::parse(explain({"--tuning", "made.json"}, as_json).out);
  EXPECT_EQ(tuned.at("winner"), "scalar");
  EXPECT_EQ(tuned.at("variants")[0].at("verdict"), "chosen");
  EXPECT_NEAR(tuned.at("tuned").at("us").get<double>(), 14.2, 1e-6);
  EXPECT_EQ(tuned.at("tuned").at("tunables").at("WORKGROUP_SIZE"), 32);
  EXPECT_NEAR(tuned.at("tuned").at("manifest").at("us").get<double>(), 31, 1e-6);
  // Between measured rows, beyond them, and for another problem.
  as_json[1] = "2";
  const json between = json::parse(explain({"--tuning", "made.json"}, as_json).out);
  EXPECT_EQ(between.at("tuned").is_null(), json::parse(explain({}, as_json).out).at("winner") != first);
  as_json[1] = "64";
  EXPECT_TRUE(json::parse(explain({"--tuning", "made.json"}, as_json).out).at("tuned").is_null());
  as_json[1] = "1";
  as_json[5] = "128";
  EXPECT_TRUE(json::parse(explain({"--tuning", "made.json"}, as_json).out).at("tuned").is_null());
  // A forced variant wins.
  as_json[5] = "96";
  as_json.insert(as_json.end(), {"--variant", first});
  EXPECT_EQ(json::parse(explain({"--tuning", "made.json"}, as_json).out).at("winner"), first);

  const Outcome used = space().halfbyte({"--tuning", "made.json", "bench", few(), "--cases", kTiny, "--stored-peaks",
                                         "--only", "up M1", "--json", "used.json"});
  EXPECT_EQ(used.exit_code, 0) << used.err;
  EXPECT_EQ(read_json("used.json").at("results")[0].at("variant"), "scalar");
  EXPECT_EQ(read_json("used.json").at("results")[0].at("tuned"), true);
  EXPECT_EQ(read_json("used.json").at("results")[0].at("tunables").at("WORKGROUP_SIZE"), 32);

  // The default place.
  fs::create_directories(space().path() / "cache/halfbyte/tuning");
  fs::copy(space().path() / "made.json", space().path() / "cache/halfbyte/tuning/tuning.json");
  EXPECT_THAT(explain({}, call).out, HasSubstr("tuned: 14.2 us"));
  space().write_npy("a.npy", "<f4", {1, 64}, std::string(64 * 4, '\0'));
  space().write_npy("b.npy", "|u1", {96, 2, 16}, std::string(96 * 2 * 16, '\x5A'));
  space().write_npy("s.npy", "<f4", {96, 2}, std::string(96 * 2 * 4, '\0'));
  const Outcome ran = space().halfbyte({"run",        few(),      "--attr", "K=64",          "--attr",     "N=96",
                                        "--attr",     "bits=4",   "--attr", "block_size=32", "--in",       "aT=a.npy",
                                        "--in",       "bT=b.npy", "--in",   "scalesT=s.npy", "--constant", "bT",
                                        "--constant", "scalesT",  "--out",  "yT=y.npy"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("by variant scalar (tuned)"));
  fs::remove_all(space().path() / "cache/halfbyte/tuning");
}

TEST_F(Tune, RecordsOfAnotherPackageOrBrokenOnesAreNotUsed) {
  ASSERT_TRUE(fs::exists(space().path() / "tuned.json")) << "made by a test before";
  fs::copy(few(), space().path() / "changed", fs::copy_options::recursive);
  space().write("changed/manifest.json", space().read("few/manifest.json") + "\n");
  const Outcome changed = space().halfbyte({"--tuning", "tuned.json", "bench", "changed", "--cases", kTiny,
                                            "--stored-peaks", "--only", "up M1", "--json", "changed.json"});
  EXPECT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_EQ(read_json("changed.json").at("results")[0].at("tuned"), false);
  EXPECT_THAT(changed.out, HasSubstr("tuning records are not used"));
  const Outcome explained = space().halfbyte(
      {"--tuning", "tuned.json", "explain", "changed", "-M", "1", "-K", "64", "-N", "96", "--dtype", "f32"});
  EXPECT_THAT(explained.err, HasSubstr("tuning records are not used"));
  EXPECT_THAT(explained.out, Not(HasSubstr("tuned:")));

  space().write("broken.json", "{");
  EXPECT_EQ(space().halfbyte({"--tuning", "broken.json", "bench", few(), "--cases", kTiny}).exit_code, 2);
  EXPECT_EQ(space().halfbyte({"--tuning", "none.json", "bench", few(), "--cases", kTiny}).exit_code, 2);
}

}  // namespace
}  // namespace halfbyte::cli_test
