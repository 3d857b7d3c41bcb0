#include "tune/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace halfbyte {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A candidate this much slower than the best after two rounds needs no error bars.
constexpr double kHopeless = 1.5;

}  // namespace

Summary TunerCandidate::summary() const {
  std::vector<double> all;
  for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
  return summarize(all);
}

double TunerCandidate::best_round() const {
  double best = kInfinity;
  for (const auto& round : rounds) best = std::min(best, summarize(round).median);
  return best;
}

Tuner::Tuner(const std::vector<Candidate>& candidates, const TunerOptions& options) : options_(options) {
  for (const Candidate& candidate : candidates) candidates_.push_back({candidate, std::nullopt, {}, {}});
}

// Medians of few rounds are compared by the best round, which one outlier does not touch.
std::optional<size_t> Tuner::best() const {
  std::optional<size_t> best;
  double least = kInfinity;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const TunerCandidate& c = candidates_[i];
    if (c.failed() || c.rounds.empty()) continue;
    const double median = c.rounds.size() < 3 ? c.best_round() : c.summary().median;
    if (median < least) {
      least = median;
      best = i;
    }
  }
  return best;
}

bool Tuner::contends(size_t candidate, size_t best) const {
  const TunerCandidate& c = candidates_[candidate];
  if (c.failed()) return false;
  if (candidate == best || c.rounds.size() < 2) return true;
  const Summary mine = c.summary(), its = candidates_[best].summary();
  const double gap = c.best_round() - its.median;
  if (c.best_round() > kHopeless * its.median) return false;
  return gap <= std::max(options_.tie * its.median, 2 * std::hypot(mine.median_error(), its.median_error()));
}

TunerStep Tuner::next() const {
  if (used_ >= options_.budget_seconds) return {};
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const TunerCandidate& c = candidates_[i];
    if (!c.verified) return {TunerAction::verify, i};
    if (!c.failed() && c.rounds.empty()) return {TunerAction::measure, i};
  }
  const auto leader = best();
  if (!leader) return {};
  size_t fewest = candidates_.size();
  size_t contenders = 0;
  bool all_tied = true;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (!contends(i, *leader)) continue;
    ++contenders;
    const auto rounds = candidates_[i].rounds.size();
    if (fewest == candidates_.size() || rounds < candidates_[fewest].rounds.size()) fewest = i;
    all_tied = all_tied && within_noise(candidates_[i].summary(), candidates_[*leader].summary(), options_.tie) &&
               rounds >= static_cast<size_t>(options_.min_rounds);
  }
  const size_t rounds = candidates_[fewest].rounds.size();
  if (contenders == 1 && rounds >= static_cast<size_t>(options_.min_rounds)) return {};
  if (rounds >= static_cast<size_t>(options_.max_rounds)) return {};
  // Noise may hide a difference that more rounds would show; past twice the least number it is not worth the time.
  if (all_tied && rounds >= 2 * static_cast<size_t>(options_.min_rounds)) return {};
  return {TunerAction::measure, fewest};
}

void Tuner::report_verified(size_t candidate, bool pass, std::string why, double used) {
  candidates_[candidate].verified = pass;
  candidates_[candidate].why = pass ? std::string() : std::move(why);
  used_ += used;
}

void Tuner::report_samples(size_t candidate, std::span<const double> seconds_per_call, double used) {
  std::vector<double> round;
  for (const double seconds : seconds_per_call) {
    if (std::isfinite(seconds) && seconds > 0) round.push_back(seconds);
  }
  if (round.empty()) {
    report_failure(candidate, "its time could not be measured", used);
    return;
  }
  candidates_[candidate].rounds.push_back(std::move(round));
  used_ += used;
}

void Tuner::report_failure(size_t candidate, std::string why, double used) {
  report_verified(candidate, false, std::move(why), used);
}

TunerResult Tuner::result() const {
  TunerResult result;
  result.used_seconds = used_;
  result.complete =
      std::ranges::all_of(candidates_, [](const TunerCandidate& c) { return c.failed() || c.rounds.size() >= 2; });
  if (used_ >= options_.budget_seconds) {
    // Cut short, unless there was nothing left to do.
    Tuner unbounded = *this;
    unbounded.options_.budget_seconds = kInfinity;
    result.complete = unbounded.next().action == TunerAction::done;
  }
  result.winner = best();
  if (!result.winner) return result;
  // Nothing is gained by leaving the manifest's choice for one that is as fast: the difference may be noise, and turn around. Its best
  // round against the other's usual time, since outliers widen what error bars allow.
  const TunerCandidate& own = candidates_.front();
  if (!own.failed() && own.best_round() <= (1 + options_.tie) * candidates_[*result.winner].summary().median)
    result.winner = 0;
  const Summary best_summary = candidates_[*result.winner].summary();
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const TunerCandidate& c = candidates_[i];
    if (i == *result.winner || c.failed() || c.rounds.size() < 2) continue;
    if (contends(i, *result.winner) && within_noise(c.summary(), best_summary, options_.tie)) result.ties.push_back(i);
  }
  return result;
}

std::string Tuner::save() const {
  json out{{"used_seconds", used_}, {"candidates", json::array()}};
  for (const TunerCandidate& c : candidates_) {
    if (!c.verified) continue;
    out["candidates"].push_back({{"variant", c.candidate.variant},
                                 {"tunables", c.candidate.tunables},
                                 {"verified", *c.verified},
                                 {"why", c.why},
                                 {"rounds", c.rounds}});
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<void> Tuner::restore(std::string_view json_text) {
  try {
    const json in = json::parse(json_text);
    std::vector<TunerCandidate> known = candidates_;
    for (const json& item : in.at("candidates")) {
      Candidate candidate{item.at("variant"), {}};
      for (const auto& [name, value] : item.at("tunables").items()) candidate.tunables[name] = value.get<double>();
      const auto at = std::ranges::find(known, candidate, &TunerCandidate::candidate);
      if (at == known.end()) continue;
      at->verified = item.at("verified").get<bool>();
      at->why = item.at("why").get<std::string>();
      at->rounds = item.at("rounds").get<std::vector<std::vector<double>>>();
      // A time of nothing would win against every measured one.
      for (const std::vector<double>& round : at->rounds)
        if (round.empty() || std::ranges::any_of(round, [](double s) { return !(s > 0 && std::isfinite(s)); }))
          return fail(ErrorCode::parse,
                      std::format("not a tuner's state: {} has a round without positive times", candidate.label()));
    }
    used_ = in.at("used_seconds").get<double>();
    candidates_ = std::move(known);
    return {};
  } catch (const json::exception& error) {
    return fail(ErrorCode::parse, std::format("not a tuner's state: {}", error.what()));
  }
}

}  // namespace halfbyte
