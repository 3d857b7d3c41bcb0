#include "tensor/half.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

// The value by the definition of binary16, for comparison.
double value_of(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(mantissa, -24) : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, EveryBitPatternGoesToItsValueAndBack) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float f = half_to_float(bits);
    const double v = value_of(bits);
    if (std::isnan(v)) {
      ASSERT_TRUE(std::isnan(f)) << i;
      ASSERT_TRUE(std::isnan(half_to_float(float_to_half(f)))) << i;
      ASSERT_EQ(std::signbit(f), (bits & 0x8000) != 0) << i;
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(f), std::bit_cast<uint32_t>(static_cast<float>(v))) << i;
    ASSERT_EQ(float_to_half(f), bits);
    ASSERT_EQ(double_to_half(v), bits);
  }
}

// Between every pair of neighbours: just below the middle, the middle (to even), just above.
TEST(Half, RoundsToNearestEvenEverywhere) {
  for (uint32_t i = 0; i < 0x7bff; ++i) {
    const auto low = static_cast<uint16_t>(i), high = static_cast<uint16_t>(i + 1);
    const double middle = (value_of(low) + value_of(high)) / 2;
    const uint16_t even = low % 2 == 0 ? low : high;
    for (const int sign : {1, -1}) {
      const auto s = static_cast<uint16_t>(sign < 0 ? 0x8000 : 0);
      ASSERT_EQ(double_to_half(sign * middle), even | s) << i;
      ASSERT_EQ(double_to_half(sign * std::nextafter(middle, 0.0)), low | s) << i;
      ASSERT_EQ(double_to_half(sign * std::nextafter(middle, 1e9)), high | s) << i;
      ASSERT_EQ(float_to_half(static_cast<float>(sign * middle)), even | s) << i;  // exact in float
    }
  }
}

TEST(Half, EdgesOfTheRange) {
  EXPECT_EQ(double_to_half(0.0), 0);
  EXPECT_EQ(double_to_half(-0.0), 0x8000);
  EXPECT_EQ(double_to_half(0x1p-24), 1);
  EXPECT_EQ(double_to_half(0x1p-25), 0);  // half way to zero: even
  EXPECT_EQ(double_to_half(0x1.8p-25), 1);
  EXPECT_EQ(double_to_half(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(double_to_half(65504), 0x7bff);
  EXPECT_EQ(double_to_half(65519.99), 0x7bff);
  EXPECT_EQ(double_to_half(65520), 0x7c00);
  EXPECT_EQ(double_to_half(-1e300), 0xfc00);
  EXPECT_EQ(double_to_half(std::numeric_limits<double>::infinity()), 0x7c00);
}

// Rounding through float first can differ in the last bit: double_to_half must not do it.
TEST(Half, DoubleIsRoundedOnce) {
  const double just_above_middle = 1 + 0x1p-11 + 0x1p-40;  // float drops the 2^-40 and lands on the middle
  EXPECT_EQ(double_to_half(just_above_middle), 0x3c01);
  EXPECT_EQ(float_to_half(static_cast<float>(just_above_middle)), 0x3c00);
}

TEST(Half, RandomDoublesGoToTheNearest) {
  std::mt19937_64 random(test_seed());
  std::uniform_real_distribution<double> exponent(-26, 15.9);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::exp2(exponent(random)) * (random() % 2 ? 1 : -1);
    const uint16_t bits = double_to_half(x);
    const double error = std::fabs(value_of(bits) - x);
    for (const int step : {-1, 1}) {
      const auto other = static_cast<uint16_t>(bits + step);
      if ((other & 0x7fff) > 0x7bff || ((other ^ bits) & 0x8000)) continue;
      ASSERT_LE(error, std::fabs(value_of(other) - x)) << x;
    }
  }
}

}  // namespace
}  // namespace halfbyte
