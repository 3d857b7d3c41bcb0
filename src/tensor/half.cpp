#include "tensor/half.hpp"

#include <bit>
#include <cmath>

namespace halfbyte {

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24, exact in binary32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t double_to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000u : 0u;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00u;
  if (magnitude == 0) return sign;                  // frexp gives zero the exponent 0, which would place it near 1
  if (magnitude >= 65520.0) return sign | 0x7c00u;  // half way between 65504 and 65536 rounds to even, that is up
  int exponent = 0;
  std::frexp(magnitude, &exponent);                            // magnitude = f * 2^exponent, f in [0.5, 1)
  const int step = exponent - 11 < -24 ? -24 : exponent - 11;  // spacing of binary16 numbers here is 2^step
  const double scaled = std::ldexp(magnitude, -step);
  double rounded = std::floor(scaled);
  const double rest = scaled - rounded;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(rounded, 2.0) == 1.0)) rounded += 1.0;
  if (step == -24) return sign | static_cast<uint16_t>(rounded);  // 1024 here is the smallest normal: same bits
  // rounded is in [1024, 2048]; its carry into the exponent is the right bits too.
  return sign | static_cast<uint16_t>(((step + 25) << 10) + (static_cast<int>(rounded) - 1024));
}

uint16_t float_to_half(float value) { return double_to_half(static_cast<double>(value)); }

}  // namespace halfbyte
