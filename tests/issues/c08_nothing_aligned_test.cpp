// C08 packing: K=17, N=5, M=3, so that nothing is aligned.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

// Every variant runs the case in the package's cases.json, too (halfbyte verify), at every width and in both types.
TEST_F(FieldCase, C08_NothingAligned) {
  HB_NEED_DEVICE();
  const std::pair<int, Values> published[] = {
      {4, {{"first", -1.5537109375}, {"last", 0.640625}, {"wsum", -41.484375}}},
      {2, {{"first", -1.2763671875}, {"last", 0.5625}, {"wsum", -44.57421875}}},
      {8, {{"first", -2.0693359375}, {"last", -0.453125}, {"wsum", -86.609375}}}};
  for (const auto& [bits, expect] : published)
    for (const DType dtype : {DType::float32, DType::float16})
      run({.M = 3,
           .N = 5,
           .K = 17,
           .bits = bits,
           .block = 16,
           .zp = true,
           .bias = true,
           .expect = expect,
           .dtype = dtype},
          bits == 4 && dtype == DType::float32 ? Which::quick : Which::chosen);
}

}  // namespace
}  // namespace halfbyte::issues
