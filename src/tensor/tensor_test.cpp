#include <gtest/gtest.h>

#include <limits>

#include "tensor/host_tensor.hpp"

namespace halfbyte {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Shape, ElementCount) {
  EXPECT_EQ(element_count(Shape{}), 1);
  EXPECT_EQ(element_count(Shape{2, 3, 4}), 24);
  EXPECT_EQ(element_count(Shape{2, 0, 4}), 0);
  EXPECT_EQ(element_count(Shape{kMost}), kMost);
  EXPECT_EQ(element_count(Shape{kMost, 2}), std::nullopt);
  EXPECT_EQ(element_count(Shape{int64_t{1} << 32, int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(element_count(Shape{2, -1}), std::nullopt);
  EXPECT_EQ(element_count(Shape{0, -1}), std::nullopt);
  EXPECT_EQ(to_string(Shape{2, 64, 768}), "[2,64,768]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

TEST(DTypes, NamesAndSizesGoBothWays) {
  for (const DType d : {DType::float32, DType::float16, DType::uint8, DType::int8, DType::int32, DType::uint32,
                        DType::int64, DType::bool8}) {
    EXPECT_EQ(parse_dtype(name(d)), d);
    EXPECT_GE(byte_size(d), 1u);
  }
  EXPECT_EQ(parse_dtype("float64"), std::nullopt);
  EXPECT_EQ(byte_size(DType::float16), 2u);
  EXPECT_EQ(byte_size(DType::int64), 8u);
  EXPECT_EQ(wgsl_scalar(DType::float16), "f16");
}

TEST(HostTensors, ElementsOfEveryType) {
  const auto half = HostTensor::from_floats(DType::float16, {2, 2}, std::vector<float>{1, -2.5f, 1e6f, 0.1f});
  EXPECT_EQ(half.size(), 4);
  EXPECT_EQ(half.at(1), -2.5);
  EXPECT_EQ(half.at(2), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(half.at(3), 0.1, 1e-4);
  auto bytes = HostTensor::zeros(DType::int8, {3});
  bytes.as<int8_t>()[2] = -128;
  EXPECT_EQ(bytes.at(2), -128);
  auto unsigned_bytes = HostTensor::zeros(DType::uint8, {1});
  unsigned_bytes.as<uint8_t>()[0] = 255;
  EXPECT_EQ(unsigned_bytes.at(0), 255);
  auto words = HostTensor::zeros(DType::uint32, {1});
  words.as<uint32_t>()[0] = 4294967295u;
  EXPECT_EQ(words.at(0), 4294967295.0);
  auto longs = HostTensor::zeros(DType::int64, {1});
  longs.as<int64_t>()[0] = -5;
  EXPECT_EQ(longs.at(0), -5);
  EXPECT_EQ(half.to_floats()[1], -2.5f);
  EXPECT_EQ(HostTensor::zeros(DType::float32, {0, 5}).size(), 0);
}

}  // namespace
}  // namespace halfbyte
