#include "bench/clock.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace halfbyte {
namespace {

// What a clock with this step says of work that took `seconds`, at a random phase.
double read_clock(double seconds, double step, std::mt19937_64& random) {
  const double start = std::uniform_real_distribution<double>(0, 1)(random);
  if (step == 0) return seconds;
  const auto ticks = [&](double t) { return std::floor(t / step); };
  return (ticks(start + seconds) - ticks(start)) * step;
}

// The whole of it: a kernel far shorter than the clock's step still gets samples of 100 steps.
TEST(Clock, ShortKernelsAreRepeatedUntilTheClockIsFineEnough) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (const double kernel : {0.3e-6, 2e-6, 40e-6, 3e-3}) {
    for (const double step : {0.0, 32e-9, 65536e-9}) {
      SamplingRules rules;
      rules.clock_step = step;
      rules.max_repetitions = 1 << 20;
      int64_t count = 1;
      int tries = 0;
      for (;; ++tries) {
        ASSERT_LT(tries, 20);
        const Repetitions next =
            next_repetitions(count, read_clock(kernel * static_cast<double>(count), step, random), rules);
        if (next.enough) break;
        ASSERT_GT(next.count, count);
        count = next.count;
      }
      const double length = kernel * static_cast<double>(count);
      EXPECT_GE(length, 0.85 * std::max(rules.target_seconds, 100 * step)) << kernel << " " << step;
      EXPECT_LE(length, std::max(40 * kernel, 2 * std::max(rules.target_seconds, 100 * step))) << kernel << " " << step;
    }
  }
}

TEST(Clock, LimitsHold) {
  SamplingRules rules;
  rules.max_repetitions = 64;
  EXPECT_EQ(next_repetitions(8, 0, rules).count, 64);
  EXPECT_TRUE(next_repetitions(64, 0, rules).enough);
  // Slower than a sample may be: once is enough.
  EXPECT_TRUE(next_repetitions(1, 5.0, rules).enough);
  // A least number is asked for, unless it would take too long.
  rules.min_repetitions = 20;
  EXPECT_EQ(next_repetitions(1, 1e-3, rules).count, 20);
  EXPECT_FALSE(next_repetitions(1, 1e-3, rules).enough);
  EXPECT_TRUE(next_repetitions(1, 0.5, rules).enough);
  // A needed length beyond the longest sample is cut to it.
  rules.clock_step = 1;
  EXPECT_DOUBLE_EQ(rules.needed_seconds(), rules.max_seconds);
}

}  // namespace
}  // namespace halfbyte
