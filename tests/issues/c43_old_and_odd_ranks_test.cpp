// C43 API usability: scales and zero points of rank 1, as old models have them; A of rank 1 to 4.
#include "field_case.hpp"
#include "quant/matmul_nbits.hpp"

namespace halfbyte::issues {
namespace {

using ::testing::HasSubstr;

const Values kPublished{{"first", -1.4443359375}, {"last", 0.650390625}, {"wsum", -37.666015625}};

// The operator's own tensors: what a model has, flat or not.
CaseData model_tensors(const Shape& scales, const Shape& zero_points) {
  Case c;
  c.problem.id = "C43 " + to_string(scales);
  c.problem.inputs["aT"] = {DType::float32, {2, 128}};
  c.problem.inputs["bT"] = {DType::uint8, {12, 4, 16}};
  c.problem.inputs["scalesT"] = {DType::float32, scales};
  c.problem.inputs["zeroPointsT"] = {DType::uint8, zero_points};
  c.problem.inputs["biasT"] = {DType::float32, {12}};
  c.fill = "P";
  c.expect = kPublished;
  return value(make_case_data(Semantics{}, BlockShape{12, 128, 4, 32}, c, 1));
}

TEST_F(FieldCase, C43_FlatScalesAndZeroPointsAreTheSame) {
  HB_NEED_DEVICE();
  const Spec spec{.M = 2, .N = 12, .K = 128, .zp = true, .bias = true, .expect = kPublished};
  const Case c = make_case(spec);
  std::vector<gpu::HostTensors> both;
  for (const CaseData& model : {model_tensors({12, 4}, {12, 2}), model_tensors({48}, {24})}) {
    const KernelTensors tensors = value(to_kernel_tensors({12, 128, 4, 32}, DType::float32,
                                                          {.b = &model.inputs.at("bT"),
                                                           .scales = &model.inputs.at("scalesT"),
                                                           .zero_points = &model.inputs.at("zeroPointsT"),
                                                           .bias = &model.inputs.at("biasT")}));
    gpu::HostTensors inputs = model.inputs;
    inputs["scalesT"] = tensors.scales;
    inputs["zeroPointsT"] = tensors.zero_points.value();
    const HostTensor y = value(gpu::run(*value(kernel()->prepare(c.problem)), inputs)).at("yT");
    const std::vector<float> wanted(model.expected.begin(), model.expected.end());
    EXPECT_EQ(y.to_floats(), wanted) << model.problem.id;  // recipe P: exact
    both.push_back(std::move(inputs));
  }
  for (const char* key : {"scalesT", "zeroPointsT"}) EXPECT_EQ(both[0].at(key).data, both[1].at(key).data) << key;
}

TEST_F(FieldCase, C43_RankThree) {
  HB_NEED_DEVICE();
  // (2,3,5,64) of the case with its first two dimensions as one: the same rows, so the same values.
  const Spec spec{.M = 30,
                  .N = 48,
                  .K = 64,
                  .bias = true,
                  .expect = {{"first", -0.8642578125}, {"last", 1.197265625}, {"wsum", -2777.017578125}},
                  .a_shape = {6, 5, 64}};
  for (const auto& [variant, y] : run(spec, Which::chosen)) EXPECT_EQ(y.shape, (Shape{6, 5, 48})) << variant;
}

TEST_F(FieldCase, C43_OtherRanksAreRefusedByRank) {
  const DeviceProfile device = profile("baseline-no-features");
  const auto error_of = [&](const Shape& shape) {
    const auto plan = plan_problem(package(), device, problem({.M = 30, .N = 48, .K = 64, .a_shape = shape}));
    EXPECT_FALSE(plan) << to_string(shape);
    return plan ? std::string() : plan.error().to_string();
  };
  EXPECT_THAT(error_of({64}), HasSubstr("aT has the shape [64] of rank 1, its rank must be at least 2"));
  EXPECT_THAT(error_of({2, 3, 5, 64}), HasSubstr("ranks.aT == 3 is false: ranks.aT is 4"));
}

}  // namespace
}  // namespace halfbyte::issues
