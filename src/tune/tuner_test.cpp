#include "tune/tuner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace halfbyte {
namespace {

std::vector<Candidate> make_candidates(size_t count) {
  std::vector<Candidate> out;
  for (size_t i = 0; i < count; ++i) out.push_back({"v" + std::to_string(i), {{"T", static_cast<double>(i)}}});
  return out;
}

// A made-up device: what a round of a candidate comes out as.
struct FakeDevice {
  std::vector<double> times;   // true ones
  double noise = 0.01;         // one-sided: work is never faster than it can be
  double outlier_rate = 0;     // of a whole round
  std::vector<bool> wrong;     // results; empty: none
  double step_seconds = 0.02;  // what any step takes
  int steps = 0, verified = 0, measured = 0;
  std::vector<int> rounds;

  std::vector<double> round(size_t i, std::mt19937_64& random) {
    std::normal_distribution<double> normal(0, noise);
    std::uniform_real_distribution<double> unit(0, 1);
    const double factor = unit(random) < outlier_rate ? 2 + 8 * unit(random) : 1;
    std::vector<double> samples(3);
    for (double& s : samples) s = times[i] * factor * (1 + std::fabs(normal(random)));
    return samples;
  }
};

// Runs the tuner to its end, or for at most `most` steps. `spoil` may change a round before it is reported.
void drive(Tuner& tuner, FakeDevice& device, std::mt19937_64& random, int most = 1 << 20,
           const std::function<void(size_t, std::vector<double>&)>& spoil = nullptr) {
  device.rounds.resize(device.times.size());
  for (TunerStep step = tuner.next(); step.action != TunerAction::done && most-- > 0; step = tuner.next()) {
    ++device.steps;
    ASSERT_LT(device.steps, 20000);
    if (step.action == TunerAction::verify) {
      ++device.verified;
      const bool wrong = !device.wrong.empty() && device.wrong[step.candidate];
      tuner.report_verified(step.candidate, !wrong, "the result is wrong", device.step_seconds);
      continue;
    }
    ++device.measured;
    ASSERT_TRUE(device.wrong.empty() || !device.wrong[step.candidate]) << "a wrong candidate is measured";
    std::vector<double> samples = device.round(step.candidate, random);
    if (spoil) spoil(step.candidate, samples);
    ++device.rounds[step.candidate];
    tuner.report_samples(step.candidate, samples, device.step_seconds);
  }
}

constexpr TunerOptions kNoBudget{.budget_seconds = 1e9};

TEST(Tuner, FindsTheFastestUnderNoise) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> time(10e-6, 60e-6);
  for (int trial = 0; trial < 100; ++trial) {
    FakeDevice device;
    const size_t count = 2 + random() % 30;
    for (size_t i = 0; i < count; ++i) device.times.push_back(time(random));
    Tuner tuner(make_candidates(count), kNoBudget);
    drive(tuner, device, random);
    const TunerResult result = tuner.result();
    ASSERT_TRUE(result.winner);
    EXPECT_TRUE(result.complete);
    // Nearer than the noise, any will do.
    EXPECT_LE(device.times[*result.winner], 1.02 * *std::ranges::min_element(device.times)) << "trial " << trial;
  }
}

TEST(Tuner, SurvivesOutliersInOneRoundOfTen) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  int found = 0;
  const int trials = 200;
  for (int trial = 0; trial < trials; ++trial) {
    FakeDevice device{.times = {30e-6, 20e-6, 24e-6, 40e-6, 22e-6}, .outlier_rate = 0.1};
    Tuner tuner(make_candidates(5), kNoBudget);
    drive(tuner, device, random);
    found += tuner.result().winner == 1 ? 1 : 0;
  }
  // The fastest is lost only when its first two rounds are both outliers: one in a hundred.
  EXPECT_GE(found, trials * 95 / 100);
}

// The first round of the best candidate, or the second, comes out ten times too slow.
TEST(Tuner, OneOutlierDoesNotPutTheBestOut) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int which = 0; which < 4; ++which) {
    FakeDevice device{.times = {30e-6, 20e-6, 24e-6}};
    Tuner tuner(make_candidates(3), kNoBudget);
    drive(tuner, device, random, 1 << 20, [&](size_t candidate, std::vector<double>& samples) {
      if (candidate == 1 && device.rounds[1] == which) {
        for (double& s : samples) s *= 10;
      }
    });
    EXPECT_EQ(tuner.result().winner, 1u) << "outlier in round " << which;
  }
}

TEST(Tuner, NeverPicksWhatFailedVerification) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 50; ++trial) {
    FakeDevice device{.times = {30e-6, 1e-6, 24e-6, 2e-6, 50e-6}, .wrong = {false, true, false, true, false}};
    Tuner tuner(make_candidates(5), kNoBudget);
    drive(tuner, device, random);
    const TunerResult result = tuner.result();
    EXPECT_EQ(result.winner, 2u);
    EXPECT_TRUE(result.ties.empty());
    EXPECT_TRUE(tuner.candidates()[1].failed());
    EXPECT_EQ(tuner.candidates()[1].why, "the result is wrong");
  }
}

TEST(Tuner, NothingWinsWhenAllFail) {
  std::mt19937_64 random(1);
  FakeDevice device{.times = {1e-6, 2e-6}, .wrong = {true, true}};
  Tuner tuner(make_candidates(2), kNoBudget);
  drive(tuner, device, random);
  EXPECT_FALSE(tuner.result().winner);
  EXPECT_EQ(device.measured, 0);
  EXPECT_TRUE(tuner.result().complete);
}

TEST(Tuner, StopsEarlyWhenTheWinnerIsClear) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  FakeDevice device{.times = std::vector<double>(40, 100e-6)};
  for (size_t i = 0; i < 40; ++i) device.times[i] += static_cast<double>(i) * 5e-6;
  device.times[17] = 40e-6;
  Tuner tuner(make_candidates(40), kNoBudget);
  drive(tuner, device, random);
  EXPECT_EQ(tuner.result().winner, 17u);
  // Two rounds for everyone, one more for the winner.
  EXPECT_LE(device.measured, 2 * 40 + 1);
  EXPECT_EQ(device.verified, 40);
}

TEST(Tuner, TiesAreReportedAndNotDecidedByOrder) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  int second = 0, tied = 0;
  const int trials = 100;
  for (int trial = 0; trial < trials; ++trial) {
    FakeDevice device{.times = {30e-6, 20e-6, 20e-6}};
    Tuner tuner(make_candidates(3), kNoBudget);
    drive(tuner, device, random);
    const TunerResult result = tuner.result();
    ASSERT_TRUE(result.winner);
    ASSERT_NE(*result.winner, 0u);
    tied += result.ties == std::vector<size_t>{3 - *result.winner} ? 1 : 0;
    second += *result.winner == 2 ? 1 : 0;
    EXPECT_LE(device.measured, 3 * kNoBudget.max_rounds);
  }
  EXPECT_GT(second, 0);
  EXPECT_LT(second, trials);
  // Now and then equal ones look different for the few rounds that put one of them out.
  EXPECT_GE(tied, trials * 8 / 10);
}

TEST(Tuner, TheManifestsChoiceKeepsItsPlaceInATie) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  int kept = 0;
  for (int trial = 0; trial < 100; ++trial) {
    FakeDevice device{.times = {20.05e-6, 20e-6, 30e-6}};
    Tuner tuner(make_candidates(3), kNoBudget);
    drive(tuner, device, random);
    const TunerResult result = tuner.result();
    kept += result.winner == 0u && result.ties == std::vector<size_t>{1} ? 1 : 0;
  }
  EXPECT_GE(kept, 80);
}

TEST(Tuner, BudgetEndsItWithTheBestSoFar) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  FakeDevice device{.times = {30e-6, 20e-6, 24e-6, 10e-6}};
  Tuner tuner(make_candidates(4), {.budget_seconds = 0.11});
  drive(tuner, device, random);
  const TunerResult result = tuner.result();
  // Six steps of 0.02 s pass the budget: three candidates verified and measured.
  EXPECT_EQ(device.steps, 6);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.winner, 1u);
  EXPECT_LE(result.used_seconds, 0.11 + device.step_seconds);
  Tuner none(make_candidates(2), {.budget_seconds = 0});
  EXPECT_EQ(none.next().action, TunerAction::done);
  EXPECT_FALSE(none.result().winner);
  EXPECT_FALSE(none.result().complete);
}

TEST(Tuner, GoesOnWhereItStopped) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  FakeDevice device{.times = {30e-6, 20e-6, 24e-6, 10e-6, 15e-6}, .wrong = {false, false, false, false, true}};
  Tuner first(make_candidates(5), kNoBudget);
  drive(first, device, random, 7);
  const std::string state = first.save();

  // Another process; one candidate is gone, one is new.
  std::vector<Candidate> changed = make_candidates(6);
  changed.erase(changed.begin() + 2);
  Tuner second(changed, kNoBudget);
  ASSERT_TRUE(second.restore(state));
  EXPECT_EQ(second.candidates()[0].rounds, first.candidates()[0].rounds);
  EXPECT_EQ(second.candidates()[2].rounds, first.candidates()[3].rounds);
  EXPECT_DOUBLE_EQ(second.result().used_seconds, first.result().used_seconds);
  FakeDevice rest{.times = {30e-6, 20e-6, 10e-6, 15e-6, 12e-6}, .wrong = {false, false, false, true, false}};
  drive(second, rest, random);
  EXPECT_EQ(second.result().winner, 2u);
  EXPECT_EQ(rest.verified + device.verified, 6);  // nobody twice

  EXPECT_FALSE(second.restore("{"));
  EXPECT_FALSE(second.restore(R"({"candidates":[{"variant":3}],"used_seconds":1})"));
  EXPECT_EQ(second.result().winner, 2u);
}

TEST(Tuner, CandidatesThatCannotRunAreOut) {
  std::mt19937_64 random(1);
  Tuner tuner(make_candidates(3), kNoBudget);
  tuner.report_failure(0, "needs more memory", 0.1);
  EXPECT_EQ(tuner.next().candidate, 1u);
  tuner.report_verified(1, true, "", 0.1);
  tuner.report_samples(1, std::vector<double>{0, -1, std::nan("")}, 0.1);  // no time at all
  EXPECT_TRUE(tuner.candidates()[1].failed());
  FakeDevice device{.times = {1, 1, 20e-6}};
  drive(tuner, device, random);
  EXPECT_EQ(tuner.result().winner, 2u);
}

}  // namespace
}  // namespace halfbyte
