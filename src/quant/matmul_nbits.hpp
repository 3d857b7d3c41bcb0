// The tensors of com.microsoft.MatMulNBits: every form that ONNX models have, checked and brought to the one that kernels
// read. k_blocks = ceil(K / block_size).
#pragma once

#include <optional>

#include "base/error.hpp"
#include "quant/block_shape.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

// As a model or a user gives them. The tensors are the caller's.
struct MatMulNBitsTensors {
  const HostTensor* b = nullptr;       // uint8 [N, k_blocks, block_size*bits/8]
  const HostTensor* scales = nullptr;  // float32 or float16, [N, k_blocks], in old models [N*k_blocks]
  const HostTensor* zero_points =
      nullptr;  // absent; uint8 packed [N, ceil(k_blocks*bits/8)] or 1-D; scales' dtype, like scales
  const HostTensor* bias = nullptr;  // absent, or scales' dtype [N]
};

// In the kernels' form; B and the bias need no change.
struct KernelTensors {
  HostTensor scales;                      // [N, k_blocks]
  std::optional<HostTensor> zero_points;  // scales' dtype, [N, k_blocks]
};

// `dtype` is A's. Errors (invalid_argument): attributes out of range; a tensor of the wrong dtype or shape. The message names the
// input ("B", "scales", "zero_points", "bias"), the shapes that would do, and the one received.
Result<KernelTensors> to_kernel_tensors(const BlockShape& shape, DType dtype, const MatMulNBitsTensors& tensors);

}  // namespace halfbyte
