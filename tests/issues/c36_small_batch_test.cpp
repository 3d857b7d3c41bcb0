// C36 performance cliff: M = 2..16 fell to slower kernels than M = 1. Times are measured (docs/performance.md), never asserted; here the
// results, of every variant that could be taken for a small batch.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C36_SmallBatchesAreRight) {
  HB_NEED_PATIENT_DEVICE();
  Spec spec{.M = 1, .N = 4096, .K = 4096, .expect = {{"wsum", 372.3125}}, .dtype = DType::float16};
  run(spec);
  spec.M = 16;
  spec.expect = {{"first", 0.3701171875}, {"last", 0.5107421875}, {"wsum", 1625.572265625}};
  run(spec);
}

// What every device can take: a row more must not change the rows before it, whichever variants are chosen for the two. Recipe P is exact, so
// each M is held to the same values.
TEST_F(FieldCase, C36_EveryBatchUpTo32) {
  HB_NEED_DEVICE();
  for (int64_t M = 1; M <= 32; M += M < 17 ? 1 : 5)
    for (const DType dtype : {DType::float32, DType::float16})
      run({.M = M, .N = 96, .K = 128, .dtype = dtype}, Which::chosen);
}

}  // namespace
}  // namespace halfbyte::issues
