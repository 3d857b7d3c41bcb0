// Calls with tensors in host memory: upload, run, read back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/prepared_call.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte::gpu {

using HostTensors = std::map<std::string, HostTensor, std::less<>>;  // by manifest key

// Tensors in GPU buffers of their own. `guard` bytes follow each one and are bound with it, so that reading or writing past
// the end shows: after inputs they are 0xFF (NaN, all-ones codes), after outputs 0xA5.
class DeviceTensors {
 public:
  // `outputs`: what to make room for. Errors: limit, out_of_memory, device_lost.
  static Result<DeviceTensors> create(std::shared_ptr<Runtime> runtime, const HostTensors& inputs,
                                      const std::vector<std::pair<std::string, TensorDesc>>& outputs,
                                      uint64_t guard = 0);
  // Lets go of what the runtime cached for these buffers.
  ~DeviceTensors();
  DeviceTensors(DeviceTensors&&) = default;
  DeviceTensors& operator=(DeviceTensors&&) = delete;

  // For PreparedCall::record; `call` names which of the tensors, and in which order. invalid_argument when one is not here, or
  // has another dtype or shape.
  Result<std::vector<TensorBinding>> bindings(const PreparedCall& call) const;

  // Fills the outputs with 0xFF (NaN in every float type) and their guards with 0xA5.
  Result<void> poison_outputs() const;

  struct Read {
    HostTensor tensor;
    std::string guard;  // what happened to the bytes after it; empty: nothing
  };
  Result<Read> read(std::string_view key) const;

 private:
  struct Entry {
    std::string key;
    TensorDesc desc;
    uint64_t bytes = 0, guard = 0;
    bool output = false;
    wgpu::Buffer buffer;
  };
  DeviceTensors() = default;
  Result<void> add(std::string key, const TensorDesc& desc, const HostTensor* contents, uint64_t guard);

  std::shared_ptr<Runtime> runtime_;
  std::vector<Entry> entries_;
};

// Records the call into a pass of its own, submits it and waits for its end.
Result<void> run_and_wait(PreparedCall& call, std::span<const TensorBinding> tensors);

// The simple way: outputs by manifest key. Errors: invalid_argument (input missing, of another dtype or shape), those of the
// GPU.
Result<HostTensors> run(PreparedCall& call, const HostTensors& inputs);

}  // namespace halfbyte::gpu
