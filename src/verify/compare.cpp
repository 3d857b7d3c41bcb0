#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/half.hpp"
#include "verify/bound.hpp"
#include "verify/case.hpp"

namespace halfbyte {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "[3,17]": the place of a flat index in the output.
std::string place(const CaseData& data, int64_t index) {
  Shape at(data.output.shape.size());
  for (size_t d = at.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(data.output.shape[d], 1);
    at[d] = index % size;
    index /= size;
  }
  return to_string(at);
}

enum class Mode { frobenius, element, exact, ulp };

Mode choose_mode(const Case& c, const CaseData& data, const Numerics& numerics) {
  if (c.tolerance == "bound" || numerics.accumulate.starts_with("f16")) return Mode::frobenius;
  // Int8 activations lose nothing on recipe Q; on anything else they are held to their own bound.
  if (int8_group(numerics.activations, data.shape.K) && c.fill != "Q") return Mode::element;
  return c.tolerance == "exact" ? Mode::exact : Mode::ulp;
}

// Nothing but a correct rounding of the exact value, in either direction.
double exact_allowance(const CaseData& data, double expected) {
  if (data.output.dtype != DType::float16) return 0;
  const bool representable = half_to_float(double_to_half(expected)) == expected;
  return representable ? 0 : f16_ulp(expected);
}

struct Tally {
  double square = 0, reference_square = 0;  // of finite elements
  double ratio = 0;                         // largest error / allowance
  int64_t ratio_at = -1, first_nan = -1, first_missed_overflow = -1;
};

// The value that the output type would hold: float32 rounding of the reference for exact comparison, infinity past f16.
bool overflows(const CaseData& data, double expected) {
  const double most =
      data.output.dtype == DType::float16 ? 65504.0 : static_cast<double>(std::numeric_limits<float>::max());
  return std::fabs(expected) > most;
}

// Outputs that have no finite right value. True when the element is dealt with.
bool judge_special(const CaseData& data, double expected, double got, double allowed, int64_t i, Tally& tally) {
  if (!std::isfinite(expected)) {  // the reference is infinite or NaN: so must the result be
    if (std::isfinite(got) && tally.first_missed_overflow < 0) tally.first_missed_overflow = i;
    return true;
  }
  if (!overflows(data, expected)) return false;
  const bool right = std::isinf(got) ? std::signbit(got) == std::signbit(expected)
                                     : std::fabs(got - expected) <= allowed + std::fabs(expected) * 0x1p-10;
  if (!right && tally.first_missed_overflow < 0) tally.first_missed_overflow = i;
  return true;
}

void judge(Mode mode, const CaseData& data, const HostTensor& output, const ErrorBound& bound, Comparison& result,
           Tally& tally) {
  for (int64_t i = 0; i < output.size(); ++i) {
    const auto index = static_cast<size_t>(i);
    double expected = data.expected[index];
    const double got = output.at(i);
    double allowed = bound.element[index];
    if (mode == Mode::exact) allowed = exact_allowance(data, expected);
    if (mode == Mode::ulp) allowed = f16_ulp(expected);
    if (judge_special(data, expected, got, allowed, i, tally)) continue;
    if (!std::isfinite(got)) {
      ++result.nans;
      if (tally.first_nan < 0) tally.first_nan = i;
      continue;
    }
    if (mode == Mode::exact && data.output.dtype == DType::float32) expected = static_cast<float>(expected);
    const double error = std::fabs(got - expected);
    tally.square += error * error;
    tally.reference_square += expected * expected;
    if (result.worst < 0 || error > result.max_abs_error) {
      result.max_abs_error = error;
      result.worst = i;
    }
    const double ratio = error == 0 ? 0 : allowed > 0 ? error / allowed : kInfinity;
    if (ratio > tally.ratio || tally.ratio_at < 0) {
      tally.ratio = ratio;
      tally.ratio_at = i;
    }
  }
}

std::string at_element(const CaseData& data, const HostTensor& output, int64_t i) {
  return std::format("at {}: got {}, expected {}", place(data, i), output.at(i), data.expected[static_cast<size_t>(i)]);
}

// Sets error, bound, pass and why from the tally; special values have been judged before.
void conclude(Mode mode, const CaseData& data, const HostTensor& output, const ErrorBound& bound, const Tally& tally,
              Comparison& result) {
  if (mode == Mode::frobenius) {
    const double norm = std::sqrt(tally.reference_square);
    const double unit = norm > 0 ? norm : 1;  // a reference of zeros: absolute figures
    result.error = std::sqrt(tally.square) / unit;
    result.bound = bound.frobenius / unit;
    if (!(result.error <= result.bound)) {
      result.why = std::format("relative error {:.3g} exceeds the bound {:.3g}, worst {}", result.error, result.bound,
                               at_element(data, output, result.worst));
      return;
    }
    if (tally.ratio > 1) {
      result.why = std::format("one element is off by {:.3g} times what rounding explains, {}", tally.ratio,
                               at_element(data, output, tally.ratio_at));
      return;
    }
    result.pass = true;
    return;
  }
  const bool nothing_allowed = mode == Mode::exact && data.output.dtype != DType::float16;
  result.error = nothing_allowed ? result.max_abs_error : tally.ratio;
  result.bound = nothing_allowed ? 0 : 1;
  result.pass = result.error <= result.bound;
  if (!result.pass) {
    const char* rule = mode == Mode::exact ? "must be exact"
                       : mode == Mode::ulp ? "must be within one f16 ulp"
                                           : "must be within the int8 bound";
    result.why = std::format("the result {} but is not {}", rule, at_element(data, output, tally.ratio_at));
  }
}

}  // namespace

Comparison compare(const Case& c, const CaseData& data, const HostTensor& output, const Numerics& numerics) {
  Comparison result;
  if (output.desc() != data.output || output.size() != static_cast<int64_t>(data.expected.size())) {
    result.why = std::format("the output is {} {} but must be {} {}", name(output.dtype), to_string(output.shape),
                             name(data.output.dtype), to_string(data.output.shape));
    return result;
  }
  if (std::string why = forbidden_numerics(data, numerics); !why.empty()) {
    result.why = std::move(why);
    return result;
  }
  const Mode mode = choose_mode(c, data, numerics);
  const ErrorBound bound = error_bound(data, numerics);
  Tally tally;
  judge(mode, data, output, bound, result, tally);
  if (result.worst >= 0) {
    result.worst_got = output.at(result.worst);
    result.worst_expected = data.expected[static_cast<size_t>(result.worst)];
  }
  if (tally.first_nan >= 0) {
    result.why = std::format("{} elements are NaN or infinite, the first {}", result.nans,
                             at_element(data, output, tally.first_nan));
    return result;
  }
  if (tally.first_missed_overflow >= 0) {
    result.why =
        std::format("an element should have overflowed, {}", at_element(data, output, tally.first_missed_overflow));
    return result;
  }
  conclude(mode, data, output, bound, tally, result);
  return result;
}

}  // namespace halfbyte
