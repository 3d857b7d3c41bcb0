// C32 robustness: an input without rows. Success, an output of the right shape, nothing dispatched; the next call is right.
#include <atomic>

#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C32_NoRowsIsNoErrorAndNoDispatch) {
  HB_NEED_DEVICE();
  std::atomic<int> pipelines = 0;
  const auto own = kernel_on({.faults = [&](gpu::FaultPoint point, std::string_view) {
    pipelines += point == gpu::FaultPoint::pipeline ? 1 : 0;
    return gpu::Fault::none;
  }});
  Spec spec{.M = 1, .N = 8, .K = 64, .bias = true};
  const CaseData one_row = value(make_case_data(package(), make_case(spec), test_seed()));
  for (const Shape& shape : {Shape{0, 64}, Shape{2, 0, 64}}) {
    spec.a_shape = shape;
    const auto call = value(own->prepare(problem(spec)));
    EXPECT_TRUE(call->plan().empty);
    gpu::HostTensors inputs = one_row.inputs;
    inputs["aT"] = HostTensor::zeros(DType::float32, shape);
    const HostTensor y = value(gpu::run(*call, inputs)).at("yT");
    Shape wanted = shape;
    wanted.back() = 8;
    EXPECT_EQ(y.shape, wanted);
    EXPECT_TRUE(y.data.empty());
  }
  // Nothing was compiled and nothing bound, so nothing can have been dispatched.
  EXPECT_EQ(pipelines, 0);
  EXPECT_EQ(own->runtime().stats().bind_groups, 0U);
  EXPECT_TRUE(own->device().take_uncaptured_errors().empty());

  spec.a_shape = {};
  run(*own, spec, Which::chosen);
  EXPECT_GT(pipelines, 0);
  EXPECT_GT(own->runtime().stats().bind_groups, 0U);
}

}  // namespace
}  // namespace halfbyte::issues
