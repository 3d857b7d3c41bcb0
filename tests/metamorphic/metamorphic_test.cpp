// Metamorphic relations: a problem is changed in a way whose effect on the result is known, and both are computed by the same variant. Rows of A
// permuted; N split and joined; K split and summed; zero points shifted with the codes; scales times a power of two that A is divided by. Each result is
// held to the reference in double and both to each other. Random problems, HALFBYTE_PROBLEMS of them (200), HALFBYTE_TEST_SEED to repeat a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <print>
#include <random>

#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "io/files.hpp"
#include "select/matmul_problem.hpp"
#include "tensor/test_seed.hpp"
#include "verify/case.hpp"

namespace halfbyte::gpu {
namespace {

using Random = std::mt19937_64;

int64_t between(Random& random, int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
}

// The operands in plain numbers, all of them exact in f16.
struct Operands {
  MatmulCall call;
  std::vector<float> a, scales, zero_points, bias;
  std::vector<uint8_t> codes;  // [N][blocks * block_size]

  int64_t blocks() const { return (call.K + call.block_size - 1) / call.block_size; }
  int64_t padded() const { return blocks() * call.block_size; }
};

MatmulCall random_weights(Random& random, bool has_f16) {
  MatmulCall call;
  constexpr std::array<int64_t, 3> kBits{2, 4, 8}, kBlocks{16, 32, 64};
  call.bits = kBits[random() % 3];
  call.block_size = kBlocks[random() % 3];
  call.K = between(random, 2, 12) * call.block_size - (random() % 3 == 0 ? between(random, 1, call.block_size - 1) : 0);
  call.N = random() % 2 == 0 ? between(random, 1, 20) * 8 : between(random, 1, 150);
  call.dtype = has_f16 && random() % 2 == 0 ? DType::float16 : DType::float32;
  call.zero_points = random() % 2 == 0;
  call.bias = random() % 2 == 0;
  if (random() % 3 == 0) call.accuracy_level = 4;
  return call;
}

Operands random_operands(const MatmulCall& call, Random& random) {
  Operands o;
  o.call = call;
  const auto fill = [&](std::vector<float>& values, int64_t count, auto make) {
    values.resize(static_cast<size_t>(count));
    for (float& v : values) v = make();
  };
  fill(o.a, call.M * call.K, [&] { return static_cast<float>(between(random, -64, 64)) / 64; });
  fill(o.scales, call.N * o.blocks(), [&] { return static_cast<float>(between(random, 1, 31)) / 512; });
  // Codes leave room to be shifted by one; the zero point as well.
  const int64_t most = (int64_t{1} << call.bits) - 2;
  if (call.zero_points)
    fill(o.zero_points, call.N * o.blocks(), [&] { return static_cast<float>(between(random, 0, most)); });
  if (call.bias) fill(o.bias, call.N, [&] { return static_cast<float>(between(random, -16, 16)) / 8; });
  o.codes.resize(static_cast<size_t>(call.N * o.padded()));
  for (uint8_t& code : o.codes) code = static_cast<uint8_t>(between(random, 0, most));
  return o;
}

HostTensors tensors_of(const Operands& o) {
  HostTensors inputs;
  inputs.emplace("aT", HostTensor::from_floats(o.call.dtype, {o.call.M, o.call.K}, o.a));
  inputs.emplace("scalesT", HostTensor::from_floats(o.call.dtype, {o.call.N, o.blocks()}, o.scales));
  if (o.call.zero_points)
    inputs.emplace("zeroPointsT", HostTensor::from_floats(o.call.dtype, {o.call.N, o.blocks()}, o.zero_points));
  if (o.call.bias) inputs.emplace("biasT", HostTensor::from_floats(o.call.dtype, {o.call.N}, o.bias));
  const int64_t per_byte = 8 / o.call.bits;
  HostTensor packed = HostTensor::zeros(DType::uint8, {o.call.N, o.blocks(), o.call.block_size / per_byte});
  for (size_t i = 0; i < o.codes.size(); ++i)
    packed.data[i / static_cast<size_t>(per_byte)] |=
        static_cast<std::byte>(o.codes[i] << (i % static_cast<size_t>(per_byte) * static_cast<size_t>(o.call.bits)));
  inputs.emplace("bT", std::move(packed));
  return inputs;
}

// Columns [begin, end) of N.
Operands columns(const Operands& o, int64_t begin, int64_t end) {
  Operands part = o;
  part.call.N = end - begin;
  const auto cut = [&](auto& values, int64_t row) {
    if (values.empty()) return;
    values = {values.begin() + begin * row, values.begin() + end * row};
  };
  cut(part.codes, o.padded());
  cut(part.scales, o.blocks());
  cut(part.zero_points, o.blocks());
  cut(part.bias, 1);
  return part;
}

// Blocks [begin, end) of K; the bias stays with the first part.
Operands blocks(const Operands& o, int64_t begin, int64_t end) {
  Operands part = o;
  const int64_t first = begin * o.call.block_size, last = std::min(end * o.call.block_size, o.call.K);
  part.call.K = last - first;
  part.call.bias = o.call.bias && begin == 0;
  if (!part.call.bias) part.bias.clear();
  part.a.clear();
  for (int64_t m = 0; m < o.call.M; ++m)
    part.a.insert(part.a.end(), o.a.begin() + m * o.call.K + first, o.a.begin() + m * o.call.K + last);
  const auto cut = [&](auto& values, int64_t row, int64_t from, int64_t to) {
    auto whole = std::move(values);
    values.clear();
    for (int64_t n = 0; n < o.call.N && !whole.empty(); ++n)
      values.insert(values.end(), whole.begin() + n * row + from, whole.begin() + n * row + to);
  };
  cut(part.codes, o.padded(), begin * o.call.block_size, end * o.call.block_size);
  cut(part.scales, o.blocks(), begin, end);
  cut(part.zero_points, o.blocks(), begin, end);
  return part;
}

struct Computed {
  std::vector<float> y;
  double allowed = 0;  // Frobenius norm of the error that the variant may make
};

// What problems share, since compiling takes nearly all of the time: weights of one shape, one row or a number of rows, the places where N and K are cut,
// and the few variants that compute them.
struct Setting {
  MatmulCall weights;
  std::array<int64_t, 2> rows{};
  int64_t n_cut = 0, k_cut = 0;  // a column; a block of K
  std::vector<std::string> variants;
};

constexpr int kProblemsPerSetting = 40;
constexpr size_t kVariantsPerSetting = 4;

class Metamorphic : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto device = Device::open();
    ASSERT_TRUE(device) << device.error().to_string();
    auto package = load_package(HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits");
    ASSERT_TRUE(package) << package.error().to_string();
    kernel = Kernel::create(Runtime::create(*device), *package);
  }
  static void TearDownTestSuite() { kernel.reset(); }

  // By `variant` where it can, else by the one that would be chosen. Adds a failure when the result is not that of the reference.
  static Computed compute(const Operands& o, const std::string& variant) {
    const auto problem = matmul_problem(kernel->package(), o.call);
    if (!problem) return ADD_FAILURE() << problem.error().to_string(), Computed{};
    SelectOptions options;
    options.variant = variant;
    auto call = kernel->prepare(*problem, options);
    if (!call && (call.error().code == ErrorCode::not_eligible || call.error().code == ErrorCode::limit))
      call = kernel->prepare(*problem);
    if (!call) return ADD_FAILURE() << call.error().to_string(), Computed{};
    const HostTensors inputs = tensors_of(o);
    const auto outputs = run(**call, inputs);
    if (!outputs) return ADD_FAILURE() << outputs.error().to_string(), Computed{};
    auto data = case_data_from_inputs(kernel->package(), *problem, {inputs.begin(), inputs.end()});
    if (!data) return ADD_FAILURE() << data.error().to_string(), Computed{};
    Case c;
    c.problem = data->problem;
    const Plan& plan = (*call)->plan();
    const HostTensor& y = outputs->at(data->output_key);
    const Comparison compared =
        compare(c, *data, y, {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations});
    EXPECT_TRUE(compared.pass) << problem->id << " by " << plan.variant << ": " << compared.why;
    double norm = 0;
    for (const double v : data->expected) norm += v * v;
    return {y.to_floats(), compared.bound * (norm > 0 ? std::sqrt(norm) : 1)};
  }

  static std::vector<std::string> eligible(const MatmulCall& call) {
    std::vector<std::string> list;
    const auto problem = matmul_problem(kernel->package(), call);
    if (!problem) return list;
    const auto verdicts = explain(kernel->package(), kernel->device().profile(), *problem);
    if (!verdicts) return list;
    for (const VariantVerdict& v : *verdicts)
      if (v.verdict != Verdict::rejected) list.push_back(v.variant);
    return list;
  }

  // `used`: how often each variant was taken so far; those that were least come first, so that a run meets all of them.
  static Setting random_setting(Random& random, bool has_f16, const std::map<std::string, int>& used) {
    Setting s;
    s.weights = random_weights(random, has_f16);
    s.rows = {1, random() % 3 == 0 ? between(random, 33, 80) : between(random, 2, 32)};
    s.n_cut = s.weights.N < 2 ? 0 : between(random, 1, s.weights.N - 1);
    const int64_t blocks = (s.weights.K + s.weights.block_size - 1) / s.weights.block_size;
    s.k_cut = between(random, 1, blocks - 1);
    for (const int64_t M : s.rows) {
      s.weights.M = M;
      for (const std::string& variant : eligible(s.weights))
        if (!std::ranges::contains(s.variants, variant)) s.variants.push_back(variant);
    }
    std::ranges::shuffle(s.variants, random);
    std::ranges::stable_sort(s.variants, {}, [&](const std::string& v) {
      const auto found = used.find(v);
      return found == used.end() ? 0 : found->second;
    });
    s.variants.resize(std::min(s.variants.size(), kVariantsPerSetting));
    return s;
  }

  static std::shared_ptr<Kernel> kernel;
};
std::shared_ptr<Kernel> Metamorphic::kernel;

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i]) - b[i], 2);
  return std::sqrt(sum);
}

constexpr std::array<const char*, 5> kRelations{"rows permuted", "N split", "K split", "zero points shifted",
                                                "scales times a power of two"};

TEST_F(Metamorphic, WhatMustNotChangeTheResultDoesNot) {
  const char* wanted = std::getenv("HALFBYTE_PROBLEMS");
  const int count = wanted ? std::max(1, std::atoi(wanted)) : 200;
  const uint64_t seed = test_seed();
  RecordProperty("seed", std::to_string(seed));
  const bool has_f16 = kernel->device().profile().has_feature("shader-f16");
  std::map<std::string, int> by_variant, by_relation;
  Setting setting;
  for (int i = 0; i < count && !HasFailure(); ++i) {
    Random random(seed + static_cast<uint64_t>(i));
    if (i % kProblemsPerSetting == 0) setting = random_setting(random, has_f16, by_variant);
    ASSERT_FALSE(setting.variants.empty()) << describe(setting.weights);
    const std::string variant = setting.variants[random() % setting.variants.size()];
    MatmulCall weights = setting.weights;
    do {
      weights.M = setting.rows[random() % setting.rows.size()];
    } while (!std::ranges::contains(eligible(weights), variant));
    const Operands base = random_operands(weights, random);
    const size_t relation = random() % kRelations.size();
    SCOPED_TRACE(
        std::format("problem {} of seed {}: {} {} by {}", i, seed, kRelations[relation], describe(weights), variant));
    Computed expected = compute(base, variant), got;
    switch (relation) {
      case 0: {
        std::vector<int64_t> order(static_cast<size_t>(weights.M));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, random);
        Operands changed = base;
        std::vector<float> y;
        for (size_t m = 0; m < order.size(); ++m) {
          std::copy_n(base.a.begin() + order[m] * weights.K, weights.K,
                      changed.a.begin() + static_cast<int64_t>(m) * weights.K);
          y.insert(y.end(), expected.y.begin() + order[m] * weights.N, expected.y.begin() + (order[m] + 1) * weights.N);
        }
        got = compute(changed, variant);
        expected.y = std::move(y);
        break;
      }
      case 1: {
        if (weights.N < 2) continue;
        const int64_t at = setting.n_cut;
        const Computed left = compute(columns(base, 0, at), variant),
                       right = compute(columns(base, at, weights.N), variant);
        if (HasFailure()) break;
        for (int64_t m = 0; m < weights.M; ++m) {
          got.y.insert(got.y.end(), left.y.begin() + m * at, left.y.begin() + (m + 1) * at);
          got.y.insert(got.y.end(), right.y.begin() + m * (weights.N - at),
                       right.y.begin() + (m + 1) * (weights.N - at));
        }
        got.allowed = left.allowed + right.allowed;
        break;
      }
      case 2: {
        const int64_t at = setting.k_cut;
        const Computed left = compute(blocks(base, 0, at), variant),
                       right = compute(blocks(base, at, base.blocks()), variant);
        if (HasFailure()) break;
        got = left;
        for (size_t j = 0; j < got.y.size(); ++j) got.y[j] += right.y[j];
        got.allowed += right.allowed;
        break;
      }
      case 3: {
        Operands changed = base;
        if (!weights.zero_points) {  // the default one becomes explicit, shifted
          changed.call.zero_points = true;
          changed.zero_points.assign(base.scales.size(), static_cast<float>(1 << (weights.bits - 1)));
        }
        for (float& zero : changed.zero_points) zero += 1;
        for (uint8_t& code : changed.codes) code = static_cast<uint8_t>(code + 1);
        got = compute(changed, variant);
        break;
      }
      default: {
        Operands changed = base;
        // Powers of two are exact, and float32 ones far beyond an f16: kernels that round A to f16 must scale it first.
        const int power = weights.dtype == DType::float32 ? static_cast<int>(between(random, -60, 60)) : 1;
        for (float& v : changed.a) v = std::ldexp(v, -power);
        for (float& v : changed.scales) v = std::ldexp(v, power);
        got = compute(changed, variant);
      }
    }
    if (HasFailure()) break;
    EXPECT_LE(distance(expected.y, got.y), expected.allowed + got.allowed);
    ++by_variant[variant];
    ++by_relation[kRelations[relation]];
  }
  std::string text;
  for (const auto* counts : {&by_relation, &by_variant})
    for (const auto& [name, n] : *counts) text += std::format("{}{} {}", text.empty() ? "" : ", ", name, n);
  std::println("HALFBYTE_TEST_SEED={}: {}", seed, text);
}

}  // namespace
}  // namespace halfbyte::gpu
