// Two threads with different problems on one device; a device that is lost in the middle.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "halfbyte/halfbyte.h"
#include "problems.hpp"

namespace halfbyte::testing {
namespace {

using ::testing::HasSubstr;

TEST(Concurrency, TwoThreadsPrepareAndRecordOnOneDevice) {
  const Device device = value(Device::open());
  const Kernel kernel = value(Kernel::load(device, kMatMulNBits));
  const uint64_t seed = test_seed();
  std::atomic<int> right = 0;
  std::vector<std::string> wrong(2);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        // Both meet the same programs at the same time (M = 1, 2, 3), each with weights of its own.
        for (int64_t M = 1; M <= 3; ++M) {
          const RandomProblem random({.M = M, .K = 64, .N = 40 + 8 * t, .dtype = DType::float32, .bias = t == 1},
                                     seed + t);
          const auto call = kernel.prepare(random.problem());
          if (!call) {
            wrong[t] = call.error().to_string();
            return;
          }
          Buffers buffers(device, *call, &random.data.inputs);
          for (int i = 0; i < 5; ++i) {
            const auto recorded = record_and_submit(device, *call, buffers.bindings);
            if (!recorded) wrong[t] = recorded.error().to_string();
          }
          const auto out = call->run(random.data.inputs);
          if (!out) {
            wrong[t] = out.error().to_string();
            return;
          }
          std::string why = random.why_wrong(out->at("yT"));
          if (why.empty()) why = random.why_wrong(read(device, buffers["yT"].buffer, call->tensors().back().desc));
          if (why.empty()) {
            ++right;
          } else {
            wrong[t] = why;
          }
        }
      });
    }
  }
  EXPECT_EQ(right, 6) << wrong[0] << wrong[1];
}

TEST(DeviceLost, InTheMiddleOfItAllEveryCallSaysSoAndAllIsFreed) {
  const Device device = value(Device::open({.program_cache = false}));
  const Kernel kernel = value(Kernel::load(device, kMatMulNBits));
  const RandomProblem random({.M = 2, .K = 64, .N = 40, .dtype = DType::float32});
  const Call call = value(kernel.prepare(random.problem()));
  Buffers buffers(device, call, &random.data.inputs);
  HB_ASSERT_OK(record_and_submit(device, call, buffers.bindings));

  std::atomic<int> runs = 0;
  Result<HostTensors> last = HostTensors();
  std::jthread worker([&] {
    while (last) {
      last = call.run(random.data.inputs);
      ++runs;
    }
  });
  std::vector<Problem> problems;
  for (int64_t M = 1; M < 100; ++M)
    problems.push_back(value(matmul_problem(own_package(), {.M = M, .K = 96, .N = 64, .dtype = DType::float32})));
  const WarmUp warm = kernel.warm_up(std::move(problems));
  while (runs < 3) std::this_thread::yield();
  device.webgpu().ForceLoss(wgpu::DeviceLostReason::Unknown, "pulled out");
  worker.join();

  std::vector<Error> errors;
  const auto expect_lost = [&](const char* what, const auto& result) {
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().code, ErrorCode::device_lost) << what << ": " << result.error().message;
    errors.push_back(result.error());
  };
  expect_lost("run in the other thread", last);
  const wgpu::CommandEncoder encoder = device.webgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  expect_lost("record", call.record(pass, buffers.bindings));
  pass.End();
  expect_lost("run", call.run(random.data.inputs));
  expect_lost("prepare known", kernel.prepare(random.problem()));
  expect_lost("prepare new",
              kernel.prepare(RandomProblem({.M = 3, .K = 128, .N = 40, .dtype = DType::float32}).problem()));
  expect_lost("drop_original", device.drop_original(buffers["bT"].buffer));
  expect_lost("adopt", Device::adopt(device.webgpu()));
  for (const Error& error : errors) {
    if (&error != &errors.back()) {
      // The reason that WebGPU gives may arrive after the first calls have failed.
      EXPECT_TRUE(error.message.starts_with("the device was lost; open a new one")) << error.message;
    }
    EXPECT_THAT(error.message, HasSubstr("device was lost"));
  }
  const auto warmed = warm.wait();
  if (!warmed) {
    EXPECT_EQ(warmed.error().code, ErrorCode::device_lost) << warmed.error().to_string();
  }
  device.forget(buffers["bT"].buffer);
  EXPECT_EQ(device.statistics().packed_bytes, 0U);

  // C says the same.
  halfbyte_device* c_device = nullptr;
  EXPECT_EQ(halfbyte_device_adopt(device.webgpu().Get(), &c_device), HALFBYTE_DEVICE_LOST);
  EXPECT_THAT(halfbyte_last_error(), HasSubstr("device was lost"));
  EXPECT_EQ(c_device, nullptr);

  // Another one works.
  const Device again = value(Device::open());
  EXPECT_TRUE(value(Kernel::load(again, kMatMulNBits)).run(random.problem().attrs, random.data.inputs));
}

TEST(Concurrency, HandlesGoInAnyOrderOnAnyThread) {
  std::optional<Device> device = value(Device::open());
  std::optional<Kernel> kernel = value(Kernel::load(*device, kMatMulNBits));
  const RandomProblem random({.M = 1, .K = 64, .N = 16, .dtype = DType::float32});
  std::optional<Call> call = value(kernel->prepare(random.problem()));
  WarmUp warm = kernel->warm_up({random.problem()});
  std::jthread([&] { device.reset(); }).join();
  kernel.reset();
  HB_ASSERT_OK(warm.wait());
  EXPECT_EQ(random.why_wrong(value(call->run(random.data.inputs)).at("yT")), "");
  std::jthread([&] { call.reset(); }).join();
}

}  // namespace
}  // namespace halfbyte::testing
