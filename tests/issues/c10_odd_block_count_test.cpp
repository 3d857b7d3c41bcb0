// C10 packing: 4-bit zero points with an odd number of blocks; packed across rows they are of the wrong size.
#include "field_case.hpp"
#include "quant/matmul_nbits.hpp"
#include "quant/zero_points.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C10_OddNumberOfBlocks) {
  HB_NEED_PATIENT_DEVICE();
  run({.M = 4,
       .N = 16,
       .K = 96,
       .zp = true,
       .expect = {{"first", 0.5087890625}, {"last", -0.2265625}, {"wsum", 6.7041015625}}});
  run({.M = 1,
       .N = 128,
       .K = 6848,
       .block = 64,
       .zp = true,
       .expect = {{"first", 0.537109375}, {"last", -0.65234375}, {"wsum", 75.7880859375}}});
}

TEST_F(FieldCase, C10_PackedRowsStartAByte) {
  const HostTensor packed = HostTensor::zeros(DType::uint8, {16, 2}), flat = HostTensor::zeros(DType::uint8, {32});
  EXPECT_EQ(value(unpack_zero_points(packed, 3, 4, DType::float32)).shape, (Shape{16, 3}));
  EXPECT_EQ(value(unpack_zero_points(flat, 3, 4, DType::float32)).shape, (Shape{16, 3}));
}

TEST_F(FieldCase, C10_PackedAcrossRowsIsRefused) {
  const BlockShape shape{16, 96, 4, 32};
  const HostTensor b = HostTensor::zeros(DType::uint8, {16, 3, 16}),
                   scales = HostTensor::zeros(DType::float32, {16, 3});
  for (const Shape& wrong : {Shape{16, 3}, Shape{24}}) {
    const HostTensor zp = HostTensor::zeros(DType::uint8, wrong);
    const auto refused = to_kernel_tensors(shape, DType::float32, {.b = &b, .scales = &scales, .zero_points = &zp});
    ASSERT_FALSE(refused);
    for (const std::string& said :
         {std::string("zero_points"), std::string("[16,2]"), std::string("[32]"), to_string(wrong)})
      EXPECT_THAT(refused.error().message, ::testing::HasSubstr(said));
  }
  // What the kernels take is unpacked; anything else is named, too.
  Problem p = problem({.M = 4, .N = 16, .K = 96, .zp = true});
  p.inputs["zeroPointsT"] = {DType::float32, {16, 2}};
  const auto refused = select(package(), profile("baseline-no-features"), p);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(), ::testing::HasSubstr("zeroPointsT"));
}

}  // namespace
}  // namespace halfbyte::issues
