// C13 packing: an int8-dot path with real zero points at 2, 4 and 8 bits (q - zp spans -255..255 there and is no int8).
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C13_ExactOnLosslessActivations) {
  HB_NEED_DEVICE();
  struct Published {
    int64_t M;
    int bits;
    Values expect;
  };
  const Published published[] = {
      {40, 2, {{"first", -6.8125}, {"last", 4.15625}, {"wsum", 4087.65625}}},
      {40, 4, {{"first", -160.5625}, {"last", 37.65625}, {"wsum", 575141.03125}}},
      {40, 8, {{"first", 5351.9375}, {"last", 1156.15625}, {"wsum", 215534336.03125}}},
      {4, 2, {{"wsum", 98.5}}},
      {4, 4, {{"wsum", 38403.5}}},
      {4, 8, {{"wsum", 20878300.0}}},
  };
  for (const Published& p : published) {
    const Spec spec{.fill = "Q",
                    .M = p.M,
                    .N = 24,
                    .K = 256,
                    .bits = p.bits,
                    .zp = true,
                    .bias = true,
                    .expect = p.expect,
                    .level = 4};
    run(spec, p.M == 40 && p.bits == 4 ? Which::quick : Which::chosen);
    const auto& language = kernel()->device().profile().wgsl_language_features;
    if (std::ranges::contains(language, "packed_4x8_integer_dot_product")) run_forced(*kernel(), spec, "prefill_dp4a");
  }
}

}  // namespace
}  // namespace halfbyte::issues
