#include "gpu/runtime.hpp"

#include <algorithm>
#include <bit>

#include "gpu/buffers.hpp"
#include "gpu/prepared_call.hpp"

namespace halfbyte::gpu {
namespace {

// A decode loop whose M never repeats makes a new uniform block each time; past this many, those that no call holds go.
constexpr size_t kMostUniforms = 4096;

Result<std::map<std::string, wgpu::Buffer>> create_packed_buffers(const Device& device, const Plan& plan) {
  std::map<std::string, wgpu::Buffer> buffers;
  for (const BufferPlan& buffer : plan.prepacked) {
    const std::string what = "packed " + buffer.id + " of " + plan.package + "/" + plan.variant;
    HB_TRY(buffers[buffer.id], create_buffer(device, what, round_up(buffer.byte_size, kTensorPadding), kTensorUsage));
  }
  return buffers;
}

}  // namespace

Runtime::Runtime(std::shared_ptr<Device> device) : device_(std::move(device)), programs_(device_) {}

std::shared_ptr<Runtime> Runtime::create(std::shared_ptr<Device> device) {
  return std::shared_ptr<Runtime>(new Runtime(std::move(device)));
}

Result<wgpu::Buffer> Runtime::uniform(std::span<const std::byte> bytes) {
  const std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = uniforms_.find(key); found != uniforms_.end()) return found->second;
  }
  HB_TRY(const wgpu::Buffer buffer, create_filled_buffer(*device_, "uniforms", bytes, wgpu::BufferUsage::Uniform));
  const std::scoped_lock lock(mutex_);
  if (uniforms_.size() >= kMostUniforms) uniforms_.clear();
  stats_.uniform_buffers += 1;
  return uniforms_.emplace(key, buffer).first->second;
}

Result<wgpu::Buffer> Runtime::scratch(size_t slot, uint64_t bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (slot < scratch_.size() && scratch_[slot] && scratch_[slot].GetSize() >= bytes) return scratch_[slot];
  }
  // Grown in powers of two, so that all the buffers ever replaced add up to no more than the last one.
  const uint64_t most = device_->limit("maxBufferSize") / kTensorPadding * kTensorPadding;
  const uint64_t size =
      std::max(std::min(std::bit_ceil(std::max<uint64_t>(bytes, 65536)), most), round_up(bytes, kTensorPadding));
  HB_TRY(const wgpu::Buffer buffer, create_buffer(*device_, std::format("scratch {}", slot), size, kTensorUsage));
  const std::scoped_lock lock(mutex_);
  if (slot >= scratch_.size()) scratch_.resize(slot + 1);
  if (scratch_[slot] && scratch_[slot].GetSize() >= bytes) return scratch_[slot];
  stats_.scratch_bytes += size - (scratch_[slot] ? scratch_[slot].GetSize() : 0);
  scratch_[slot] = buffer;
  return buffer;
}

Result<std::shared_ptr<const PackedWeights>> Runtime::packed(const Plan& plan, const ShaderSource& source,
                                                             const std::map<std::string, TensorRange>& ranges) {
  PackedKey key{plan.prepack_key, {}};
  PackedEntry entry;
  for (const auto& [name, range] : ranges) {
    key.ranges.push_back({range.buffer.Get(), range.offset, range.bytes});
    entry.inputs.push_back(range.buffer);
  }
  const std::scoped_lock one_at_a_time(prepack_mutex_);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = packed_.find(key); found != packed_.end()) return found->second.weights;
  }
  HB_TRY(entry.weights, pack(plan, source, ranges));
  const std::scoped_lock lock(mutex_);
  stats_.prepack_runs += 1;
  stats_.packed_copies += 1;
  stats_.packed_bytes += entry.weights->bytes;
  return (packed_[std::move(key)] = std::move(entry)).weights;
}

Result<std::shared_ptr<const PackedWeights>> Runtime::pack(const Plan& plan, const ShaderSource& source,
                                                           const std::map<std::string, TensorRange>& ranges) {
  const auto weights = std::make_shared<PackedWeights>();
  HB_TRY(weights->buffers, create_packed_buffers(*device_, plan));
  for (const auto& [id, buffer] : weights->buffers) weights->bytes += buffer.GetSize();

  HB_TRY(const std::vector<Program> programs, programs_.get(plan.prepack_passes, source));
  std::vector<BoundPass> passes;
  for (size_t i = 0; i < programs.size(); ++i) {
    const auto resolve = [&](const PlanBinding& binding) {
      return resolve_for_packing(plan, binding, *weights, ranges);
    };
    HB_TRY(passes.emplace_back(), bind_pass(*device_, plan.prepack_passes[i], programs[i], resolve));
  }
  HB_CHECK(device_->scoped("prepacking for " + plan.package + "/" + plan.variant, [&] {
    const wgpu::CommandEncoder encoder = device_->wgpu().CreateCommandEncoder();
    const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
    record(pass, passes);
    pass.End();
    const wgpu::CommandBuffer commands = encoder.Finish();
    device_->submit(commands, plan.package + "/" + plan.variant);
  }));
  return weights;
}

Result<TensorRange> Runtime::resolve_for_packing(const Plan& plan, const PlanBinding& binding,
                                                 const PackedWeights& weights,
                                                 const std::map<std::string, TensorRange>& ranges) {
  switch (binding.kind) {
    case BindingKind::uniform: {
      HB_TRY(const wgpu::Buffer buffer, uniform(binding.uniform_bytes));
      return TensorRange{buffer, 0, binding.uniform_bytes.size(), buffer.GetSize()};
    }
    case BindingKind::prepacked: {
      const auto planned = std::ranges::find(plan.prepacked, binding.source, &BufferPlan::id);
      if (planned == plan.prepacked.end()) break;
      const wgpu::Buffer& buffer = weights.buffers.at(binding.source);
      return TensorRange{buffer, 0, planned->byte_size, buffer.GetSize()};
    }
    case BindingKind::scratch: {
      const auto planned = std::ranges::find(plan.scratch, binding.source, &BufferPlan::id);
      if (planned == plan.scratch.end()) break;
      HB_TRY(const wgpu::Buffer buffer,
             scratch(planned->slot.value_or(static_cast<size_t>(planned - plan.scratch.begin())), planned->byte_size));
      return TensorRange{buffer, 0, planned->byte_size, round_up(planned->byte_size, kTensorPadding)};
    }
    case BindingKind::argument:
      if (const auto found = ranges.find(binding.source); found != ranges.end()) {
        HB_CHECK(check_original(found->second.buffer, binding.source, "another packed layout"));
        return sliced(found->second, binding);
      }
      return fail(ErrorCode::invalid_argument,
                  std::format("prepacking needs input {}, which was not given", binding.source));
  }
  return fail(ErrorCode::internal,
              std::format("the plan's prepack passes bind {}, which it does not declare", binding.source));
}

void Runtime::forget(const wgpu::Buffer& buffer) {
  std::vector<std::shared_ptr<PreparedCall>> calls;
  {
    const std::scoped_lock lock(mutex_);
    calls = live_calls();
    dropped_.erase(buffer.Get());
    std::erase_if(packed_, [&](const auto& item) {
      const bool mentions =
          std::ranges::any_of(item.first.ranges, [&](const RangeKey& r) { return r.buffer == buffer.Get(); });
      if (!mentions) return false;
      stats_.packed_copies -= 1;
      stats_.packed_bytes -= item.second.weights->bytes;
      return true;
    });
  }
  for (const auto& call : calls) call->forget(buffer);
}

std::vector<std::shared_ptr<PreparedCall>> Runtime::live_calls() {
  std::vector<std::shared_ptr<PreparedCall>> calls;
  for (const auto& weak : calls_) {
    if (auto call = weak.lock()) calls.push_back(std::move(call));
  }
  return calls;
}

Result<uint64_t> Runtime::drop_original(const wgpu::Buffer& buffer) {
  HB_CHECK(device_->check());
  std::vector<std::shared_ptr<PreparedCall>> calls;
  {
    const std::scoped_lock lock(mutex_);
    if (!buffer || std::ranges::none_of(packed_, [&](const auto& item) {
          return std::ranges::contains(item.first.ranges, buffer.Get(), &RangeKey::buffer);
        })) {
      return fail(ErrorCode::invalid_argument,
                  "the buffer to drop has not been packed; record a call of a variant that packs it first");
    }
    if (!dropped_.emplace(buffer.Get(), buffer).second) return 0;
    calls = live_calls();
    stats_.dropped_bytes += buffer.GetSize();
  }
  // Bind groups that hold the original go; those that are made anew are checked.
  for (const auto& call : calls) call->forget(buffer);
  buffer.Destroy();
  return buffer.GetSize();
}

Result<void> Runtime::check_original(const wgpu::Buffer& buffer, std::string_view key, std::string_view reader) const {
  const std::scoped_lock lock(mutex_);
  if (!dropped_.contains(buffer.Get())) return {};
  return fail(
      ErrorCode::invalid_argument,
      std::format(
          "{} was dropped after it had been packed, but {} reads it; say what was dropped when preparing, or keep it",
          key, reader));
}

void Runtime::remember(const std::shared_ptr<PreparedCall>& call) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(calls_, [](const auto& weak) { return weak.expired(); });
  calls_.push_back(call);
}

void Runtime::count_bind_groups(uint64_t count) {
  const std::scoped_lock lock(mutex_);
  stats_.bind_groups += count;
}

RuntimeStats Runtime::stats() const {
  RuntimeStats result;
  {
    const std::scoped_lock lock(mutex_);
    result = stats_;
  }
  result.programs = programs_.stats();
  return result;
}

}  // namespace halfbyte::gpu
