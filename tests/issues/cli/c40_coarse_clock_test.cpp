// C40 performance cliff: timestamps that move in steps of 65536 ns. A short kernel takes 0 or one step, every small one scores the same, and
// the first of a list wins. What the tuner makes of ties is src/tune/tuner_test.cpp's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/clock.hpp"
#include "bench/report.hpp"
#include "program.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr double kStep = 65536e-9;

// What the clock says of `count` runs of a kernel, begun at a random phase of its step.
double coarse_time(double kernel, int64_t count, std::mt19937_64& random) {
  const double start = std::uniform_real_distribution<double>(0, kStep)(random);
  return (std::floor((start + kernel * static_cast<double>(count)) / kStep) - std::floor(start / kStep)) * kStep;
}

Summary sampled(double kernel, std::mt19937_64& random) {
  SamplingRules rules;
  rules.clock_step = kStep;
  Repetitions r{1, false};
  while (true) {
    const Repetitions next = next_repetitions(r.count, coarse_time(kernel, r.count, random), rules);
    if (next.enough) break;
    r = next;
  }
  EXPECT_GE(kernel * static_cast<double>(r.count), 85 * kStep) << "a sample of about 100 steps";
  std::vector<double> samples;
  for (int i = 0; i < rules.samples; ++i)
    samples.push_back(coarse_time(kernel, r.count, random) / static_cast<double>(r.count));
  return summarize(samples);
}

BenchRow row_of(const char* variant, const Summary& seconds) {
  BenchRow row;
  row.id = "M1-K64-N64";
  row.variant = variant;
  row.seconds = seconds;
  return row;
}

TEST(FieldCase, C40_SmallKernelsAreToldApartByACoarseClock) {
  std::mt19937_64 random(test_seed());
  int zeros = 0;  // what one run alone scores: a step in 65536 / 2000 times, else nothing
  for (int i = 0; i < 100; ++i) zeros += coarse_time(2e-6, 1, random) == 0 ? 1 : 0;
  EXPECT_GT(zeros, 70);
  const Summary slow = sampled(3e-6, random), fast = sampled(2e-6, random), same = sampled(2e-6, random);
  EXPECT_GT(fast.median, 0);
  EXPECT_LT(fast.median, slow.median) << "the first in the list is not the fastest";
  BenchReport report;
  report.rows = {row_of("first", slow), row_of("second", fast), row_of("third", same)};
  find_ties(report);
  EXPECT_TRUE(report.rows[0].ties.empty());
  // The two that are within the noise say so, on the one that is shown as fastest.
  std::vector<std::string> ties = report.rows[1].ties;
  ties.insert(ties.end(), report.rows[2].ties.begin(), report.rows[2].ties.end());
  EXPECT_THAT(ties, ::testing::AnyOf(std::vector<std::string>{"second"}, std::vector<std::string>{"third"}));
}

class CoarseClockBench : public ::testing::Test {
 protected:
  void SetUp() override {
    if (space_.halfbyte({"device"}).exit_code != 0) GTEST_SKIP() << "no WebGPU adapter here";
    space_.write("one.json", R"([{"id": "M1-N64-K64",
      "attrs": {"K": 64, "N": 64, "bits": 4, "block_size": 32},
      "inputs": {"aT": {"shape": [1, 64], "dtype": "float32"}, "bT": {"shape": [64, 2, 16], "dtype": "uint8"},
                 "scalesT": {"shape": [64, 2], "dtype": "float32"}}}])");
  }
  json bench(std::vector<std::string> more) {
    // The device's peaks are no matter here, and take seconds to measure.
    std::vector<std::string> arguments{
        "bench",          std::string(HALFBYTE_SOURCE_DIR) + "/kernels/com.microsoft.MatMulNBits",
        "--cases",        "one.json",
        "--stored-peaks", "--json",
        "out.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = space_.halfbyte(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
    return json::parse(space_.read("out.json"));
  }
  Workspace space_;
};

void expect_measured(const json& row) {
  SCOPED_TRACE(row.dump());
  EXPECT_GT(row.at("us_min").get<double>(), 0) << "never 0";
  EXPECT_GE(row.at("samples").get<int>(), 2);
  EXPECT_TRUE(row.contains("spread"));
  EXPECT_GE(row.at("repetitions").get<int64_t>(), 1);
  EXPECT_TRUE(row.at("enough_clock_steps").get<bool>()) << "a sample spans at least 100 steps of the clock";
}

TEST_F(CoarseClockBench, C40_BenchRepeatsUntilTheClockIsFineEnough) {
  const json report = bench({});
  ASSERT_EQ(report.at("results").size(), 1U);
  expect_measured(report.at("results")[0]);
}

TEST_F(CoarseClockBench, C40_WithoutTimestampsItIsTheWallClockAndSaysSo) {
  const json report = bench({"--disable-feature", "timestamps"});
  expect_measured(report.at("results")[0]);
  EXPECT_THAT(report.at("clock").get<std::string>(), HasSubstr("wall clock"));
}

}  // namespace
}  // namespace halfbyte::cli_test
