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

Advice at_point(const TunedPoint& point) { return {point.measured, point.failed, point.M, point.M}; }

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
  if (advice.ranked.empty()) return advice;
  std::ranges::stable_sort(advice.ranked, {}, &MeasuredCandidate::seconds);
  // The winner at both ends is it in between as well, also where a tie was decided in its favour.
  const Candidate& winner = low.measured.front().candidate;
  if (winner == high.measured.front().candidate)
    std::ranges::stable_partition(advice.ranked, [&](const MeasuredCandidate& one) { return one.candidate == winner; });
  advice.failed = low.failed;
  advice.failed.insert(advice.failed.end(), high.failed.begin(), high.failed.end());
  return advice;
}

bool failed(const Advice& advice, const Candidate& candidate) {
  return std::ranges::any_of(advice.failed,
                             [&](const std::string& entry) { return entry.starts_with(candidate.label() + ":"); });
}

std::string microseconds(double seconds) { return std::format("{:.1f} us", seconds * 1e6); }

}  // namespace

std::optional<Advice> advise(const std::map<int64_t, TunedPoint>& points, int64_t M) {
  const auto high = points.lower_bound(M);
  if (high == points.end()) return std::nullopt;
  if (high->first == M) return at_point(high->second);
  if (high == points.begin()) return std::nullopt;
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
  HB_TRY(Plan own, plan_problem(package, profile, problem, options));
  TunedPlan manifests{std::move(own), problem, std::nullopt, {}, 0};
  manifests.manifest_variant = manifests.plan.variant;
  if (!advice || !options.variant.empty()) return manifests;
  const Candidate first{manifests.plan.variant, {}};
  const MeasuredCandidate* known = find(advice->ranked, first);
  if (known == nullptr && !failed(*advice, first)) return manifests;
  if (known != nullptr) manifests.manifest_seconds = known->seconds;
  for (const MeasuredCandidate& one : advice->ranked) {
    if (&one == known) {
      manifests.measured = one;
      return manifests;
    }
    if (std::ranges::contains(options.exclude, one.candidate.variant)) continue;
    Problem tuned = with_tunables(problem, one.candidate);
    SelectOptions forced = options;
    forced.variant = one.candidate.variant;
    auto plan = plan_problem(package, profile, tuned, forced);
    if (plan)
      return TunedPlan{std::move(*plan), std::move(tuned), one, manifests.manifest_variant, manifests.manifest_seconds};
    const ErrorCode code = plan.error().code;
    if (code != ErrorCode::not_eligible && code != ErrorCode::not_found && code != ErrorCode::limit)
      return std::unexpected(std::move(plan).error());
  }
  return manifests;
}

Result<TunedPlan> plan_tuned(const Package& package, const DeviceProfile& profile, const Problem& problem,
                             const TuningRecords& records, const RecordKey& key, const SelectOptions& options) {
  HB_TRY(const std::optional<Advice> advice, advise(records, key, package, problem));
  return plan_tuned(package, profile, problem, advice, options);
}

std::string tuned_sentence(const Advice& advice, const TunedPlan& plan) {
  if (!plan.measured) return "";
  std::string text = "tuned: " + microseconds(plan.measured->seconds);
  if (plan.measured->candidate == Candidate{plan.manifest_variant, {}}) {
    text += ", the manifest's first choice is the fastest";
  } else if (plan.manifest_seconds > 0) {
    text += std::format(" against {} for the manifest's first choice, {}", microseconds(plan.manifest_seconds),
                        plan.manifest_variant);
  } else {
    text += std::format("; the manifest's first choice, {}, failed", plan.manifest_variant);
  }
  if (advice.low != advice.high) text += std::format(" (estimated from M={} and M={})", advice.low, advice.high);
  return text;
}

}  // namespace halfbyte
