// Round-to-nearest quantization of a weight matrix to MatMulNBits' form, with ONNX Runtime's conventions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "quant/block_shape.hpp"
#include "quant/error_meter.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

enum class RtnMode : uint8_t {
  // The value of largest magnitude, with its sign, is code 0: scale = -max/2^(bits-1), which may be negative. The signed range
  // is one longer on the negative side, so this end loses nothing. No zero point.
  symmetric,
  // scale = (max - min)/(2^bits - 1) of the range widened to hold 0; zero_point = round(-min/scale). 0 is exact.
  asymmetric,
};

enum class WeightOrder : uint8_t {
  n_k,  // [N][K]: Gemm with transB
  k_n,  // [K][N]: MatMul's right operand
};

struct QuantizedWeight {
  BlockShape shape;
  HostTensor b;                           // uint8 [N, k_blocks, block_size*bits/8]; codes past K are 0
  HostTensor scales;                      // [N, k_blocks]
  std::optional<HostTensor> zero_points;  // asymmetric: uint8, packed [N, ceil(k_blocks*bits/8)]
};

// weights: N*K values. Codes are chosen for the scale as stored (float16: rounded). A block of zeros has scale 0.
// Errors (invalid_argument): a shape that MatMulNBits does not allow, a wrong number of weights, a weight that is NaN or
// infinite or whose block's scale leaves float16's range (the message has its place).
Result<QuantizedWeight> quantize_rtn(const BlockShape& shape, std::span<const float> weights, WeightOrder order,
                                     RtnMode mode, DType scale_dtype);

// (code - zero_point) * scale in float, [N][K].
std::vector<float> dequantize(const QuantizedWeight& weight);

// How far the dequantized weight is from `weights`.
QuantError quantization_error(const QuantizedWeight& weight, std::span<const float> weights, WeightOrder order);

}  // namespace halfbyte
