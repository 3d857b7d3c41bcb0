#include "select/select.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "select/evaluation.hpp"
#include "select/matmul_problem.hpp"
#include "select/semantics.hpp"

namespace halfbyte {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kManifest = R"json({
  "domain": "com.microsoft", "name": "MatMulNBits",
  "inputs": {
    "aT": {"onnx": "A", "dtype": "T"}, "bT": {"onnx": "B", "dtype": "uint8", "rank": 3}, "scalesT": {"onnx": "scales", "dtype": "T"},
    "zeroPointsT": {"onnx": "zero_points", "dtype": "T", "optional": true}, "biasT": {"onnx": "bias", "dtype": "T", "rank": 1, "optional": true}
  },
  "outputs": {"yT": {"onnx": "Y", "dtype": "T", "rank": "ranks.aT", "shape": "shapes.aT[:-1] + [attrs.N]"}},
  "attributes": {"K": {}, "N": {}, "bits": {"default": 4}, "block_size": {}, "accuracy_level": {"default": 0}},
  "attributeConstraints": {"K": {"required": true}, "N": {"required": true}, "block_size": {"required": true}, "bits": {"values": [2, 4, 8]}},
  "typeConstraints": {"T": ["float32", "float16"]},
  "tunables": {"MIN_M": {"default": 32}},
  "derive": {
    "aRows": "numel(shapes.aT) / attrs.K",
    "subgroupPair": "device.adapterInfo.subgroupMaxSize / device.adapterInfo.subgroupMinSize",
    "subgroupsKnown": "device.features.has(\"subgroups\") and device.adapterInfo.subgroupMinSize == 32"
  },
  "variants": [
    {"id": "matrix", "priority": 30, "when": ["aRows >= tunables.MIN_M"],
     "requires": {"features": ["shader-f16"], "limits": {"maxComputeWorkgroupStorageSize": 32768},
                  "subgroupMatrixConfigs": [{"componentType": "f16", "resultComponentType": "f32", "M": 16, "N": 16, "K": 16}]},
     "passes": [{"id": "main", "shader": "m.wgsl", "bindings": [{"arg": "aT"}, {"arg": "yT"}], "dispatch": {"x": 1}}]},
    {"id": "packed", "priority": 25, "when": ["true"],
     "prepack": {"from": ["bT", "scalesT"], "buffers": [{"id": "p", "dtype": "uint32", "shape": "[4]"}],
                 "passes": [{"id": "pack", "shader": "m.wgsl", "bindings": [{"arg": "bT"}, {"prepacked": "p"}], "dispatch": {"x": 1}}]},
     "passes": [{"id": "main", "shader": "m.wgsl", "bindings": [{"prepacked": "p"}, {"arg": "yT"}], "dispatch": {"x": 1}}]},
    {"id": "pair", "priority": 22, "when": ["subgroupPair >= 1"],
     "passes": [{"id": "main", "shader": "m.wgsl", "bindings": [{"arg": "aT"}, {"arg": "yT"}], "dispatch": {"x": 1}}]},
    {"id": "wave", "priority": 20, "when": ["subgroupsKnown"], "demoteWhen": ["device.adapterInfo.vendor == \"slow\""],
     "passes": [{"id": "main", "shader": "m.wgsl", "bindings": [{"arg": "aT"}, {"arg": "yT"}], "dispatch": {"x": 1}}]},
    {"id": "tile", "priority": 10, "when": ["16384 <= device.limits.maxComputeWorkgroupStorageSize"],
     "passes": [{"id": "main", "shader": "m.wgsl", "bindings": [{"arg": "aT"}, {"arg": "yT"}], "dispatch": {"x": 1}}]},
    {"id": "plain", "priority": 0, "when": ["attrs.bits != 8"],
     "passes": [{"id": "main", "shader": "m.wgsl", "bindings": [{"arg": "aT"}, {"arg": "yT"}], "dispatch": {"x": 1}}]}
  ]
})json";

Package package() {
  auto loaded = Package::load(kManifest, "m");
  if (!loaded) throw std::runtime_error(loaded.error().to_string());
  return *loaded;
}

DeviceProfile big() {
  DeviceProfile p;
  p.name = "big";
  p.features = {"shader-f16", "subgroups"};
  p.limits = {{"maxComputeWorkgroupStorageSize", 49152}};
  p.adapter.subgroup_min_size = p.adapter.subgroup_max_size = 32;
  p.subgroup_matrix_configs = {{"f16", "f32", 16, 16, 16}};
  return p;
}

Problem problem(int64_t M, bool constant = false) {
  const Package p = package();
  return *matmul_problem(p, {.M = M, .K = 128, .N = 24, .dtype = DType::float32, .constant_weights = constant});
}

std::string winner(const DeviceProfile& profile, const Problem& p, const SelectOptions& options = {}) {
  const Package pkg = package();
  const auto choice = select(pkg, profile, p, options);
  return choice ? pkg.variant_ids()[static_cast<size_t>(choice->variant)] : choice.error().message;
}

std::map<std::string, std::string> reasons(const DeviceProfile& profile, const Problem& p,
                                           const SelectOptions& options = {}) {
  std::map<std::string, std::string> map;
  const auto verdicts = explain(package(), profile, p, options);
  if (!verdicts) throw std::runtime_error(verdicts.error().to_string());
  for (const VariantVerdict& v : *verdicts) map[v.variant] = v.why;
  return map;
}

TEST(Select, TakesTheFirstByPriority) {
  EXPECT_EQ(winner(big(), problem(64)), "matrix");
  EXPECT_EQ(winner(big(), problem(1)), "pair");
  EXPECT_EQ(winner(big(), problem(1, true)), "packed");
  DeviceProfile no_f16 = big();
  no_f16.features = {"subgroups"};
  EXPECT_EQ(winner(no_f16, problem(64)), "pair");
}

TEST(Select, DemotedOnesComeLast) {
  DeviceProfile slow = big();
  slow.adapter.vendor = "slow";
  slow.adapter.subgroup_max_size.reset();  // "pair" has no value then
  EXPECT_EQ(winner(slow, problem(1)), "tile");
  slow.limits["maxComputeWorkgroupStorageSize"] = 1024;
  EXPECT_EQ(winner(slow, problem(1)), "plain") << "plain is not demoted, whatever its priority";
  Problem q8 = *matmul_problem(
      package(), {.M = 1, .K = 128, .N = 24, .bits = 8, .dtype = DType::float32, .constant_weights = false});
  EXPECT_EQ(winner(slow, q8), "wave");
  const auto choice = select(package(), slow, q8);
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->demoted);
}

TEST(Select, Options) {
  EXPECT_EQ(winner(big(), problem(64), {.variant = "tile"}), "tile");
  EXPECT_EQ(winner(big(), problem(64), {.prefer = {"nonsuch", "packed", "plain", "wave"}}), "plain")
      << "packed is not eligible here";
  EXPECT_EQ(winner(big(), problem(64), {.exclude = {"matrix"}}), "pair");
  EXPECT_EQ(winner(big(), problem(1), {.variant = "matrix"}),
            "the variant matrix cannot run M1-K128-N24-q4b32-float32 on big: aRows >= tunables.MIN_M is false: aRows "
            "is 1, tunables.MIN_M is 32");
  EXPECT_THAT(winner(big(), problem(1), {.variant = "nonsuch"}),
              HasSubstr("has no variant nonsuch, there are matrix, packed"));
  Problem tuned = problem(16);
  tuned.tunables["MIN_M"] = 16;
  EXPECT_EQ(winner(big(), tuned), "matrix");
}

// Field case C44: every variant, with the failed condition and both numbers.
TEST(Select, SaysWhyNot) {
  DeviceProfile small = big();
  small.limits["maxComputeWorkgroupStorageSize"] = 8192;
  const auto why = reasons(small, problem(64));
  EXPECT_EQ(why.at("matrix"), "needs maxComputeWorkgroupStorageSize of at least 32768, the device has 8192");
  EXPECT_EQ(why.at("packed"), "it rewrites bT ahead, which the caller does not say is constant");
  EXPECT_EQ(why.at("pair"), "priority 22");
  EXPECT_EQ(why.at("wave"), "priority 20 is below 22 of pair");
  EXPECT_EQ(why.at("tile"), "needs maxComputeWorkgroupStorageSize of at least 16384, the device has 8192");
  EXPECT_EQ(why.at("plain"), "priority 0 is below 22 of pair");
  DeviceProfile bare;
  bare.name = "bare";
  const auto none = reasons(bare, problem(64));
  EXPECT_EQ(none.at("matrix"), "the device lacks the feature \"shader-f16\"");
  EXPECT_EQ(none.at("tile"), "device.limits.maxComputeWorkgroupStorageSize has no value here");
  DeviceProfile no_config = big();
  no_config.subgroup_matrix_configs.clear();
  EXPECT_EQ(reasons(no_config, problem(64)).at("matrix"), "the device lists no subgroup matrix f16 -> f32 of 16x16x16");
}

// Field case C24: sizes reported as 0, and hidden.
TEST(Select, SubgroupSizesUnknown) {
  DeviceProfile zero = big(), hidden = big();
  zero.adapter.subgroup_min_size = zero.adapter.subgroup_max_size = 0;
  hidden.adapter.subgroup_min_size.reset();
  hidden.adapter.subgroup_max_size.reset();
  EXPECT_EQ(winner(zero, problem(1)), "tile");
  EXPECT_EQ(reasons(zero, problem(1)).at("pair"),
            "device.adapterInfo.subgroupMaxSize / device.adapterInfo.subgroupMinSize divides by zero");
  EXPECT_EQ(winner(hidden, problem(1)), "tile");
  EXPECT_EQ(reasons(hidden, problem(1)).at("pair"), "device.adapterInfo.subgroupMaxSize has no value here");
  EXPECT_EQ(reasons(hidden, problem(1)).at("wave"), "device.adapterInfo.subgroupMinSize has no value here");
}

TEST(Select, NothingEligible) {
  DeviceProfile bare;
  bare.name = "bare";
  const Problem q8 = *matmul_problem(package(), {.M = 1, .K = 128, .N = 24, .bits = 8, .constant_weights = false});
  const auto choice = select(package(), bare, q8);
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, ErrorCode::not_eligible);
  EXPECT_EQ(choice.error().message,
            "no variant of com.microsoft.MatMulNBits can run M1-K128-N24-q8b32-float16 on bare");
  EXPECT_EQ(choice.error().notes.size(), 6U);
  EXPECT_EQ(choice.error().notes[5], "plain: attrs.bits != 8 is false: attrs.bits is 8");
}

struct Bad {
  std::function<void(Problem&)> spoil;
  const char* message;
};

// Field case C31: each names the tensor, what it has and what it must have.
TEST(Select, BadProblems) {
  for (const Bad& bad : std::initializer_list<Bad>{
           {[](Problem& p) { p.attrs.erase("K"); }, "the attribute K is missing"},
           {[](Problem& p) { p.attrs["bits"] = 3.0; }, "the attribute bits is 3, allowed are 2, 4, 8"},
           {[](Problem& p) { p.attrs["bits"] = std::string("4"); }, "the attribute bits is \"4\", it must be a number"},
           {[](Problem& p) { p.attrs["K"] = 0.0; }, "K is 0, it must be an integer from 1 to 2147483647"},
           {[](Problem& p) { p.attrs["K"] = -128.0; }, "K is -128, it must be an integer from 1 to 2147483647"},
           {[](Problem& p) { p.attrs["K"] = std::nan(""); }, "the attribute K is not finite"},
           {[](Problem& p) { p.attrs["N"] = 2147483648.0; },
            "N is 2147483648, it must be an integer from 1 to 2147483647"},
           {[](Problem& p) { p.attrs["N"] = 48.0; },
            "the input bT has the shape [24,4,16], but N=48, K=128 with block_size 32 and 4 bits needs [48,4,16]"},
           {[](Problem& p) { p.attrs["K"] = 129.0; }, "the input aT has the shape [2,128], but K=129 needs [2,129]"},
           {[](Problem& p) { p.attrs["block_size"] = 24.0; }, "block_size is 24, it must be a power of two from 16"},
           {[](Problem& p) { p.attrs["block_size"] = 8.0; }, "block_size is 8, it must be a power of two from 16"},
           {[](Problem& p) { p.attrs["block_size"] = -32.0; },
            "block_size is -32, it must be an integer from 1 to 2147483647"},
           {[](Problem& p) { p.attrs["g_idx"] = 1.0; },
            "unknown attribute g_idx, there are K, N, bits, block_size, accuracy_level"},
           {[](Problem& p) { p.inputs.erase("bT"); }, "the input bT is missing"},
           {[](Problem& p) { p.inputs["gIdxT"] = {DType::int32, {128}}; },
            "unknown input gIdxT, there are aT, bT, scalesT, zeroPointsT, biasT"},
           {[](Problem& p) { p.inputs["bT"].shape = {24, 4, 15}; },
            "the input bT has the shape [24,4,15], but N=24, K=128 with block_size 32 and 4 bits needs [24,4,16]"},
           {[](Problem& p) { p.inputs["bT"].shape = {24, 64}; },
            "the input bT has the shape [24,64] of rank 2, its rank must be 3"},
           {[](Problem& p) { p.inputs["bT"].dtype = DType::int8; },
            "the input bT has the dtype int8, it must be uint8"},
           {[](Problem& p) { p.inputs["scalesT"].shape = {4, 24}; },
            "the input scalesT has the shape [4,24], but N=24, K=128 with block_size 32 needs [24,4]"},
           {[](Problem& p) { p.inputs["scalesT"].dtype = DType::float16; },
            "the input scalesT has the dtype float16, it must be that of aT, float32"},
           {[](Problem& p) { p.inputs["aT"].dtype = DType::int32; },
            "the input aT has the dtype int32, allowed are float32, float16"},
           {[](Problem& p) { p.inputs["aT"].shape = {128}; },
            "the input aT has the shape [128] of rank 1, its rank must be at least 2"},
           {[](Problem& p) { p.inputs["aT"].shape = {-1, 128}; },
            "the input aT has the shape [-1,128], dimensions must not be negative and their product must fit 53 bits"},
           {[](Problem& p) { p.inputs["aT"].shape = {int64_t{1} << 40, int64_t{1} << 40, 128}; },
            "and their product must fit 53 bits"},
           {[](Problem& p) { p.inputs["aT"].shape.assign(9, 1); }, "the input aT has rank 9, at most 8 is supported"},
           {[](Problem& p) { p.inputs["biasT"] = {DType::float32, {23}}; },
            "the input biasT has the shape [23], but N=24 needs [24]"},
           {[](Problem& p) { p.inputs["zeroPointsT"] = {DType::float32, {24, 3}}; },
            "the input zeroPointsT has the shape [24,3], but N=24, K=128 with block_size 32 needs [24,4]"},
           {[](Problem& p) { p.tunables["MAX_M"] = 1; }, "unknown tunable MAX_M, there are MIN_M"},
           {[](Problem& p) { p.constant.insert("cT"); }, "\"constant\" names the unknown input cT"},
       }) {
    Problem p = problem(2);
    bad.spoil(p);
    const auto choice = select(package(), big(), p);
    ASSERT_FALSE(choice) << bad.message;
    EXPECT_EQ(choice.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(choice.error().message, HasSubstr(bad.message));
    EXPECT_FALSE(explain(package(), big(), p));
  }
}

TEST(Select, EmptyInputsAreSound) {
  Problem p = problem(2);
  p.inputs["aT"].shape = {2, 0, 128};
  const auto outputs = output_descs(package(), p);
  ASSERT_TRUE(outputs) << outputs.error().to_string();
  EXPECT_EQ((*outputs)[0].second.shape, (Shape{2, 0, 24}));
  EXPECT_TRUE(select(package(), big(), p));
}

TEST(Select, Semantics) {
  const auto s = matmul_semantics(package(), problem(2));
  ASSERT_TRUE(s) << s.error().to_string();
  EXPECT_EQ(s->a + s->codes + s->scales + s->zero_points + s->bias + s->y, "aTbTscalesTzeroPointsTbiasTyT");
  EXPECT_EQ(s->K, 128);
  EXPECT_EQ(s->blocks(), 4);
}

TEST(Profile, RoundTrips) {
  DeviceProfile p = big();
  p.source = "a test";
  p.adapter.description = "with \"quotes\"";
  p.limits["maxBufferSize"] = 1099511627776;
  p.adapter.subgroup_max_size.reset();
  const auto back = parse_profile(to_json_text(p), "p.json");
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(back->name, "big");
  EXPECT_EQ(back->adapter.description, p.adapter.description);
  EXPECT_EQ(back->limits, p.limits);
  EXPECT_EQ(back->adapter.subgroup_min_size, 32);
  EXPECT_EQ(back->adapter.subgroup_max_size, std::nullopt);
  EXPECT_EQ(back->subgroup_matrix_configs, p.subgroup_matrix_configs);
  EXPECT_THAT(to_json_text(*back), ::testing::Eq(to_json_text(p)));
  const auto bad =
      parse_profile("{\n \"adapterInfo\": {}, \"features\": [], \"limits\": {\"maxBufferSize\": \"big\"}\n}", "p.json");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().to_string(), "p.json:2:65: the limit maxBufferSize is a string, it must be a number");
}

TEST(Problems, Parse) {
  const auto list = parse_problems(
      R"([{"id": "r", "attrs": {"K": 64, "mode": "x"}, "inputs": {"aT": {"shape": [2, 64], "dtype": "float16"}}, "tunables": {"T": 8}, "constant": ["aT"], "seed": 7}])",
      "r.json", {"seed"});
  ASSERT_TRUE(list) << list.error().to_string();
  const Problem& p = list->front();
  EXPECT_EQ(p.id, "r");
  EXPECT_EQ(std::get<double>(p.attrs.at("K")), 64);
  EXPECT_EQ(std::get<std::string>(p.attrs.at("mode")), "x");
  EXPECT_EQ(p.inputs.at("aT").shape, (Shape{2, 64}));
  EXPECT_EQ(p.tunables.at("T"), 8);
  EXPECT_THAT(p.constant, ElementsAre("aT"));
  for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"inputs": {}, "seed": 7})", "r.json:1:16: unknown key \"seed\" in a request"},
           {R"({"id": "r"})", "r.json:1:1: a request lacks the key \"inputs\""},
           {R"({"inputs": {"aT": {"shape": [2.5], "dtype": "float16"}}})",
            "r.json:1:30: the shape of the input aT has a dimension that is not an integer"},
           {R"({"inputs": {"aT": {"shape": [2], "dtype": "bfloat16"}}})",
            "r.json:1:43: the input aT has the unknown dtype \"bfloat16\""},
           {"[{}", "r.json:1:4: this is not JSON"}}) {
    const auto bad = parse_problems(text, "r.json");
    ASSERT_FALSE(bad) << text;
    EXPECT_THAT(bad.error().to_string(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace halfbyte
