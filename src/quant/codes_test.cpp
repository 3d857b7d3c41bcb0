#include "quant/codes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "quant/zero_points.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

TEST(Codes, LowBitsFirst) {
  uint8_t packed[2] = {};
  const uint8_t four[] = {1, 2, 3};
  pack_codes(four, 3, 4, packed);
  EXPECT_EQ(packed[0], 0x21);
  EXPECT_EQ(packed[1], 0x03);
  const uint8_t two[] = {3, 0, 2, 1, 1};
  pack_codes(two, 5, 2, packed);
  EXPECT_EQ(packed[0], 0b01100011);
  EXPECT_EQ(packed[1], 0b00000001);
}

TEST(Codes, RandomMatricesComeBackInBothLayouts) {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 200; ++i) {
    BlockShape s;
    s.bits = 2 << (random() % 3);
    s.block_size = 16 << (random() % 4);
    s.N = static_cast<int64_t>(1 + random() % 9);
    s.K = static_cast<int64_t>(1 + random() % 200);
    std::vector<uint8_t> codes(static_cast<size_t>(s.N * s.K));
    for (uint8_t& c : codes) c = static_cast<uint8_t>(random() & static_cast<unsigned>(s.max_code()));
    for (const CodeLayout layout : {CodeLayout::onnx, CodeLayout::rows}) {
      auto packed = pack_matrix(codes, s, layout);
      ASSERT_EQ(static_cast<int64_t>(packed.size()), s.N * s.row_bytes(layout));
      EXPECT_EQ(unpack_matrix(packed, s, layout), codes);
      // Code k of row n, straight from the definition of the layout.
      const auto n = static_cast<int64_t>(random() % static_cast<uint64_t>(s.N)),
                 k = static_cast<int64_t>(random() % static_cast<uint64_t>(s.K));
      const int64_t row = layout == CodeLayout::onnx
                              ? (s.K + s.block_size - 1) / s.block_size * s.block_size * s.bits / 8
                              : (s.K * s.bits + 7) / 8;
      const int byte = packed[static_cast<size_t>(n * row + k * s.bits / 8)];
      EXPECT_EQ((byte >> (k * s.bits % 8)) & s.max_code(), codes[static_cast<size_t>(n * s.K + k)]);
    }
  }
}

TEST(ZeroPoints, RandomOnesComeBack) {
  std::mt19937_64 random(test_seed() + 1);
  for (int i = 0; i < 200; ++i) {
    const int bits = 2 << (random() % 3);
    const auto N = static_cast<int64_t>(1 + random() % 7), blocks = static_cast<int64_t>(1 + random() % 9);
    for (const DType dtype : {DType::float32, DType::float16}) {
      std::vector<float> values(static_cast<size_t>(N * blocks));
      for (float& v : values) v = static_cast<float>(random() % (1u << bits));
      const auto unpacked = HostTensor::from_floats(dtype, {N, blocks}, values);
      auto packed = pack_zero_points(unpacked, bits);
      ASSERT_TRUE(packed);
      EXPECT_EQ(packed->shape, (Shape{N, (blocks * bits + 7) / 8}));
      // Unused bits, whatever they are, change nothing; nor does the flat shape of old models.
      const int64_t row = packed->shape[1];
      const int used = static_cast<int>(blocks * bits - (row - 1) * 8);
      for (int64_t n = 0; n < N; ++n)
        packed->as<uint8_t>()[static_cast<size_t>(n * row + row - 1)] |= static_cast<uint8_t>(0xff << used);
      if (random() % 2) packed->shape = {N * row};
      const auto back = unpack_zero_points(*packed, blocks, bits, dtype);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(back->desc(), unpacked.desc());
      EXPECT_EQ(back->data, unpacked.data);
    }
  }
}

TEST(ZeroPoints, RowsStartAByte) {  // 3 blocks of 4 bits: 2 bytes a row, not 3 bytes for 2 rows
  HostTensor packed = HostTensor::zeros(DType::uint8, {2, 2});
  const uint8_t bytes[] = {0x21, 0xf3, 0x54, 0xf6};
  std::copy_n(bytes, 4, packed.as<uint8_t>().begin());
  EXPECT_EQ(unpack_zero_points(packed, 3, 4, DType::float32)->to_floats(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(ZeroPoints, Refusals) {
  const auto fractional = HostTensor::from_floats(DType::float32, {1, 2}, std::vector<float>{1, 1.5f});
  EXPECT_EQ(pack_zero_points(fractional, 2).error().message,
            "zero point [0,1] is 1.5 but packed ones of 2 bits are whole numbers from 0 to 3");
  EXPECT_FALSE(pack_zero_points(HostTensor::from_floats(DType::float32, {1, 1}, std::vector<float>{16}), 4));
  EXPECT_FALSE(pack_zero_points(HostTensor::from_floats(DType::float32, {1, 1}, std::vector<float>{-1}), 4));
  EXPECT_FALSE(pack_zero_points(HostTensor::from_floats(DType::float32, {1, 1}, std::vector<float>{NAN}), 4));
  EXPECT_FALSE(unpack_zero_points(HostTensor::zeros(DType::uint8, {2, 3}), 3, 4, DType::float32));
  EXPECT_FALSE(unpack_zero_points(HostTensor::zeros(DType::uint8, {3}), 3, 4, DType::float32));
  EXPECT_FALSE(unpack_zero_points(HostTensor::zeros(DType::int8, {2, 2}), 3, 4, DType::float32));
  EXPECT_FALSE(unpack_zero_points(HostTensor::zeros(DType::uint8, {2, 2}), 3, 4, DType::int32));
  EXPECT_EQ(default_zero_points(2, 3, 8, DType::float16).to_floats(), std::vector<float>(6, 128));
}

}  // namespace
}  // namespace halfbyte
