// C19 limits: a variant needs more threads or workgroup memory than the device has; such a shader silently does nothing.
#include "field_case.hpp"
#include "plan/shader_facts.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C19_SomethingAlwaysFits) {
  for (const char* stem : {"compat", "min", "ff", "sw-128", "sw-256"}) {
    const DeviceProfile device = profile(std::string("field/") + stem);
    for (const int64_t M : {1, 8, 64, 512})
      for (const DType dtype : {DType::float32, DType::float16})
        for (const int bits : {2, 4, 8}) {
          const Problem p = problem({.M = M, .N = 1024, .K = 1024, .bits = bits, .zp = true, .dtype = dtype});
          const auto plan = plan_problem(package(), device, p);
          ASSERT_TRUE(plan) << p.id << " on " << stem << ": " << plan.error().to_string();
          for (const std::string& wgsl : texts(*plan)) {
            const ShaderFacts facts = shader_facts(wgsl);
            EXPECT_TRUE(facts.workgroup_size && facts.workgroup_bytes) << plan->variant;
            const auto fits = check_shader(facts, device);
            EXPECT_TRUE(fits) << plan->variant << " on " << stem << ": " << fits.error().to_string();
          }
        }
  }
}

TEST_F(FieldCase, C19_AndIsRightOnADeviceSoSmall) {
  HB_NEED_DEVICE();
  const auto own = kernel_on({.limits = {{"maxComputeInvocationsPerWorkgroup", 128},
                                         {"maxComputeWorkgroupSizeX", 128},
                                         {"maxComputeWorkgroupSizeY", 128},
                                         {"maxComputeWorkgroupStorageSize", 16384}}});
  for (const int bits : {2, 4, 8})
    for (const DType dtype : {DType::float32, DType::float16})
      for (const int64_t M : {1, 8, 64})
        run(*own, {.M = M, .N = 70, .K = 144, .bits = bits, .zp = true, .bias = true, .dtype = dtype},
            bits == 4 && M == 8 ? Which::quick : Which::chosen);
}

}  // namespace
}  // namespace halfbyte::issues
