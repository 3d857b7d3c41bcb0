// Device loss, running out of memory, errors of the caller's, waiting too long: always an Error, never zeros, never an abort.
#include <gmock/gmock.h>

#include <thread>

#include "gpu/host_run.hpp"
#include "gpu/timer.hpp"
#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void lose(const Device& device) { device.wgpu().ForceLoss(wgpu::DeviceLostReason::Unknown, "pulled out"); }

TEST(DeviceLost, EveryLaterCallSaysSoWithOneMessage) {
  const auto runtime = Runtime::create(value(Device::open()));
  const Device& device = runtime->device();
  const auto call = value(scale_plan(4, 1).prepare(runtime));
  const wgpu::Buffer x = filled(device, {1, 2, 3, 4}), y = filled(device, {0, 0, 0, 0});
  const std::vector<TensorBinding> tensors{{"x", x}, {"w", x}, {"y", y}};
  HB_ASSERT_OK(run_once(*call, tensors));
  Timer timer = value(Timer::create(runtime->shared_device()));

  lose(device);
  std::vector<Error> errors;
  const auto expect_lost = [&](const char* what, auto result) {
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().code, ErrorCode::device_lost) << what << ": " << result.error().message;
    errors.push_back(result.error());
  };
  const wgpu::CommandEncoder encoder = device.wgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  expect_lost("record", call->record(pass, tensors));
  pass.End();
  expect_lost("check", device.check());
  expect_lost("finish", device.finish());
  expect_lost("create_buffer", create_buffer(device, "b", 16, kTensorUsage));
  expect_lost("write_buffer", write_buffer(device, "y", y, 0, bytes_of({1})));
  expect_lost("read_buffer", read_buffer(device, "y", y, 0, 16));
  expect_lost("prepare known", scale_plan(4, 1).prepare(runtime));
  expect_lost("prepare new", scale_plan(5, 9).prepare(runtime));
  expect_lost("uniform", runtime->uniform(bytes_of({12345})));
  expect_lost("timer", timer.measure(1, [&](uint32_t, const wgpu::ComputePassEncoder&) { return Result<void>(); }));
  expect_lost("run_and_wait", run_and_wait(*call, tensors));
  for (const Error& error : errors) EXPECT_EQ(error.message, errors[0].message);
  EXPECT_THAT(errors[0].message, HasSubstr("device was lost"));
  EXPECT_THAT(errors[0].message, HasSubstr("pulled out"));

  // A new one works.
  const auto again = Runtime::create(value(Device::open()));
  const wgpu::Buffer x2 = filled(again->device(), {1, 2, 3, 4}), y2 = filled(again->device(), {0, 0, 0, 0});
  HB_ASSERT_OK(
      run_once(*value(scale_plan(4, 1).prepare(again)), std::vector<TensorBinding>{{"x", x2}, {"w", x2}, {"y", y2}}));
}

TEST(DeviceLost, WhileAnotherThreadRecordsAndWaits) {
  const auto runtime = Runtime::create(value(Device::open()));
  const Device& device = runtime->device();
  const auto call = value(scale_plan(4, 1).prepare(runtime));
  const wgpu::Buffer x = filled(device, {1, 2, 3, 4}), y = filled(device, {0, 0, 0, 0});
  const std::vector<TensorBinding> tensors{{"x", x}, {"w", x}, {"y", y}};
  std::atomic<int> runs = 0;
  Result<void> last;
  std::jthread worker([&] {
    for (int i = 0; i < 100000 && last; ++i, ++runs) last = run_and_wait(*call, tensors);
  });
  while (runs < 20) std::this_thread::yield();
  lose(device);
  worker.join();
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, ErrorCode::device_lost) << last.error().to_string();
}

TEST(DeviceLost, AdoptedDevicesToo) {
  const auto opened = value(Device::open());
  const auto adopted = value(Device::adopt(opened->wgpu()));
  HB_ASSERT_OK(adopted->check());
  lose(*opened);
  EXPECT_EQ(adopted->check().error().code, ErrorCode::device_lost);
}

TEST(Limits, TooLargeABufferIsAnErrorWithTheNumbers) {
  const Device& device = shared_runtime()->device();
  const uint64_t most = device.limit("maxBufferSize");
  const auto buffer = create_buffer(device, "weights", most + 4, kTensorUsage);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::limit);
  EXPECT_THAT(buffer.error().message,
              HasSubstr(std::format("weights needs a buffer of {} bytes, maxBufferSize is {}", most + 4, most)));
}

TEST(Errors, ScopedReturnsValidationErrorsWithWhatWasDone) {
  const Device& device = shared_runtime()->device();
  const auto result = device.scoped("making something impossible", [&] {
    wgpu::BufferDescriptor descriptor;
    descriptor.size = 4;
    descriptor.usage = wgpu::BufferUsage::MapRead | wgpu::BufferUsage::MapWrite;
    (void)device.wgpu().CreateBuffer(&descriptor);
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::gpu);
  EXPECT_THAT(result.error().message, HasSubstr("making something impossible: "));
  EXPECT_THAT(device.take_uncaptured_errors(), ElementsAre());
}

TEST(Errors, OutOfMemoryHasItsOwnCode) {
  const Device& device = shared_runtime()->device();
  const auto result = device.scoped("a large thing",
                                    [&] { device.wgpu().InjectError(wgpu::ErrorType::OutOfMemory, "no memory left"); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::out_of_memory);
  EXPECT_THAT(result.error().message, HasSubstr("no memory left"));
}

TEST(Errors, UncapturedOnesAreKept) {
  const Device& device = shared_runtime()->device();
  device.wgpu().InjectError(wgpu::ErrorType::Validation, "nobody's");
  EXPECT_THAT(device.take_uncaptured_errors(), ElementsAre(HasSubstr("nobody's")));
  EXPECT_THAT(device.take_uncaptured_errors(), ElementsAre());
}

TEST(Errors, AnotherThreadsErrorsAreNotMixedIn) {
  const Device& device = shared_runtime()->device();
  std::atomic<bool> stop = false;
  std::jthread noisy([&] {
    while (!stop)
      (void)device.scoped("noise", [&] { device.wgpu().InjectError(wgpu::ErrorType::Validation, "theirs"); });
  });
  for (int i = 0; i < 200; ++i) HB_ASSERT_OK(device.scoped("quiet", [] {}));
  stop = true;
}

TEST(Errors, ReadingABufferThatCannotBeRead) {
  const Device& device = shared_runtime()->device();
  const wgpu::Buffer buffer = value(create_buffer(device, "uncopyable", 16, wgpu::BufferUsage::Storage));
  const auto bytes = read_buffer(device, "uncopyable", buffer, 0, 16);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::gpu);
  EXPECT_THAT(bytes.error().message, HasSubstr("reading uncopyable back"));
  const wgpu::Buffer good = filled(device, {1});
  EXPECT_EQ(write_buffer(device, "good", good, 2, bytes_of({1})).error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(write_buffer(device, "good", good, 4, bytes_of({1})));  // past the end
}

TEST(Errors, OddLengthsAreReadAndWritten) {
  const Device& device = shared_runtime()->device();
  const wgpu::Buffer buffer = filled(device, {0, 0, 0, 0});
  std::vector<std::byte> odd;
  for (int i = 1; i <= 7; ++i) odd.push_back(std::byte(i));
  HB_ASSERT_OK(write_buffer(device, "odd", buffer, 4, odd));
  EXPECT_EQ(value(read_buffer(device, "odd", buffer, 4, 7)), odd);
  EXPECT_EQ(value(read_buffer(device, "odd", buffer, 5, 3)), std::vector<std::byte>(odd.begin() + 1, odd.begin() + 4));
  EXPECT_TRUE(value(read_buffer(device, "odd", buffer, 0, 0)).empty());
}

TEST(Timeout, IsAnErrorThatNamesWhatWasWaitedFor) {
  OpenOptions options;
  options.timeout = std::chrono::milliseconds(20);
  const auto runtime = Runtime::create(value(Device::open(options)));
  // A dispatch that cannot end within the time: 4 million dependent steps.
  HandMade made = scale_plan(64, 0);
  std::string slow = kScaleShader;
  slow.replace(slow.find("y[id.x] ="), 0,
               "var v = x[id.x]; for (var i = 0u; i < 4000000u; i++) { v = fract(v * 1.1 + w[(i + id.x) % 64]); } "
               "y[id.x] = v; ");
  made.shaders["scale"] = slow;
  made.plan.passes[0].program = Hasher().add(slow).finish();
  const auto call = value(made.prepare(runtime));
  while (!call->ready())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // compiling may take longer than that
  const wgpu::Buffer x = filled(runtime->device(), std::vector<float>(64, 0.3F)),
                     y = filled(runtime->device(), std::vector<float>(64, 0));
  const auto start = std::chrono::steady_clock::now();
  const auto ran = run_once(*call, std::vector<TensorBinding>{{"x", x}, {"w", x}, {"y", y}});
  const auto took = std::chrono::steady_clock::now() - start;
  if (ran) GTEST_SKIP() << "this device did 4 million steps within 20 ms";
  EXPECT_EQ(ran.error().code, ErrorCode::timeout) << ran.error().to_string();
  EXPECT_THAT(ran.error().message, HasSubstr("the submitted work did not end within 0.02 s"));
  EXPECT_GE(took, std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace halfbyte::gpu::testing
