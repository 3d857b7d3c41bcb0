// Finds the fastest of some candidates by measuring them in turn: a state machine that owns no clock and no device. The caller does
// what next() says and reports what came out:
//
//   while (const TunerStep step = tuner.next(); step.action != TunerAction::done) ... tuner.report_...(step.candidate, ...);
//
// Every candidate is verified before it is measured, so that one that computes nothing quickly cannot put a right one out. Then each
// is measured once, each a second time (its first sample may have been an outlier), and from then on those that can still be the
// fastest race, round by round, until one is left, the rest is indistinguishable from it, or the budget is used up.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "bench/statistics.hpp"
#include "tune/candidate.hpp"

namespace halfbyte {

struct TunerOptions {
  double budget_seconds = 30;  // of time used, as the caller reports it
  double tie = 0.01;           // medians nearer than this share are the same
  int min_rounds = 3;          // of the winner
  int max_rounds = 12;
};

enum class TunerAction { verify, measure, done };

struct TunerStep {
  TunerAction action = TunerAction::done;
  size_t candidate = 0;
};

struct TunerCandidate {
  Candidate candidate;
  std::optional<bool> verified;             // empty: not tried yet
  std::string why;                          // it failed
  std::vector<std::vector<double>> rounds;  // samples: seconds of one call

  bool failed() const { return verified == false; }
  Summary summary() const;    // of all its samples
  double best_round() const;  // the least of its rounds' medians; infinite before the first
};

struct TunerResult {
  // Lowest median among verified ones, or the manifest's own choice where that was as fast in its best round; empty when none was measured.
  std::optional<size_t> winner;
  std::vector<size_t> ties;  // others within noise of it
  bool complete = false;     // not cut short by the budget
  double used_seconds = 0;
};

class Tuner {
 public:
  // candidates[0] is the manifest's own choice. Precondition: at least one.
  explicit Tuner(const std::vector<Candidate>& candidates, const TunerOptions& options = {});

  // What to do now; the same answer until something is reported.
  TunerStep next() const;

  // `used`: seconds this step took, of anything that the budget should bound.
  void report_verified(size_t candidate, bool pass, std::string why, double used);
  // At least one sample, all positive; others are ignored, and a round without samples counts as a failure.
  void report_samples(size_t candidate, std::span<const double> seconds_per_call, double used);
  // It could not be compiled or run: it is out.
  void report_failure(size_t candidate, std::string why, double used);

  const std::vector<TunerCandidate>& candidates() const { return candidates_; }
  TunerResult result() const;

  // The state as JSON, and back: what is known of candidates that are still there is taken over, and the time used. Errors: parse.
  std::string save() const;
  Result<void> restore(std::string_view json_text);

 private:
  std::optional<size_t> best() const;
  bool contends(size_t candidate, size_t best) const;

  std::vector<TunerCandidate> candidates_;
  TunerOptions options_;
  double used_ = 0;
};

}  // namespace halfbyte
