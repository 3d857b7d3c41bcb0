// C11 packing: a missing zero point is 2^(bits-1), the same as that value given packed or as a float.
#include "field_case.hpp"
#include "quant/matmul_nbits.hpp"
#include "quant/zero_points.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C11_MissingMeansTheMiddle) {
  HB_NEED_PATIENT_DEVICE();
  const std::pair<int, Values> published[] = {
      {2, {{"first", 0.3076171875}, {"last", 0.416015625}, {"wsum", 1.3798828125}}},
      {4, {{"first", 0.6357421875}, {"last", 0.576171875}, {"wsum", 3.0126953125}}},
      {8, {{"first", 1.8857421875}, {"last", -3.376953125}, {"wsum", 44.8095703125}}}};
  for (const auto& [bits, expect] : published) {
    const Spec missing{.M = 2, .N = 8, .K = 64, .bits = bits, .expect = expect};
    const Which which = bits == 4 ? Which::quick : Which::chosen;
    const Outputs without = run(missing, which);

    const HostTensor zp = default_zero_points(8, 2, bits, DType::float32);
    Spec given = missing;
    given.zp = true;
    Case c = make_case(given);
    auto inputs = value(make_case_data(package(), make_case(missing), test_seed())).inputs;
    inputs["zeroPointsT"] = zp;
    const Outputs with = run(*kernel(), c, value(case_data_from_inputs(package(), c.problem, inputs)), which);
    for (const auto& [variant, y] : with)
      if (without.contains(variant)) {
        EXPECT_EQ(y.data, without.at(variant).data) << variant;
      }

    const BlockShape shape{8, 64, bits, 32};
    const HostTensor b = HostTensor::zeros(DType::uint8, {8, 2, 32 * bits / 8}),
                     scales = HostTensor::zeros(DType::float32, {8, 2});
    const HostTensor packed = value(pack_zero_points(zp, bits));
    const auto unpacked =
        value(to_kernel_tensors(shape, DType::float32, {.b = &b, .scales = &scales, .zero_points = &packed}));
    ASSERT_TRUE(unpacked.zero_points);
    EXPECT_EQ(unpacked.zero_points->data, zp.data);
  }
}

}  // namespace
}  // namespace halfbyte::issues
