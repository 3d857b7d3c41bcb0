// C27 device feature: f16 tensors on a device without shader-f16 (NVIDIA on Linux, SwiftShader): right, never aborted, never on the CPU.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C27_F16TensorsWithoutShaderF16) {
  HB_NEED_DEVICE();
  const auto own = kernel_on({.disabled = {gpu::FeatureGroup::f16}});
  EXPECT_FALSE(own->device().profile().has_feature("shader-f16"));
  for (const int64_t M : {1, 37}) {
    // 2^-24, 65504, -0 and the like come out as they went in.
    run(*own, {.fill = "C27", .M = M, .N = 70, .K = 144, .dtype = DType::float16}, Which::every);
    // Sums that are exact in f32 are off by the output's rounding at most (T1); others by their own roundings too, more than a unit where they cancel.
    Spec halves{.M = M, .N = 69, .K = 144, .zp = true, .bias = true, .dtype = DType::float16};
    for (const auto& [fill, tolerance] : {std::pair("P", "f16_ulp"), std::pair("random", "bound")}) {
      halves.fill = fill;
      halves.tolerance = tolerance;
      run(*own, halves, Which::every);
    }
    run(*own, {.M = M, .N = 70, .K = 144, .zp = true, .bias = true}, Which::chosen);
  }
}

TEST_F(FieldCase, C27_NothingAsksForF16WhereItIsHidden) {
  const DeviceProfile device = profile("field/nvlinux");
  for (const Spec& spec : random_specs(200)) {
    const auto plan = plan_problem(package(), device, problem(spec));
    ASSERT_TRUE(plan) << problem(spec).id << ": " << plan.error().to_string();
    for (const std::string& wgsl : texts(*plan))
      EXPECT_THAT(wgsl, ::testing::Not(::testing::HasSubstr("enable f16"))) << plan->variant;
  }
}

}  // namespace
}  // namespace halfbyte::issues
