// A call as it runs in a model: each repetition reads another copy of the weights, and all write the same output.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"

namespace halfbyte::gpu {

// Copies of a problem's constant inputs.
class WeightSets {
 public:
  // As many copies as exceed `rotate_bytes` together, between 1 and `most`; fewer when the device's memory is used up. The copies past the
  // first are made on the GPU. Errors: limit, out_of_memory (not even one fits), device_lost.
  static Result<std::shared_ptr<const WeightSets>> create(std::shared_ptr<Runtime> runtime, const HostTensors& inputs,
                                                          uint64_t rotate_bytes, size_t most);
  // Lets go of what the runtime cached for these buffers, packed copies included.
  ~WeightSets();
  WeightSets(const WeightSets&) = delete;
  WeightSets& operator=(const WeightSets&) = delete;

  size_t size() const { return sets_.size(); }
  uint64_t bytes_per_set() const { return bytes_; }
  // Null when there is no such input.
  wgpu::Buffer find(size_t set, std::string_view key) const;

 private:
  WeightSets() = default;
  using Set = std::map<std::string, wgpu::Buffer, std::less<>>;
  std::shared_ptr<Runtime> runtime_;
  std::vector<Set> sets_;
  uint64_t bytes_ = 0;
};

// Activations and outputs, one buffer for each manifest key, grown to the largest tensor asked for.
class SharedTensors {
 public:
  explicit SharedTensors(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}
  ~SharedTensors();
  SharedTensors(const SharedTensors&) = delete;
  SharedTensors& operator=(const SharedTensors&) = delete;

  // A buffer of at least `bytes`. Growing it replaces it, so ask for the largest first.
  Result<wgpu::Buffer> buffer(const std::string& key, uint64_t bytes);
  Result<void> write(const std::string& key, const HostTensor& tensor);
  // From now on `key` is this buffer.
  void put(const std::string& key, wgpu::Buffer buffer);

 private:
  std::shared_ptr<Runtime> runtime_;
  std::map<std::string, wgpu::Buffer, std::less<>> buffers_;
};

class MeasuredCall {
 public:
  // Every tensor of the plan is in `weights` or gets a buffer of `shared`. `weights` may be null. Starts compiling.
  static Result<MeasuredCall> create(Kernel& kernel, std::shared_ptr<const Plan> plan,
                                     std::shared_ptr<const WeightSets> weights, SharedTensors& shared);

  const Plan& plan() const { return calls_.front()->plan(); }
  Result<void> wait() const;  // for compilation

  Result<void> record(const wgpu::ComputePassEncoder& pass, uint64_t repetition);
  // Fills the outputs with NaN, runs once and reads the output `key` back.
  Result<HostTensor> run_once(std::string_view key);

 private:
  MeasuredCall() = default;
  struct Step {
    size_t call = 0;
    std::vector<TensorBinding> tensors;
  };
  Kernel* kernel_ = nullptr;
  std::shared_ptr<const WeightSets> weights_;
  // More than one when there are more weight sets than one call keeps bind groups for.
  std::vector<std::shared_ptr<PreparedCall>> calls_;
  std::vector<Step> steps_;
};

}  // namespace halfbyte::gpu
