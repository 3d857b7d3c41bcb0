#include "quant/rtn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "quant/codes.hpp"
#include "quant/zero_points.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

std::vector<float> random_weights(int64_t count, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0.01f, 0.05f);
  std::vector<float> w(static_cast<size_t>(count));
  for (float& x : w) x = normal(random);
  return w;
}

struct Block {  // one block of a result, spelled out
  double scale = 0, zero_point = 0;
  std::vector<int> codes;
};

Block block_of(const QuantizedWeight& q, int64_t n, int64_t b) {
  const BlockShape& s = q.shape;
  Block out;
  out.scale = q.scales.at(n * s.blocks() + b);
  out.zero_point = s.default_zero_point();
  if (q.zero_points)
    out.zero_point = unpack_zero_points(*q.zero_points, s.blocks(), s.bits, DType::float32)->at(n * s.blocks() + b);
  const auto codes = unpack_matrix(q.b.as<uint8_t>(), s, CodeLayout::onnx);
  for (int64_t k = b * s.block_size; k < std::min((b + 1) * s.block_size, s.K); ++k)
    out.codes.push_back(codes[static_cast<size_t>(n * s.K + k)]);
  return out;
}

// No other code of the block's scale and zero point is nearer; the range's ends lose what the mode promises.
TEST(Rtn, EveryCodeIsTheNearest) {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 120; ++i) {
    BlockShape s;
    s.bits = 2 << (random() % 3);
    s.block_size = 16 << (random() % 3);
    s.N = static_cast<int64_t>(1 + random() % 20);
    s.K = static_cast<int64_t>(1 + random() % 100);
    const auto mode = random() % 2 ? RtnMode::symmetric : RtnMode::asymmetric;
    const auto dtype = random() % 2 ? DType::float32 : DType::float16;
    const auto w = random_weights(s.N * s.K, random);
    const auto q = quantize_rtn(s, w, WeightOrder::n_k, mode, dtype);
    ASSERT_TRUE(q) << q.error().message;
    EXPECT_EQ(q->zero_points.has_value(), mode == RtnMode::asymmetric);
    for (int64_t n = 0; n < s.N; ++n) {
      for (int64_t b = 0; b < s.blocks(); ++b) {
        const Block block = block_of(*q, n, b);
        double largest = 0, largest_error = 0;
        for (size_t j = 0; j < block.codes.size(); ++j) {
          const double x = w[static_cast<size_t>(n * s.K + b * s.block_size) + j];
          const double error = std::fabs((block.codes[j] - block.zero_point) * block.scale - x);
          double best = error;
          for (int c = 0; c <= s.max_code(); ++c)
            best = std::min(best, std::fabs((c - block.zero_point) * block.scale - x));
          const double slack =
              1e-6 * (std::fabs(x) + s.max_code() * std::fabs(block.scale));  // the quotient is a float
          ASSERT_LE(error, best + slack);
          // Half a step, but the symmetric range's short end may lose a whole one, and a float16 scale moves the range's ends.
          const double ends =
              dtype == DType::float16 ? s.max_code() * std::max(std::fabs(block.scale) * 0x1p-11, 0x1p-25) : 0;
          const double step = std::fabs(block.scale) * (mode == RtnMode::symmetric ? 1.0 : 0.5);
          ASSERT_LE(error, step + ends + slack) << s.bits << " bits";
          if (std::fabs(x) > largest) {
            largest = std::fabs(x);
            largest_error = error;
          }
        }
        if (mode == RtnMode::symmetric) {
          const double rounding =
              dtype == DType::float16 ? std::max(largest * 0x1p-11, s.default_zero_point() * 0x1p-25) : 0;
          ASSERT_LE(largest_error, rounding + largest * 1e-6);
        }
      }
    }
  }
}

TEST(Rtn, ConventionsOfOnnxRuntime) {
  const std::vector<float> w{-1, 7, 3.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const BlockShape s{1, 16, 4, 16};
  const Block sym = block_of(*quantize_rtn(s, w, WeightOrder::n_k, RtnMode::symmetric, DType::float32), 0, 0);
  EXPECT_EQ(sym.scale, 7.0f / -8);  // the largest magnitude, with its sign, is code 0
  EXPECT_EQ((std::vector<int>{sym.codes.begin(), sym.codes.begin() + 4}), (std::vector<int>{9, 0, 4, 8}));
  const Block asym = block_of(*quantize_rtn(s, w, WeightOrder::n_k, RtnMode::asymmetric, DType::float32), 0, 0);
  EXPECT_EQ(asym.scale, 8.0f / 15);
  EXPECT_EQ(asym.zero_point, 2);
  EXPECT_EQ((std::vector<int>{asym.codes.begin(), asym.codes.begin() + 4}), (std::vector<int>{0, 15, 9, 2}));
  // A range that does not hold 0 is widened to.
  const std::vector<float> positive(16, 3);
  const Block all = block_of(*quantize_rtn(s, positive, WeightOrder::n_k, RtnMode::asymmetric, DType::float32), 0, 0);
  EXPECT_EQ(all.zero_point, 0);
  EXPECT_EQ(all.codes[0], 15);
  EXPECT_NEAR(all.scale * 15, 3, 1e-6);
}

TEST(Rtn, ZerosAndTinyWeightsStayZero) {
  for (const RtnMode mode : {RtnMode::symmetric, RtnMode::asymmetric}) {
    for (const float tiny : {0.0f, -0.0f, 1e-44f, -1e-39f}) {
      const std::vector<float> w(32, tiny);
      const auto q = quantize_rtn({2, 16, 4, 16}, w, WeightOrder::n_k, mode, DType::float32);
      ASSERT_TRUE(q);
      for (const float x : dequantize(*q)) EXPECT_NEAR(x, 0, 1e-38);
    }
  }
}

TEST(Rtn, BothOrdersGiveTheSameBits) {
  std::mt19937_64 random(test_seed() + 2);
  for (const auto& [N, K] : {std::pair<int64_t, int64_t>{37, 75}, {1, 1}, {16, 16}, {33, 260}}) {
    const BlockShape s{N, K, 4, 32};
    const auto w = random_weights(N * K, random);
    std::vector<float> transposed(w.size());
    for (int64_t n = 0; n < N; ++n)
      for (int64_t k = 0; k < K; ++k) transposed[static_cast<size_t>(k * N + n)] = w[static_cast<size_t>(n * K + k)];
    for (const RtnMode mode : {RtnMode::symmetric, RtnMode::asymmetric}) {
      const auto a = quantize_rtn(s, w, WeightOrder::n_k, mode, DType::float32);
      const auto b = quantize_rtn(s, transposed, WeightOrder::k_n, mode, DType::float32);
      EXPECT_EQ(a->b.data, b->b.data);
      EXPECT_EQ(a->scales.data, b->scales.data);
      if (a->zero_points) {
        EXPECT_EQ(a->zero_points->data, b->zero_points->data);
      }
      EXPECT_EQ(quantization_error(*a, w, WeightOrder::n_k).relative_frobenius,
                quantization_error(*b, transposed, WeightOrder::k_n).relative_frobenius);
    }
  }
}

// Normal weights in blocks of 32: the step is about 2*2.07 deviations / 2^bits, its rms error 1/sqrt(12) of that.
TEST(Rtn, ErrorIsWhatTheStepSays) {
  std::mt19937_64 random(test_seed() + 3);
  std::normal_distribution<float> normal;
  std::vector<float> w(256 * 1024);
  for (float& x : w) x = normal(random);
  for (const int bits : {4, 8}) {
    const auto q = quantize_rtn({256, 1024, bits, 32}, w, WeightOrder::n_k, RtnMode::asymmetric, DType::float32);
    const QuantError e = quantization_error(*q, w, WeightOrder::n_k);
    const double expected = 4.14 / ((1 << bits) - 1) / std::sqrt(12.0);
    EXPECT_NEAR(e.relative_frobenius / expected, 1, 0.05) << bits;
    EXPECT_NEAR(e.cosine, std::sqrt(1 - e.relative_frobenius * e.relative_frobenius), 1e-3);
  }
}

TEST(Rtn, Refusals) {
  std::vector<float> w(64, 1);
  const auto message = [&](BlockShape s, DType dtype = DType::float32) {
    const auto q = quantize_rtn(s, w, WeightOrder::n_k, RtnMode::symmetric, dtype);
    return q ? std::string("accepted") : q.error().message;
  };
  EXPECT_EQ(message({2, 32, 3, 32}), "attribute bits is 3 but must be 2, 4 or 8");
  for (const int64_t block_size : {8, 24, 0, -32})
    EXPECT_EQ(message({2, 32, 4, block_size}),
              std::format("attribute block_size is {} but must be a power of two, at least 16", block_size));
  EXPECT_EQ(message({0, 32, 4, 32}), "attribute N is 0 but must be from 1 to 2147483647");
  EXPECT_EQ(message({2, -1, 4, 32}), "attribute K is -1 but must be from 1 to 2147483647");
  EXPECT_EQ(message({int64_t{1} << 31, 32, 4, 32}), "attribute N is 2147483648 but must be from 1 to 2147483647");
  EXPECT_NE(message({3, 32, 4, 32}).find("not 64"), std::string::npos);
  EXPECT_NE(message({2, 32, 4, 32}, DType::int8).find("float32 or float16"), std::string::npos);
  w[45] = NAN;
  EXPECT_EQ(message({2, 32, 4, 32}), "weight [n=1,k=13] is nan but only finite ones can be quantized");
  w[45] = -INFINITY;
  EXPECT_EQ(message({2, 32, 4, 32}), "weight [n=1,k=13] is -inf but only finite ones can be quantized");
  w[45] = 1e9f;
  EXPECT_NE(message({2, 32, 4, 32}, DType::float16).find("float16's range"), std::string::npos);
  w[45] = 3.4e38f;
  EXPECT_EQ(message({2, 32, 4, 32}), "accepted");
}

TEST(Meter, KnownFigures) {
  ErrorMeter meter;
  meter.add(3, 3.5);
  meter.add(-4, -4);
  const QuantError e = meter.result();
  EXPECT_EQ(e.max_abs, 0.5);
  EXPECT_DOUBLE_EQ(e.relative_frobenius, 0.1);
  EXPECT_DOUBLE_EQ(e.cosine, 26.5 / 5 / std::sqrt(28.25));
  EXPECT_EQ(ErrorMeter().result().cosine, 1);
  ErrorMeter zeros;
  zeros.add(0, 1);
  EXPECT_TRUE(std::isinf(zeros.result().relative_frobenius));
  ErrorMeter nan;
  nan.add(1, NAN);
  EXPECT_TRUE(std::isnan(nan.result().max_abs));
  EXPECT_TRUE(std::isnan(nan.result().relative_frobenius));
}

}  // namespace
}  // namespace halfbyte
