#include "gpu/bind_pass.hpp"

#include <algorithm>
#include <vector>

#include "gpu/buffers.hpp"

namespace halfbyte::gpu {
namespace {

struct Bound {
  const PlanBinding* plan;
  TensorRange range;
  uint64_t size;  // bound
};

std::string shown(const PlanBinding& binding) { return binding.source.empty() ? binding.name : binding.source; }

// How many bytes to bind. A shader that sees a tensor as vec4s may look at whole ones only, so reads are rounded up to the
// element where the buffer has room; writes never are, for what follows the tensor is not ours.
Result<uint64_t> bound_size(const PlanBinding& binding, const TensorRange& range) {
  if (range.exact_available) return range.available;
  const uint64_t stride = wgsl_stride(binding.element_type);
  const uint64_t needed =
      std::max(round_up(range.bytes, 4), binding.length ? round_up(*binding.length * stride, 4) : 0);
  if (range.available < needed) {
    return fail(ErrorCode::invalid_argument,
                std::format("the buffer of {} has {} bytes from offset {} on, {} are needed ({} rounded up to 4)",
                            shown(binding), range.available, range.offset, needed, range.bytes));
  }
  const uint64_t whole = round_up(needed, std::max<uint64_t>(stride, 4));
  return binding.access == Access::read && whole <= range.available ? whole : needed;
}

Result<void> check_range(const Device& device, const PlanBinding& binding, const TensorRange& range, uint64_t size) {
  const bool uniform = binding.kind == BindingKind::uniform;
  const uint64_t alignment =
      device.limit(uniform ? "minUniformBufferOffsetAlignment" : "minStorageBufferOffsetAlignment");
  if (range.offset % alignment != 0) {
    return fail(ErrorCode::invalid_argument,
                std::format("{} starts at offset {} of its buffer, which must be a multiple of {} "
                            "(minStorageBufferOffsetAlignment); copy it to an aligned place",
                            shown(binding), range.offset, alignment));
  }
  const auto wanted = uniform ? wgpu::BufferUsage::Uniform : wgpu::BufferUsage::Storage;
  if ((range.buffer.GetUsage() & wanted) == wgpu::BufferUsage::None) {
    return fail(ErrorCode::invalid_argument, std::format("the buffer of {} was made without {} usage", shown(binding),
                                                         uniform ? "Uniform" : "Storage"));
  }
  const uint64_t most = device.limit(uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize");
  if (size > most) {
    return fail(ErrorCode::limit, std::format("{} needs {} bytes in one binding, maxStorageBufferBindingSize is {}",
                                              shown(binding), size, most));
  }
  return {};
}

// WebGPU's usage scope is one dispatch, and its unit is the whole buffer: reading one part and writing another is refused.
Result<void> check_aliasing(std::span<const Bound> bound) {
  for (size_t i = 0; i < bound.size(); ++i) {
    for (size_t j = i + 1; j < bound.size(); ++j) {
      const Bound& a = bound[i];
      const Bound& b = bound[j];
      if (a.range.buffer.Get() != b.range.buffer.Get()) continue;
      const bool writes_a = a.plan->access == Access::read_write && a.plan->kind != BindingKind::uniform;
      const bool writes_b = b.plan->access == Access::read_write && b.plan->kind != BindingKind::uniform;
      if (!writes_a && !writes_b) continue;
      const bool apart = a.range.offset + a.size <= b.range.offset || b.range.offset + b.size <= a.range.offset;
      if (writes_a && writes_b && apart) continue;
      return fail(
          ErrorCode::invalid_argument,
          std::format(
              "{} and {} lie in one buffer, and WebGPU cannot {} it in one dispatch; give {} a buffer of its own",
              shown(*a.plan), shown(*b.plan),
              writes_a && writes_b ? "write overlapping parts of" : "both read and write",
              shown(writes_a ? *a.plan : *b.plan)));
    }
  }
  return {};
}

}  // namespace

TensorRange sliced(TensorRange whole, const PlanBinding& binding) {
  if (!binding.slice) return whole;
  const auto [offset, bytes] = *binding.slice;
  // Only the last slice ends where the caller said that the tensor does.
  const bool last = offset + bytes >= whole.bytes;
  return {std::move(whole.buffer), whole.offset + offset, bytes, whole.available - std::min(offset, whole.available),
          whole.exact_available && last};
}

uint64_t wgsl_stride(std::string_view type) {
  const auto scalar = [](std::string_view name) -> uint64_t { return name == "f16" ? 2 : 4; };
  if (!type.starts_with("vec") || type.size() < 6) return scalar(type);
  const uint64_t count = type[3] == '2' ? 2 : 4;  // a vec3 takes the room of a vec4
  return count * scalar(type.substr(5, type.size() - 6));
}

Result<BoundPass> bind_pass(const Device& device, const PassPlan& pass, const Program& program,
                            const ResolveBinding& resolve) {
  std::vector<Bound> bound;
  std::vector<wgpu::BindGroupEntry> entries(pass.bindings.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const PlanBinding& binding = pass.bindings[i];
    HB_TRY(TensorRange range, resolve(binding));
    HB_TRY(const uint64_t size, bound_size(binding, range));
    HB_CHECK(check_range(device, binding, range, size));
    entries[i].binding = static_cast<uint32_t>(i);
    entries[i].buffer = range.buffer;
    entries[i].offset = range.offset;
    entries[i].size = size;
    bound.push_back({&binding, std::move(range), size});
  }
  HB_CHECK(check_aliasing(bound));

  wgpu::BindGroupDescriptor descriptor;
  descriptor.label = std::string_view(pass.label);
  descriptor.layout = program.layout;
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  BoundPass result{program.pipeline, nullptr, pass.dispatch};
  HB_CHECK(device.scoped("binding the buffers of " + pass.label,
                         [&] { result.group = device.wgpu().CreateBindGroup(&descriptor); }));
  return result;
}

}  // namespace halfbyte::gpu
