// C14 packing: linear_q4gsw's layout (transposed scales, nibble order, padded N, group 8).
#include "field_case.hpp"
#include "quant/q4gsw.hpp"

namespace halfbyte::issues {
namespace {

Semantics q4gsw() {
  Semantics s;
  s.codes = {"bT", CodeLayout::rows};
  s.scales = {"scalesT", BlockLayout::block_n};
  s.zero_points.input.clear();
  return s;
}

Case q4gsw_case(int64_t M, int64_t N, int64_t K, int64_t group, int64_t padded, Values expect) {
  Case c;
  c.problem.id = "q4gsw";
  c.problem.inputs = {{"aT", {DType::float32, {M, K}}},
                      {"bT", {DType::uint8, {N, (K + 1) / 2}}},
                      {"scalesT", {DType::float32, {(K + group - 1) / group, padded}}}};
  c.fill = "P";
  c.tolerance = "exact";
  c.expect = std::move(expect);
  return c;
}

// The same weight through MatMulNBits' kernels: the published values, and bit-equal to MatMulNBits' own recipe.
TEST_F(FieldCase, C14_TheSameAsMatMulNBits) {
  HB_NEED_DEVICE();
  const Values expect{{"first", 0.228515625}, {"last", 0.2470703125}, {"wsum", 9.9169921875}};
  const Case gsw = q4gsw_case(3, 13, 64, 16, 16, expect);
  const CaseData data = value(make_case_data(q4gsw(), {13, 64, 4, 16}, gsw, test_seed()));
  const MatMulNBitsWeight weight =
      value(to_matmul_nbits({13, 64, 16, data.inputs.at("bT"), data.inputs.at("scalesT")}));
  const Spec spec{.M = 3, .N = 13, .K = 64, .block = 16, .expect = expect};
  const Case c = make_case(spec);
  const CaseData converted = value(case_data_from_inputs(
      package(), c.problem, {{"aT", data.inputs.at("aT")}, {"bT", weight.b}, {"scalesT", weight.scales}}));
  const Outputs ours = run(*kernel(), c, converted, Which::chosen), onnx = run(spec, Which::chosen);
  for (const auto& [variant, y] : ours) EXPECT_EQ(y.data, onnx.at(variant).data) << variant;
}

TEST_F(FieldCase, C14_GroupOf8HasItsValues) {
  const Case c =
      q4gsw_case(5, 24, 64, 8, 24, {{"first", 0.6083984375}, {"last", 0.1884765625}, {"wsum", -7.3232421875}});
  const auto data = make_case_data(q4gsw(), {24, 64, 4, 8}, c, test_seed());
  EXPECT_TRUE(data) << data.error().to_string();  // its kernels are run by the cases of kernels/et_vk.linear_q4gsw
}

TEST_F(FieldCase, C14_WrongLayoutsAreRefused) {
  const Q4gswWeight swapped{13, 64, 16, HostTensor::zeros(DType::uint8, {13, 32}),
                            HostTensor::zeros(DType::float32, {13, 4})};
  const auto refused = to_matmul_nbits(swapped);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("[13,4]"));
  const Q4gswWeight group8{24, 64, 8, HostTensor::zeros(DType::uint8, {24, 32}),
                           HostTensor::zeros(DType::float32, {8, 24})};
  const auto small = to_matmul_nbits(group8);
  ASSERT_FALSE(small);
  EXPECT_THAT(small.error().message, ::testing::HasSubstr("16"));
}

}  // namespace
}  // namespace halfbyte::issues
