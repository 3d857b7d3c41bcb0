// Constant inputs rewritten once, and scratch memory that calls share.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// prepack: packed[i] = 10 * w[i]. main, two passes through scratch: t[i] = packed[i] + x[i]; y[i] = t[i] + add.
HandMade packing_plan(uint32_t count, uint32_t add) {
  HandMade made;
  Plan& plan = made.plan;
  plan.package = "hand_made";
  plan.variant = "packing";
  plan.inputs = {{"x", {DType::float32, {count}}}, {"w", {DType::float32, {count}}}};
  plan.outputs = {{"y", {DType::float32, {count}}}};
  plan.scratch = {{"t", DType::float32, {count}, uint64_t{4} * count}};
  plan.prepacked = {{"packed", DType::float32, {count}, uint64_t{4} * count}};
  plan.prepack_key = Hasher().add("packing").add(uint64_t{count}).finish();
  plan.prepacked_inputs = {"w"};
  made.shaders["pack"] = R"(
@group(0) @binding(0) var<storage, read> w : array<f32>;
@group(0) @binding(1) var<storage, read_write> packed : array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < arrayLength(&w)) { packed[id.x] = 10.0 * w[id.x]; }
})";
  made.shaders["first"] = R"(
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> packed : array<f32>;
@group(0) @binding(2) var<storage, read_write> t : array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < arrayLength(&x)) { t[id.x] = packed[id.x] + x[id.x]; }
})";
  made.shaders["second"] = R"(
@group(0) @binding(0) var<storage, read> t : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
struct Params { add : u32 }
@group(0) @binding(2) var<uniform> params : Params;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < arrayLength(&y)) { y[id.x] = t[id.x] + f32(params.add); }
})";
  const uint32_t groups = (count + 63) / 64;
  plan.prepack_passes = {make_pass("pack", made.shaders["pack"],
                                   {argument("w", Access::read), prepacked("packed", Access::read_write)}, groups)};
  plan.passes = {
      make_pass("first", made.shaders["first"],
                {argument("x", Access::read), prepacked("packed", Access::read), scratch("t", Access::read_write)},
                groups),
      make_pass("second", made.shaders["second"],
                {scratch("t", Access::read), argument("y", Access::read_write), uniform({add})}, groups)};
  return made;
}

struct Fixture {
  std::shared_ptr<Runtime> runtime = Runtime::create(value(Device::open()));
  const Device& device = runtime->device();
  wgpu::Buffer x = filled(device, {1, 2}), w = filled(device, {3, 4}), y = filled(device, {0, 0});
  std::vector<TensorBinding> tensors() const { return {{"x", x}, {"w", w}, {"y", y}}; }
  std::vector<float> result() const { return floats_of(value(read_buffer(device, "y", y, 0, 8))); }
};

TEST(Prepack, RunsOncePerWeightsHoweverManyCalls) {
  Fixture f;
  for (uint32_t add = 0; add < 5; ++add) {
    const auto call = value(packing_plan(2, add).prepare(f.runtime));
    for (int i = 0; i < 3; ++i) {
      HB_ASSERT_OK(run_once(*call, f.tensors()));
      EXPECT_THAT(f.result(), ElementsAre(31 + add, 42 + add));
    }
  }
  RuntimeStats stats = f.runtime->stats();
  EXPECT_EQ(stats.prepack_runs, 1U);
  EXPECT_EQ(stats.packed_copies, 1U);
  EXPECT_EQ(stats.packed_bytes, 16U);

  // Other weights, another copy.
  const auto call = value(packing_plan(2, 0).prepare(f.runtime));
  std::vector<TensorBinding> others = f.tensors();
  others[1].buffer = filled(f.device, {5, 6});
  HB_ASSERT_OK(run_once(*call, others));
  EXPECT_THAT(f.result(), ElementsAre(51, 62));
  HB_ASSERT_OK(run_once(*call, f.tensors()));
  EXPECT_THAT(f.result(), ElementsAre(31, 42));
  stats = f.runtime->stats();
  EXPECT_EQ(stats.prepack_runs, 2U);
  EXPECT_EQ(stats.packed_copies, 2U);

  f.runtime->forget(f.w);
  EXPECT_EQ(f.runtime->stats().packed_copies, 1U);
  EXPECT_EQ(f.runtime->stats().packed_bytes, 16U);
  HB_ASSERT_OK(run_once(*call, f.tensors()));
  EXPECT_THAT(f.result(), ElementsAre(31, 42));
  EXPECT_EQ(f.runtime->stats().prepack_runs, 3U);
}

TEST(Prepack, TwoThreadsPackOnce) {
  Fixture f;
  const auto call = value(packing_plan(2, 0).prepare(f.runtime));
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        const wgpu::Buffer y = filled(f.device, {0, 0});
        std::vector<TensorBinding> tensors = f.tensors();
        tensors[2].buffer = y;
        if (run_once(*call, tensors)) ++good;
      });
    }
  }
  EXPECT_EQ(good, 4);
  EXPECT_EQ(f.runtime->stats().prepack_runs, 1U);
}

TEST(Scratch, IsSharedAndGrows) {
  Fixture f;
  const auto small = value(packing_plan(2, 0).prepare(f.runtime));
  const uint64_t bytes = f.runtime->stats().scratch_bytes;
  const auto same = value(packing_plan(2, 7).prepare(f.runtime));
  EXPECT_EQ(f.runtime->stats().scratch_bytes, bytes);
  const auto large = value(packing_plan(100000, 1).prepare(f.runtime));
  EXPECT_GE(f.runtime->stats().scratch_bytes, 400000U);
  EXPECT_LT(f.runtime->stats().scratch_bytes, 800001U);
  // The calls that hold the smaller one still work, also in one pass with the others.
  const std::vector<float> many(100000, 1);
  const wgpu::Buffer x = filled(f.device, many), w = filled(f.device, many), y = filled(f.device, many);
  const TensorBinding large_tensors[] = {{"x", x}, {"w", w}, {"y", y}};
  const wgpu::CommandEncoder encoder = f.device.wgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  HB_ASSERT_OK(small->record(pass, f.tensors()));
  HB_ASSERT_OK(large->record(pass, large_tensors));
  HB_ASSERT_OK(same->record(pass, f.tensors()));
  pass.End();
  const wgpu::CommandBuffer commands = encoder.Finish();
  f.device.queue().Submit(1, &commands);
  HB_ASSERT_OK(f.device.finish());
  EXPECT_THAT(f.result(), ElementsAre(38, 49));
  EXPECT_EQ(floats_of(value(read_buffer(f.device, "y", y, 0, 400000))), std::vector<float>(100000, 12));
}

TEST(Scratch, OverTheLimitIsAnErrorWithTheNumbers) {
  OpenOptions options;
  options.limits = {{"maxStorageBufferBindingSize", 4096}};
  const auto runtime = Runtime::create(value(Device::open(options)));
  HandMade made = packing_plan(2, 0);
  made.plan.scratch[0].byte_size = 8192;
  const auto call = made.prepare(runtime);
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().code, ErrorCode::limit);
  EXPECT_THAT(call.error().message, HasSubstr("8192"));
  EXPECT_THAT(call.error().message, HasSubstr("4096"));
}

}  // namespace
}  // namespace halfbyte::gpu::testing
