// C12 packing: the zero point 1.5 of 2-bit models (levels -1, -1/3, 1/3, 1) must not be rounded.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C12_FourLevelsExactly) {
  HB_NEED_DEVICE();
  for (const DType dtype : {DType::float32, DType::float16})
    for (const auto& [variant, y] :
         run({.fill = "C12", .M = 32, .N = 32, .K = 32, .bits = 2, .zp = true, .dtype = dtype}))
      for (int64_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y.at(i), (static_cast<double>(i / 32 % 4) - 1.5) * 0.5) << variant << ", element " << i;
}

TEST_F(FieldCase, C12_ZeroPointsOfAnotherTypeAreRefused) {
  Problem p = problem({.fill = "C12", .M = 32, .N = 32, .K = 32, .bits = 2, .zp = true, .dtype = DType::float16});
  p.inputs["zeroPointsT"].dtype = DType::float32;
  const auto refused = select(package(), profile("nvidia-h200"), p);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(refused.error().message,
              ::testing::AllOf(::testing::HasSubstr("zeroPointsT"), ::testing::HasSubstr("float32"),
                               ::testing::HasSubstr("float16")));
}

}  // namespace
}  // namespace halfbyte::issues
