// C15 packing: block_size 512, and a block larger than K.
#include "field_case.hpp"
#include "select/matmul_problem.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C15_LargeBlocks) {
  HB_NEED_DEVICE();
  run({.M = 2,
       .N = 4,
       .K = 2048,
       .block = 512,
       .zp = true,
       .expect = {{"first", 0.0546875}, {"last", 0.2216796875}, {"wsum", 1.720703125}}});
  for (const DType dtype : {DType::float32, DType::float16})
    run({.M = 3,
         .N = 5,
         .K = 288,
         .block = 512,
         .zp = true,
         .bias = true,
         .expect = {{"first", -1.00390625}, {"last", 0.6640625}, {"wsum", -52.0576171875}},
         .dtype = dtype},
        Which::chosen);
}

TEST_F(FieldCase, C15_TheRuleIsQuoted) {
  for (const int64_t block : {8, 24, 0, -32}) {
    const auto refused = matmul_problem(package(), {.M = 2, .K = 64, .N = 4, .block_size = block});
    if (!refused) {
      EXPECT_THAT(refused.error().message, ::testing::HasSubstr(std::format("block_size is {}, it must be ", block)));
      if (block > 0) {
        EXPECT_THAT(refused.error().message, ::testing::HasSubstr("power of two from 16"));
      }
      continue;
    }
    const auto none = select(package(), profile("nvidia-h200"), *refused);
    ASSERT_FALSE(none) << block;
    EXPECT_THAT(none.error().to_string(), ::testing::HasSubstr("block_size"));
  }
}

}  // namespace
}  // namespace halfbyte::issues
