// Sizes of a block-quantized weight matrix W[N][K]: codes of `bits` bits, one scale (and zero point) for `block_size`
// consecutive k of a row; w = (code - zero_point) * scale.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace halfbyte {

// How the codes of row n lie in memory. In both, code k of a row is at bit k*bits of the row, low bits of a byte first;
// only the distance between rows differs.
enum class CodeLayout : uint8_t {
  onnx,  // ceil(K/block_size) * block_size * bits / 8 bytes a row (com.microsoft.MatMulNBits)
  rows,  // ceil(K*bits/8) bytes a row (et_vk.linear_q4gsw)
};

// How scales and unpacked zero points lie in memory.
enum class BlockLayout : uint8_t {
  n_block,  // [N][blocks]
  block_n,  // [blocks][N, padded]
};

struct BlockShape {
  int64_t N = 0, K = 0;
  int bits = 4;
  int64_t block_size = 32;
  bool operator==(const BlockShape&) const = default;

  int64_t blocks() const { return (K + block_size - 1) / block_size; }
  int64_t row_bytes(CodeLayout layout) const {
    return layout == CodeLayout::onnx ? blocks() * (block_size * bits / 8) : (K * bits + 7) / 8;
  }
  // Bytes of one row of packed zero points: bits-wide, low bits first, each row padded to a byte.
  int64_t zero_point_row_bytes() const { return (blocks() * bits + 7) / 8; }
  int max_code() const { return (1 << bits) - 1; }
  // What a missing zero point means: 2^(bits-1).
  int default_zero_point() const { return 1 << (bits - 1); }
};

// MatMulNBits' rules: bits 2, 4 or 8; block_size a power of two, at least 16; K and N from 1 to 2^31-1; and no size in
// bytes that leaves 63 bits. Errors (invalid_argument) quote the rule and the value.
Result<void> check_matmul_nbits_shape(const BlockShape& shape);

}  // namespace halfbyte
