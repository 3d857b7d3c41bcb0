// IEEE binary16 <-> binary32, by bits: round to nearest even, subnormals, infinities and NaN kept. No compiler extension,
// so that the WebAssembly build gives the same bits.
#pragma once

#include <cstdint>

namespace halfbyte {

float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
// Rounds once from double (float_to_half(float(x)) would round twice).
uint16_t double_to_half(double value);

}  // namespace halfbyte
