// A plan on a device: programs, uniforms and scratch in place, recorded into the caller's compute pass with the caller's
// buffers.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "gpu/runtime.hpp"
#include "gpu/tensor_binding.hpp"
#include "plan/plan.hpp"

namespace halfbyte::gpu {

class PreparedCall {
 public:
  // `source` gives the WGSL of passes that are not compiled yet. Starts compiling and returns; the first record() waits for it,
  // wait() does so earlier.
  // Errors: limit (check_limits), gpu (WGSL), out_of_memory, device_lost.
  static Result<std::shared_ptr<PreparedCall>> create(std::shared_ptr<Runtime> runtime,
                                                      std::shared_ptr<const Plan> plan, ShaderSource source);

  const Plan& plan() const { return *plan_; }
  Runtime& runtime() const { return *runtime_; }
  // Inputs and outputs, inputs first. record() is fastest when given its tensors in this order.
  std::span<const CallTensor> tensors() const { return tensors_; }

  // Waits for the programs. Errors: those of compilation.
  Result<void> wait() const;
  bool ready() const;
  bool failed() const;  // a program could not be compiled

  // Encodes the call. Inputs must hold their contents in queue order; constant inputs of a prepacking variant already when
  // they are first given, since they are packed then, by a submit of its own. Every tensor of tensors() must be given. With buffers
  // seen before: no heap allocation, no WebGPU object. Nothing is encoded when an output has no elements, or on an error.
  // Errors: invalid_argument (tensor missing or unknown, alignment, room, usage, read and written), limit, device_lost.
  Result<void> record(const wgpu::ComputePassEncoder& pass, std::span<const TensorBinding> tensors);

  // Fills the call's scratch memory with 0xFF, so that a kernel that reads what it did not write shows.
  Result<void> poison_scratch() const;

  // Drops bind groups that use this buffer.
  void forget(const wgpu::Buffer& buffer);

  static constexpr size_t kMostTensors = 16;
  // Sets of buffers whose bind groups are kept; past that the one unused for longest goes.
  static constexpr size_t kMostBindSets = 256;

 private:
  using Key = std::array<RangeKey, kMostTensors>;
  struct BindSet {
    Key key;
    std::vector<wgpu::Buffer> buffers;  // keep the handles of `key` from being reused
    std::shared_ptr<const PackedWeights> packed;
    std::vector<BoundPass> passes;
    uint64_t last_used = 0;
  };
  PreparedCall() = default;
  bool gather(std::span<const TensorBinding> tensors, Key& key) const;
  std::shared_ptr<const BindSet> find(const Key& key, uint64_t hash);
  Result<std::shared_ptr<const BindSet>> bind(std::span<const TensorBinding> tensors, const Key& key, uint64_t hash);
  Result<void> check_tensors(std::span<const TensorBinding> tensors) const;
  Result<TensorRange> range_of(const TensorBinding& tensor) const;
  Result<TensorRange> resolve(const PlanBinding& binding, const BindSet& set,
                              std::span<const TensorBinding> tensors) const;

  std::shared_ptr<Runtime> runtime_;
  std::shared_ptr<const Plan> plan_;
  std::vector<CallTensor> tensors_;
  std::vector<ProgramHandle> programs_;
  std::vector<wgpu::Buffer> scratch_;
  std::vector<std::vector<wgpu::Buffer>> uniforms_;  // [pass][binding]
  ShaderSource source_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<BindSet>> sets_;
  uint64_t clock_ = 0;
};

}  // namespace halfbyte::gpu
