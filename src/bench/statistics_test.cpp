#include "bench/statistics.hpp"

#include <gtest/gtest.h>

#include <random>

namespace halfbyte {
namespace {

TEST(Statistics, MedianAndQuartilesInterpolate) {
  const std::vector<double> samples{4, 1, 3, 2};
  const Summary s = summarize(samples);
  EXPECT_EQ(s.count, 4);
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.low, 1.75);
  EXPECT_DOUBLE_EQ(s.high, 3.25);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.max, 4);
  EXPECT_DOUBLE_EQ(s.spread(), 0.6);
}

TEST(Statistics, OneSampleAndNone) {
  const Summary one = summarize(std::vector<double>{7});
  EXPECT_DOUBLE_EQ(one.median, 7);
  EXPECT_DOUBLE_EQ(one.spread(), 0);
  EXPECT_TRUE(std::isinf(one.median_error()));
  EXPECT_EQ(summarize({}).count, 0);
  EXPECT_DOUBLE_EQ(summarize({}).spread(), 0);
}

TEST(Statistics, OutlierMovesNothingMuch) {
  std::vector<double> samples(9, 10.0);
  samples[4] = 1000;
  EXPECT_DOUBLE_EQ(summarize(samples).median, 10);
  EXPECT_DOUBLE_EQ(summarize(samples).spread(), 0);
}

// The error of a median is what the medians of many such sets scatter by.
TEST(Statistics, MedianErrorMatchesTheScatterOfMedians) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(100, 5);
  double sum = 0, sum2 = 0, claimed = 0;
  const int sets = 4000;
  for (int i = 0; i < sets; ++i) {
    std::vector<double> samples(25);
    for (double& x : samples) x = noise(random);
    const Summary s = summarize(samples);
    sum += s.median;
    sum2 += s.median * s.median;
    claimed += s.median_error();
  }
  const double scatter = std::sqrt(sum2 / sets - (sum / sets) * (sum / sets));
  EXPECT_NEAR(claimed / sets / scatter, 1.0, 0.15);
}

TEST(Statistics, NoiseHidesSmallDifferencesOnly) {
  Summary a{9, 100, 98, 102, 95, 105}, b{9, 101, 99, 103, 96, 106}, c{9, 130, 128, 132, 125, 135};
  EXPECT_TRUE(within_noise(a, b, 0));
  EXPECT_FALSE(within_noise(a, c, 0.01));
  EXPECT_TRUE(within_noise(a, c, 0.31));
  Summary exact{9, 100, 100, 100, 100, 100}, other{9, 100.5, 100.5, 100.5, 100.5, 100.5};
  EXPECT_FALSE(within_noise(exact, other, 0));
  EXPECT_TRUE(within_noise(exact, other, 0.01));
}

}  // namespace
}  // namespace halfbyte
