#include "gpu/measure_call.hpp"

#include <algorithm>

#include "gpu/buffers.hpp"

namespace halfbyte::gpu {
namespace {

constexpr size_t kSetsPerCall = PreparedCall::kMostBindSets - 16;

uint64_t padded(uint64_t bytes) { return round_up(std::max(bytes, uint64_t{1}), kTensorPadding); }

Result<std::map<std::string, wgpu::Buffer, std::less<>>> upload(const Device& device, const HostTensors& inputs) {
  std::map<std::string, wgpu::Buffer, std::less<>> set;
  for (const auto& [key, tensor] : inputs) {
    HB_TRY(wgpu::Buffer buffer, create_buffer(device, key, padded(tensor.data.size()), kTensorUsage));
    HB_CHECK(write_buffer(device, key, buffer, 0, tensor.data));
    set.emplace(key, std::move(buffer));
  }
  return set;
}

// A copy of every buffer of `from`, made on the GPU.
Result<std::map<std::string, wgpu::Buffer, std::less<>>> duplicate(
    const Device& device, const std::map<std::string, wgpu::Buffer, std::less<>>& from) {
  std::map<std::string, wgpu::Buffer, std::less<>> set;
  for (const auto& [key, source] : from) {
    HB_TRY(set[key], create_buffer(device, key, source.GetSize(), kTensorUsage));
  }
  HB_CHECK(device.scoped("copying weights", [&] {
    const wgpu::CommandEncoder encoder = device.wgpu().CreateCommandEncoder();
    for (const auto& [key, source] : from) encoder.CopyBufferToBuffer(source, 0, set[key], 0, source.GetSize());
    const wgpu::CommandBuffer commands = encoder.Finish();
    device.queue().Submit(1, &commands);
  }));
  return set;
}

// In pieces: an output of a long prompt is hundreds of megabytes.
Result<void> fill_with_nan(const Device& device, std::string_view what, const wgpu::Buffer& buffer, uint64_t bytes) {
  const std::vector<std::byte> piece(std::min(bytes, uint64_t{4} << 20), std::byte{0xFF});
  for (uint64_t at = 0; at < bytes; at += piece.size())
    HB_CHECK(
        write_buffer(device, what, buffer, at, std::span(piece).first(std::min(bytes - at, uint64_t{piece.size()}))));
  return {};
}

}  // namespace

Result<std::shared_ptr<const WeightSets>> WeightSets::create(std::shared_ptr<Runtime> runtime,
                                                             const HostTensors& inputs, uint64_t rotate_bytes,
                                                             size_t most) {
  std::shared_ptr<WeightSets> sets(new WeightSets);
  sets->runtime_ = std::move(runtime);
  const Device& device = sets->runtime_->device();
  for (const auto& [key, tensor] : inputs) sets->bytes_ += tensor.data.size();
  HB_TRY(Set first, upload(device, inputs));
  sets->sets_.push_back(std::move(first));
  const uint64_t wanted = rotate_bytes / std::max(sets->bytes_, uint64_t{1}) + 1;
  while (sets->sets_.size() < std::min(wanted, uint64_t{std::max(most, size_t{1})})) {
    auto next = duplicate(device, sets->sets_.front());
    if (!next && next.error().code == ErrorCode::out_of_memory) break;
    if (!next) return std::unexpected(std::move(next).error());
    sets->sets_.push_back(std::move(*next));
  }
  return sets;
}

WeightSets::~WeightSets() {
  for (const Set& set : sets_) {
    for (const auto& [key, buffer] : set) runtime_->forget(buffer);
  }
}

wgpu::Buffer WeightSets::find(size_t set, std::string_view key) const {
  const auto at = sets_[set].find(key);
  return at == sets_[set].end() ? nullptr : at->second;
}

SharedTensors::~SharedTensors() {
  for (const auto& [key, buffer] : buffers_) runtime_->forget(buffer);
}

Result<wgpu::Buffer> SharedTensors::buffer(const std::string& key, uint64_t bytes) {
  wgpu::Buffer& buffer = buffers_[key];
  if (buffer && buffer.GetSize() >= bytes) return buffer;
  if (buffer) runtime_->forget(buffer);
  buffer = nullptr;
  HB_TRY(buffer, create_buffer(runtime_->device(), key, padded(bytes), kTensorUsage));
  return buffer;
}

Result<void> SharedTensors::write(const std::string& key, const HostTensor& tensor) {
  HB_TRY(const wgpu::Buffer to, buffer(key, tensor.data.size()));
  return write_buffer(runtime_->device(), key, to, 0, tensor.data);
}

void SharedTensors::put(const std::string& key, wgpu::Buffer buffer) {
  wgpu::Buffer& mine = buffers_[key];
  if (mine && mine.Get() != buffer.Get()) runtime_->forget(mine);
  mine = std::move(buffer);
}

Result<MeasuredCall> MeasuredCall::create(Kernel& kernel, std::shared_ptr<const Plan> plan,
                                          std::shared_ptr<const WeightSets> weights, SharedTensors& shared) {
  MeasuredCall measured;
  measured.kernel_ = &kernel;
  measured.weights_ = std::move(weights);
  const size_t sets = measured.weights_ ? measured.weights_->size() : 1;
  for (size_t i = 0; i < (sets + kSetsPerCall - 1) / kSetsPerCall; ++i) {
    HB_TRY(measured.calls_.emplace_back(), kernel.prepare(plan));
  }
  for (size_t set = 0; set < sets; ++set) {
    Step step{set / kSetsPerCall, {}};
    for (const CallTensor& tensor : measured.calls_[step.call]->tensors()) {
      wgpu::Buffer buffer = measured.weights_ ? measured.weights_->find(set, tensor.key) : nullptr;
      if (!buffer) {
        HB_TRY(buffer, shared.buffer(tensor.key, tensor.bytes));
      }
      step.tensors.push_back({tensor.key, buffer, 0, 0});
    }
    measured.steps_.push_back(std::move(step));
  }
  return measured;
}

Result<void> MeasuredCall::wait() const {
  for (const auto& call : calls_) HB_CHECK(call->wait());
  return {};
}

Result<void> MeasuredCall::record(const wgpu::ComputePassEncoder& pass, uint64_t repetition) {
  const Step& step = steps_[repetition % steps_.size()];
  return calls_[step.call]->record(pass, step.tensors);
}

Result<HostTensor> MeasuredCall::run_once(std::string_view key) {
  const Device& device = kernel_->device();
  PreparedCall& call = *calls_.front();
  const std::vector<TensorBinding>& tensors = steps_.front().tensors;
  const CallTensor* wanted = nullptr;
  wgpu::Buffer output;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const CallTensor& tensor = call.tensors()[i];
    if (!tensor.output) continue;
    HB_CHECK(fill_with_nan(device, tensor.key, tensors[i].buffer, padded(tensor.bytes)));
    if (tensor.key != key) continue;
    wanted = &tensor;
    output = tensors[i].buffer;
  }
  if (wanted == nullptr) return fail(ErrorCode::invalid_argument, std::format("the call has no output {}", key));
  HB_CHECK(run_and_wait(call, tensors));
  HB_TRY(std::vector<std::byte> bytes, read_buffer(device, key, output, 0, round_up(wanted->bytes, 4)));
  bytes.resize(wanted->bytes);
  return HostTensor{wanted->desc.dtype, wanted->desc.shape, std::move(bytes)};
}

}  // namespace halfbyte::gpu
