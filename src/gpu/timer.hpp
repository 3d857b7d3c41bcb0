// GPU time of recorded work, by timestamp queries; by the wall clock, saying so, on devices without them.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/device.hpp"

namespace halfbyte::gpu {

// Not thread-safe; each thread makes its own. Keeps the device alive.
class Timer {
 public:
  // `spans`: the most that one measure() may time, at most 2048 (WebGPU's limit of 4096 queries).
  static Result<Timer> create(std::shared_ptr<const Device> device, uint32_t spans = 64);

  using RecordSpan = std::function<Result<void>(uint32_t span, const wgpu::ComputePassEncoder& pass)>;

  // Encodes `count` compute passes, the i-th by record(i, pass), into one command buffer, submits it, waits, and returns the
  // seconds that each took on the GPU. Without timestamps each pass is a submit of its own, timed from there to its end on the host.
  // A time may be 0 where the clock is coarse. Errors: those of `record`, invalid_argument (count), gpu, device_lost, timeout.
  Result<std::vector<double>> measure(uint32_t count, const RecordSpan& record);

  bool from_gpu() const { return queries_ != nullptr; }
  // The clock's step as seen so far: the largest step that all its timestamps are multiples of; 0 when nothing was measured.
  double step_seconds() const;
  // "timestamp-query, steps of 32 ns", or "wall clock, since the device has no timestamp-query".
  std::string describe() const;

 private:
  Timer() = default;
  Result<std::vector<double>> measure_on_gpu(uint32_t count, const RecordSpan& record);
  Result<std::vector<double>> measure_on_host(uint32_t count, const RecordSpan& record);

  std::shared_ptr<const Device> device_;
  uint32_t spans_ = 0;
  wgpu::QuerySet queries_;
  wgpu::Buffer resolved_;
  uint64_t step_ns_ = 0;
  uint64_t last_ns_ = 0;
};

}  // namespace halfbyte::gpu
