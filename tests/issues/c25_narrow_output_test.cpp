// C25 selection: a narrow output (N=16) with a long prefill goes to a small tile and gives NaN; many rows give nearly zero.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C25_NarrowOutput) {
  HB_NEED_PATIENT_DEVICE();
  run({.M = 150,
       .N = 16,
       .K = 1024,
       .expect = {{"first", 0.8427734375}, {"last", 0.1611328125}, {"wsum", -133.251953125}}});
}

TEST_F(FieldCase, C25_ManyRows) {
  HB_NEED_DEVICE();
  run({.M = 535,
       .N = 1024,
       .K = 1024,
       .expect = {{"first", 0.8427734375}, {"last", 0.1611328125}, {"wsum", -2.763671875}}},
      Which::chosen);
}

}  // namespace
}  // namespace halfbyte::issues
