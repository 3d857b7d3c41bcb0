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
  std::vector<MeasuredCandidate> ranked;  // fastest first; seconds are estimates between measured numbers of rows
  std::string default_variant;            // what the manifest would choose, where it was measured
  double default_seconds = 0;             // 0: not known
  int64_t low = 0, high = 0;              // the measured numbers of rows it comes from; equal: one of them
};

// For a number of rows between two measured ones, times are interpolated on logarithmic axes, over the candidates measured
// at both; outside, and where none was measured at both, the nearest measured one is taken. Empty when `points` is.
std::optional<Advice> advise(const std::map<int64_t, TunedPoint>& points, int64_t M);

// Advice for a problem, if its key and signature are in the records. Errors: those of problem_key.
Result<std::optional<Advice>> advise(const TuningRecords& records, const RecordKey& key, const Package& package,
                                     const Problem& problem);

struct TunedPlan {
  Plan plan;
  Problem problem;                            // with the tunables that were planned with
  std::optional<MeasuredCandidate> measured;  // the advice that was followed; empty: the manifest's order
};

// The first advised candidate that can run; without advice, or when none can, the manifest's own choice. A forced variant wins over advice,
// and the problem's own tunables win over advised ones. Errors: those of plan_problem.
Result<TunedPlan> plan_tuned(const Package& package, const DeviceProfile& profile, const Problem& problem,
                             const std::optional<Advice>& advice, const SelectOptions& options = {});

// "tuned: 14.2 us against 31.0 us for the manifest's first choice"; with "estimated from M=8 and M=16" when it is. Empty for a
// plan that followed no advice.
std::string tuned_sentence(const Advice& advice, const TunedPlan& plan);

}  // namespace halfbyte
