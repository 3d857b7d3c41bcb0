// C21 limits: N smaller than, or not a multiple of, the tile (floor where ceil was meant).
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C21_PublishedValues) {
  HB_NEED_PATIENT_DEVICE();
  run({.M = 1,
       .N = 32,
       .K = 1024,
       .zp = true,
       .bias = true,
       .expect = {{"first", -1.0546875}, {"last", 0.1748046875}, {"wsum", -18.2978515625}}});
  run({.M = 1,
       .N = 96,
       .K = 1024,
       .zp = true,
       .bias = true,
       .expect = {{"first", -1.0546875}, {"last", 1.103515625}, {"wsum", -96.515625}}});
}

TEST_F(FieldCase, C21_EveryWidthAroundTheTiles) {
  HB_NEED_PATIENT_DEVICE();
  for (const int64_t N : {1, 2, 3, 63, 65, 127, 129})
    for (const int64_t M : {1, 3, 5, 17})
      run({.M = M, .N = N, .K = 256, .zp = true, .bias = true},
          M == 17 && (N == 3 || N == 65) ? Which::quick : Which::chosen);
}

}  // namespace
}  // namespace halfbyte::issues
