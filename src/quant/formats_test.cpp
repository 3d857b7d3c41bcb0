// MatMulNBits' forms and q4gsw.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "quant/matmul_nbits.hpp"
#include "quant/q4gsw.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

HostTensor random_bytes(DType dtype, Shape shape, std::mt19937_64& random) {
  HostTensor t = HostTensor::zeros(dtype, std::move(shape));
  for (std::byte& b : t.data) b = static_cast<std::byte>(random());
  return t;
}

HostTensor ones(DType dtype, Shape shape) {
  HostTensor t = HostTensor::zeros(dtype, std::move(shape));
  const std::vector<float> values(static_cast<size_t>(t.size()), 1);
  return HostTensor::from_floats(dtype, t.shape, values);
}

struct Inputs {
  BlockShape shape{16, 96, 4, 32};
  HostTensor b = HostTensor::zeros(DType::uint8, {16, 3, 16});
  HostTensor scales = ones(DType::float32, {16, 3});
  HostTensor zero_points = HostTensor::zeros(DType::uint8, {16, 2});
  HostTensor bias = ones(DType::float32, {16});
  DType dtype = DType::float32;

  Result<KernelTensors> convert() const { return to_kernel_tensors(shape, dtype, {&b, &scales, &zero_points, &bias}); }
  std::string refusal() const {
    const auto out = convert();
    return out ? "accepted" : out.error().message;
  }
};

TEST(MatMulNBitsTensors, EveryFormGivesTheSame) {
  std::mt19937_64 random(test_seed());
  Inputs in;
  in.zero_points = random_bytes(DType::uint8, {16, 2}, random);
  const auto usual = in.convert();
  ASSERT_TRUE(usual) << usual.error().message;
  Inputs flat = in;
  flat.scales.shape = {48};
  flat.zero_points.shape = {32};
  const auto same = flat.convert();
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(same->scales.desc(), usual->scales.desc());
  EXPECT_EQ(same->zero_points->data, usual->zero_points->data);
  for (const Shape& shape : {Shape{16, 3}, Shape{48}}) {  // unpacked in the first place
    Inputs unpacked = in;
    unpacked.zero_points = *usual->zero_points;
    unpacked.zero_points.shape = shape;
    const auto again = unpacked.convert();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->zero_points->data, usual->zero_points->data);
    EXPECT_EQ(again->zero_points->shape, (Shape{16, 3}));
  }
  const auto none = to_kernel_tensors(in.shape, in.dtype, {&in.b, &in.scales, nullptr, nullptr});
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->zero_points.has_value());
}

TEST(MatMulNBitsTensors, RefusalsNameInputAcceptedAndReceived) {
  const std::string blocks = "N=16, K=96 and block_size 32 (3 blocks)";
  Inputs in;
  in.zero_points = HostTensor::zeros(DType::uint8, {16, 3});  // one byte each
  EXPECT_EQ(in.refusal(), "input zero_points has shape [16,3] but " + blocks +
                              " with 4-bit zero points packed row by row needs [16,2] or [32]");
  in.zero_points = HostTensor::zeros(DType::uint8, {24});  // packed across rows
  EXPECT_EQ(in.refusal(), "input zero_points has shape [24] but " + blocks +
                              " with 4-bit zero points packed row by row needs [16,2] or [32]");
  in = {};
  in.zero_points = ones(DType::float16, {16, 3});
  EXPECT_EQ(in.refusal(), "input zero_points is float16 but must be float32, as A and scales are, or uint8, packed");
  in = {};
  in.scales = ones(DType::float32, {3, 16});
  EXPECT_EQ(in.refusal(), "input scales has shape [3,16] but " + blocks + " needs [16,3] or [48]");
  in.scales = ones(DType::float16, {16, 3});
  EXPECT_EQ(in.refusal(), "input scales is float16 but must be float32, as A is");
  in = {};
  in.b = HostTensor::zeros(DType::uint8, {16, 3, 8});
  EXPECT_EQ(in.refusal(), "input B has shape [16,3,8] but " + blocks + " at 4 bits needs [16,3,16]");
  in = {};
  in.b.data.pop_back();
  EXPECT_EQ(in.refusal(), "input B has shape [16,3,16] and 767 bytes but " + blocks + " at 4 bits needs [16,3,16]");
  in = {};
  in.b = HostTensor::zeros(DType::int8, {16, 3, 16});
  EXPECT_EQ(in.refusal(), "input B is int8 but must be uint8");
  in = {};
  in.bias = ones(DType::float32, {15});
  EXPECT_EQ(in.refusal(), "input bias has shape [15] but N=16 needs [16]");
  in = {};
  in.shape.N = 32;
  EXPECT_EQ(in.refusal(),
            "input B has shape [16,3,16] but N=32, K=96 and block_size 32 (3 blocks) at 4 bits needs [32,3,16]");
  in = {};
  in.shape.bits = 3;
  EXPECT_EQ(in.refusal(), "attribute bits is 3 but must be 2, 4 or 8");
  in = {};
  in.dtype = DType::int32;
  EXPECT_EQ(in.refusal(), "input A is int32 but must be float32 or float16");
}

TEST(Q4gsw, RandomWeightsComeBackBitForBit) {
  std::mt19937_64 random(test_seed() + 1);
  for (int i = 0; i < 100; ++i) {
    BlockShape s{static_cast<int64_t>(1 + random() % 30), static_cast<int64_t>(1 + random() % 150), 4,
                 16 << (random() % 3)};
    const DType dtype = random() % 2 ? DType::float32 : DType::float16;
    const auto scales = random_bytes(dtype, {s.N, s.blocks()}, random);
    const auto gsw_bytes = random_bytes(DType::uint8, {s.N, (s.K + 1) / 2}, random);
    Q4gswWeight gsw{s.N, s.K, s.block_size, gsw_bytes, random_bytes(dtype, {s.blocks(), (s.N + 3) / 4 * 4}, random)};
    if (s.K % 2)  // the unused nibble comes back as 0
      for (int64_t n = 0; n < s.N; ++n)
        gsw.weight.as<uint8_t>()[static_cast<size_t>((n + 1) * ((s.K + 1) / 2) - 1)] &= 15;
    const auto nbits = to_matmul_nbits(gsw);
    ASSERT_TRUE(nbits) << nbits.error().message;
    const auto back = to_q4gsw(s, nbits->b, nbits->scales);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->weight.data, gsw.weight.data);
    EXPECT_EQ(back->scales.shape, gsw.scales.shape);
    const auto again = to_matmul_nbits(*back);
    EXPECT_EQ(again->b.data, nbits->b.data);
    EXPECT_EQ(again->scales.data, nbits->scales.data);
    EXPECT_EQ(again->scales.desc(), scales.desc());
  }
}

// Each group by itself, as MatMulNBits' quantizer sees it where that has the group size, in both orders and both scale types.
TEST(Q4gsw, PacksFloatsGroupByGroup) {
  std::mt19937_64 random(test_seed() + 2);
  std::normal_distribution<float> normal(0.01f, 0.05f);
  for (const int64_t group : {8, 12, 16, 24, 32, 64, 128, 256}) {
    const int64_t N = 5, K = group == 12 ? 24 : group * 3;
    std::vector<float> by_n(static_cast<size_t>(N * K)), by_k(by_n.size());
    for (int64_t n = 0; n < N; ++n)
      for (int64_t k = 0; k < K; ++k)
        by_k[static_cast<size_t>(k * N + n)] = by_n[static_cast<size_t>(n * K + k)] = normal(random);
    for (const DType dtype : {DType::float32, DType::float16}) {
      const auto packed = quantize_q4gsw(N, K, group, by_n, WeightOrder::n_k, dtype);
      ASSERT_TRUE(packed) << packed.error().to_string();
      EXPECT_EQ(packed->weight.shape, (Shape{N, K / 2}));
      EXPECT_EQ(packed->scales.shape, (Shape{K / group, 8}));
      const auto other = quantize_q4gsw(N, K, group, by_k, WeightOrder::k_n, dtype);
      ASSERT_TRUE(other);
      EXPECT_EQ(other->weight.data, packed->weight.data);
      EXPECT_EQ(other->scales.data, packed->scales.data);
      for (int64_t n = 0; n < N; ++n)
        for (int64_t k = 0; k < K; ++k) {
          const double scale = packed->scales.at(k / group * 8 + n);
          const int byte = packed->weight.as<uint8_t>()[static_cast<size_t>(n * (K / 2) + k / 2)];
          const double error = (((byte >> (k % 2 * 4)) & 15) - 8) * scale - by_n[static_cast<size_t>(n * K + k)];
          // Half a step; a whole one at the far end, where q = 8 is not there.
          EXPECT_LE(std::abs(error), std::abs(scale) * 1.001) << group << " " << n << " " << k;
        }
      for (int64_t n = N; n < 8; ++n) EXPECT_EQ(packed->scales.at(n), 0);
      if (group < 16 || (group & (group - 1)) != 0) continue;
      const auto onnx = quantize_rtn({N, K, 4, group}, by_n, WeightOrder::n_k, RtnMode::symmetric, dtype);
      ASSERT_TRUE(onnx);
      const auto same = to_q4gsw({N, K, 4, group}, onnx->b, onnx->scales);
      ASSERT_TRUE(same);
      EXPECT_EQ(same->weight.data, packed->weight.data) << group;
      EXPECT_EQ(same->scales.data, packed->scales.data) << group;
    }
  }
  const std::vector<float> ones(64, 1);
  EXPECT_EQ(quantize_q4gsw(4, 16, 12, ones, WeightOrder::n_k, DType::float32).error().message,
            "the group size is 12 but must be from 8 to 256 and divide K, which is 16");
  EXPECT_EQ(quantize_q4gsw(16, 4, 8, ones, WeightOrder::n_k, DType::float32).error().message,
            "K is 4 but q4gsw needs a multiple of 8");
  EXPECT_EQ(quantize_q4gsw(5, 16, 8, ones, WeightOrder::n_k, DType::float32).error().message,
            "there are 64 weights but N=5 times K=16 are needed");
  EXPECT_FALSE(quantize_q4gsw(int64_t{1} << 40, 64, 8, ones, WeightOrder::n_k, DType::float32));
  EXPECT_FALSE(quantize_q4gsw(0, 64, 8, {}, WeightOrder::n_k, DType::float32));
  std::vector<float> bad = ones;
  bad[20] = std::numeric_limits<float>::infinity();
  EXPECT_NE(quantize_q4gsw(4, 16, 8, bad, WeightOrder::n_k, DType::float32).error().message.find("[n=2,k=4] is inf"),
            std::string::npos);
}

TEST(Q4gsw, LayoutByHand) {
  HostTensor b = HostTensor::zeros(DType::uint8, {1, 1, 8});
  b.as<uint8_t>()[0] = 0xa1;  // k=0: 1 (q = -7), k=1: 10 (q = 2)
  b.as<uint8_t>()[1] = 0xf5;  // k=2: 5; the rest is padding
  const auto scales = HostTensor::from_floats(DType::float32, {1, 1}, std::vector<float>{0.5f});
  const auto gsw = to_q4gsw({1, 3, 4, 16}, b, scales);
  ASSERT_TRUE(gsw);
  EXPECT_EQ(gsw->weight.shape, (Shape{1, 2}));
  EXPECT_EQ(gsw->weight.at(0), 0xa1);
  EXPECT_EQ(gsw->weight.at(1), 0x05);
  EXPECT_EQ(gsw->scales.shape, (Shape{1, 4}));
  EXPECT_EQ(gsw->scales.to_floats(), (std::vector<float>{0.5f, 0, 0, 0}));
}

TEST(Q4gsw, Refusals) {
  Q4gswWeight gsw{13, 64, 16, HostTensor::zeros(DType::uint8, {13, 32}), ones(DType::float32, {13, 4})};
  EXPECT_EQ(to_matmul_nbits(gsw).error().message,
            "the tensor of scales is float32 [13,4] but must be float32 or float16 [K/group_size, N padded] = [4,13 or "
            "more]");
  gsw.scales = ones(DType::float32, {4, 16});
  EXPECT_TRUE(to_matmul_nbits(gsw));
  gsw.group_size = 8;
  gsw.scales = ones(DType::float32, {8, 16});
  EXPECT_EQ(to_matmul_nbits(gsw).error().message,
            "MatMulNBits cannot hold this q4gsw weight of group size 8: attribute "
            "block_size is 8 but must be a power of two, at least 16");
  const auto b = HostTensor::zeros(DType::uint8, {2, 1, 16});
  const auto scales = ones(DType::float32, {2, 1});
  EXPECT_FALSE(to_q4gsw({2, 16, 8, 16}, b, scales));
  EXPECT_FALSE(to_q4gsw({2, 32, 4, 32}, b, ones(DType::float32, {1, 2})));
  EXPECT_TRUE(to_q4gsw({2, 32, 4, 32}, b, scales));
}

}  // namespace
}  // namespace halfbyte
