// What compare() says of one output, and what the fills are.
#include <gtest/gtest.h>

#include <cmath>

#include "tensor/half.hpp"
#include "verify/read_case.hpp"

namespace halfbyte {
namespace {

using namespace verify_test;

TEST(Compare, SpecialValues) {
  Problem16 p = make("P", 2, 4, 64, 4, 32, DType::float32, false, false, 1);
  p.c.tolerance = "exact";
  const HostTensor right = run(p, sequential);
  EXPECT_TRUE(compare(p.c, p.data, right, {}).pass);
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    HostTensor y = right;
    y.as<float>()[3] = bad;
    for (const char* tolerance : {"exact", "bound", "f16_ulp"}) {
      p.c.tolerance = tolerance;
      const Comparison seen = compare(p.c, p.data, y, {});
      EXPECT_FALSE(seen.pass);
      EXPECT_EQ(seen.nans, 1);
      EXPECT_NE(seen.why.find("[0,3]"), std::string::npos) << seen.why;
    }
  }
  p.c.tolerance = "exact";
  HostTensor off = right;
  off.as<float>()[5] = std::nextafter(off.as<float>()[5], 10.0f);
  const Comparison seen = compare(p.c, p.data, off, {});
  EXPECT_FALSE(seen.pass);
  EXPECT_EQ(seen.worst, 5);
  EXPECT_NE(seen.why.find("must be exact but is not"), std::string::npos) << seen.why;
  HostTensor short_one = HostTensor::zeros(DType::float32, {2, 3});
  EXPECT_EQ(compare(p.c, p.data, short_one, {}).why, "the output is float32 [2,3] but must be float32 [2,4]");
  EXPECT_FALSE(compare(p.c, p.data, HostTensor::zeros(DType::float16, {2, 4}), {}).pass);
}

TEST(Compare, NanScalesMakeNanOfTheirRowOnly) {
  Problem16 p = make("random", 2, 4, 64, 4, 32, DType::float32, false, false, 1);
  auto inputs = p.data.inputs;
  inputs["scalesT"].as<float>()[2] = NAN;  // row 1
  const auto data = case_data_from_inputs(Semantics{}, p.data.shape, p.c.problem, inputs);
  ASSERT_TRUE(data);
  HostTensor y = run(p, sequential);
  EXPECT_FALSE(compare(p.c, *data, y, {}).pass) << "row 1 must not be finite";
  y.as<float>()[1] = y.as<float>()[5] = NAN;
  const Comparison seen = compare(p.c, *data, y, {});
  EXPECT_TRUE(seen.pass) << seen.why;
  y.as<float>()[2] = NAN;
  EXPECT_FALSE(compare(p.c, *data, y, {}).pass);
}

TEST(Compare, OverflowOfTheOutputTypeIsRight) {
  Problem16 p = make("R", 1, 4, 64, 4, 32, DType::float16, false, false, 1);
  auto inputs = p.data.inputs;
  for (int64_t k = 0; k < 64; ++k) inputs["aT"].as<uint16_t>()[static_cast<size_t>(k)] = float_to_half(60000);
  const auto data = case_data_from_inputs(Semantics{}, p.data.shape, p.c.problem, inputs);
  ASSERT_TRUE(data);  // 3750, 7500, 11250, 15000 times 60000/60000*64/1024 ...: Y[n] = 3750*(1+n)
  HostTensor y = HostTensor::zeros(DType::float16, {1, 4});
  for (int64_t n = 0; n < 4; ++n)
    y.as<uint16_t>()[static_cast<size_t>(n)] = double_to_half(data->expected[static_cast<size_t>(n)]);
  EXPECT_TRUE(compare(p.c, *data, y, {}).pass);
  for (int64_t k = 0; k < 64; ++k)
    for (int64_t n = 0; n < 4; ++n)
      inputs["scalesT"].as<uint16_t>()[static_cast<size_t>(n * 2 + k / 32)] = float_to_half(n == 3 ? 1 : 0.001f);
  const auto big = case_data_from_inputs(Semantics{}, p.data.shape, p.c.problem, inputs);
  ASSERT_TRUE(big);
  for (int64_t n = 0; n < 4; ++n)
    y.as<uint16_t>()[static_cast<size_t>(n)] = double_to_half(big->expected[static_cast<size_t>(n)]);
  EXPECT_EQ(y.at(3), INFINITY);
  const Comparison seen = compare(p.c, *big, y, {});
  EXPECT_TRUE(seen.pass) << seen.why;
  y.as<uint16_t>()[3] = double_to_half(-INFINITY);
  EXPECT_FALSE(compare(p.c, *big, y, {}).pass);
  y.as<uint16_t>()[3] = 0;
  EXPECT_FALSE(compare(p.c, *big, y, {}).pass);
}

TEST(Fills, DeterministicInSeedAndFreshInRunSeed) {
  const Problem16 a = make("random", 2, 4, 64, 4, 32, DType::float32, true, true, 5);
  const Problem16 b = make("random", 2, 4, 64, 4, 32, DType::float32, true, true, 5);
  const Problem16 c = make("random", 2, 4, 64, 4, 32, DType::float32, true, true, 6);
  EXPECT_EQ(a.data.inputs.at("bT").data, b.data.inputs.at("bT").data);
  EXPECT_NE(a.data.inputs.at("bT").data, c.data.inputs.at("bT").data);
  EXPECT_NE(a.data.inputs.at("aT").data, c.data.inputs.at("aT").data);
}

TEST(Fills, PaddingIsPoisonedAndConstantsAreMarked) {
  const Problem16 p = make("random", 1, 3, 17, 4, 16, DType::float32, false, false, 1);
  const auto bytes = p.data.inputs.at("bT").as<uint8_t>();  // [3][2][8]: codes 17..31 of each row are padding
  for (size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(bytes[n * 16 + 8] >> 4, 15);
    for (size_t i = 9; i < 16; ++i) EXPECT_EQ(bytes[n * 16 + i], 0xff);
  }
  EXPECT_EQ(p.data.problem.constant, (std::set<std::string, std::less<>>{"bT", "scalesT"}));
}

TEST(Fills, UnknownOnesAndUnfitProblemsAreRefused) {
  Case c;
  c.problem.inputs["aT"] = {DType::float32, {1, 32}};
  c.problem.inputs["bT"] = {DType::uint8, {2, 1, 16}};
  c.problem.inputs["scalesT"] = {DType::float32, {2, 1}};
  const BlockShape shape{2, 32, 4, 32};
  const auto message = [&] {
    const auto data = make_case_data(Semantics{}, shape, c, 1);
    return data ? std::string("accepted") : data.error().message;
  };
  EXPECT_EQ(message(), "accepted");
  c.fill = "nonsense";
  EXPECT_EQ(message().find("fill \"nonsense\" is not known; known are random, P, Q, R"), 0u);
  c.fill = "fractional_zp";
  EXPECT_EQ(message(), "fill fractional_zp needs zero points of a float type, but the case has none");
  c.fill = "random";
  c.problem.inputs["cT"] = {DType::float32, {1}};
  EXPECT_EQ(message(), "the operator has no input cT");
  c.problem.inputs.erase("cT");
  c.problem.inputs["aT"].shape = {1, 33};
  EXPECT_EQ(message(), "input aT has shape [1,33] but its last dimension must be K=32");
  c.problem.inputs["aT"] = {DType::int32, {1, 32}};
  EXPECT_EQ(message(), "input aT has dtype int32 but must be float32 or float16");
  c.problem.inputs["aT"] = {DType::float32, {0, 32}};
  EXPECT_EQ(message(), "accepted");
  c.problem.inputs.erase("scalesT");
  EXPECT_EQ(message().find("input scalesT is missing"), 0u);
}

}  // namespace
}  // namespace halfbyte
