#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "quant/codes.hpp"
#include "quant/zero_points.hpp"
#include "reference/matmul.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

// A random problem in every layout at once: unpacked numbers, and the tensors that say the same.
struct Sample {
  BlockShape shape;
  int64_t M = 0;
  std::vector<double> a, w, bias;  // as stored
  HostTensor a_tensor, onnx_codes, row_codes, scales, scales_t, zero_points, zero_points_t, packed_zero_points,
      bias_tensor;
};

HostTensor transposed(const HostTensor& t, int64_t padded) {  // [N][blocks] -> [blocks][padded], NaN in the padding
  std::vector<float> out(static_cast<size_t>(t.shape[1] * padded), NAN);
  for (int64_t n = 0; n < t.shape[0]; ++n)
    for (int64_t b = 0; b < t.shape[1]; ++b)
      out[static_cast<size_t>(b * padded + n)] = static_cast<float>(t.at(n * t.shape[1] + b));
  return HostTensor::from_floats(t.dtype, {t.shape[1], padded}, out);
}

HostTensor bytes(std::vector<uint8_t> values) {
  HostTensor t = HostTensor::zeros(DType::uint8, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.as<uint8_t>().begin());
  return t;
}

Sample random_sample(std::mt19937_64& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  std::normal_distribution<float> normal;
  Sample s;
  s.shape = {1 + below(20), 1 + below(200), 2 << below(3), 8 << below(5)};
  s.M = 1 + below(20);
  const int64_t N = s.shape.N, K = s.shape.K, blocks = s.shape.blocks();
  const DType dtype = below(2) ? DType::float32 : DType::float16;
  const auto floats = [&](Shape shape) {
    HostTensor t = HostTensor::zeros(dtype, shape);
    std::vector<float> values(static_cast<size_t>(t.size()));
    for (float& v : values) v = normal(random);
    return HostTensor::from_floats(dtype, shape, values);
  };
  s.a_tensor = floats({s.M, K});
  s.scales = floats({N, blocks});
  s.bias_tensor = floats({N});
  std::vector<float> zp(static_cast<size_t>(N * blocks));
  for (float& z : zp) z = static_cast<float>(below(s.shape.max_code() + 1));
  s.zero_points = HostTensor::from_floats(dtype, {N, blocks}, zp);
  s.packed_zero_points = *pack_zero_points(s.zero_points, s.shape.bits);
  s.scales_t = transposed(s.scales, N + 3);
  s.zero_points_t = transposed(s.zero_points, N + 1);
  std::vector<uint8_t> codes(static_cast<size_t>(N * K));
  for (uint8_t& c : codes) c = static_cast<uint8_t>(below(s.shape.max_code() + 1));
  s.onnx_codes = bytes(pack_matrix(codes, s.shape, CodeLayout::onnx));
  s.row_codes = bytes(pack_matrix(codes, s.shape, CodeLayout::rows));
  for (int64_t i = 0; i < s.M * K; ++i) s.a.push_back(s.a_tensor.at(i));
  for (int64_t n = 0; n < N; ++n) {
    s.bias.push_back(s.bias_tensor.at(n));
    for (int64_t k = 0; k < K; ++k) {
      const int64_t at = n * blocks + k / s.shape.block_size;
      s.w.push_back((codes[static_cast<size_t>(n * K + k)] - static_cast<double>(zp[static_cast<size_t>(at)])) *
                    s.scales.at(at));
    }
  }
  return s;
}

void expect_right(const Sample& s, const ReferenceResult& got, bool bias) {
  const int64_t N = s.shape.N, K = s.shape.K;
  for (int64_t m = 0; m < s.M; ++m) {
    for (int64_t n = 0; n < N; ++n) {
      double y = 0, magnitude = 0;
      for (int64_t k = 0; k < K; ++k) {
        const double p = s.a[static_cast<size_t>(m * K + k)] * s.w[static_cast<size_t>(n * K + k)];
        y += p;
        magnitude += std::fabs(p);
      }
      const auto i = static_cast<size_t>(m * N + n);
      ASSERT_NEAR(got.y[i], y + (bias ? s.bias[static_cast<size_t>(n)] : 0), 1e-13 * (magnitude + 10));
      ASSERT_NEAR(got.magnitude[i], magnitude, 1e-13 * magnitude);
    }
  }
}

TEST(Reference, EveryLayoutGivesTheNaiveSum) {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 150; ++i) {
    const Sample s = random_sample(random);
    const ReferenceOptions options{true, static_cast<int>(1 + random() % 4)};
    MatMulView view{s.shape,          &s.a_tensor,          &s.row_codes,
                    CodeLayout::rows, &s.scales_t,          BlockLayout::block_n,
                    &s.zero_points_t, BlockLayout::block_n, &s.bias_tensor};
    const auto rows = reference_matmul(view, options);
    ASSERT_TRUE(rows) << rows.error().message;
    expect_right(s, *rows, true);
    view.zero_points = &s.packed_zero_points;
    const auto packed = reference_matmul(view, options);
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->y, rows->y);
    view = {s.shape, &s.a_tensor, &s.onnx_codes, CodeLayout::onnx, &s.scales, BlockLayout::n_block, &s.zero_points};
    const auto onnx = reference_matmul(view, options);
    ASSERT_TRUE(onnx);
    expect_right(s, *onnx, false);
    const auto plain = reference_matmul(view, {false, 1});
    EXPECT_EQ(plain->y, onnx->y) << "threads and magnitudes must not change the sums";
    EXPECT_TRUE(plain->magnitude.empty());
  }
}

TEST(Reference, MissingZeroPointIsTheMiddle) {
  std::mt19937_64 random(test_seed() + 1);
  for (int i = 0; i < 20; ++i) {
    const Sample s = random_sample(random);
    const HostTensor middle = default_zero_points(s.shape.N, s.shape.blocks(), s.shape.bits, DType::float32);
    MatMulView view{s.shape, &s.a_tensor, &s.row_codes, CodeLayout::rows, &s.scales};
    const auto missing = reference_matmul(view);
    view.zero_points = &middle;
    EXPECT_EQ(reference_matmul(view)->y, missing->y);
  }
}

// Properties that hold whatever the numbers: A = I gives the weights; sums and row orders carry over.
TEST(Reference, IdentityLinearityAndRowOrder) {
  std::mt19937_64 random(test_seed() + 2);
  for (int i = 0; i < 20; ++i) {
    const Sample s = random_sample(random);
    const int64_t K = s.shape.K, N = s.shape.N;
    std::vector<float> eye(static_cast<size_t>(K * K));
    for (int64_t k = 0; k < K; ++k) eye[static_cast<size_t>(k * K + k)] = 1;
    const auto identity = HostTensor::from_floats(DType::float32, {K, K}, eye);
    MatMulView view{s.shape,       &identity, &s.row_codes, CodeLayout::rows, &s.scales, BlockLayout::n_block,
                    &s.zero_points};
    const auto weights = reference_matmul(view);
    for (int64_t k = 0; k < K; ++k)
      for (int64_t n = 0; n < N; ++n)
        ASSERT_EQ(weights->y[static_cast<size_t>(k * N + n)], s.w[static_cast<size_t>(n * K + k)]);
    // Twice A gives twice Y exactly; A's rows in reverse give Y's rows in reverse.
    std::vector<float> twice, reversed;
    for (const double x : s.a) twice.push_back(static_cast<float>(2 * x));
    for (int64_t m = s.M; m-- > 0;)
      for (int64_t k = 0; k < K; ++k) reversed.push_back(static_cast<float>(s.a[static_cast<size_t>(m * K + k)]));
    view.a = &s.a_tensor;
    const auto y = reference_matmul(view)->y;
    const auto a2 = HostTensor::from_floats(DType::float32, {s.M, K}, twice);
    const auto back = HostTensor::from_floats(DType::float32, {s.M, K}, reversed);
    view.a = &a2;
    const auto y2 = reference_matmul(view)->y;
    view.a = &back;
    const auto yr = reference_matmul(view)->y;
    for (int64_t m = 0; m < s.M; ++m)
      for (int64_t n = 0; n < N; ++n) {
        ASSERT_EQ(y2[static_cast<size_t>(m * N + n)], 2 * y[static_cast<size_t>(m * N + n)]);
        ASSERT_EQ(yr[static_cast<size_t>((s.M - 1 - m) * N + n)], y[static_cast<size_t>(m * N + n)]);
      }
  }
}

TEST(Reference, NonFiniteNumbersStayInTheirPlace) {
  std::mt19937_64 random(test_seed() + 3);
  Sample s = random_sample(random);
  s.shape = {5, 64, 4, 32};
  s.M = 11;
  s.a_tensor = HostTensor::from_floats(DType::float32, {11, 64}, std::vector<float>(11 * 64, 1));
  s.a_tensor.as<float>()[3 * 64 + 7] = NAN;
  s.scales = HostTensor::from_floats(DType::float32, {5, 2}, std::vector<float>(10, 1));
  s.scales.as<float>()[2 * 2] = INFINITY;
  s.row_codes = bytes(std::vector<uint8_t>(5 * 32, 0x99));
  const MatMulView view{s.shape, &s.a_tensor, &s.row_codes, CodeLayout::rows, &s.scales};
  const auto y = reference_matmul(view)->y;
  for (int64_t m = 0; m < 11; ++m)
    for (int64_t n = 0; n < 5; ++n) {
      const double got = y[static_cast<size_t>(m * 5 + n)];
      if (m == 3) {
        EXPECT_TRUE(std::isnan(got));
      } else {
        EXPECT_EQ(got, n == 2 ? INFINITY : 64);
      }
    }
}

TEST(Reference, EmptyAndUnfitInputs) {
  std::mt19937_64 random(test_seed() + 4);
  const Sample s = random_sample(random);
  MatMulView view{s.shape, &s.a_tensor, &s.row_codes, CodeLayout::rows, &s.scales};
  const HostTensor none = HostTensor::zeros(DType::float32, {0, s.shape.K});
  view.a = &none;
  const auto empty = reference_matmul(view);
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->y.empty());
  const HostTensor odd = HostTensor::zeros(DType::float32, {s.shape.K + 1});
  view.a = &odd;
  EXPECT_EQ(reference_matmul(view).has_value(), s.shape.K == 1);
  view.a = &s.a_tensor;
  HostTensor short_codes = s.row_codes;
  short_codes.data.pop_back();
  view.codes = &short_codes;
  EXPECT_FALSE(reference_matmul(view));
  view.codes = &s.row_codes;
  view.scales = &odd;
  if (odd.size() != s.scales.size()) {
    EXPECT_FALSE(reference_matmul(view));
  }
  view.scales = &s.scales;
  view.scales_layout = BlockLayout::block_n;  // [N][blocks] must not be read as [blocks][N]
  if (s.shape.blocks() != s.shape.N) {
    EXPECT_FALSE(reference_matmul(view));
  }
}

}  // namespace
}  // namespace halfbyte
