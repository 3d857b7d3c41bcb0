// Weights larger than one binding, on a device whose limit is low, against the reference.
#include <gmock/gmock.h>

#include "gpu/device.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "problems.hpp"

namespace halfbyte::testing {
namespace {

constexpr double kLimit = 60000;

// `halfbyte verify PACKAGE --limit maxStorageBufferBindingSize=60000` does this for every variant; here, where compiling takes a second
// for each, the best variant of each kind of problem and one that packs nothing.
TEST(LargeWeights, ComputesInPartsWhatTheReferenceSays) {
  gpu::OpenOptions options;
  options.limits = {{"maxStorageBufferBindingSize", kLimit}};
  const auto device = value(gpu::Device::open(options));
  const auto kernel = gpu::Kernel::create(gpu::Runtime::create(device), own_package());
  const bool f16 = device->profile().has_feature("shader-f16");
  int ran = 0;
  std::set<std::string> variants;
  const auto run = [&](const MatmulCall& call, const std::string& variant) {
    const RandomProblem random(call);
    const auto prepared = kernel->prepare(random.problem(), {.variant = variant, .prefer = {}, .exclude = {}});
    ASSERT_TRUE(prepared) << describe(call) << ": " << prepared.error().to_string();
    const Plan& plan = (*prepared)->plan();
    EXPECT_GT(plan.parts, 1U) << describe(call);
    const auto out = gpu::run(**prepared, random.data.inputs);
    ASSERT_TRUE(out) << describe(call) << ": " << out.error().to_string();
    const Comparison comparison =
        compare(random.c, random.data, out->at("yT"),
                {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations});
    EXPECT_TRUE(comparison.pass) << describe(call) << " " << plan.variant << ": " << comparison.why;
    variants.insert(plan.variant);
    ++ran;
  };
  const MatmulCall one{.M = 1, .K = 256, .N = 1001, .dtype = DType::float32, .zero_points = true, .bias = true};
  run(one, "");
  run(one, "scalar");
  run({.M = 14, .K = 256, .N = 1001, .dtype = DType::float32, .bias = true}, "");
  // The last part has an odd number of columns, and rows of Y begin in the middle of a word.
  run({.M = 3, .K = 520, .N = 999, .bits = 2, .block_size = 16, .dtype = DType::float16, .zero_points = true},
      "scalar");
  if (f16) {
    run({.M = 20, .K = 512, .N = 1000, .dtype = DType::float16, .accuracy_level = 4}, "");
  }
  EXPECT_EQ(ran, f16 ? 5 : 4);
  EXPECT_GE(variants.size(), 2U);
}

// Without f16 shaders two f16 share a word, and parts of a row meet within one.
TEST(LargeWeights, HalvesInWords) {
  gpu::OpenOptions options;
  options.limits = {{"maxStorageBufferBindingSize", 17000}};
  options.disabled = {gpu::FeatureGroup::f16};
  const auto device = value(gpu::Device::open(options));
  const auto kernel = gpu::Kernel::create(gpu::Runtime::create(device), own_package());
  for (const int64_t M : {1, 7}) {
    const RandomProblem random(
        {.M = M, .K = 64, .N = 1001, .dtype = DType::float16, .zero_points = true, .bias = true});
    const auto call = value(kernel->prepare(random.problem(), {.variant = "scalar", .prefer = {}, .exclude = {}}));
    EXPECT_GT(call->plan().parts, 1U);
    const HostTensors out = value(gpu::run(*call, random.data.inputs));
    const Comparison comparison = compare(random.c, random.data, out.at("yT"), {});
    EXPECT_TRUE(comparison.pass) << comparison.why;
  }
}

TEST(LargeWeights, WholeAndInPartsThroughThePublicEdge) {
  const Device small = value(Device::open({.limits = {{"maxStorageBufferBindingSize", kLimit}}}));
  const Kernel in_parts = value(Kernel::load(small, kMatMulNBits)),
               whole = value(Kernel::load(shared_device(), kMatMulNBits));
  const RandomProblem random({.M = 6, .K = 320, .N = 777, .dtype = DType::float32, .zero_points = true, .bias = true});
  const Call parts = value(in_parts.prepare(random.problem())), one = value(whole.prepare(random.problem()));
  EXPECT_GT(parts.parts(), 1U);
  EXPECT_EQ(one.parts(), 1U);
  EXPECT_EQ(random.why_wrong(value(parts.run(random.data.inputs)).at("yT")), "");
  EXPECT_EQ(random.why_wrong(value(one.run(random.data.inputs)).at("yT")), "");
}

}  // namespace
}  // namespace halfbyte::testing
