// The field cases about zero points and old forms (C10, C11, C43), from an ONNX model to the double reference: the
// figures are exact, since every value and every sum is a multiple of a power of two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "onnx/matmul_nbits.hpp"
#include "onnx/test_models.hpp"
#include "reference/matmul.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {
namespace {

using ::onnx::TensorProto;

// Recipe P of the field cases: every value exact in float16.
struct RecipeP {
  int64_t M, N, K, bits, block_size;
  bool zero_points, bias;

  int64_t blocks() const { return (K + block_size - 1) / block_size; }
  static float a(int64_t r, int64_t k) { return static_cast<float>((5 * r + 3 * k) % 11 - 5) / 8; }
  int code(int64_t n, int64_t k) const { return static_cast<int>((7 * n + 5 * k + k / 9) % (int64_t{1} << bits)); }
  static float scale(int64_t n, int64_t b) { return 1.0F / static_cast<float>(32 << ((n + 2 * b) % 3)); }
  int zero_point(int64_t n, int64_t b) const { return static_cast<int>((3 * n + 5 * b + 1) % (int64_t{1} << bits)); }
  static float bias_of(int64_t n) { return static_cast<float>(n % 7 - 3) / 2; }
};

// Sets `bits` bits of a row of bytes.
void put(std::vector<uint8_t>& bytes, int64_t row_start, int64_t index, int64_t bits, int value) {
  const int64_t bit = index * bits;
  auto& byte = bytes[static_cast<size_t>(row_start + bit / 8)];
  const int shift = static_cast<int>(bit % 8);
  const int mask = ((1 << bits) - 1) << shift;
  byte = static_cast<uint8_t>((byte & ~mask) | (value << shift));
}

enum class ZeroPoints { none, packed, floating };
struct Form {
  ZeroPoints zero_points = ZeroPoints::none;
  bool flat = false;  // 1-D scales and zero points
};

::onnx::ModelProto model_of(const RecipeP& p, const Form& form) {
  std::mt19937_64 unused(0);
  auto model =
      onnx_test::nbits_model({.K = p.K,
                              .N = p.N,
                              .bits = p.bits,
                              .block_size = p.block_size,
                              .zero_points = form.zero_points == ZeroPoints::none     ? onnx_test::NBitsSpec::none
                                             : form.zero_points == ZeroPoints::packed ? onnx_test::NBitsSpec::packed
                                                                                      : onnx_test::NBitsSpec::floating,
                              .bias = p.bias,
                              .flat = form.flat,
                              .a_shape = {p.M, p.K}},
                             unused);
  // All ones first: codes past K and zero points past the last block are poison that must not count.
  const int64_t row = p.blocks() * p.block_size * p.bits / 8, zp_row = (p.blocks() * p.bits + 7) / 8;
  std::vector<uint8_t> codes(static_cast<size_t>(p.N * row), 0xFF), packed(static_cast<size_t>(p.N * zp_row), 0xFF);
  std::vector<float> scales, zero_points, bias;
  for (int64_t n = 0; n < p.N; ++n) {
    for (int64_t k = 0; k < p.K; ++k) put(codes, n * row, k, p.bits, p.code(n, k));
    for (int64_t b = 0; b < p.blocks(); ++b) {
      const int zp = p.zero_points ? p.zero_point(n, b) : 1 << (p.bits - 1);
      put(packed, n * zp_row, b, p.bits, zp);
      zero_points.push_back(static_cast<float>(zp));
      scales.push_back(RecipeP::scale(n, b));
    }
    bias.push_back(RecipeP::bias_of(n));
  }
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.name() == "B") tensor.set_raw_data(onnx_test::raw_bytes(codes));
    if (tensor.name() == "S") tensor.set_raw_data(onnx_test::raw_bytes(scales));
    if (tensor.name() == "bias") tensor.set_raw_data(onnx_test::raw_bytes(bias));
    if (tensor.name() == "Z")
      tensor.set_raw_data(form.zero_points == ZeroPoints::packed ? onnx_test::raw_bytes(packed)
                                                                 : onnx_test::raw_bytes(zero_points));
  }
  return model;
}

std::vector<double> product(const RecipeP& p, const Form& form) {
  const auto model = OnnxModel::parse(onnx_test::to_bytes(model_of(p, form)), "recipe.onnx");
  EXPECT_TRUE(model) << model.error().to_string();
  const auto nodes = find_matmul_nbits(*model);
  EXPECT_TRUE(nodes) << nodes.error().to_string();
  if (!nodes) return {};
  const MatMulNBitsNode& node = nodes->front();
  HostTensor a = HostTensor::zeros(DType::float32, {p.M, p.K});
  for (int64_t r = 0; r < p.M; ++r)
    for (int64_t k = 0; k < p.K; ++k) a.as<float>()[static_cast<size_t>(r * p.K + k)] = RecipeP::a(r, k);
  const auto find = [&](const char* key) {
    const auto it = node.constants.find(key);
    return it == node.constants.end() ? nullptr : &it->second;
  };
  MatMulView view{.shape = {node.N, node.K, static_cast<int>(node.bits), node.block_size}, .a = &a};
  view.codes = find("bT");
  view.scales = find("scalesT");
  view.zero_points = find("zeroPointsT");
  view.bias = find("biasT");
  const auto result = reference_matmul(view);
  EXPECT_TRUE(result) << result.error().to_string();
  return result ? result->y : std::vector<double>{};
}

// First, last, and the sum of each element times 1 + its index mod 97.
std::array<double, 3> figures(const std::vector<double>& y) {
  if (y.empty()) return {};
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) sum += y[i] * static_cast<double>(1 + i % 97);
  return {y.front(), y.back(), sum};
}

using Figures = std::array<double, 3>;

TEST(FieldCases, C10OddNumberOfBlocks) {
  const RecipeP small{.M = 4, .N = 16, .K = 96, .bits = 4, .block_size = 32, .zero_points = true, .bias = false};
  const RecipeP large{.M = 1, .N = 128, .K = 6848, .bits = 4, .block_size = 64, .zero_points = true, .bias = false};
  for (const bool flat : {false, true})
    for (const auto zero_points : {ZeroPoints::packed, ZeroPoints::floating}) {
      EXPECT_EQ(figures(product(small, {zero_points, flat})), (Figures{0.5087890625, -0.2265625, 6.7041015625}));
      EXPECT_EQ(figures(product(large, {zero_points, flat})), (Figures{0.537109375, -0.65234375, 75.7880859375}));
    }
}

TEST(FieldCases, C11DefaultZeroPoint) {
  const std::pair<int64_t, Figures> expected[] = {{2, {0.3076171875, 0.416015625, 1.3798828125}},
                                                  {4, {0.6357421875, 0.576171875, 3.0126953125}},
                                                  {8, {1.8857421875, -3.376953125, 44.8095703125}}};
  for (const auto& [bits, figure] : expected)
    for (const auto zero_points : {ZeroPoints::none, ZeroPoints::packed, ZeroPoints::floating}) {
      const RecipeP p{.M = 2, .N = 8, .K = 64, .bits = bits, .block_size = 32, .zero_points = false, .bias = false};
      EXPECT_EQ(figures(product(p, {zero_points, false})), figure) << bits << " bits";
    }
}

TEST(FieldCases, C43FlatScalesAndZeroPoints) {
  const RecipeP p{.M = 2, .N = 12, .K = 128, .bits = 4, .block_size = 32, .zero_points = true, .bias = true};
  for (const bool flat : {false, true})
    EXPECT_EQ(figures(product(p, {ZeroPoints::packed, flat})), (Figures{-1.4443359375, 0.650390625, -37.666015625}));
}

TEST(FieldCases, C08NothingAligned) {
  const std::pair<int64_t, Figures> expected[] = {{4, {-1.5537109375, 0.640625, -41.484375}},
                                                  {2, {-1.2763671875, 0.5625, -44.57421875}},
                                                  {8, {-2.0693359375, -0.453125, -86.609375}}};
  for (const auto& [bits, figure] : expected) {
    const RecipeP p{.M = 3, .N = 5, .K = 17, .bits = bits, .block_size = 16, .zero_points = true, .bias = true};
    EXPECT_EQ(figures(product(p, {ZeroPoints::packed, false})), figure) << bits << " bits";
  }
}

}  // namespace
}  // namespace halfbyte
