// C05 numerics: layers of encoder models silently wrong for 4 and 8 bits.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C05_PublishedValues) {
  HB_NEED_PATIENT_DEVICE();
  run({.M = 37,
       .N = 256,
       .K = 768,
       .expect = {{"first", 0.2119140625}, {"last", -0.1416015625}, {"wsum", -220.21875}}});
  run({.M = 74, .N = 768, .K = 1152, .expect = {{"first", 0.28125}, {"last", -0.0869140625}, {"wsum", 29.66015625}}},
      Which::chosen);
}

TEST_F(FieldCase, C05_EveryShapeWidthAndType) {
  HB_NEED_PATIENT_DEVICE();
  const std::pair<int64_t, int64_t> shapes[] = {{768, 768}, {768, 256}, {768, 1152}, {1152, 768}};
  for (const auto& [K, N] : shapes)
    for (const int bits : {4, 8})
      for (const DType dtype : {DType::float32, DType::float16})
        for (const int64_t M : {1, 7, 37, 74})
          run({.M = M, .N = N, .K = K, .bits = bits, .dtype = dtype}, Which::chosen);
}

}  // namespace
}  // namespace halfbyte::issues
