#include <gmock/gmock.h>

#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::HasSubstr;

TEST(Record, ComputesWithTheCallersBuffers) {
  const auto runtime = shared_runtime();
  const Device& device = runtime->device();
  const auto call = value(scale_plan(100, 7).prepare(runtime));
  std::vector<float> x(100), w(100), want(100);
  for (int i = 0; i < 100; ++i) x[i] = 0.5F * i, w[i] = 3.0F - i, want[i] = x[i] * w[i] + 7;
  const wgpu::Buffer y = filled(device, std::vector<float>(100, -1));
  const TensorBinding tensors[] = {{"x", filled(device, x)}, {"w", filled(device, w)}, {"y", y}};
  HB_ASSERT_OK(run_once(*call, tensors));
  EXPECT_EQ(floats_of(value(read_buffer(device, "y", y, 0, 400))), want);
}

}  // namespace
}  // namespace halfbyte::gpu::testing
