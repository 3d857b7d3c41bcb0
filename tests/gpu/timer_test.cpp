#include "gpu/timer.hpp"

#include <gmock/gmock.h>

#include "gpu/measure.hpp"
#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::HasSubstr;

struct Work {
  std::shared_ptr<Runtime> runtime;
  std::shared_ptr<PreparedCall> call;
  wgpu::Buffer x, y;
  explicit Work(std::shared_ptr<Runtime> shared) : runtime(std::move(shared)) {
    call = value(scale_plan(65536, 0).prepare(runtime));
    x = filled(runtime->device(), std::vector<float>(65536, 1));
    y = filled(runtime->device(), std::vector<float>(65536, 0));
  }
  Result<void> record(const wgpu::ComputePassEncoder& pass, int times) {
    const TensorBinding tensors[] = {{"x", x}, {"w", x}, {"y", y}};
    for (int i = 0; i < times; ++i) HB_CHECK(call->record(pass, tensors));
    return {};
  }
};

TEST(Timer, MeasuresEachSpan) {
  Work work(shared_runtime());
  Timer timer = value(Timer::create(work.runtime->shared_device(), 8));
  // The second span has a hundred times the work of the others. No more is said of times here than their order, and of the shortest of each:
  // an interruption makes one longer, never shorter.
  std::vector<double> shortest(3, 1e9);
  for (int i = 0; i < 5; ++i) {
    const std::vector<double> seconds =
        value(timer.measure(3, [&](uint32_t span, const wgpu::ComputePassEncoder& pass) {
          return work.record(pass, span == 1 ? 100 : 1);
        }));
    ASSERT_EQ(seconds.size(), 3U);
    for (size_t span = 0; span < 3; ++span) shortest[span] = std::min(shortest[span], seconds[span]);
  }
  for (const double seconds : shortest) EXPECT_GE(seconds, 0);
  EXPECT_GT(shortest[1], shortest[0]);
  EXPECT_GT(shortest[1], shortest[2]);
  if (timer.from_gpu()) {
    EXPECT_GT(timer.step_seconds(), 0);
    EXPECT_THAT(timer.describe(), HasSubstr("timestamp-query, steps of"));
  }
}

TEST(Timer, FallsBackToTheWallClockAndSaysSo) {
  OpenOptions options;
  options.disabled = {FeatureGroup::timestamps};
  Work work(Runtime::create(value(Device::open(options))));
  Timer timer = value(Timer::create(work.runtime->shared_device()));
  EXPECT_FALSE(timer.from_gpu());
  const auto seconds =
      value(timer.measure(2, [&](uint32_t, const wgpu::ComputePassEncoder& pass) { return work.record(pass, 1); }));
  ASSERT_EQ(seconds.size(), 2U);
  EXPECT_GT(seconds[0], 0);
  EXPECT_EQ(timer.describe(), "wall clock, since the device has no timestamp-query");
}

// An interruption while the repetitions are being found makes two of them look like a long sample. The samples that follow are short, and it
// has to start over with more. (C40)
TEST(Stopwatch, OneLongRunDoesNotDecideTheRepetitions) {
  for (const bool timestamps : {true, false}) {
    OpenOptions options;
    if (!timestamps) options.disabled = {FeatureGroup::timestamps};
    Work work(Runtime::create(value(Device::open(options))));
    MeasureOptions measure = cpu_measure_options();
    measure.rules.target_seconds = 0.02;
    measure.rules.steps = 0;
    Stopwatch stopwatch = value(Stopwatch::create(work.runtime->shared_device(), measure));
    // The run before the first, that of one repetition, and the sample that is left out.
    const Timing timing = value(stopwatch.time([&](const wgpu::ComputePassEncoder& pass, uint64_t repetition) {
      return work.record(pass, repetition < 3 ? 2000 : 1);
    }));
    EXPECT_GT(timing.repetitions, 8) << "of work of microseconds, in samples of 20 ms";
  }
}

TEST(Timer, RefusesTooManySpansAndPassesErrorsOn) {
  const auto device = shared_runtime()->shared_device();
  EXPECT_EQ(Timer::create(device, 0).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(Timer::create(device, 5000).error().code, ErrorCode::invalid_argument);
  Timer timer = value(Timer::create(device, 2));
  const auto none = [](uint32_t, const wgpu::ComputePassEncoder&) { return Result<void>(); };
  EXPECT_EQ(timer.measure(3, none).error().code, ErrorCode::invalid_argument);
  const auto failing = [](uint32_t, const wgpu::ComputePassEncoder&) -> Result<void> {
    return fail(ErrorCode::internal, "mine");
  };
  EXPECT_EQ(timer.measure(1, failing).error().message, "mine");
}

}  // namespace
}  // namespace halfbyte::gpu::testing
