// Every value that the field cases state (issue trackers' failures turned into numbers) against fill + reference: the proof
// that the fills are the published recipes.
#include <gtest/gtest.h>

#include <cmath>

#include "verify/case.hpp"

namespace halfbyte {
namespace {

struct Spec {
  std::string id, fill;
  int64_t M, N, K;
  int bits;
  int64_t block_size;
  bool zp = false, bias = false;
  std::map<std::string, double> expect;
  DType dtype = DType::float32;
  DType zp_dtype = DType::uint8;  // packed as models have it; float32/float16: unpacked as kernels do
  bool q4gsw = false;
  int64_t padded_n = 0;
  Shape a_shape = {};
  bool flat = false;  // legacy 1-D scales and zero points
};

Semantics q4gsw_semantics() {
  Semantics s;
  s.codes = {"bT", CodeLayout::rows};
  s.scales = {"scalesT", BlockLayout::block_n};
  s.zero_points.input.clear();
  return s;
}

struct Made {
  Semantics semantics;
  BlockShape shape;
  Case c;
};

Made make(const Spec& s) {
  Made made;
  if (s.q4gsw) made.semantics = q4gsw_semantics();
  made.shape = {s.N, s.K, s.bits, s.block_size};
  Case& c = made.c;
  c.problem.id = s.id;
  c.fill = s.fill;
  c.tolerance = "exact";
  c.expect = s.expect;
  const int64_t blocks = made.shape.blocks();
  c.problem.inputs["aT"] = {s.dtype, s.a_shape.empty() ? Shape{s.M, s.K} : s.a_shape};
  c.problem.inputs["bT"] = {DType::uint8,
                            s.q4gsw ? Shape{s.N, (s.K + 1) / 2} : Shape{s.N, blocks, s.block_size * s.bits / 8}};
  c.problem.inputs["scalesT"] = {s.dtype, s.q4gsw  ? Shape{blocks, s.padded_n}
                                          : s.flat ? Shape{s.N * blocks}
                                                   : Shape{s.N, blocks}};
  const int64_t zp_bytes = made.shape.zero_point_row_bytes();
  if (s.zp && s.zp_dtype == DType::uint8)
    c.problem.inputs["zeroPointsT"] = {DType::uint8, s.flat ? Shape{s.N * zp_bytes} : Shape{s.N, zp_bytes}};
  else if (s.zp)
    c.problem.inputs["zeroPointsT"] = {s.zp_dtype, {s.N, blocks}};
  if (s.bias) c.problem.inputs["biasT"] = {s.dtype, {s.N}};
  return made;
}

std::map<std::string, double> values(double first, double last, double wsum) {
  return {{"first", first}, {"last", last}, {"wsum", wsum}};
}

std::vector<Spec> published() {
  const int64_t none = 0;
  std::vector<Spec> list{
      {"C03 table", "C03", 1, 2, 32, 4, 32, false, false, {}},
      {"C03 8-bit", "P", 2, 5120, 3072, 8, 32, false, false, {{"first", 0.4833984375}, {"last", -7.5244140625}}},
      {"C05 a", "P", 37, 256, 768, 4, 32, false, false, values(0.2119140625, -0.1416015625, -220.21875)},
      {"C05 b", "P", 74, 768, 1152, 4, 32, false, false, values(0.28125, -0.0869140625, 29.66015625)},
      {"C08 4-bit", "P", 3, 5, 17, 4, 16, true, true, values(-1.5537109375, 0.640625, -41.484375)},
      {"C08 2-bit", "P", 3, 5, 17, 2, 16, true, true, values(-1.2763671875, 0.5625, -44.57421875)},
      {"C08 8-bit", "P", 3, 5, 17, 8, 16, true, true, values(-2.0693359375, -0.453125, -86.609375)},
      {"C10 a", "P", 4, 16, 96, 4, 32, true, false, values(0.5087890625, -0.2265625, 6.7041015625)},
      {"C10 b", "P", 1, 128, 6848, 4, 64, true, false, values(0.537109375, -0.65234375, 75.7880859375)},
      {"C11 2-bit", "P", 2, 8, 64, 2, 32, false, false, values(0.3076171875, 0.416015625, 1.3798828125)},
      {"C11 4-bit", "P", 2, 8, 64, 4, 32, false, false, values(0.6357421875, 0.576171875, 3.0126953125)},
      {"C11 8-bit", "P", 2, 8, 64, 8, 32, false, false, values(1.8857421875, -3.376953125, 44.8095703125)},
      {"C13 2-bit", "Q", 40, 24, 256, 2, 32, true, true, values(-6.8125, 4.15625, 4087.65625)},
      {"C13 4-bit", "Q", 40, 24, 256, 4, 32, true, true, values(-160.5625, 37.65625, 575141.03125)},
      {"C13 8-bit", "Q", 40, 24, 256, 8, 32, true, true, values(5351.9375, 1156.15625, 215534336.03125)},
      {"C13 2-bit M4", "Q", 4, 24, 256, 2, 32, true, true, {{"wsum", 98.5}}},
      {"C13 4-bit M4", "Q", 4, 24, 256, 4, 32, true, true, {{"wsum", 38403.5}}},
      {"C13 8-bit M4", "Q", 4, 24, 256, 8, 32, true, true, {{"wsum", 20878300.0}}},
      {"C15 a", "P", 2, 4, 2048, 4, 512, true, false, values(0.0546875, 0.2216796875, 1.720703125)},
      {"C15 b", "P", 3, 5, 288, 4, 512, true, true, values(-1.00390625, 0.6640625, -52.0576171875)},
      {"C21 N32", "P", 1, 32, 1024, 4, 32, true, true, values(-1.0546875, 0.1748046875, -18.2978515625)},
      {"C21 N96", "P", 1, 96, 1024, 4, 32, true, true, values(-1.0546875, 1.103515625, -96.515625)},
      {"C25 a", "P", 150, 16, 1024, 4, 32, false, false, values(0.8427734375, 0.1611328125, -133.251953125)},
      {"C25 b", "P", 535, 1024, 1024, 4, 32, false, false, values(0.8427734375, 0.1611328125, -2.763671875)},
      {"C36 M16", "P", 16, 4096, 4096, 4, 32, false, false, values(0.3701171875, 0.5107421875, 1625.572265625)},
      {"C36 M1", "P", 1, 4096, 4096, 4, 32, false, false, {{"wsum", 372.3125}}},
      {"C38", "P", 3448, 1536, 512, 4, 32, false, false, values(0.0849609375, -0.041015625, 261.1123046875)},
  };
  list.push_back({"C14 a", "P", 3, 13, 64, 4, 16, false, false, values(0.228515625, 0.2470703125, 9.9169921875),
                  DType::float32, DType::uint8, true, 16});
  list.push_back({"C14 b", "P", 5, 24, 64, 4, 8, false, false, values(0.6083984375, 0.1884765625, -7.3232421875),
                  DType::float32, DType::uint8, true, 24});
  list.push_back({"C43 2-D", "P", 2, 12, 128, 4, 32, true, true, values(-1.4443359375, 0.650390625, -37.666015625)});
  list.push_back({"C43 1-D",
                  "P",
                  2,
                  12,
                  128,
                  4,
                  32,
                  true,
                  true,
                  values(-1.4443359375, 0.650390625, -37.666015625),
                  DType::float32,
                  DType::uint8,
                  false,
                  none,
                  {},
                  true});
  list.push_back({"C43 rank 4",
                  "P",
                  30,
                  48,
                  64,
                  4,
                  32,
                  false,
                  true,
                  values(-0.8642578125, 1.197265625, -2777.017578125),
                  DType::float32,
                  DType::uint8,
                  false,
                  none,
                  {2, 3, 5, 64}});
  const double sums[] = {2088070, 2088082, 2088094.0625, 4088485.6875, 4847462.125, 6387969.375};
  const double lasts[] = {11.9375, 12.0, 12.0625, 39.4375, 51.75, 60.5625};
  const int64_t rows[] = {65535, 65536, 65537, 128256, 151936, 200064};
  for (size_t i = 0; i < 6; ++i)
    list.push_back({std::format("C16 {}", rows[i]),
                    "R",
                    1,
                    rows[i],
                    64,
                    4,
                    32,
                    false,
                    false,
                    {{"sum", sums[i]}, {"last", lasts[i]}}});
  list.push_back({"C16 q4gsw",
                  "R",
                  1,
                  200064,
                  64,
                  4,
                  32,
                  false,
                  false,
                  {{"sum", 6387969.375}, {"last", 60.5625}},
                  DType::float32,
                  DType::uint8,
                  true,
                  200064});
  return list;
}

TEST(FieldCases, EveryPublishedValueIsReproduced) {
  int values_checked = 0;
  for (const Spec& s : published()) {
    for (const DType dtype : {DType::float32, DType::float16}) {
      if (dtype == DType::float16 && s.fill == "C03") continue;                // 0.9 is not an f16 number
      if (dtype == DType::float16 && s.M * s.N * s.K > 100'000'000) continue;  // the same numbers again, slowly
      Spec spec = s;
      spec.dtype = dtype;
      const Made made = make(spec);
      const auto data = make_case_data(made.semantics, made.shape, made.c, 1);
      ASSERT_TRUE(data.has_value()) << s.id << ": " << data.error().to_string();
      values_checked += static_cast<int>(s.expect.size());
      // The exact result, rounded to the output's type, passes; so the case is not impossible to pass.
      std::vector<float> y(data->expected.begin(), data->expected.end());
      const auto output = HostTensor::from_floats(dtype, data->output.shape, y);
      const auto seen = compare(made.c, *data, output, {});
      EXPECT_TRUE(seen.pass) << s.id << ": " << seen.why;
    }
  }
  EXPECT_GE(values_checked, 150);
}

TEST(FieldCases, FloatZeroPointsGiveTheSameAsPackedOnes) {
  for (const Spec& s : published()) {
    if (!s.zp || s.flat) continue;
    for (const DType dtype : {DType::float32, DType::float16}) {
      Spec spec = s;
      spec.zp_dtype = dtype;
      spec.dtype = dtype;
      const Made made = make(spec);
      const auto data = make_case_data(made.semantics, made.shape, made.c, 1);
      EXPECT_TRUE(data.has_value()) << s.id << ": " << data.error().to_string();
    }
  }
}

TEST(FieldCases, C01SumsCancelToTheBias) {
  for (const char* fill : {"C01", "C01_runs"}) {
    for (const int64_t M : {1, 64}) {
      const Made made = make({"C01", fill, M, 64, 8192, 4, 32, false, true, {}, DType::float16});
      const auto data = make_case_data(made.semantics, made.shape, made.c, 1);
      ASSERT_TRUE(data.has_value()) << data.error().to_string();
      for (int64_t i = 0; i < M * 64; ++i)
        ASSERT_EQ(data->expected[static_cast<size_t>(i)], (static_cast<double>(i % 64 % 7) - 3) / 2);
      EXPECT_EQ(data->magnitude[0], 8192 * 28.0);
    }
  }
}

TEST(FieldCases, C03OutlierAgainstManySmall) {
  const Made made = make({"C03", "C03", 1, 2, 32, 4, 32});
  const auto data = make_case_data(made.semantics, made.shape, made.c, 1);
  ASSERT_TRUE(data.has_value()) << data.error().to_string();
  EXPECT_NEAR(data->expected[0], 27.9, 1e-6);  // 0.9 is rounded to f32
  EXPECT_NEAR(data->expected[1], 10.0, 1e-6);
  // Int8 activations (scale 1000/127) turn every 0.9 into 0: passes at accuracy_level 4 only, and only as int8.
  const auto quantized = HostTensor::from_floats(DType::float32, {1, 2}, std::vector<float>{0.0f, 10.0f});
  Case c = made.c;
  c.tolerance = "bound";
  EXPECT_FALSE(compare(c, *data, quantized, {}).pass);
  EXPECT_FALSE(compare(c, *data, quantized, {"f32", "", "int8"}).pass);
  CaseData level4 = *data;
  level4.problem.attrs["accuracy_level"] = 4.0;
  EXPECT_TRUE(compare(c, level4, quantized, {"f32", "", "int8"}).pass);
  EXPECT_FALSE(compare(c, level4, quantized, {"f32", "", ""}).pass);
}

TEST(FieldCases, C04ZeroRowsAreTheBias) {
  Made made = make({"C04", "C04", 40, 24, 256, 4, 32, true, true});
  made.c.problem.attrs["accuracy_level"] = 4.0;
  made.c.tolerance = "bound";
  auto data = make_case_data(made.semantics, made.shape, made.c, 1);
  ASSERT_TRUE(data.has_value()) << data.error().to_string();
  for (int64_t n = 0; n < 24; ++n) {
    const double bias = (static_cast<double>(n % 7) - 3) / 2;
    EXPECT_EQ(data->expected[static_cast<size_t>(n)], bias);
    EXPECT_EQ(data->expected[static_cast<size_t>(2 * 24 + n)], bias);
    EXPECT_NEAR(data->expected[static_cast<size_t>(3 * 24 + n)], bias, 1e-30);
  }
  std::vector<float> y(data->expected.begin(), data->expected.end());
  const Numerics int8{"f32", "", "int8"};
  EXPECT_TRUE(compare(made.c, *data, HostTensor::from_floats(DType::float32, {40, 24}, y), int8).pass);
  y[5] += 1e-5f;  // a zero row allows nothing at all
  EXPECT_FALSE(compare(made.c, *data, HostTensor::from_floats(DType::float32, {40, 24}, y), int8).pass);
  y[5] = NAN;
  const auto seen = compare(made.c, *data, HostTensor::from_floats(DType::float32, {40, 24}, y), int8);
  EXPECT_FALSE(seen.pass);
  EXPECT_EQ(seen.nans, 1);
}

TEST(FieldCases, C12FractionalZeroPointGivesFourLevels) {
  for (const DType dtype : {DType::float32, DType::float16}) {
    const Made made = make({"C12", "C12", 32, 32, 32, 2, 32, true, false, {}, dtype, dtype});
    const auto data = make_case_data(made.semantics, made.shape, made.c, 1);
    ASSERT_TRUE(data.has_value()) << data.error().to_string();
    for (int64_t k = 0; k < 32; ++k)
      for (int64_t n = 0; n < 32; ++n)
        ASSERT_EQ(data->expected[static_cast<size_t>(k * 32 + n)], (static_cast<double>(k % 4) - 1.5) * 0.5);
  }
}

TEST(FieldCases, C14IsMatMulNBitsWithAnotherLayout) {
  for (const int64_t K : {64, 10}) {
    const Made gsw = make({"gsw", "P", 3, 13, K, 4, 16, false, true, {}, DType::float32, DType::uint8, true, 16});
    const Made onnx = make({"onnx", "P", 3, 13, K, 4, 16, false, true});
    const auto a = make_case_data(gsw.semantics, gsw.shape, gsw.c, 1);
    const auto b = make_case_data(onnx.semantics, onnx.shape, onnx.c, 1);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->expected, b->expected);
  }
  Made swapped = make({"swapped", "P", 3, 13, 64, 4, 16, false, false, {}, DType::float32, DType::uint8, true, 16});
  swapped.c.problem.inputs["scalesT"].shape = {13, 4};
  const auto refused = make_case_data(swapped.semantics, swapped.shape, swapped.c, 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("scalesT has shape [13,4] but [4,13 or more]"), std::string::npos);
}

TEST(FieldCases, C27SpecialsComeOutAsTheyWentIn) {
  Made made = make({"C27", "C27", 6, 4, 32, 4, 32, false, false, {}, DType::float16});
  const auto data = make_case_data(made.semantics, made.shape, made.c, 1);
  ASSERT_TRUE(data.has_value()) << data.error().to_string();
  EXPECT_EQ(data->expected[0], 0x1p-24);
  EXPECT_EQ(data->expected[4], 65504);
  std::vector<float> y(data->expected.begin(), data->expected.end());
  EXPECT_TRUE(compare(made.c, *data, HostTensor::from_floats(DType::float16, {6, 4}, y), {}).pass);
  y[0] = 0;  // flushed
  EXPECT_FALSE(compare(made.c, *data, HostTensor::from_floats(DType::float16, {6, 4}, y), {}).pass);
}

TEST(FieldCases, AWrongExpectationIsAnError) {
  Made made = make({"C08", "P", 3, 5, 17, 4, 16, true, true, values(-1.5537109375, 0.640625, -41.484375)});
  made.c.expect["wsum"] = -41.484376;
  const auto data = make_case_data(made.semantics, made.shape, made.c, 1);
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().message.find("wsum = -41.484375"), std::string::npos) << data.error().message;
}

}  // namespace
}  // namespace halfbyte
