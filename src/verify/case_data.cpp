#include <cmath>
#include <limits>

#include "base/hash.hpp"
#include "tensor/half.hpp"
#include "verify/case.hpp"
#include "verify/materialize.hpp"
#include "verify/recipe.hpp"

namespace halfbyte {
namespace {

using Inputs = std::map<std::string, HostTensor, std::less<>>;

const HostTensor* find(const Inputs& inputs, const std::string& key) {
  const auto it = inputs.find(key);
  return it == inputs.end() ? nullptr : &it->second;
}

Problem with_constants(Problem problem, const Semantics& semantics) {
  take_weights_as_constant(problem, semantics.a);
  return problem;
}

// Column sums of squares make sums over all outputs cheap: sum_mn sum_k a^2 w^2 = sum_k (sum_m a^2)(sum_n w^2).
void add_energies(const MatMulView& view, const WeightReader& weights, ErrorTerms& terms) {
  const BlockShape& s = view.shape;
  std::vector<double> a2(static_cast<size_t>(s.K)), row(static_cast<size_t>(s.K));
  // What is not finite makes outputs that are not; the others are still held to a bound.
  for (int64_t i = 0; i < view.a->size(); ++i)
    if (const double x = view.a->at(i); std::isfinite(x)) a2[static_cast<size_t>(i % s.K)] += x * x;
  std::vector<uint8_t> codes(static_cast<size_t>(s.K));
  for (int64_t n = 0; n < s.N; ++n) {
    weights.codes(n, codes.data());
    for (int64_t b = 0; b < s.blocks(); ++b) {
      const double scale2 = std::pow(weights.scale(n, b), 2);
      const double zp = weights.zero_point(n, b);
      if (!std::isfinite(scale2) || !std::isfinite(zp)) continue;
      double direct = 0, rearranged = 0;
      for (int64_t k = b * s.block_size; k < std::min((b + 1) * s.block_size, s.K); ++k) {
        const double code = codes[static_cast<size_t>(k)];
        direct += a2[static_cast<size_t>(k)] * (code - zp) * (code - zp);
        rearranged += a2[static_cast<size_t>(k)] * (code * code + zp * zp);
      }
      terms.energy += direct * scale2;
      terms.rearranged_energy += rearranged * scale2;
    }
  }
}

// An upper bound of sum_k |a| (|code| + |zp|) |scale|, from the sums of |a| over blocks: a product of block_size times less.
std::vector<double> rearranged_magnitude(const MatMulView& view, const WeightReader& weights) {
  const BlockShape& s = view.shape;
  const int64_t blocks = s.blocks(), M = view.M();
  std::vector<double> sums(static_cast<size_t>(M * blocks)), unit(static_cast<size_t>(blocks));
  for (int64_t i = 0; i < view.a->size(); ++i)
    sums[static_cast<size_t>(i / s.K * blocks + i % s.K / s.block_size)] += std::fabs(view.a->at(i));
  std::vector<double> out(static_cast<size_t>(M * s.N));
  for (int64_t n = 0; n < s.N; ++n) {
    for (int64_t b = 0; b < blocks; ++b)
      unit[static_cast<size_t>(b)] =
          (s.max_code() + std::fabs(weights.zero_point(n, b))) * std::fabs(weights.scale(n, b));
    for (int64_t m = 0; m < M; ++m) {
      double sum = 0;
      for (int64_t b = 0; b < blocks; ++b)
        sum += sums[static_cast<size_t>(m * blocks + b)] * unit[static_cast<size_t>(b)];
      out[static_cast<size_t>(m * s.N + n)] = sum;
    }
  }
  return out;
}

double min_normal(DType dtype) { return dtype == DType::float16 ? 0x1p-14 : 0x1p-126; }

// A copy with subnormal numbers as zeros; sets `any` when there was one.
HostTensor flushed(const HostTensor& t, bool& any) {
  HostTensor copy = t;
  const double limit = min_normal(t.dtype);
  for (int64_t i = 0; i < t.size(); ++i) {
    const double x = std::fabs(t.at(i));
    if (x == 0 || !(x < limit)) continue;
    any = true;
    if (t.dtype == DType::float16)
      copy.as<uint16_t>()[static_cast<size_t>(i)] = 0;
    else
      copy.as<float>()[static_cast<size_t>(i)] = 0;
  }
  return copy;
}

Result<void> add_flushable(MatMulView view, const std::vector<double>& magnitude, ErrorTerms& terms) {
  bool any = false;
  const HostTensor a = flushed(*view.a, any), scales = flushed(*view.scales, any);
  if (!any) return {};
  view.a = &a;
  view.scales = &scales;
  view.bias = nullptr;
  HB_TRY(const ReferenceResult rest, reference_matmul(view));
  terms.flushable.resize(magnitude.size());
  for (size_t i = 0; i < magnitude.size(); ++i) terms.flushable[i] = std::fmax(magnitude[i] - rest.magnitude[i], 0);
  return {};
}

Result<void> check_expect(const Case& c, const CaseData& data) {
  for (const auto& [what, wanted] : c.expect) {
    const auto& y = data.expected;
    double got = std::numeric_limits<double>::quiet_NaN();
    if (y.empty()) {
    } else if (what == "first") {
      got = y.front();
    } else if (what == "last") {
      got = y.back();
    } else {
      got = 0;  // wsum: each element times 1 + its index mod 97
      for (size_t i = 0; i < y.size(); ++i) got += y[i] * (what == "wsum" ? static_cast<double>(1 + i % 97) : 1.0);
    }
    if (!(std::fabs(got - wanted) <= 1e-12 * std::fabs(wanted)))
      return fail(ErrorCode::invalid_argument,
                  std::format("case {}: fill {} gives {} = {} by the reference, but expect says {}", c.problem.id,
                              c.fill, what, got, wanted));
  }
  return {};
}

}  // namespace

MatMulView view_of(const CaseData& data) {
  const Semantics& m = data.semantics;
  MatMulView view;
  view.shape = data.shape;
  view.a = find(data.inputs, m.a);
  view.codes = find(data.inputs, m.codes.input);
  view.code_layout = m.codes.layout;
  view.scales = find(data.inputs, m.scales.input);
  view.scales_layout = m.scales.layout;
  view.zero_points = find(data.inputs, m.zero_points.input);
  view.zero_points_layout = m.zero_points.layout;
  view.bias = find(data.inputs, m.bias);
  return view;
}

Result<CaseData> case_data_from_inputs(const Semantics& semantics, const BlockShape& shape, const Problem& problem,
                                       Inputs inputs, bool structured) {
  for (const auto& key : {semantics.a, semantics.codes.input, semantics.scales.input})
    if (!inputs.contains(key))
      return fail(ErrorCode::invalid_argument, std::format("input {} is missing from {}", key, problem.id));
  CaseData data;
  data.inputs = std::move(inputs);
  data.problem = with_constants(problem, semantics);
  data.semantics = semantics;
  data.shape = shape;
  data.output_key = semantics.y;
  const MatMulView view = view_of(data);
  data.output = view.a->desc();
  if (data.output.shape.empty())
    return fail(ErrorCode::invalid_argument,
                std::format("input {} is a scalar but needs K={} columns", semantics.a, shape.K));
  data.output.shape.back() = shape.N;
  HB_TRY(ReferenceResult truth, reference_matmul(view));
  data.expected = std::move(truth.y);
  data.magnitude = std::move(truth.magnitude);
  data.terms.structured = structured;
  for (const double y : data.expected)
    if (std::isfinite(y)) data.terms.y2 += y * y;
  HB_TRY(const WeightReader weights, WeightReader::make(view));
  add_energies(view, weights, data.terms);
  data.terms.rearranged = rearranged_magnitude(view, weights);
  HB_CHECK(add_flushable(view, data.magnitude, data.terms));
  return data;
}

namespace {

// Cases come with packages, from strangers: they are held to what a check of a kernel can need. M * N * K at a thousand million products
// a second is four minutes here.
constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 30;
constexpr double kMaxProducts = 0x1p38;

Result<void> check_size(const Semantics& semantics, const BlockShape& shape, const Case& c) {
  const auto too_large = [&](const std::string& what) {
    return fail(ErrorCode::limit, std::format("case {}: {}", c.problem.id, what));
  };
  for (const auto& [key, desc] : c.problem.inputs) {
    const auto count = element_count(desc.shape);
    if (!count || static_cast<uint64_t>(*count) > kMaxTensorBytes / byte_size(desc.dtype))
      return too_large(std::format("the input {} of shape {} is larger than 1 GiB", key, to_string(desc.shape)));
  }
  const auto a = c.problem.inputs.find(semantics.a);
  if (a == c.problem.inputs.end()) return {};
  const double elements = static_cast<double>(element_count(a->second.shape).value_or(0));
  const double outputs = elements / static_cast<double>(std::max<int64_t>(shape.K, 1)) * static_cast<double>(shape.N);
  if (outputs * sizeof(double) > static_cast<double>(kMaxTensorBytes) / 4)
    return too_large(std::format("the expected output has {:.0f} elements, more than 256 MiB of doubles", outputs));
  if (elements * static_cast<double>(shape.N) > kMaxProducts)
    return too_large(std::format("the reference would take {:.3g} products, at most {:.3g} are made",
                                 elements * static_cast<double>(shape.N), kMaxProducts));
  return {};
}

}  // namespace

Result<CaseData> make_case_data(const Semantics& semantics, const BlockShape& shape, const Case& c, uint64_t run_seed) {
  HB_CHECK(check_size(semantics, shape, c));
  RecipeInput in;
  in.shape = shape;
  in.seed = c.seed ? c.seed : Hasher().add(run_seed).add(c.problem.id).add(c.fill).finish().lo;
  if (const auto a = c.problem.inputs.find(semantics.a); a != c.problem.inputs.end()) {
    in.dtype = a->second.dtype;
    in.M = element_count(a->second.shape).value_or(0) / std::max<int64_t>(shape.K, 1);
  }
  if (const auto zp = c.problem.inputs.find(semantics.zero_points.input); zp != c.problem.inputs.end()) {
    in.has_zero_points = true;
    in.packed_zero_points = zp->second.dtype == DType::uint8;
  }
  HB_TRY(const Recipe recipe, make_recipe(c.fill, in));
  HB_TRY(Inputs inputs, materialize(recipe, semantics, shape, c.problem));
  HB_TRY(CaseData data, case_data_from_inputs(semantics, shape, c.problem, std::move(inputs), recipe.structured));
  // Digits of f16 are too few to be fresh, and those of f32 where a sum's last place is as large as A's spread, 0.4 % of its size:
  // 2^-23 K against 0.004, with a factor of 2 to spare.
  constexpr int64_t kFreshUpTo = 16384;
  data.terms.fresh_digits = recipe.fresh_digits && in.dtype == DType::float32 && shape.K <= kFreshUpTo;
  HB_CHECK(check_expect(c, data));
  return data;
}

}  // namespace halfbyte
