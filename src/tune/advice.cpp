#include "tune/advice.hpp"

#include <algorithm>
#include <cmath>

#include "bench/problem_key.hpp"

namespace halfbyte {
namespace {

// y at x on the line through two points, on logarithmic axes.
double interpolate(double x, double x0, double y0, double x1, double y1) {
  const double share = (std::log(x) - std::log(x0)) / (std::log(x1) - std::log(x0));
  return std::exp(std::lerp(std::log(y0), std::log(y1), share));
}

const MeasuredCandidate* find(const std::vector<MeasuredCandidate>& list, const Candidate& candidate) {
  const auto at = std::ranges::find(list, candidate, &MeasuredCandidate::candidate);
  return at == list.end() ? nullptr : &*at;
}

Advice at_point(const TunedPoint& point) {
  return {point.measured, point.default_variant, point.default_seconds, point.M, point.M};
}

Advice between(const TunedPoint& low, const TunedPoint& high, int64_t M) {
  const auto x = static_cast<double>(M), x0 = static_cast<double>(low.M), x1 = static_cast<double>(high.M);
  Advice advice;
  advice.low = low.M;
  advice.high = high.M;
  for (const MeasuredCandidate& one : low.measured) {
    const MeasuredCandidate* other = find(high.measured, one.candidate);
    if (other == nullptr) continue;
    advice.ranked.push_back(
        {one.candidate, interpolate(x, x0, one.seconds, x1, other->seconds), std::max(one.spread, other->spread)});
  }
  std::ranges::stable_sort(advice.ranked, {}, &MeasuredCandidate::seconds);
  // The manifest may choose differently at the two ends; a figure for "its choice" exists only where it does not.
  if (low.default_variant == high.default_variant && low.default_seconds > 0 && high.default_seconds > 0) {
    advice.default_variant = low.default_variant;
    advice.default_seconds = interpolate(x, x0, low.default_seconds, x1, high.default_seconds);
  }
  return advice;
}

std::string microseconds(double seconds) { return std::format("{:.1f} us", seconds * 1e6); }

}  // namespace

std::optional<Advice> advise(const std::map<int64_t, TunedPoint>& points, int64_t M) {
  if (points.empty() || M <= 0) return std::nullopt;
  const auto high = points.lower_bound(M);
  if (high == points.end()) return at_point(points.rbegin()->second);
  if (high->first == M || high == points.begin()) return at_point(high->second);
  const auto low = std::prev(high);
  Advice advice = between(low->second, high->second, M);
  if (!advice.ranked.empty()) return advice;
  const bool nearer_low = static_cast<double>(M) / static_cast<double>(low->first) <
                          static_cast<double>(high->first) / static_cast<double>(M);
  return at_point(nearer_low ? low->second : high->second);
}

Result<std::optional<Advice>> advise(const TuningRecords& records, const RecordKey& key, const Package& package,
                                     const Problem& problem) {
  if (records.empty()) return std::nullopt;
  HB_TRY(const ProblemKey problem_id, problem_key(package, problem));
  const auto* points = records.find(key, problem_id.signature);
  if (points == nullptr) return std::nullopt;
  return advise(*points, problem_id.M);
}

Result<TunedPlan> plan_tuned(const Package& package, const DeviceProfile& profile, const Problem& problem,
                             const std::optional<Advice>& advice, const SelectOptions& options) {
  if (advice && options.variant.empty()) {
    for (const MeasuredCandidate& one : advice->ranked) {
      if (std::ranges::contains(options.exclude, one.candidate.variant)) continue;
      Problem tuned = with_tunables(problem, one.candidate);
      SelectOptions forced = options;
      forced.variant = one.candidate.variant;
      auto plan = plan_problem(package, profile, tuned, forced);
      if (plan) return TunedPlan{std::move(*plan), std::move(tuned), one};
      const ErrorCode code = plan.error().code;
      if (code != ErrorCode::not_eligible && code != ErrorCode::not_found && code != ErrorCode::limit)
        return std::unexpected(std::move(plan).error());
    }
  }
  HB_TRY(Plan plan, plan_problem(package, profile, problem, options));
  return TunedPlan{std::move(plan), problem, std::nullopt};
}

std::string tuned_sentence(const Advice& advice, const TunedPlan& plan) {
  if (!plan.measured) return "";
  std::string text = "tuned: " + microseconds(plan.measured->seconds);
  if (advice.default_seconds > 0)
    text += std::format(" against {} for the manifest's first choice", microseconds(advice.default_seconds));
  if (advice.low != advice.high) text += std::format(" (estimated from M={} and M={})", advice.low, advice.high);
  return text;
}

}  // namespace halfbyte
