#include <gmock/gmock.h>

#include <thread>

#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

// `runs` calls of different sizes, each checked; the number that were right.
int right_results(const std::shared_ptr<Runtime>& runtime, int runs, uint32_t first_count) {
  const Device& device = runtime->device();
  int right = 0;
  for (int i = 0; i < runs; ++i) {
    const uint32_t count = first_count + static_cast<uint32_t>(i % 7);
    const auto call = scale_plan(count, count).prepare(runtime);
    if (!call) continue;
    const wgpu::Buffer x = filled(device, std::vector<float>(count, 2)),
                       y = filled(device, std::vector<float>(count, -1));
    const std::vector<TensorBinding> tensors{{"x", x}, {"w", x}, {"y", y}};
    if (!run_once(**call, tensors)) continue;
    const auto bytes = read_buffer(device, "y", y, 0, count * 4);
    if (bytes && floats_of(*bytes) == std::vector<float>(count, 4 + static_cast<float>(count))) ++right;
  }
  return right;
}

TEST(Threads, OneDeviceForAll) {
  const auto runtime = Runtime::create(value(Device::open()));
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (uint32_t t = 0; t < 4; ++t) threads.emplace_back([&, t] { right += right_results(runtime, 50, 1 + 10 * t); });
  }
  EXPECT_EQ(right, 200);
}

TEST(Threads, ADeviceEach) {
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (uint32_t t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] { right += right_results(Runtime::create(value(Device::open())), 100, 1 + 10 * t); });
    }
  }
  EXPECT_EQ(right, 200);
}

}  // namespace
}  // namespace halfbyte::gpu::testing
