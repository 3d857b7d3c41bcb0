#include "gpu/prepared_call.hpp"

#include <algorithm>

#include "gpu/buffers.hpp"

namespace halfbyte::gpu {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

Result<uint64_t> tensor_bytes(const std::string& key, const TensorDesc& desc) {
  const auto count = element_count(desc.shape);
  if (!count || *count > INT64_MAX / 8) {
    return fail(ErrorCode::invalid_argument, std::format("{} has an impossible shape {}", key, to_string(desc.shape)));
  }
  return static_cast<uint64_t>(*count) * byte_size(desc.dtype);
}

}  // namespace

Result<std::shared_ptr<PreparedCall>> PreparedCall::create(std::shared_ptr<Runtime> runtime,
                                                           std::shared_ptr<const Plan> plan, ShaderSource source) {
  const std::shared_ptr<PreparedCall> call(new PreparedCall);
  call->runtime_ = std::move(runtime);
  call->plan_ = std::move(plan);
  Runtime& shared = *call->runtime_;
  HB_CHECK(shared.device().check());
  for (const auto* list : {&call->plan_->inputs, &call->plan_->outputs}) {
    for (const auto& [key, desc] : *list) {
      HB_TRY(const uint64_t bytes, tensor_bytes(key, desc));
      call->tensors_.push_back({key, desc, bytes, list == &call->plan_->outputs});
    }
  }
  if (call->tensors_.size() > kMostTensors) {
    return fail(ErrorCode::unsupported,
                std::format("the call has {} tensors, at most {} are supported", call->tensors_.size(), kMostTensors));
  }
  if (call->plan_->empty) return call;

  HB_CHECK(check_limits(*call->plan_, shared.device().profile()));
  HB_TRY(call->programs_, shared.programs().start(call->plan_->passes, source));
  HB_CHECK(shared.programs().start(call->plan_->prepack_passes, source));
  for (size_t i = 0; i < call->plan_->scratch.size(); ++i) {
    const BufferPlan& buffer = call->plan_->scratch[i];
    HB_TRY(call->scratch_.emplace_back(), shared.scratch(buffer.slot.value_or(i), buffer.byte_size));
  }
  for (const PassPlan& pass : call->plan_->passes) {
    std::vector<wgpu::Buffer>& uniforms = call->uniforms_.emplace_back(pass.bindings.size());
    for (size_t i = 0; i < pass.bindings.size(); ++i) {
      if (pass.bindings[i].kind != BindingKind::uniform) continue;
      HB_TRY(uniforms[i], shared.uniform(pass.bindings[i].uniform_bytes));
    }
  }
  if (!call->plan_->prepack_passes.empty()) call->source_ = std::move(source);
  shared.remember(call);
  return call;
}

Result<void> PreparedCall::wait() const {
  HB_CHECK(runtime_->programs().wait(programs_));
  return {};
}

bool PreparedCall::ready() const {
  return std::ranges::all_of(programs_,
                             [&](const ProgramHandle& program) { return runtime_->programs().ready(program); });
}

bool PreparedCall::failed() const {
  return std::ranges::any_of(programs_,
                             [&](const ProgramHandle& program) { return runtime_->programs().failed(program); });
}

Result<void> PreparedCall::poison_scratch() const {
  for (size_t i = 0; i < scratch_.size(); ++i) {
    const std::vector<std::byte> poison(round_up(plan_->scratch[i].byte_size, kTensorPadding), std::byte{0xFF});
    HB_CHECK(write_buffer(runtime_->device(), plan_->scratch[i].id, scratch_[i], 0, poison));
  }
  return {};
}

Result<void> PreparedCall::record(const wgpu::ComputePassEncoder& pass, std::span<const TensorBinding> tensors) {
  HB_CHECK(runtime_->device().check());
  if (plan_->empty) return {};
  Key key;
  if (!gather(tensors, key)) return check_tensors(tensors);
  uint64_t hash = 0;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    hash = mix(mix(mix(hash, reinterpret_cast<uintptr_t>(key[i].buffer)), key[i].offset), key[i].size);
  }
  std::shared_ptr<const BindSet> set = find(key, hash);
  if (!set) {
    HB_TRY(set, bind(tensors, key, hash));
  }
  gpu::record(pass, set->passes);
  return {};
}

bool PreparedCall::gather(std::span<const TensorBinding> tensors, Key& key) const {
  if (tensors.size() != tensors_.size()) return false;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorBinding* found = &tensors[i];
    if (found->key != tensors_[i].key) {
      const auto other = std::ranges::find(tensors, tensors_[i].key, &TensorBinding::key);
      if (other == tensors.end()) return false;
      found = &*other;
    }
    if (!found->buffer && tensors_[i].bytes > 0) return false;
    key[i] = {found->buffer.Get(), found->offset, found->size};
  }
  return true;
}

Result<void> PreparedCall::check_tensors(std::span<const TensorBinding> tensors) const {
  for (const CallTensor& wanted : tensors_) {
    const auto found = std::ranges::find(tensors, wanted.key, &TensorBinding::key);
    if (found == tensors.end() || !found->buffer) {
      return fail(ErrorCode::invalid_argument,
                  std::format("{} {} was not given a buffer", wanted.output ? "output" : "input", wanted.key));
    }
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (std::ranges::find(tensors_, tensors[i].key, &CallTensor::key) == tensors_.end()) {
      return fail(ErrorCode::invalid_argument, std::format("{} is not a tensor of this call", tensors[i].key));
    }
    if (std::ranges::count(tensors, tensors[i].key, &TensorBinding::key) > 1) {
      return fail(ErrorCode::invalid_argument, std::format("{} was given twice", tensors[i].key));
    }
  }
  return fail(ErrorCode::internal, "the tensors of a call were not recognized");
}

std::shared_ptr<const PreparedCall::BindSet> PreparedCall::find(const Key& key, uint64_t hash) {
  const std::scoped_lock lock(mutex_);
  const auto found = sets_.find(hash);
  if (found == sets_.end() || found->second->key != key) return nullptr;
  found->second->last_used = ++clock_;
  return found->second;
}

Result<TensorRange> PreparedCall::range_of(const TensorBinding& tensor) const {
  const CallTensor& known = *std::ranges::find(tensors_, tensor.key, &CallTensor::key);
  const uint64_t size = tensor.buffer.GetSize();
  if (tensor.offset % 4 != 0) {
    return fail(ErrorCode::invalid_argument,
                std::format("{} starts at offset {} of its buffer, which must be a multiple of {}", tensor.key,
                            tensor.offset, runtime_->device().limit("minStorageBufferOffsetAlignment")));
  }
  if (tensor.offset > size || tensor.size > size - tensor.offset) {
    return fail(ErrorCode::invalid_argument,
                std::format("{} is said to be at offset {} with size {}, but its buffer has {} bytes", tensor.key,
                            tensor.offset, tensor.size, size));
  }
  const bool given = tensor.size != 0;
  const uint64_t available = given ? tensor.size : size - tensor.offset;
  if (available < round_up(known.bytes, 4)) {
    return fail(
        ErrorCode::invalid_argument,
        std::format("{} {} needs {} bytes ({} rounded up to 4), its buffer has {} from offset {} on", tensor.key,
                    to_string(known.desc.shape), round_up(known.bytes, 4), known.bytes, available, tensor.offset));
  }
  return TensorRange{tensor.buffer, tensor.offset, known.bytes, available, given};
}

Result<TensorRange> PreparedCall::resolve(const PlanBinding& binding, const BindSet& set,
                                          std::span<const TensorBinding> tensors) const {
  switch (binding.kind) {
    case BindingKind::argument: {
      const auto found = std::ranges::find(tensors, binding.source, &TensorBinding::key);
      if (found != tensors.end()) {
        HB_TRY(TensorRange whole, range_of(*found));
        HB_CHECK(runtime_->check_original(whole.buffer, binding.source, "the variant " + plan_->variant));
        return sliced(std::move(whole), binding);
      }
      return fail(ErrorCode::internal,
                  std::format("the plan binds {}, which is no tensor of the problem", binding.source));
    }
    case BindingKind::scratch: {
      const auto planned = std::ranges::find(plan_->scratch, binding.source, &BufferPlan::id);
      if (planned == plan_->scratch.end()) break;
      const wgpu::Buffer& buffer = scratch_[static_cast<size_t>(planned - plan_->scratch.begin())];
      // Bound as large as planned: the shared buffer is larger, and a shader may ask for its array's length.
      return TensorRange{buffer, 0, planned->byte_size, round_up(planned->byte_size, kTensorPadding)};
    }
    case BindingKind::prepacked: {
      const auto planned = std::ranges::find(plan_->prepacked, binding.source, &BufferPlan::id);
      if (planned == plan_->prepacked.end() || !set.packed) break;
      const wgpu::Buffer& buffer = set.packed->buffers.at(binding.source);
      return TensorRange{buffer, 0, planned->byte_size, buffer.GetSize()};
    }
    case BindingKind::uniform: break;  // bound by position, below
  }
  return fail(ErrorCode::internal, std::format("the plan binds {}, which it does not declare", binding.source));
}

Result<std::shared_ptr<const PreparedCall::BindSet>> PreparedCall::bind(std::span<const TensorBinding> tensors,
                                                                        const Key& key, uint64_t hash) {
  const Device& device = runtime_->device();
  HB_TRY(const std::vector<Program> programs, runtime_->programs().wait(programs_));
  auto set = std::make_shared<BindSet>();
  set->key = key;
  std::map<std::string, TensorRange> ranges;
  for (const TensorBinding& tensor : tensors) {
    if (!tensor.buffer) continue;  // no elements
    HB_TRY(ranges[std::string(tensor.key)], range_of(tensor));
    set->buffers.push_back(tensor.buffer);
  }
  if (!plan_->prepack_passes.empty()) {
    std::erase_if(ranges, [&](const auto& entry) {
      return std::ranges::none_of(plan_->prepack_passes, [&](const PassPlan& pass) {
        return std::ranges::any_of(pass.bindings, [&](const PlanBinding& b) {
          return b.kind == BindingKind::argument && b.source == entry.first;
        });
      });
    });
    HB_TRY(set->packed, runtime_->packed(*plan_, source_, ranges));
  }
  for (size_t p = 0; p < programs.size(); ++p) {
    const PassPlan& pass = plan_->passes[p];
    const auto resolve_one = [&](const PlanBinding& binding) -> Result<TensorRange> {
      if (binding.kind != BindingKind::uniform) return resolve(binding, *set, tensors);
      const wgpu::Buffer& buffer = uniforms_[p][static_cast<size_t>(&binding - pass.bindings.data())];
      return TensorRange{buffer, 0, binding.uniform_bytes.size(), buffer.GetSize()};
    };
    HB_TRY(set->passes.emplace_back(), bind_pass(device, pass, programs[p], resolve_one));
  }
  runtime_->count_bind_groups(set->passes.size());

  const std::scoped_lock lock(mutex_);
  if (sets_.size() >= kMostBindSets) {
    sets_.erase(std::ranges::min_element(sets_, {}, [](const auto& entry) { return entry.second->last_used; }));
  }
  set->last_used = ++clock_;
  sets_[hash] = set;
  return set;
}

void PreparedCall::forget(const wgpu::Buffer& buffer) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(sets_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second->buffers,
                               [&](const wgpu::Buffer& used) { return used.Get() == buffer.Get(); });
  });
}

}  // namespace halfbyte::gpu
