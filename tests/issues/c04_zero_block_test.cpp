// C04 numerics: an all-zero block of activations makes 0/0 in an int8 path.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C04_ZeroRowsGiveTheBias) {
  HB_NEED_DEVICE();
  const int64_t N = 24;
  const auto outputs =
      run({.fill = "C04", .M = 40, .N = N, .K = 256, .zp = true, .bias = true, .tolerance = "bound", .level = 4});
  for (const auto& [variant, y] : outputs)
    for (int64_t n = 0; n < N; ++n) {
      const double bias = (static_cast<double>(n % 7) - 3) / 2;
      EXPECT_EQ(y.at(n), bias) << variant << ", zeros, column " << n;
      EXPECT_EQ(y.at(2 * N + n), bias) << variant << ", minus zeros, column " << n;
    }
}

TEST_F(FieldCase, C04_TheInt8VariantIsAmongThem) {
  HB_NEED_DEVICE();
  if (!std::ranges::contains(kernel()->device().profile().wgsl_language_features, "packed_4x8_integer_dot_product"))
    GTEST_SKIP() << "no integer dot products here";
  run_forced(*kernel(),
             {.fill = "C04", .M = 40, .N = 24, .K = 256, .zp = true, .bias = true, .tolerance = "bound", .level = 4},
             "prefill_dp4a");
}

}  // namespace
}  // namespace halfbyte::issues
