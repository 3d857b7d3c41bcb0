// A pass of a plan with its program and its buffers: checked, and ready to be recorded any number of times.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "gpu/device.hpp"
#include "gpu/program_cache.hpp"
#include "plan/plan.hpp"

namespace halfbyte::gpu {

// A part of a buffer that holds a tensor. `bytes` is the tensor's own size; `available` how much of the buffer, from `offset`
// on, may be bound (at least `bytes`), and exactly what is bound when `exact_available` is set.
struct TensorRange {
  wgpu::Buffer buffer;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t available = 0;
  bool exact_available = false;
};

// What of an argument this binding binds: all of it, or the binding's slice.
TensorRange sliced(TensorRange whole, const PlanBinding& binding);

struct BoundPass {
  wgpu::ComputePipeline pipeline;
  wgpu::BindGroup group;
  std::array<uint32_t, 3> dispatch{1, 1, 1};
};

using ResolveBinding = std::function<Result<TensorRange>(const PlanBinding&)>;

// Checks before any WebGPU call, with errors that name the tensor: offset a multiple of minStorageBufferOffsetAlignment
// (invalid_argument), room in the buffer for the whole tensor rounded up to 4 bytes (invalid_argument), the buffer's usage
// (invalid_argument), maxStorageBufferBindingSize (limit), and no buffer both read and written, or written twice, by this pass
// (invalid_argument: WebGPU has no such dispatch).
Result<BoundPass> bind_pass(const Device& device, const PassPlan& pass, const Program& program,
                            const ResolveBinding& resolve);

// No allocation here, and no WebGPU object made.
inline void record(const wgpu::ComputePassEncoder& encoder, std::span<const BoundPass> passes) {
  for (const BoundPass& pass : passes) {
    encoder.SetPipeline(pass.pipeline);
    encoder.SetBindGroup(0, pass.group);
    encoder.DispatchWorkgroups(pass.dispatch[0], pass.dispatch[1], pass.dispatch[2]);
  }
}

// Bytes of one element of a storage array with this WGSL type ("f32", "vec4<f16>", "u32"); 4 for a type we do not know.
uint64_t wgsl_stride(std::string_view element_type);

}  // namespace halfbyte::gpu
