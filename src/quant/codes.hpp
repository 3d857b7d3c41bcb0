// Codes of 2, 4 or 8 bits: one byte each <-> packed, low bits first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quant/block_shape.hpp"

namespace halfbyte {

// The first `count` codes of a packed row. Precondition: bits is 2, 4 or 8; the row has ceil(count*bits/8) bytes.
void unpack_codes(const uint8_t* packed, int64_t count, int bits, uint8_t* codes);
// Writes ceil(count*bits/8) bytes; the unused high bits of the last one are zero. Higher bits of a code are ignored.
void pack_codes(const uint8_t* codes, int64_t count, int bits, uint8_t* packed);

// codes [N][K] <-> the whole matrix in `layout`; codes at k >= K (padding) are written as 0 and never read.
// Precondition: sizes match the shape.
std::vector<uint8_t> pack_matrix(std::span<const uint8_t> codes, const BlockShape& shape, CodeLayout layout);
std::vector<uint8_t> unpack_matrix(std::span<const uint8_t> packed, const BlockShape& shape, CodeLayout layout);

}  // namespace halfbyte
