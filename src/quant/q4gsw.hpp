// The weight of ExecuTorch's et_vk.linear_q4gsw: 4 bits, symmetric, a scale for each group of K.
#pragma once

#include <span>

#include "base/error.hpp"
#include "quant/block_shape.hpp"
#include "quant/rtn.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

struct Q4gswWeight {
  int64_t N = 0, K = 0, group_size = 0;
  HostTensor weight;  // uint8 [N, ceil(K/2)]: low nibble = even k, stored value = q + 8 with q from -8 to 7
  HostTensor scales;  // [ceil(K/group_size), N rounded up to 4]: transposed against MatMulNBits; padding columns are 0
};

// Round to nearest, symmetric, one scale a group (RtnMode::symmetric: the value of largest magnitude becomes q = -8 and loses nothing).
// weights: N*K values. Errors (invalid_argument): K not a multiple of 8, a group size that is not from 8 to 256 or does not divide K, and
// those of quantize_rtn.
Result<Q4gswWeight> quantize_q4gsw(int64_t N, int64_t K, int64_t group_size, std::span<const float> weights,
                                   WeightOrder order, DType scale_dtype);

// 4-bit, without zero points (2^3 = 8 is q4gsw's own offset). scales: [N, k_blocks] or 1-D. Codes and scales keep their bits.
// Errors (invalid_argument): bits other than 4, a tensor whose shape does not fit (the message names it).
Result<Q4gswWeight> to_q4gsw(const BlockShape& shape, const HostTensor& b, const HostTensor& scales);

struct MatMulNBitsWeight {
  BlockShape shape;
  HostTensor b;       // uint8 [N, k_blocks, block_size/2]; codes past K are 0
  HostTensor scales;  // [N, k_blocks]
};

// Any padding of N in the scales is dropped. Errors (invalid_argument): a group size that MatMulNBits does not have (it needs a
// power of two, at least 16), tensors that do not fit; scales passed as [N, groups] are refused by their shape.
Result<MatMulNBitsWeight> to_matmul_nbits(const Q4gswWeight& weight);

}  // namespace halfbyte
