// Recording with the caller's buffers: results, what is refused, and what the steady state costs.
#include <gmock/gmock.h>

#include "gpu/host_run.hpp"
#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Scale {
  std::shared_ptr<Runtime> runtime = shared_runtime();
  const Device& device = runtime->device();
  std::shared_ptr<PreparedCall> call;
  wgpu::Buffer x, w, y;

  explicit Scale(uint32_t count, uint32_t add = 0) : call(value(scale_plan(count, add).prepare(runtime))) {
    x = filled(device, std::vector<float>(count, 3));
    w = filled(device, std::vector<float>(count, 5));
    y = filled(device, std::vector<float>(count, -1));
  }
  std::vector<TensorBinding> tensors() const { return {{"x", x}, {"w", w}, {"y", y}}; }
  std::vector<float> result(uint64_t count) const {
    return floats_of(value(read_buffer(device, "y", y, 0, count * 4)));
  }
};

// What record() says to these tensors; nothing may reach WebGPU's own validation.
Error refused(const Scale& scale, const std::vector<TensorBinding>& tensors) {
  const auto ran = run_once(*scale.call, tensors);
  EXPECT_FALSE(ran);
  EXPECT_THAT(scale.device.take_uncaptured_errors(), ElementsAre());
  return ran ? Error{} : ran.error();
}

TEST(Record, ComputesWithTheCallersBuffers) {
  const auto runtime = shared_runtime();
  const auto call = value(scale_plan(100, 7).prepare(runtime));
  std::vector<float> x(100), w(100), want(100);
  for (int i = 0; i < 100; ++i) x[i] = 0.5F * i, w[i] = 3.0F - i, want[i] = x[i] * w[i] + 7;
  const wgpu::Buffer y = filled(runtime->device(), std::vector<float>(100, -1));
  // Any order will do.
  const TensorBinding tensors[] = {{"y", y}, {"w", filled(runtime->device(), w)}, {"x", filled(runtime->device(), x)}};
  HB_ASSERT_OK(run_once(*call, tensors));
  EXPECT_EQ(floats_of(value(read_buffer(runtime->device(), "y", y, 0, 400))), want);
}

TEST(Record, AlignedPartsOfOneBufferForInputs) {
  Scale scale(4);
  std::vector<float> both(68, 0);
  both[0] = 1, both[1] = 2, both[2] = 3, both[3] = 4;
  both[64] = 10, both[65] = 20, both[66] = 30, both[67] = 40;
  const wgpu::Buffer shared = filled(scale.device, both);
  HB_ASSERT_OK(run_once(*scale.call, std::vector<TensorBinding>{{"x", shared, 0}, {"w", shared, 256}, {"y", scale.y}}));
  EXPECT_THAT(scale.result(4), ElementsAre(10, 40, 90, 160));
}

TEST(Record, RefusesOneBufferReadAndWritten) {
  Scale scale(4);
  const wgpu::Buffer shared = filled(scale.device, std::vector<float>(256, 1));
  const Error error = refused(scale, {{"x", shared, 0}, {"w", scale.w}, {"y", shared, 512}});
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_THAT(error.message, HasSubstr("x and y lie in one buffer"));
  EXPECT_THAT(error.message, HasSubstr("y a buffer of its own"));
}

TEST(Record, RefusesMisalignedOffsetsNamingTheTensor) {
  Scale scale(4);
  const wgpu::Buffer large = filled(scale.device, std::vector<float>(256, 1));
  const uint64_t alignment = scale.device.limit("minStorageBufferOffsetAlignment");
  for (const uint64_t offset : {1, 2, 4, 100, 255}) {
    if (offset % alignment == 0) continue;
    const Error error = refused(scale, {{"x", scale.x}, {"w", large, offset}, {"y", scale.y}});
    EXPECT_EQ(error.code, ErrorCode::invalid_argument);
    EXPECT_THAT(error.message, HasSubstr("w starts at offset " + std::to_string(offset)));
    EXPECT_THAT(error.message, HasSubstr(std::format("multiple of {}", alignment)));
  }
}

TEST(Record, RefusesBuffersWithoutRoomOrUsage) {
  Scale scale(8);
  const wgpu::Buffer small = filled(scale.device, std::vector<float>(7, 1));
  Error error = refused(scale, {{"x", small}, {"w", scale.w}, {"y", scale.y}});
  EXPECT_THAT(error.message, HasSubstr("x [8] needs 32 bytes"));
  EXPECT_THAT(error.message, HasSubstr("28"));
  error = refused(scale, {{"x", scale.x, 4096}, {"w", scale.w}, {"y", scale.y}});
  EXPECT_THAT(error.message, HasSubstr("x is said to be at offset 4096"));
  const wgpu::Buffer uniform = value(create_buffer(scale.device, "wrong", 64, wgpu::BufferUsage::Uniform));
  error = refused(scale, {{"x", scale.x}, {"w", uniform}, {"y", scale.y}});
  EXPECT_THAT(error.message, HasSubstr("the buffer of w was made without Storage usage"));
}

TEST(Record, RefusesMissingUnknownAndDoubledTensors) {
  Scale scale(4);
  EXPECT_THAT(refused(scale, {{"x", scale.x}, {"y", scale.y}}).message, HasSubstr("input w was not given a buffer"));
  EXPECT_THAT(refused(scale, {{"x", scale.x}, {"w", nullptr}, {"y", scale.y}}).message,
              HasSubstr("input w was not given a buffer"));
  EXPECT_THAT(refused(scale, {{"x", scale.x}, {"w", scale.w}, {"y", scale.y}, {"z", scale.x}}).message,
              HasSubstr("z is not a tensor"));
  EXPECT_THAT(refused(scale, {{"x", scale.x}, {"w", scale.w}, {"y", scale.y}, {"w", scale.x}}).message,
              HasSubstr("w was given twice"));
}

TEST(Record, WritesNothingBesideItsOutput) {
  // 3 of 4 floats of the output's word: the fourth, and all around, stay.
  const auto runtime = shared_runtime();
  const auto call = value(scale_plan(3, 0).prepare(runtime));
  const wgpu::Buffer y = filled(runtime->device(), std::vector<float>(192, 9));
  const TensorBinding tensors[] = {
      {"x", filled(runtime->device(), {1, 2, 3})}, {"w", filled(runtime->device(), {1, 1, 1})}, {"y", y, 256}};
  HB_ASSERT_OK(run_once(*call, tensors));
  const std::vector<float> all = floats_of(value(read_buffer(runtime->device(), "y", y, 0, 768)));
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i >= 64 && i < 67 ? static_cast<float>(i - 63) : 9) << i;
}

TEST(Record, NothingIsDispatchedForNoElements) {
  const auto runtime = shared_runtime();
  const auto before = runtime->stats();
  const auto empty = value(scale_plan(0, 1).prepare(runtime));
  EXPECT_TRUE(empty->ready());
  HB_ASSERT_OK(run_once(*empty, std::vector<TensorBinding>{}));
  EXPECT_EQ(runtime->stats().programs.compiled + runtime->stats().programs.hits,
            before.programs.compiled + before.programs.hits);
  EXPECT_EQ(runtime->stats().bind_groups, before.bind_groups);
  // The next call is right.
  Scale one(1);
  HB_ASSERT_OK(run_once(*one.call, one.tensors()));
  EXPECT_THAT(one.result(1), ElementsAre(15));
}

TEST(Record, BindGroupsAreMadeOncePerSetOfBuffers) {
  Scale scale(16);
  HB_ASSERT_OK(run_once(*scale.call, scale.tensors()));
  const uint64_t made = scale.runtime->stats().bind_groups;
  for (int i = 0; i < 5; ++i) HB_ASSERT_OK(run_once(*scale.call, scale.tensors()));
  EXPECT_EQ(scale.runtime->stats().bind_groups, made);
  std::vector<TensorBinding> others = scale.tensors();
  others[0].buffer = filled(scale.device, std::vector<float>(16, 4));
  HB_ASSERT_OK(run_once(*scale.call, others));
  EXPECT_EQ(scale.runtime->stats().bind_groups, made + 1);
  EXPECT_EQ(scale.result(16)[0], 20);
  HB_ASSERT_OK(run_once(*scale.call, scale.tensors()));
  EXPECT_EQ(scale.result(16)[0], 15);
  EXPECT_EQ(scale.runtime->stats().bind_groups, made + 1);
}

TEST(Record, ForgottenBuffersAreBoundAnew) {
  Scale scale(16);
  HB_ASSERT_OK(run_once(*scale.call, scale.tensors()));
  const uint64_t made = scale.runtime->stats().bind_groups;
  scale.runtime->forget(scale.x);
  HB_ASSERT_OK(run_once(*scale.call, scale.tensors()));
  EXPECT_EQ(scale.runtime->stats().bind_groups, made + 1);
}

TEST(Record, KeepsABoundedNumberOfBufferSets) {
  Scale scale(4);
  std::vector<wgpu::Buffer> outputs;
  for (size_t i = 0; i < PreparedCall::kMostBindSets + 10; ++i) {
    outputs.push_back(filled(scale.device, {0, 0, 0, 0}));
    std::vector<TensorBinding> tensors = scale.tensors();
    tensors[2].buffer = outputs.back();
    HB_ASSERT_OK(run_once(*scale.call, tensors));
  }
  const uint64_t made = scale.runtime->stats().bind_groups;
  std::vector<TensorBinding> tensors = scale.tensors();
  tensors[2].buffer = outputs.back();
  HB_ASSERT_OK(run_once(*scale.call, tensors));
  EXPECT_EQ(scale.runtime->stats().bind_groups, made);  // still there
  tensors[2].buffer = outputs.front();
  HB_ASSERT_OK(run_once(*scale.call, tensors));
  EXPECT_EQ(scale.runtime->stats().bind_groups, made + 1);  // was let go
}

TEST(Record, CallsOutliveEverythingElse) {
  std::shared_ptr<PreparedCall> call;
  wgpu::Buffer x, y;
  {
    const auto runtime = Runtime::create(value(Device::open()));
    call = value(scale_plan(2, 1).prepare(runtime));
    x = filled(runtime->device(), {1, 2});
    y = filled(runtime->device(), {0, 0});
  }
  const std::vector<TensorBinding> tensors{{"x", x}, {"w", x}, {"y", y}};
  HB_ASSERT_OK(run_once(*call, tensors));
  EXPECT_THAT(floats_of(value(read_buffer(call->runtime().device(), "y", y, 0, 8))), ElementsAre(2, 5));
  call.reset();
  y = nullptr;
}

TEST(HostRun, ChecksShapesAndReturnsOutputs) {
  const auto call = value(scale_plan(3, 1).prepare(shared_runtime()));
  const std::vector<float> ones{1, 1, 1}, x{4, 5, 6};
  HostTensors inputs{{"x", HostTensor::from_floats(DType::float32, {3}, x)},
                     {"w", HostTensor::from_floats(DType::float32, {3}, ones)}};
  EXPECT_THAT(value(run(*call, inputs)).at("y").to_floats(), ElementsAre(5, 6, 7));
  inputs.at("w") = HostTensor::zeros(DType::float32, {4});
  EXPECT_THAT(run(*call, inputs).error().message, HasSubstr("w is float32[4], the call was prepared for float32[3]"));
  inputs.erase("w");
  EXPECT_THAT(run(*call, inputs).error().message, HasSubstr("input w was not given"));
}

TEST(HostRun, GuardShowsWritesPastTheEnd) {
  HandMade made = scale_plan(6, 0);
  std::string shader = kScaleShader;
  shader.replace(shader.find("id.x < params.count"), 19, "id.x <= params.count");
  made.shaders["scale"] = shader;
  made.plan.passes[0].program = Hasher().add(shader).finish();
  const auto call = value(made.prepare(shared_runtime()));
  const std::vector<float> six(6, 1);
  const HostTensors inputs{{"x", HostTensor::from_floats(DType::float32, {6}, six)},
                           {"w", HostTensor::from_floats(DType::float32, {6}, six)}};
  const auto tensors = value(DeviceTensors::create(shared_runtime(), inputs, call->plan().outputs, 64));
  HB_ASSERT_OK(tensors.poison_outputs());
  EXPECT_EQ(value(tensors.read("y")).guard, "");
  EXPECT_TRUE(std::isnan(value(tensors.read("y")).tensor.to_floats()[0]));
  HB_ASSERT_OK(run_and_wait(*call, value(tensors.bindings(*call))));
  EXPECT_THAT(value(tensors.read("y")).guard, HasSubstr("byte 0 after the output's end was overwritten"));
}

}  // namespace
}  // namespace halfbyte::gpu::testing
