#include "gpu/measure.hpp"

#include <algorithm>

#include "bench/statistics.hpp"

namespace halfbyte::gpu {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Work in one command buffer, at most: the device is not reset for it, and others get their turn.
constexpr double kLongestSubmit = 0.25;
constexpr uint32_t kMostSpans = 64;
constexpr int kMostRounds = 4;  // of calibrating and sampling, where the samples come out too short

}  // namespace

MeasureOptions cpu_measure_options() {
  MeasureOptions options;
  options.rules.samples = 3;
  options.rules.max_seconds = 0.2;
  options.warm_up_seconds = 0;
  options.warm_again_seconds = 0;
  return options;
}

Result<Stopwatch> Stopwatch::create(std::shared_ptr<const Device> device, const MeasureOptions& options) {
  HB_TRY(Timer timer, Timer::create(std::move(device), kMostSpans));
  return Stopwatch(std::move(timer), options);
}

// Seconds of each of `spans` passes of `count` repetitions.
Result<std::vector<double>> Stopwatch::run(const Record& record, uint32_t spans, int64_t count) {
  auto times = timer_.measure(spans, [&](uint32_t, const wgpu::ComputePassEncoder& pass) -> Result<void> {
    for (int64_t i = 0; i < count; ++i) HB_CHECK(record(pass, repetition_++));
    return {};
  });
  last_work_ = Clock::now();
  return times;
}

Result<void> Stopwatch::warm_up(const Record& record) {
  HB_CHECK(run(record, 1, 1));
  const double wanted = warm_ ? options_.warm_again_seconds : options_.warm_up_seconds;
  const auto start = Clock::now();
  int64_t count = 1;
  while (seconds_since(start) < wanted) {
    const auto before = Clock::now();
    HB_CHECK(run(record, 1, count));
    if (seconds_since(before) < 0.01) count = std::min(2 * count, options_.rules.max_repetitions);
  }
  warm_ = true;
  return {};
}

// How many repetitions make a sample, from `count` on.
Result<int64_t> Stopwatch::calibrate(const Record& record, int64_t count) {
  SamplingRules rules = options_.rules;
  for (;;) {
    HB_TRY(const std::vector<double> first, run(record, 1, count));
    rules.clock_step = timer_.step_seconds();
    const Repetitions next = next_repetitions(count, first.front(), rules);
    if (next.enough) return next.count;
    count = next.count;
  }
}

// Seconds of each sample of `count` repetitions; those that came out as nothing are in it.
Result<std::vector<double>> Stopwatch::samples(const Record& record, int64_t count) {
  // Without timestamps a span also takes the time to submit it and to hear of its end: a span twice as long takes that once too.
  const bool differences = !timer_.from_gpu();
  const auto wanted = static_cast<uint32_t>(std::clamp(options_.rules.samples, 1, static_cast<int>(kMostSpans) - 1));
  std::vector<double> all;
  double longest = 0;
  while (all.size() <= wanted) {
    const double guess = longest > 0 ? longest : options_.rules.max_seconds;
    const auto fit = static_cast<uint32_t>(std::max(1.0, kLongestSubmit / guess));
    const auto left = static_cast<uint32_t>(wanted + 1 - all.size());
    HB_TRY(std::vector<double> seconds, run(record, differences ? 1 : std::min(left, fit), count));
    if (differences) {
      HB_TRY(const std::vector<double> twice, run(record, 1, 2 * count));
      seconds[0] = twice[0] - seconds[0];
    }
    for (const double s : seconds) longest = std::max(longest, s);
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  all.erase(all.begin());  // it follows a pause
  return all;
}

Result<Timing> Stopwatch::time(const Record& record) {
  if (!warm_ || seconds_since(last_work_) > options_.idle_seconds) {
    HB_CHECK(warm_up(record));
  } else {
    HB_CHECK(run(record, 1, 1));  // a program's first run is slow whatever the clocks
  }
  Timing timing;
  std::vector<double> seconds;
  int64_t count = 1;
  // One interruption while it calibrates makes a few repetitions look long enough. The samples then show that they are not.
  for (int round = 0; round < kMostRounds; ++round) {
    HB_TRY(count, calibrate(record, count));
    HB_TRY(seconds, samples(record, count));
    SamplingRules rules = options_.rules;
    rules.clock_step = timer_.step_seconds();
    const double median = std::max(0.0, halfbyte::summarize(seconds).median);
    timing.enough_steps = median >= 0.5 * rules.steps * rules.clock_step;
    if (median >= 0.5 * rules.needed_seconds()) break;
    const Repetitions next = next_repetitions(count, median, rules);
    if (next.enough) break;
    count = next.count;
  }
  timing.repetitions = count;
  for (const double s : seconds)
    if (s > 0) timing.seconds.push_back(s / static_cast<double>(count));
  if (timing.seconds.empty())
    return fail(
        ErrorCode::gpu,
        std::format("no time could be measured: every sample of {} repetitions came out as zero ({})", count, clock()));
  return timing;
}

}  // namespace halfbyte::gpu
