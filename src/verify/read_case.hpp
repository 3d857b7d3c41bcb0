// For tests: a case's data as numbers, and the plainest right kernel over them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <format>
#include <functional>
#include <string>
#include <vector>

#include "verify/bound.hpp"
#include "verify/case.hpp"

namespace halfbyte::verify_test {

// What a kernel sees of one weight.
struct Element {
  float code, zero_point, scale;
};

struct Problem16 {  // a case, read once
  CaseData data;
  Case c;
  int64_t M, N, K;
  std::vector<float> a, bias;
  std::vector<Element> w;  // [N][K]
};

inline Problem16 make(const std::string& fill, int64_t M, int64_t N, int64_t K, int bits, int64_t block_size,
                      DType dtype, bool zp, bool bias, uint64_t seed) {
  Problem16 p;
  p.M = M, p.N = N, p.K = K;
  const BlockShape shape{N, K, bits, block_size};
  p.c.problem.id =
      std::format("{} M{} N{} K{} b{} bs{} {} zp{} seed{}", fill, M, N, K, bits, block_size, name(dtype), zp, seed);
  p.c.fill = fill;
  p.c.problem.inputs["aT"] = {dtype, {M, K}};
  p.c.problem.inputs["bT"] = {DType::uint8, {N, shape.blocks(), block_size * bits / 8}};
  p.c.problem.inputs["scalesT"] = {dtype, {N, shape.blocks()}};
  if (zp) p.c.problem.inputs["zeroPointsT"] = {dtype, {N, shape.blocks()}};
  if (bias) p.c.problem.inputs["biasT"] = {dtype, {N}};
  p.c.problem.attrs["accuracy_level"] = 4.0;  // allows every kernel below
  auto data = make_case_data(Semantics{}, shape, p.c, seed);
  EXPECT_TRUE(data) << p.c.problem.id << ": " << data.error().message;
  p.data = std::move(*data);
  p.a = p.data.inputs["aT"].to_floats();
  p.bias = bias ? p.data.inputs["biasT"].to_floats() : std::vector<float>(static_cast<size_t>(N), 0.0f);
  const auto reader = WeightReader::make(view_of(p.data));
  std::vector<uint8_t> codes(static_cast<size_t>(K));
  for (int64_t n = 0; n < N; ++n) {
    reader->codes(n, codes.data());
    for (int64_t k = 0; k < K; ++k)
      p.w.push_back({static_cast<float>(codes[static_cast<size_t>(k)]),
                     static_cast<float>(reader->zero_point(n, k / block_size)),
                     static_cast<float>(reader->scale(n, k / block_size))});
  }
  return p;
}

using Row = const float*;
using Weights = const Element*;
using Dot = std::function<float(const Problem16&, Row, Weights)>;

inline HostTensor run(const Problem16& p, const Dot& dot) {
  std::vector<float> y(static_cast<size_t>(p.M * p.N));
  for (int64_t m = 0; m < p.M; ++m)
    for (int64_t n = 0; n < p.N; ++n)
      y[static_cast<size_t>(m * p.N + n)] =
          dot(p, p.a.data() + m * p.K, p.w.data() + n * p.K) + p.bias[static_cast<size_t>(n)];
  return HostTensor::from_floats(p.data.output.dtype, p.data.output.shape, y);
}

inline float sequential(const Problem16& p, Row a, Weights w) {
  float sum = 0;
  for (int64_t k = 0; k < p.K; ++k) sum += a[k] * ((w[k].code - w[k].zero_point) * w[k].scale);
  return sum;
}

}  // namespace halfbyte::verify_test
