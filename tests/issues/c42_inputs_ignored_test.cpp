// C42 API usability: inputs that are silently ignored. What is not supported is refused by name; holes among the optional inputs stay holes,
// and a bias is added exactly once, also where several passes or splits of K could each add it. The forms that only ONNX files have (act-order
// g_idx, bfloat16 initializers) are src/onnx/matmul_nbits_test.cpp's.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

using ::testing::HasSubstr;

TEST_F(FieldCase, C42_WhatIsNotSupportedIsRefusedByName) {
  const Problem sound = problem({.M = 2, .N = 16, .K = 64, .bias = true});
  const DeviceProfile device = profile("baseline-no-features");
  const auto refused = [&](auto spoil) {
    Problem p = sound;
    spoil(p);
    const auto plan = plan_problem(package(), device, p);
    EXPECT_FALSE(plan);
    if (plan) return std::string();
    EXPECT_EQ(plan.error().code, ErrorCode::invalid_argument);
    return plan.error().to_string();
  };
  EXPECT_TRUE(plan_problem(package(), device, sound));
  EXPECT_THAT(refused([](Problem& p) { p.inputs["gIdx"] = {DType::int32, {64}}; }), HasSubstr("gIdx"));
  EXPECT_THAT(refused([](Problem& p) { p.attrs["weight_prepacked"] = 1.0; }), HasSubstr("weight_prepacked"));
  EXPECT_THAT(refused([](Problem& p) { p.attrs["bits"] = 3.0; }), HasSubstr("bits is 3, allowed are 2, 4, 8"));
  // Float A with weights of another element type.
  EXPECT_THAT(refused([](Problem& p) { p.inputs["bT"].dtype = DType::int32; }), HasSubstr("bT"));
  const auto bf16 = parse_problems(R"({"id": "b", "attrs": {"K": 64, "N": 16, "block_size": 32},
    "inputs": {"aT": {"shape": [2, 64], "dtype": "bfloat16"}}})",
                                   "requests.json");
  ASSERT_FALSE(bf16);
  EXPECT_THAT(bf16.error().to_string(), HasSubstr("bfloat16"));
}

// Inputs A, B, scales, -, -, bias. Bias 1000 n: added twice, or to another column, it cannot hide.
TEST_F(FieldCase, C42_ABiasBehindHolesIsAddedOnce) {
  HB_NEED_PATIENT_DEVICE();
  std::set<std::string> ran;
  for (const int64_t M : {1, 37})
    for (const DType dtype : {DType::float32, DType::float16})
      for (const double split : {1, 2}) {
        if (M == 1 && split == 2) continue;
        const Spec spec{.fill = "C42",
                        .M = M,
                        .N = dtype == DType::float16 ? 60 : 70,  // 1000 n must be an f16 number's neighbour, and finite
                        .K = 160,
                        .bias = true,
                        .dtype = dtype,
                        .tolerance = "bound",  // splits of K round the sum with a large bias twice
                        .level = 4,
                        .tunables = {{"FMA_SPLITK", split}, {"REGISTER_TILE_SPLITK", split}}};
        for (const auto& [variant, y] : run(spec)) ran.insert(variant);
      }
  // Two passes each; more of the package's variants have them where there are matrix units.
  for (const char* variant : {"prefill_fma_splitk", "prefill_tiled_reg_splitk"})
    EXPECT_TRUE(ran.contains(variant) || !kernel()->device().profile().has_feature("shader-f16")) << variant;
}

}  // namespace
}  // namespace halfbyte::issues
