// et_vk.linear_q4gsw as its users run it: one weight and any number of rows, a device of 128 invocations, f16 only where it is
// allowed, MatMulNBits' results to the bit. Every shape, type and variant is the package's cases.json, for `verify`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/test_result.hpp"
#include "gpu/buffers.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "io/files.hpp"
#include "quant/q4gsw.hpp"
#include "select/matmul_problem.hpp"
#include "tensor/test_seed.hpp"
#include "verify/case.hpp"

namespace halfbyte::gpu {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using test::value;

const Package& package(const std::string& name = "et_vk.linear_q4gsw") {
  static std::map<std::string, Package> loaded;
  if (const auto it = loaded.find(name); it != loaded.end()) return it->second;
  return loaded.emplace(name, value(load_package(std::string(HALFBYTE_SOURCE_DIR) + "/kernels/" + name))).first->second;
}

std::shared_ptr<Runtime> shared_runtime() {
  static const std::shared_ptr<Runtime> runtime = Runtime::create(value(Device::open()));
  return runtime;
}

Case make_case(const MatmulCall& call, const std::string& fill = "random",
               const std::string& of = "et_vk.linear_q4gsw") {
  Case c;
  c.problem = value(matmul_problem(package(of), call));
  c.fill = fill;
  c.tolerance = fill == "P" ? "exact" : "bound";
  return c;
}

// Computes the case by the variant that is chosen, or by `variant`, and holds it to the reference.
std::string run_case(Kernel& kernel, const Case& c, const CaseData& data, HostTensor* output = nullptr,
                     const std::string& variant = "") {
  SelectOptions options;
  options.variant = variant;
  const auto call = value(kernel.prepare(data.problem, options));
  HostTensors outputs = value(run(*call, data.inputs));
  const Plan& plan = call->plan();
  const Comparison seen =
      compare(c, data, outputs.at("yT"), {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations});
  EXPECT_TRUE(seen.pass) << plan.variant << ": " << seen.why;
  if (output) *output = std::move(outputs.at("yT"));
  return plan.variant;
}

// ---- one weight, M changing call by call

wgpu::Buffer upload(const Device& device, const HostTensor& tensor) {
  wgpu::Buffer buffer = value(create_buffer(device, "test data", (tensor.data.size() + 3) / 4 * 4, kTensorUsage));
  const auto written = write_buffer(device, "test data", buffer, 0, tensor.data);
  if (!written) throw std::runtime_error(written.error().to_string());
  return buffer;
}

// A weight that stays on the device, and as many rows of A as a call wants.
class OneWeight {
 public:
  static constexpr int64_t kRows = 4096, kK = 128, kN = 70;

  explicit OneWeight(bool bias)
      : runtime_(Runtime::create(value(Device::open()))), kernel_(Kernel::create(runtime_, package())), bias_(bias) {
    all_ = value(make_case_data(package(), make_case(call_of(kRows)), test_seed()));
    for (const auto& [key, tensor] : all_.inputs)
      if (key != "aT") weights_[key] = upload(runtime_->device(), tensor);
  }

  // The chosen variant; the first M rows against the reference.
  std::string run(int64_t M) {
    const Case c = make_case(call_of(M));
    std::map<std::string, HostTensor, std::less<>> inputs = all_.inputs;
    HostTensor& a = inputs.at("aT");
    a.shape = {M, kK};
    a.data.resize(static_cast<size_t>(M * kK * 4));
    const CaseData data = value(case_data_from_inputs(package(), c.problem, inputs));
    const auto call = value(kernel_->prepare(data.problem));
    const Device& device = runtime_->device();
    const wgpu::Buffer a_buffer = upload(device, a);
    HostTensor y = HostTensor::zeros(DType::float32, {M, kN});
    std::ranges::fill(y.data, std::byte{0xFF});
    const wgpu::Buffer y_buffer = upload(device, y);
    std::vector<TensorBinding> tensors{{"aT", a_buffer}, {"yT", y_buffer}};
    for (const auto& [key, buffer] : weights_) tensors.push_back({key, buffer});
    const auto ran = run_and_wait(*call, tensors);
    EXPECT_TRUE(ran) << ran.error().to_string();
    y.data = value(read_buffer(device, "y", y_buffer, 0, y.data.size()));
    const Comparison seen = compare(c, data, y, {call->plan().numerics_accumulate});
    EXPECT_TRUE(seen.pass) << "M=" << M << " by " << call->plan().variant << ": " << seen.why;
    return call->plan().variant;
  }

  RuntimeStats stats() const { return runtime_->stats(); }

 private:
  MatmulCall call_of(int64_t M) const {
    return {.M = M, .K = kK, .N = kN, .block_size = 32, .dtype = DType::float32, .bias = bias_};
  }
  std::shared_ptr<Runtime> runtime_;
  std::shared_ptr<Kernel> kernel_;
  bool bias_;
  CaseData all_;
  std::map<std::string, wgpu::Buffer> weights_;
};

TEST(Q4gswRows, AnyOrderIsRightAndProgramsAreReused) {
  OneWeight weight(true);
  std::vector<int64_t> rows{1, 2, 63, 64, 65, 508, 4096, 1};
  std::map<int64_t, std::string> variants;
  for (const int64_t M : rows) {
    const std::string variant = weight.run(M);
    const auto [it, fresh] = variants.emplace(M, variant);
    EXPECT_EQ(it->second, variant) << "M=" << M << " chose another variant the second time";
  }
  EXPECT_THAT(variants.at(1), StartsWith("gemv")) << "decode after prefill goes back to the GEMV";
  EXPECT_THAT(variants.at(4096), StartsWith("prefill"));
  const RuntimeStats first = weight.stats();
  RecordProperty("programs", static_cast<int>(first.programs.compiled));
  EXPECT_LE(first.programs.compiled, 12U);
  // Rows that were not there before, between those that were, in any order.
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 2; ++round) {
    std::ranges::shuffle(rows, random);
    for (const int64_t M : rows) EXPECT_EQ(weight.run(M), variants.at(M));
  }
  const RuntimeStats last = weight.stats();
  EXPECT_EQ(last.programs.compiled, first.programs.compiled);
  EXPECT_EQ(last.prepack_runs, first.prepack_runs) << "one weight is packed once";
  EXPECT_LE(last.packed_copies, 1U);
  for (const int64_t M : {61, 66, 500, 1000, 4095}) weight.run(M);
  EXPECT_EQ(weight.stats().programs.compiled, first.programs.compiled) << "M is no constant of any program";
}

// ---- devices with few invocations

std::map<std::string, VariantVerdict> by_name(const std::vector<VariantVerdict>& list) {
  std::map<std::string, VariantVerdict> map;
  for (const VariantVerdict& verdict : list) map[verdict.variant] = verdict;
  return map;
}

// What would run without the variants of `gone`: chosen by the planner, not by this test.
std::string chosen_without(const DeviceProfile& profile, const Problem& problem, const std::vector<std::string>& gone) {
  SelectOptions options;
  options.exclude = gone;
  const Choice choice = value(select(package(), profile, problem, options));
  return package().variant_ids()[static_cast<size_t>(choice.variant)];
}

// Every tile of 256 invocations is refused with its number, the next variant is the one that runs, and it is right.
void check_128(int64_t group, int64_t M, const std::string& expected) {
  OpenOptions options;
  options.limits = {
      {"maxComputeInvocationsPerWorkgroup", 128}, {"maxComputeWorkgroupSizeX", 128}, {"maxComputeWorkgroupSizeY", 128}};
  const auto small = Kernel::create(Runtime::create(value(Device::open(options))), package());
  const Case c = make_case({.M = M, .K = 256, .N = 96, .block_size = group, .dtype = DType::float32});
  const CaseData data = value(make_case_data(package(), c, test_seed()));

  const DeviceProfile& wide = shared_runtime()->device().profile();
  if (shared_runtime()->device().limit("maxComputeInvocationsPerWorkgroup") < 256)
    GTEST_SKIP() << "this device has fewer than 256 invocations to begin with";
  const auto before = by_name(value(explain(package(), wide, data.problem)));
  const auto after = by_name(value(explain(package(), small->device().profile(), data.problem)));
  EXPECT_NE(before.at("prefill_steel").verdict, Verdict::rejected) << before.at("prefill_steel").why;
  EXPECT_EQ(after.at("prefill_steel").verdict, Verdict::rejected);
  EXPECT_THAT(after.at("prefill_steel").why, HasSubstr("128"));
  std::vector<std::string> gone;
  for (const auto& [variant, verdict] : after)
    if (verdict.verdict == Verdict::rejected && before.at(variant).verdict != Verdict::rejected)
      gone.push_back(variant);
  for (const char* tile : {"prefill_steel", "prefill_tiled", "prefill_tiled_reg", "prefill_fma"})
    EXPECT_THAT(gone, Contains(tile));
  EXPECT_EQ(chosen_without(wide, data.problem, gone), expected);
  EXPECT_EQ(run_case(*small, c, data), expected);
}

TEST(Q4gsw128Invocations, WideTileFollowsTheTilesAtGroup32) { check_128(32, 64, "prefill_wide_tile"); }
TEST(Q4gsw128Invocations, Tile4x4FollowsThemAtGroup64) { check_128(64, 64, "prefill_tile4x4"); }

// Steel itself is what runs where it may, and the 32x32 tile where only its workgroup memory is not there.
TEST(Q4gswSteel, RunsWhereItMayAndTheNextOneWhereItMayNot) {
  const Case c = make_case({.M = 70, .K = 64, .N = 70, .block_size = 16, .dtype = DType::float32});
  const CaseData data = value(make_case_data(package(), c, test_seed()));
  const std::vector<std::string> faster{"prefill_fma_splitk", "prefill_fma", "prefill_tiled_reg_splitk",
                                        "prefill_tiled_reg"};
  DeviceProfile profile = shared_runtime()->device().profile();
  if (shared_runtime()->device().limit("maxComputeInvocationsPerWorkgroup") < 256)
    GTEST_SKIP() << "this device has fewer than 256 invocations";
  EXPECT_EQ(chosen_without(profile, data.problem, faster), "prefill_steel");
  const auto kernel = Kernel::create(shared_runtime(), package());
  run_case(*kernel, c, data, nullptr, "prefill_steel");
  profile.limits["maxComputeWorkgroupStorageSize"] = 8192;
  EXPECT_EQ(chosen_without(profile, data.problem, faster), "prefill_tiled");
  run_case(*kernel, c, data, nullptr, "prefill_tiled");
}

// ---- what a caller allows

TEST(Q4gswPrecision, F16OnlyWhereItIsAllowed) {
  DeviceProfile profile =
      value(parse_profile(value(read_text(std::string(HALFBYTE_SOURCE_DIR) + "/profiles/nvidia-h200.json")), "h200"));
  for (const DType dtype : {DType::float32, DType::float16})
    for (const int64_t level : {0, 1, 2, 3, 4})
      for (const double f16_sums : {0.0, 1.0}) {
        Problem problem =
            value(matmul_problem(package(), {.M = 64, .K = 256, .N = 96, .dtype = dtype, .accuracy_level = level}));
        problem.tunables["F16_SUMS"] = f16_sums;
        for (const VariantVerdict& verdict : value(explain(package(), profile, problem))) {
          if (verdict.verdict == Verdict::rejected) continue;
          const Choice choice = value(select(package(), profile, problem, {.variant = verdict.variant}));
          const Plan plan = value(make_plan(package(), choice));
          const std::string where =
              std::format("{} {} level {} sums {}", verdict.variant, name(dtype), level, f16_sums);
          if (plan.numerics_accumulate == "f16_block32" && verdict.variant != "gemv_packed_f16")
            EXPECT_EQ(f16_sums, 1) << where;
          if (plan.numerics_accumulate == "f16_block32" && dtype == DType::float32) EXPECT_GE(level, 2) << where;
          if (plan.numerics_multiply == "f16" && dtype == DType::float32) EXPECT_GE(level, 2) << where;
          if (!plan.numerics_activations.empty() && dtype == DType::float32) EXPECT_GE(level, 2) << where;
          if (plan.numerics_activations.starts_with("int8")) EXPECT_EQ(level, 4) << where;
        }
      }
  // And they are there for those who allow them.
  Problem problem =
      value(matmul_problem(package(), {.M = 64, .K = 256, .N = 96, .dtype = DType::float32, .accuracy_level = 2}));
  EXPECT_THAT(chosen_without(profile, problem, {}), StartsWith("sgmat_half"));
  std::erase(profile.features, "chromium-experimental-subgroup-matrix");
  problem.tunables["F16_SUMS"] = 1;
  EXPECT_EQ(chosen_without(profile, problem, {}), "prefill_steel_f16_sums");
  EXPECT_NE(by_name(value(explain(package(), profile, problem))).at("prefill_steel_half").verdict, Verdict::rejected);
}

// ---- the same numbers as MatMulNBits, and weights packed here

TEST(Q4gswLayout, BitEqualToMatMulNBits) {
  const auto kernel = Kernel::create(shared_runtime(), package());
  const auto onnx = Kernel::create(shared_runtime(), package("com.microsoft.MatMulNBits"));
  for (const int64_t M : {1, 3, 40}) {
    const MatmulCall call{.M = M, .K = 64, .N = 13, .block_size = 16, .dtype = DType::float32, .bias = true};
    const Case ours = make_case(call, "P"), theirs = make_case(call, "P", "com.microsoft.MatMulNBits");
    const CaseData data = value(make_case_data(package(), ours, test_seed()));
    const CaseData onnx_data = value(make_case_data(package("com.microsoft.MatMulNBits"), theirs, test_seed()));
    // The conversion of one package's weight is the other's, padding aside.
    const Q4gswWeight converted =
        value(to_q4gsw({13, 64, 4, 16}, onnx_data.inputs.at("bT"), onnx_data.inputs.at("scalesT")));
    EXPECT_EQ(converted.weight.data, data.inputs.at("bT").data);
    const MatMulNBitsWeight back =
        value(to_matmul_nbits({13, 64, 16, data.inputs.at("bT"), data.inputs.at("scalesT")}));
    EXPECT_EQ(back.b.data, onnx_data.inputs.at("bT").data);
    EXPECT_EQ(back.scales.data, onnx_data.inputs.at("scalesT").data);
    HostTensor y, y_onnx;
    run_case(*kernel, ours, data, &y);
    run_case(*onnx, theirs, onnx_data, &y_onnx);
    EXPECT_EQ(y.data, y_onnx.data) << "M=" << M;
  }
}

TEST(Q4gswLayout, FloatWeightsPackedHereMultiply) {
  const int64_t M = 3, N = 22, K = 96, group = 8;
  std::mt19937_64 random(test_seed());
  std::normal_distribution<float> normal(0, 0.05f);
  std::vector<float> w(static_cast<size_t>(N * K)), a(static_cast<size_t>(M * K));
  for (float& x : w) x = normal(random);
  for (float& x : a) x = normal(random);
  const Q4gswWeight packed = value(quantize_q4gsw(N, K, group, w, WeightOrder::n_k, DType::float32));
  const Case c = make_case({.M = M, .K = K, .N = N, .block_size = group, .dtype = DType::float32});
  const CaseData data = value(case_data_from_inputs(
      package(), c.problem,
      {{"aT", HostTensor::from_floats(DType::float32, {M, K}, a)}, {"bT", packed.weight}, {"scalesT", packed.scales}}));
  HostTensor y;
  run_case(*Kernel::create(shared_runtime(), package()), c, data, &y);
  double error = 0, norm = 0;
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      double exact = 0;
      for (int64_t k = 0; k < K; ++k)
        exact += static_cast<double>(a[static_cast<size_t>(m * K + k)]) * w[static_cast<size_t>(n * K + k)];
      error += std::pow(y.at(m * N + n) - exact, 2);
      norm += exact * exact;
    }
  EXPECT_LT(std::sqrt(error / norm), 0.12) << "4 bits and groups of 8 lose about 7 %";
}

// ---- what is refused, and in which words

std::string refusal(const Problem& problem) {
  const auto choice = select(package(), shared_runtime()->device().profile(), problem);
  if (choice) return "accepted";
  std::string text = choice.error().message;
  for (const std::string& note : choice.error().notes) text += "\n" + note;
  return text;
}

Problem sound_problem() {
  return value(
      matmul_problem(package(), {.M = 3, .K = 64, .N = 13, .block_size = 16, .dtype = DType::float32, .bias = true}));
}

TEST(Q4gswRefuses, WrongShapesByName) {
  EXPECT_EQ(refusal(sound_problem()), "accepted");
  Problem p = sound_problem();
  p.attrs.erase("K");
  p.attrs.erase("N");
  EXPECT_EQ(refusal(p), "accepted") << "both follow from the shapes";
  p = sound_problem();
  p.inputs["scalesT"].shape = {13, 4};
  EXPECT_THAT(refusal(p), HasSubstr("scalesT has the shape [13,4]"));
  EXPECT_THAT(refusal(p), HasSubstr("[4,13]"));
  p.inputs["scalesT"].shape = {4, 12};
  EXPECT_THAT(refusal(p), HasSubstr("scalesT has the shape [4,12]"));
  p = sound_problem();
  p.inputs["bT"].shape = {13, 31};
  EXPECT_THAT(refusal(p), HasSubstr("bT has the shape [13,31]"));
  p = sound_problem();
  p.inputs["aT"].shape = {3, 65};
  EXPECT_THAT(refusal(p), HasSubstr("aT has the shape [3,65]"));
  p = sound_problem();
  p.inputs["biasT"].shape = {12};
  EXPECT_THAT(refusal(p), HasSubstr("biasT has the shape [12]"));
  p = sound_problem();
  p.inputs["scalesT"].dtype = DType::float16;
  EXPECT_NE(refusal(p), "accepted");
  p = sound_problem();
  p.attrs.erase("group_size");
  EXPECT_THAT(refusal(p), HasSubstr("group_size"));
}

TEST(Q4gswRefuses, SizesThatBreakARuleOfTheOperator) {
  // N=3, K=10: 15 bytes of weight (field case C14).
  Problem p = value(matmul_problem(package(), {.M = 1, .K = 10, .N = 3, .block_size = 10, .dtype = DType::float32}));
  EXPECT_THAT(refusal(p), HasSubstr("K % 8 == 0 is false"));
  for (const int64_t group : {4, 6, 512}) {
    p = value(matmul_problem(package(), {.M = 1, .K = 1536, .N = 8, .block_size = group, .dtype = DType::float32}));
    EXPECT_THAT(refusal(p), HasSubstr(group < 8 ? "blockSize >= 8 is false" : "blockSize <= 256 is false")) << group;
  }
  p = value(matmul_problem(package(), {.M = 1, .K = 72, .N = 8, .block_size = 16, .dtype = DType::float32}));
  EXPECT_THAT(refusal(p), HasSubstr("K % blockSize == 0 is false"));
}

}  // namespace
}  // namespace halfbyte::gpu
