#include "quant/codes.hpp"

#include <algorithm>

namespace halfbyte {

void unpack_codes(const uint8_t* packed, int64_t count, int bits, uint8_t* codes) {
  if (bits == 8) {
    std::copy_n(packed, count, codes);
    return;
  }
  if (bits == 4) {
    const int64_t pairs = count / 2;
    for (int64_t i = 0; i < pairs; ++i) {
      codes[2 * i] = packed[i] & 15;
      codes[2 * i + 1] = packed[i] >> 4;
    }
    if (count % 2) codes[count - 1] = packed[pairs] & 15;
    return;
  }
  for (int64_t i = 0; i < count; ++i) codes[i] = (packed[i / 4] >> (2 * (i % 4))) & 3;
}

void pack_codes(const uint8_t* codes, int64_t count, int bits, uint8_t* packed) {
  if (bits == 8) {
    std::copy_n(codes, count, packed);
    return;
  }
  const int per_byte = 8 / bits;
  const int mask = (1 << bits) - 1;
  const int64_t bytes = (count + per_byte - 1) / per_byte;
  for (int64_t i = 0; i < bytes; ++i) {
    const int64_t first = i * per_byte;
    const int64_t n = std::min<int64_t>(per_byte, count - first);
    int byte = 0;
    for (int64_t j = 0; j < n; ++j) byte |= (codes[first + j] & mask) << (j * bits);
    packed[i] = static_cast<uint8_t>(byte);
  }
}

std::vector<uint8_t> pack_matrix(std::span<const uint8_t> codes, const BlockShape& shape, CodeLayout layout) {
  const int64_t stride = shape.row_bytes(layout);
  std::vector<uint8_t> packed(static_cast<size_t>(shape.N * stride));
  for (int64_t n = 0; n < shape.N; ++n)
    pack_codes(codes.data() + n * shape.K, shape.K, shape.bits, packed.data() + n * stride);
  return packed;
}

std::vector<uint8_t> unpack_matrix(std::span<const uint8_t> packed, const BlockShape& shape, CodeLayout layout) {
  const int64_t stride = shape.row_bytes(layout);
  std::vector<uint8_t> codes(static_cast<size_t>(shape.N * shape.K));
  for (int64_t n = 0; n < shape.N; ++n)
    unpack_codes(packed.data() + n * stride, shape.K, shape.bits, codes.data() + n * shape.K);
  return codes;
}

}  // namespace halfbyte
