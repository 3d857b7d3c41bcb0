// Tuning records -> which variant and tunables to use for a problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/plan.hpp"
#include "select/select.hpp"
#include "tune/records.hpp"

namespace halfbyte {

struct Advice {
  std::vector<MeasuredCandidate> ranked;  // best first; seconds are estimates between measured numbers of rows
  std::vector<std::string> failed;        // "label: why" of those that computed something wrong or could not run
  int64_t low = 0, high = 0;              // the measured numbers of rows it comes from; equal: one of them
};

// For a number of rows between two measured ones, times are interpolated on logarithmic axes, over the candidates measured at both;
// where none was measured at both, the nearer one is taken. Empty outside the measured numbers: there another kind of kernel may be the
// right one, and nothing is known of it.
std::optional<Advice> advise(const std::map<int64_t, TunedPoint>& points, int64_t M);

// Advice for a problem, if its key and signature are in the records. Errors: those of problem_key.
Result<std::optional<Advice>> advise(const TuningRecords& records, const RecordKey& key, const Package& package,
                                     const Problem& problem);

struct TunedPlan {
  Plan plan;
  Problem problem;                            // with the tunables that were planned with
  std::optional<MeasuredCandidate> measured;  // the advice that was followed; empty: the manifest's order
  std::string manifest_variant;               // the manifest's first choice
  double manifest_seconds = 0;                // its time by the same advice; 0: not known
};

// The first advised candidate that can run. The manifest's own choice is taken without advice, when no candidate can run, and when the
// advice has no time of it to compare with (unless it failed when it was tried): what is not known to be slower is not put aside. A
// forced variant wins over advice, and the problem's own tunables win over advised ones. Errors: those of plan_problem.
Result<TunedPlan> plan_tuned(const Package& package, const DeviceProfile& profile, const Problem& problem,
                             const std::optional<Advice>& advice, const SelectOptions& options = {});

// The same with what the records advise. Errors: those of plan_problem and problem_key.
Result<TunedPlan> plan_tuned(const Package& package, const DeviceProfile& profile, const Problem& problem,
                             const TuningRecords& records, const RecordKey& key, const SelectOptions& options = {});

// "tuned: 14.2 us against 31.0 us for the manifest's first choice, gemv"; with "estimated from M=8 and M=16" when it is. Empty for a
// plan that followed no advice.
std::string tuned_sentence(const Advice& advice, const TunedPlan& plan);

}  // namespace halfbyte
