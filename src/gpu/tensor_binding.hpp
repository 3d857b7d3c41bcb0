// How callers say where tensors are. Part of the public edge (halfbyte/halfbyte.hpp).
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/host_tensor.hpp"

namespace halfbyte::gpu {

// Where a tensor is. `offset`: bytes, a multiple of minStorageBufferOffsetAlignment (256). `size`: bytes that may be bound from
// there; 0: what the tensor needs (its size rounded up to 4, which the buffer must have).
struct TensorBinding {
  std::string_view key;  // the manifest's: "aT"
  wgpu::Buffer buffer;   // usage Storage
  uint64_t offset = 0;
  uint64_t size = 0;
};

// A tensor of a call.
struct CallTensor {
  std::string key;
  TensorDesc desc;
  uint64_t bytes = 0;
  bool output = false;
};

}  // namespace halfbyte::gpu
