// C17 limits: a weight larger than one storage binding.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

using ::testing::HasSubstr;

TEST_F(FieldCase, C17_ExactlyTheLimitIsAccepted) {
  const auto plan = plan_problem(package(), profile("field/min"), problem({.M = 1, .N = 131072, .K = 2048}));
  ASSERT_TRUE(plan) << plan.error().to_string();  // 134217728 bytes
  EXPECT_EQ(plan->passes.size(), 1U);
}

// Parts of N, each within the limit, together every byte.
TEST_F(FieldCase, C17_BeyondItTheWeightIsBoundInParts) {
  const std::tuple<int64_t, int64_t, uint64_t> sizes[] = {{151936, 2048, 155582464}, {200064, 3072, 307298304}};
  for (const auto& [N, K, bytes] : sizes)
    for (const int64_t M : {1, 64}) {
      const auto plan = plan_problem(package(), profile("field/min"), problem({.M = M, .N = N, .K = K}));
      ASSERT_TRUE(plan) << plan.error().to_string();
      uint64_t bound = 0;
      for (const auto* passes : {&plan->prepack_passes, &plan->passes})
        for (const PassPlan& pass : *passes)
          for (const PlanBinding& binding : pass.bindings)
            if (binding.source == "bT") {
              ASSERT_TRUE(binding.slice) << "the whole weight is bound";
              EXPECT_LE(binding.slice->bytes, 134217728U);
              bound += binding.slice->bytes;
            }
      EXPECT_EQ(bound, bytes);
    }
}

// On a device: the right answer (split by columns), or that error; never anything else. Rows of 1040 + 130 + 33 bytes in the case's
// own proportions: only every 256th row is aligned for codes, scales and zero points at once.
TEST_F(FieldCase, C17_RightOrRefusedOnADevice) {
  HB_NEED_DEVICE();
  const auto own = kernel_on({.limits = {{"maxStorageBufferBindingSize", 1048576}}});
  const Spec spec{.M = 1, .N = 9000, .K = 288, .zp = true};  // 1296000 bytes of codes
  const auto call = own->prepare(problem(spec));
  if (call) {
    run(*own, spec, Which::chosen);
  } else {
    EXPECT_EQ(call.error().code, ErrorCode::limit);
    EXPECT_THAT(call.error().message, HasSubstr("bT of 1296000 bytes exceeds maxStorageBufferBindingSize"));
    EXPECT_THAT(call.error().message, HasSubstr("1048576"));
  }
}

TEST_F(FieldCase, C17_TheAdaptersOwnLimitsAreAskedFor) {
  HB_NEED_DEVICE();
  wgpu::Limits adapter{}, device{};
  kernel()->device().wgpu().GetAdapter().GetLimits(&adapter);
  kernel()->device().wgpu().GetLimits(&device);
  EXPECT_EQ(device.maxStorageBufferBindingSize, adapter.maxStorageBufferBindingSize);
  EXPECT_EQ(device.maxBufferSize, adapter.maxBufferSize);
}

}  // namespace
}  // namespace halfbyte::issues
