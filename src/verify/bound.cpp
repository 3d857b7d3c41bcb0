#include "verify/bound.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>

namespace halfbyte {
namespace {

// WGSL does not fix the direction of rounding, so one operation is off by up to a whole unit in the last place.
constexpr double kU32 = 0x1p-23;
constexpr double kU16 = 0x1p-10;
constexpr double kTiny16 = 0x1p-24;  // spacing of subnormal binary16 numbers

double output_unit(const CaseData& data) { return data.output.dtype == DType::float16 ? kU16 : kU32; }
double output_min_normal(const CaseData& data) { return data.output.dtype == DType::float16 ? 0x1p-14 : 0x1p-126; }

double accuracy_level(const Problem& problem) {
  const auto it = problem.attrs.find("accuracy_level");
  const double* level = it == problem.attrs.end() ? nullptr : std::get_if<double>(&it->second);
  return level ? *level : 0;
}

bool rounds_a_to_f16(const CaseData& data, const Numerics& numerics) {
  return view_of(data).a->dtype == DType::float32 && (numerics.multiply == "f16" || numerics.activations == "f16");
}

// How often one product is rounded to f16: the weight, the product itself, and A where it was not f16 already.
int f16_roundings(const CaseData& data, const Numerics& numerics) {
  return (numerics.multiply == "f16" ? 2 : 0) + (rounds_a_to_f16(data, numerics) ? 1 : 0);
}

// Additions that round to f16 one after another; the rest of the sum is f32.
double f16_chain(const CaseData& data, const Numerics& numerics) {
  const double chain = static_cast<double>(data.shape.K) + 4;
  if (numerics.accumulate == "f16") return chain;
  return numerics.accumulate == "f16_block32" ? std::min(32.0, chain) : 0;
}

// Rounding A to int8 moves an element by at most max|A|/254 of its group; what that does to each output and to all.
struct Int8Error {
  std::vector<double> element;
  double frobenius2 = 0;
};

Int8Error int8_error(const CaseData& data, int64_t group) {
  const MatMulView view = view_of(data);
  const int64_t K = data.shape.K, N = data.shape.N, M = view.M(), groups = (K + group - 1) / group;
  std::vector<double> steps(static_cast<size_t>(M * groups)), step2(static_cast<size_t>(groups));
  for (int64_t i = 0; i < view.a->size(); ++i) {
    double& step = steps[static_cast<size_t>(i / K * groups + i % K / group)];
    step = std::max(step, std::fabs(view.a->at(i)) / 254);
  }
  for (size_t i = 0; i < steps.size(); ++i) step2[i % static_cast<size_t>(groups)] += steps[i] * steps[i];
  Int8Error out;
  out.element.resize(static_cast<size_t>(M * N));
  const auto weights = WeightReader::make(view);
  if (!weights) return out;
  std::vector<double> row(static_cast<size_t>(K)), sums(static_cast<size_t>(groups));
  for (int64_t n = 0; n < N; ++n) {
    weights->dequantize(n, row.data());
    std::ranges::fill(sums, 0.0);
    for (int64_t k = 0; k < K; ++k) {
      const double w = std::fabs(row[static_cast<size_t>(k)]);
      sums[static_cast<size_t>(k / group)] += w;
      if (std::isfinite(w)) out.frobenius2 += w * w * step2[static_cast<size_t>(k / group)];
    }
    for (int64_t m = 0; m < M; ++m)
      for (int64_t g = 0; g < groups; ++g)
        out.element[static_cast<size_t>(m * N + n)] +=
            sums[static_cast<size_t>(g)] * steps[static_cast<size_t>(m * groups + g)];
  }
  constexpr double kDivision = 1 + 0x1p-10;  // a / scale is rounded before it is rounded to an integer
  for (double& e : out.element) e *= kDivision;
  return out;
}

double square_sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values)
    if (std::isfinite(v)) sum += v * v;
  return sum;
}

}  // namespace

std::optional<int64_t> int8_group(const std::string& activations, int64_t K) {
  if (!activations.starts_with("int8")) return std::nullopt;
  if (activations == "int8/row") return std::max<int64_t>(K, 1);
  int64_t group = 128;
  if (activations.starts_with("int8/"))
    std::from_chars(activations.data() + 5, activations.data() + activations.size(), group);
  return std::max<int64_t>(group, 1);
}

std::string forbidden_numerics(const CaseData& data, const Numerics& numerics) {
  const double level = accuracy_level(data.problem);
  if (numerics.activations.starts_with("int8") && level != 4)
    return std::format("the variant rounds activations to {}, which accuracy_level {} does not allow (4 does)",
                       numerics.activations, level);
  if (rounds_a_to_f16(data, numerics) && level < 2)
    return std::format(
        "the variant rounds float32 activations to f16, which accuracy_level {} does not allow (2 or more does)",
        level);
  return {};
}

double f16_ulp(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| in [2^(exponent-1), 2^exponent)
  return x == 0 ? kTiny16 : std::ldexp(1.0, std::max(exponent - 11, -24));
}

ErrorBound error_bound(const CaseData& data, const Numerics& numerics) {
  const ErrorTerms& t = data.terms;
  const auto K = static_cast<double>(data.shape.K);
  const size_t count = data.expected.size();
  const double chain = K + 4;  // additions of one output: its products, the bias, joining lanes
  const double chain16 = f16_chain(data, numerics);
  const double roundings16 = f16_roundings(data, numerics);
  const double out_unit = output_unit(data), min_normal = output_min_normal(data);
  const auto group = int8_group(numerics.activations, data.shape.K);
  const Int8Error int8 = group ? int8_error(data, *group) : Int8Error{};

  // Partial sums: of random terms a random walk that ends at Y, whose roundings are independent; of structured terms they
  // grow to their full size, and equal terms are rounded the same way every time, so the roundings add up. Fresh digits: full size, but
  // independent roundings; not where the variant takes the digits away first.
  const bool fresh = t.fresh_digits && roundings16 == 0 && chain16 == 0 && !group;
  const double structured_sums =
      fresh ? (chain + 2) * square_sum(t.rearranged) : chain * chain * square_sum(t.rearranged) / 3;
  const double sums =
      t.structured ? structured_sums : chain * (t.y2 / 3 + t.rearranged_energy / 2) + 2 * t.rearranged_energy;
  const double sums16 =
      t.structured ? chain16 * chain16 * square_sum(data.magnitude) / 3 : chain16 * (t.y2 / 3 + t.energy / 2);
  // Roundings of one element, in whole units.
  const double reach = t.structured && !fresh ? chain : 2 * (std::sqrt(K) + 4);
  const double reach16 = t.structured ? chain16 : 2 * std::sqrt(chain16);
  double square =
      kU32 * kU32 * sums + kU16 * kU16 * sums16 +
      kU16 * kU16 * (t.structured ? roundings16 * roundings16 * square_sum(data.magnitude) : roundings16 * t.energy) +
      (t.structured ? square_sum(int8.element) : int8.frobenius2) + out_unit * out_unit * t.y2 +
      square_sum(t.flushable);
  const double tiny16 = roundings16 + chain16 > 0 ? K * kTiny16 : 0;  // subnormal f16 numbers are far apart
  square += static_cast<double>(count) * tiny16 * tiny16;
  ErrorBound bound;
  bound.element.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const double y = std::fabs(data.expected[i]);
    double e = t.flushable.empty() ? 0 : t.flushable[i];
    if (t.rearranged[i] > 0) {  // else every term is exactly zero and the output is the bias
      e += (data.output.dtype == DType::float16 ? f16_ulp(y) : out_unit * y) + K * 0x1p-126;
      e += kU32 * reach * t.rearranged[i];
      e += kU16 * (reach16 + roundings16) * data.magnitude[i] + tiny16;
      if (y < min_normal) {
        e += min_normal;
        square += min_normal * min_normal;
      }
      if (group) e += int8.element[i];
    }
    bound.element[i] = e;
  }
  // The norm of n independent errors stays below sqrt(n) + 6 of their deviation but for one run in 10^8.
  const double few = count ? 1 + 6 / std::sqrt(static_cast<double>(count)) : 1;
  bound.frobenius = few * std::sqrt(square);
  return bound;
}

}  // namespace halfbyte
