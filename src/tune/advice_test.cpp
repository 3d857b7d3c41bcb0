#include "tune/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/problem_key.hpp"

namespace halfbyte {
namespace {

using testing::HasSubstr;

TunedPoint point(int64_t M, std::vector<std::pair<std::string, double>> times, std::string own, double own_us) {
  TunedPoint p;
  p.M = M;
  p.complete = true;
  p.default_variant = std::move(own);
  p.default_seconds = own_us * 1e-6;
  for (auto& [variant, us] : times) p.measured.push_back({{variant, {}}, us * 1e-6, 0.01});
  return p;
}

// gemv is best at M = 1, tile at M = 16; both are measured at both.
std::map<int64_t, TunedPoint> two_points() {
  return {{1, point(1, {{"gemv", 10}, {"tile", 20}, {"only1", 30}}, "tile", 20)},
          {16, point(16, {{"tile", 20}, {"gemv", 160}, {"only16", 200}}, "tile", 20)}};
}

std::string best_of(const std::optional<Advice>& advice) {
  return advice && !advice->ranked.empty() ? advice->ranked.front().candidate.variant : "none";
}

TEST(Advice, MeasuredPointsAreTakenAsTheyAre) {
  const auto advice = advise(two_points(), 1);
  EXPECT_EQ(best_of(advice), "gemv");
  EXPECT_EQ(advice->ranked.size(), 3u);
  EXPECT_EQ(advice->low, 1);
  EXPECT_EQ(advice->high, 1);
  EXPECT_EQ(best_of(advise(two_points(), 16)), "tile");
}

TEST(Advice, BetweenPointsTimesAreInterpolated) {
  // On logarithmic axes: gemv takes 10 M, tile 20: they cross at 2.
  const auto four = advise(two_points(), 4);
  EXPECT_EQ(best_of(four), "tile");
  ASSERT_EQ(four->ranked.size(), 2u);  // those measured at both ends
  EXPECT_NEAR(four->ranked[1].seconds, 40e-6, 1e-9);
  const auto three = advise(std::map<int64_t, TunedPoint>{{2, point(2, {{"gemv", 20}, {"tile", 25}}, "tile", 25)},
                                                          {8, point(8, {{"tile", 25}, {"gemv", 80}}, "gemv", 80)}},
                            3);
  EXPECT_EQ(best_of(three), "tile");
}

TEST(Advice, TheWinnerAtBothEndsWinsBetweenThem) {
  // A tie decided for one that is a trifle slower.
  std::map<int64_t, TunedPoint> points{{4, point(4, {{"gemv", 20.1}, {"tile", 20}}, "gemv", 20.1)},
                                       {16, point(16, {{"gemv", 40.2}, {"tile", 40}}, "gemv", 40.2)}};
  EXPECT_EQ(best_of(advise(points, 8)), "gemv");
  points.at(16) = point(16, {{"tile", 40}, {"gemv", 40.2}}, "gemv", 40.2);
  EXPECT_EQ(best_of(advise(points, 8)), "tile");
}

TEST(Advice, NothingIsSaidOutsideThePoints) {
  EXPECT_FALSE(advise(two_points(), 17));
  EXPECT_FALSE(advise(std::map<int64_t, TunedPoint>{{2, point(2, {{"a", 1}}, "a", 1)}}, 1));
  EXPECT_FALSE(advise(std::map<int64_t, TunedPoint>{}, 4));
  EXPECT_FALSE(advise(two_points(), 0));
  // Nothing measured at both ends: the nearer one.
  const std::map<int64_t, TunedPoint> apart{{1, point(1, {{"a", 1}}, "a", 1)}, {64, point(64, {{"b", 1}}, "b", 1)}};
  EXPECT_EQ(best_of(advise(apart, 4)), "a");
  EXPECT_EQ(best_of(advise(apart, 32)), "b");
}

const char* kManifest = R"json({
 "domain": "test", "name": "MatMulNBits",
 "inputs": {"aT": {"onnx": "A", "dtype": "T"}, "bT": {"onnx": "B", "dtype": "uint8", "rank": 3}, "scalesT": {"onnx": "S", "dtype": "T", "rank": 2}},
 "outputs": {"yT": {"onnx": "Y", "dtype": "T", "rank": "ranks.aT", "shape": "shapes.aT[:-1] + [attrs.N]"}},
 "attributes": {"K": {}, "N": {}, "bits": {"default": 4}, "block_size": {"default": 32}, "accuracy_level": {"default": 0}},
 "typeConstraints": {"T": ["float32", "float16"]},
 "semantics": {"op": "matmul_nbits", "a": "aT", "y": "yT", "K": "attrs.K", "N": "attrs.N", "bits": "attrs.bits", "blockSize": "attrs.block_size",
               "codes": {"input": "bT", "layout": "onnx"}, "scales": {"input": "scalesT", "layout": "n_block"}},
 "tunables": {"WIDTH": {"default": 64, "values": [32, 64, 128]}, "DEPTH": {"default": 1, "values": [1, 2]}, "FIXED": {"default": 7}},
 "variants": [
  {"id": "gemv", "priority": 2, "when": ["dim(shapes.aT, 0) == 1"],
   "passes": [{"id": "main", "shader": "a", "bindings": [{"arg": "aT", "name": "a"}, {"arg": "bT", "name": "b"}, {"arg": "scalesT", "name": "s"}, {"arg": "yT", "name": "y"}],
               "dispatch": {"x": "ceilDiv(attrs.N, tunables.WIDTH)"}}]},
  {"id": "tile", "priority": 1, "when": ["dim(shapes.aT, 0) >= tunables.DEPTH"],
   "passes": [{"id": "main", "shader": "b", "bindings": [{"arg": "aT", "name": "a"}, {"arg": "bT", "name": "b"}, {"arg": "scalesT", "name": "s"}, {"arg": "yT", "name": "y"}],
               "dispatch": {"x": "ceilDiv(attrs.N, tunables.WIDTH)", "y": "ceilDiv(dim(shapes.aT, 0), tunables.DEPTH * 8)"}}]},
  {"id": "never", "priority": 9, "requires": {"features": ["shader-f16"]}, "passes": [{"id": "main", "shader": "c", "bindings": [{"arg": "yT", "name": "y"}], "dispatch": {"x": 1}}]}
 ]})json";

Problem problem(int64_t M) {
  Problem p;
  p.attrs = {{"K", 64.0}, {"N", 256.0}};
  p.inputs = {
      {"aT", {DType::float32, {M, 64}}}, {"bT", {DType::uint8, {256, 2, 16}}}, {"scalesT", {DType::float32, {256, 2}}}};
  return p;
}

class WithPackage : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = Package::load(kManifest, "manifest.json");
    ASSERT_TRUE(loaded) << loaded.error().to_string();
    package.emplace(std::move(*loaded));
    profile.name = "plain";
    profile.limits = {{"maxComputeWorkgroupsPerDimension", 65535}, {"maxStorageBufferBindingSize", 134217728}};
  }
  std::optional<Package> package;
  DeviceProfile profile;
};

using Candidates = WithPackage;
using TunedPlans = WithPackage;
using Keys = WithPackage;

std::vector<std::string> labels(const std::vector<Candidate>& candidates) {
  std::vector<std::string> out;
  for (const Candidate& c : candidates) out.push_back(c.label());
  return out;
}

TEST_F(Candidates, AreEligibleVariantsTimesTunablesThatMatter) {
  const auto found = find_candidates(*package, profile, problem(1));
  ASSERT_TRUE(found) << found.error().to_string();
  // DEPTH makes no difference to gemv, and rules tile out at M = 1.
  EXPECT_THAT(labels(*found), testing::UnorderedElementsAre("gemv", "tile", "gemv WIDTH=32", "gemv WIDTH=128",
                                                            "tile WIDTH=32", "tile WIDTH=128"));
  EXPECT_EQ(found->front().label(), "gemv");  // the manifest's choice
  const auto many = find_candidates(*package, profile, problem(100));
  ASSERT_TRUE(many);
  EXPECT_EQ(many->size(), 6u);
  EXPECT_EQ(many->front().label(), "tile");
}

TEST_F(Candidates, ProblemsOwnTunablesStay) {
  Problem p = problem(100);
  p.tunables["WIDTH"] = 128;
  const auto found = find_candidates(*package, profile, p);
  ASSERT_TRUE(found);
  EXPECT_THAT(labels(*found), testing::UnorderedElementsAre("tile", "tile DEPTH=2"));
  EXPECT_EQ(with_tunables(p, {"tile", {{"WIDTH", 32}, {"DEPTH", 2}}}).tunables,
            (std::map<std::string, double, std::less<>>{{"WIDTH", 128}, {"DEPTH", 2}}));
}

TEST_F(Candidates, TooManyCombinationsAreCutAndStayTheSame) {
  const auto few = find_candidates(*package, profile, problem(100), 4);
  ASSERT_TRUE(few);
  EXPECT_LE(few->size(), 1u + 4u + 3u);
  EXPECT_GE(few->size(), 4u);
  EXPECT_EQ(labels(*few), labels(*find_candidates(*package, profile, problem(100), 4)));
}

TEST_F(TunedPlans, FollowAdviceThatCanRun) {
  Advice advice;
  advice.ranked = {{{"never", {}}, 1e-6, 0}, {{"tile", {{"WIDTH", 32}}}, 14.2e-6, 0}, {{"gemv", {}}, 31e-6, 0}};
  advice.low = advice.high = 1;
  const auto tuned = plan_tuned(*package, profile, problem(1), advice);
  ASSERT_TRUE(tuned) << tuned.error().to_string();
  EXPECT_EQ(tuned->plan.variant, "tile");
  EXPECT_EQ(tuned->plan.passes[0].dispatch[0], 8u);
  EXPECT_EQ(tuned_sentence(advice, *tuned), "tuned: 14.2 us against 31.0 us for the manifest's first choice, gemv");
  advice.high = 16;
  EXPECT_THAT(tuned_sentence(advice, *tuned), HasSubstr("(estimated from M=1 and M=16)"));

  const auto forced = plan_tuned(*package, profile, problem(1), advice, {.variant = "gemv"});
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->plan.variant, "gemv");
  EXPECT_EQ(tuned_sentence(advice, *forced), "");

  Problem own = problem(1);
  own.tunables["WIDTH"] = 128;
  EXPECT_EQ(plan_tuned(*package, profile, own, advice)->plan.passes[0].dispatch[0], 2u);
}

TEST_F(TunedPlans, FallBackToTheManifest) {
  EXPECT_EQ(plan_tuned(*package, profile, problem(1), std::nullopt)->plan.variant, "gemv");
  Advice useless;
  useless.ranked = {{{"never", {}}, 1e-6, 0}, {{"gone", {}}, 1e-6, 0}, {{"gemv", {}}, 5e-6, 0}};
  const auto plan = plan_tuned(*package, profile, problem(1), useless);
  ASSERT_TRUE(plan) << plan.error().to_string();
  EXPECT_EQ(plan->plan.variant, "gemv");
  ASSERT_TRUE(plan->measured);
  EXPECT_EQ(tuned_sentence(useless, *plan), "tuned: 5.0 us, the manifest's first choice is the fastest");
  EXPECT_EQ(plan_tuned(*package, profile, problem(1), std::nullopt, {.variant = "never"}).error().code,
            ErrorCode::not_eligible);
}

// At another number of rows the manifest may choose a variant that was not measured where the others were.
TEST_F(TunedPlans, AChoiceWithoutATimeIsNotPutAside) {
  Advice advice;
  advice.ranked = {{{"tile", {}}, 5e-6, 0}};
  advice.low = 1, advice.high = 16;
  const auto kept = plan_tuned(*package, profile, problem(1), advice);
  ASSERT_TRUE(kept) << kept.error().to_string();
  EXPECT_EQ(kept->plan.variant, "gemv");
  EXPECT_FALSE(kept->measured);
  EXPECT_EQ(tuned_sentence(advice, *kept), "");
  // Unless it was tried, and is wrong.
  advice.failed = {"gemv WIDTH=32: wrong"};
  EXPECT_EQ(plan_tuned(*package, profile, problem(1), advice)->plan.variant, "gemv");
  advice.failed = {"gemv: wrong"};
  const auto left = plan_tuned(*package, profile, problem(1), advice);
  ASSERT_TRUE(left) << left.error().to_string();
  EXPECT_EQ(left->plan.variant, "tile");
  EXPECT_THAT(tuned_sentence(advice, *left), HasSubstr("tuned: 5.0 us; the manifest's first choice, gemv, failed"));
}

TEST_F(Keys, ForgetRowsAndNothingElse) {
  const auto one = problem_key(*package, problem(1));
  ASSERT_TRUE(one) << one.error().to_string();
  EXPECT_EQ(one->M, 1);
  Problem batched = problem(1);
  batched.inputs["aT"].shape = {2, 3, 64};
  EXPECT_EQ(problem_key(*package, batched)->M, 6);
  EXPECT_EQ(problem_key(*package, batched)->signature, one->signature);
  Problem explicit_default = problem(7);
  explicit_default.attrs["accuracy_level"] = 0.0;
  EXPECT_EQ(problem_key(*package, explicit_default)->signature, one->signature);
  Problem level = problem(7);
  level.attrs["accuracy_level"] = 4.0;
  EXPECT_NE(problem_key(*package, level)->signature, one->signature);
  Problem constant = problem(7);
  constant.constant = {"bT"};
  EXPECT_NE(problem_key(*package, constant)->signature, one->signature);
}

TEST_F(Keys, RecordsAreFoundUnderTheirKeyOnly) {
  TuningRecords records;
  const RecordKey key{{"GPU", "acme", "", "vulkan", "acme: 1.2", "build 1"}, package->name(), package->hash()};
  records.set(key, problem_key(*package, problem(1))->signature, point(1, {{"tile", 5}}, "gemv", 9));
  const auto advice = advise(records, key, *package, problem(1));
  ASSERT_TRUE(advice);
  EXPECT_EQ(best_of(*advice), "tile");
  for (const auto change : {0, 1, 2, 3}) {
    RecordKey other = key;
    if (change == 0) other.device.adapter = "another";
    if (change == 1) other.device.driver = "acme: 1.3";
    if (change == 2) other.device.webgpu = "build 2";
    if (change == 3) other.package_hash.lo ^= 1;
    const auto none = advise(records, other, *package, problem(1));
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none) << change;
    if (change == 1) {
      EXPECT_EQ(records.why_none(other), "the records are for driver acme: 1.2, this is acme: 1.3");
    }
    if (change == 3) {
      EXPECT_THAT(records.why_none(other), HasSubstr("package hash"));
    }
  }
  EXPECT_EQ(records.why_none(key), "");
  AdapterInfo adapter;
  adapter.device = "GPU";
  adapter.vendor = "acme";
  adapter.description = "acme: 1.2";
  EXPECT_EQ(records.key_for(adapter, package->name(), package->hash()), key);
  adapter.description = "acme: 2";
  EXPECT_FALSE(records.key_for(adapter, package->name(), package->hash()));
}

TEST(Records, RoundTrip) {
  TuningRecords records;
  const RecordKey key{{"GPU \"x\"", "acme", "a", "vulkan", "d", "w"}, "test.MatMulNBits", {1, 2}};
  TunedPoint p = point(16, {{"tile", 20.5}, {"gemv", 160}}, "gemv", 160);
  p.measured[0].candidate.tunables = {{"WIDTH", 32}};
  p.ties = {"tile WIDTH=64"};
  p.failed = {"never: wrong"};
  records.set(key, "sig", p);
  records.set_unfinished(key, "sig", 32, R"({"candidates":[],"used_seconds":1.0})");
  const std::string text = records.to_json_text();
  const auto again = TuningRecords::parse(text, "tuning.json");
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->to_json_text(), text);
  const auto* points = again->find(key, "sig");
  ASSERT_NE(points, nullptr);
  const TunedPoint& back = points->at(16);
  EXPECT_EQ(back.measured[0].candidate, p.measured[0].candidate);
  EXPECT_NEAR(back.measured[0].seconds, 20.5e-6, 1e-15);
  EXPECT_EQ(back.ties, p.ties);
  ASSERT_NE(again->unfinished(key, "sig", 32), nullptr);
  EXPECT_EQ(again->unfinished(key, "sig", 16), nullptr);
  TuningRecords done = *again;
  p.M = 32;
  done.set(key, "sig", p);
  EXPECT_EQ(done.unfinished(key, "sig", 32), nullptr);
}

TEST(Records, DamagedFilesAreErrors) {
  for (const char* text :
       {"", "[]", "{}", R"({"schema":"halfbyte.tuning/2","entries":[]})", R"({"schema":"halfbyte.tuning/1"})",
        R"({"schema":"halfbyte.tuning/1","entries":[{"device":{}}]})",
        R"({"schema":"halfbyte.tuning/1","entries":[3]})"}) {
    const auto records = TuningRecords::parse(text, "t.json");
    ASSERT_FALSE(records) << text;
    EXPECT_EQ(records.error().code, ErrorCode::parse);
    EXPECT_EQ(records.error().where.file, "t.json");
  }
  EXPECT_TRUE(TuningRecords::parse(R"({"schema":"halfbyte.tuning/1","entries":[]})", "t.json"));
}

TEST(Records, PointsComeFromTheTuner) {
  Tuner tuner({{"gemv", {}}, {"tile", {}}, {"bad", {}}}, {.budget_seconds = 1e9});
  tuner.report_verified(0, true, "", 0);
  tuner.report_samples(0, std::vector<double>{30e-6, 31e-6, 32e-6}, 0);
  tuner.report_verified(1, true, "", 0);
  tuner.report_samples(1, std::vector<double>{20e-6, 21e-6, 22e-6}, 0);
  tuner.report_verified(2, false, "off by 3", 0);
  const auto p = make_point(tuner, 8);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->measured[0].candidate.variant, "tile");
  EXPECT_EQ(p->default_variant, "gemv");
  EXPECT_DOUBLE_EQ(p->default_seconds, 31e-6);
  EXPECT_EQ(p->failed, std::vector<std::string>{"bad: off by 3"});
  EXPECT_FALSE(p->complete);  // one round says too little
  EXPECT_FALSE(make_point(Tuner({{"gemv", {}}}), 1));
}

}  // namespace
}  // namespace halfbyte
