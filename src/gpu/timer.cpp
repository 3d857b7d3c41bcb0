#include "gpu/timer.hpp"

#include <chrono>
#include <cstring>
#include <numeric>

#include "gpu/buffers.hpp"

namespace halfbyte::gpu {
namespace {

constexpr uint32_t kMaxSpans = 2048;

}  // namespace

Result<Timer> Timer::create(std::shared_ptr<const Device> device, uint32_t spans) {
  if (spans < 1 || spans > kMaxSpans) {
    return fail(ErrorCode::invalid_argument, std::format("a timer can have 1 to {} spans, not {}", kMaxSpans, spans));
  }
  Timer timer;
  timer.device_ = std::move(device);
  timer.spans_ = spans;
  const auto& features = timer.device_->profile();
  if (!features.has_feature("timestamp-query")) return timer;
  wgpu::QuerySetDescriptor descriptor;
  descriptor.label = "timer";
  descriptor.type = wgpu::QueryType::Timestamp;
  descriptor.count = 2 * spans;
  HB_CHECK(timer.device_->scoped("timestamp queries",
                                 [&] { timer.queries_ = timer.device_->wgpu().CreateQuerySet(&descriptor); }));
  HB_TRY(timer.resolved_, create_buffer(*timer.device_, "timestamps", uint64_t{16} * spans,
                                        wgpu::BufferUsage::QueryResolve | wgpu::BufferUsage::CopySrc));
  return timer;
}

Result<std::vector<double>> Timer::measure(uint32_t count, const RecordSpan& record) {
  if (count < 1 || count > spans_) {
    return fail(ErrorCode::invalid_argument, std::format("this timer measures 1 to {} spans, not {}", spans_, count));
  }
  return from_gpu() ? measure_on_gpu(count, record) : measure_on_host(count, record);
}

Result<std::vector<double>> Timer::measure_on_gpu(uint32_t count, const RecordSpan& record) {
  Result<void> recorded;
  HB_CHECK(device_->check());
  const wgpu::CommandEncoder encoder = device_->wgpu().CreateCommandEncoder();
  for (uint32_t i = 0; i < count && recorded; ++i) {
    wgpu::PassTimestampWrites writes;
    writes.querySet = queries_;
    writes.beginningOfPassWriteIndex = 2 * i;
    writes.endOfPassWriteIndex = 2 * i + 1;
    wgpu::ComputePassDescriptor descriptor;
    descriptor.timestampWrites = &writes;
    const wgpu::ComputePassEncoder pass = encoder.BeginComputePass(&descriptor);
    recorded = record(i, pass);
    pass.End();
  }
  HB_CHECK(recorded);
  HB_CHECK(device_->scoped("timing", [&] {
    encoder.ResolveQuerySet(queries_, 0, 2 * count, resolved_, 0);
    const wgpu::CommandBuffer commands = encoder.Finish();
    device_->submit(commands, "timing");
  }));
  HB_TRY(const std::vector<std::byte> bytes, read_buffer(*device_, "timestamps", resolved_, 0, uint64_t{16} * count));
  std::vector<uint64_t> ticks(size_t{2} * count);
  std::memcpy(ticks.data(), bytes.data(), bytes.size());
  std::vector<double> seconds;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t begin = ticks[2 * i];
    const uint64_t end = ticks[2 * i + 1];
    // Timestamps need not be monotonic (WebGPU says so); a negative time is none.
    seconds.push_back(end > begin ? static_cast<double>(end - begin) * 1e-9 : 0.0);
    for (const uint64_t tick : {begin, end}) {
      if (last_ns_ != 0) step_ns_ = std::gcd(step_ns_, tick > last_ns_ ? tick - last_ns_ : last_ns_ - tick);
      last_ns_ = tick;
    }
  }
  return seconds;
}

Result<std::vector<double>> Timer::measure_on_host(uint32_t count, const RecordSpan& record) {
  std::vector<double> seconds;
  for (uint32_t i = 0; i < count; ++i) {
    HB_CHECK(device_->finish());
    const wgpu::CommandEncoder encoder = device_->wgpu().CreateCommandEncoder();
    const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
    const Result<void> recorded = record(i, pass);
    pass.End();
    const wgpu::CommandBuffer commands = encoder.Finish();
    HB_CHECK(recorded);
    const auto start = std::chrono::steady_clock::now();
    HB_CHECK(device_->scoped("timing", [&] { device_->submit(commands, "timing"); }));
    HB_CHECK(device_->finish());
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds;
}

double Timer::step_seconds() const { return static_cast<double>(step_ns_) * 1e-9; }

std::string Timer::describe() const {
  if (!from_gpu()) return "wall clock, since the device has no timestamp-query";
  if (step_ns_ == 0) return "timestamp-query";
  return std::format("timestamp-query, steps of {} ns", step_ns_);
}

}  // namespace halfbyte::gpu
