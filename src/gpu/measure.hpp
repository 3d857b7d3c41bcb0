// GPU time of one repetition of some work, measured as it would run in a model: many repetitions after one another in one compute
// pass, clocks up, enough of them for the clock's step, median of several such samples. docs/benchmarks.md says why each.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/clock.hpp"
#include "gpu/device.hpp"
#include "gpu/timer.hpp"

namespace halfbyte::gpu {

struct MeasureOptions {
  SamplingRules rules;
  double warm_up_seconds = 1;       // of work before the first sample: an idle GPU runs two to three times slower
  double warm_again_seconds = 0.3;  // after a pause of more than `idle_seconds`
  double idle_seconds = 0.1;
};

// For devices that have no clocks to bring up, and take long for everything.
MeasureOptions cpu_measure_options();

struct Timing {
  std::vector<double> seconds;  // of one repetition, one entry for each sample; all positive
  int64_t repetitions = 0;      // of a sample
  bool enough_steps = true;     // samples (their median) span as many steps of the clock as they should
};

// Not thread-safe.
class Stopwatch {
 public:
  static Result<Stopwatch> create(std::shared_ptr<const Device> device, const MeasureOptions& options);

  // Encodes the i-th repetition, counted on from one sample to the next.
  using Record = std::function<Result<void>(const wgpu::ComputePassEncoder& pass, uint64_t repetition)>;

  // Errors: those of `record` and of Timer::measure; gpu when no sample came out positive.
  Result<Timing> time(const Record& record);

  bool from_gpu() const { return timer_.from_gpu(); }
  std::string clock() const { return timer_.describe(); }
  double clock_step() const { return timer_.step_seconds(); }

 private:
  Stopwatch(Timer timer, const MeasureOptions& options) : timer_(std::move(timer)), options_(options) {}
  Result<std::vector<double>> run(const Record& record, uint32_t spans, int64_t count);
  Result<void> warm_up(const Record& record);
  Result<int64_t> calibrate(const Record& record, int64_t count);
  Result<std::vector<double>> samples(const Record& record, int64_t count);

  Timer timer_;
  MeasureOptions options_;
  uint64_t repetition_ = 0;
  std::chrono::steady_clock::time_point last_work_{};
  bool warm_ = false;
};

}  // namespace halfbyte::gpu
