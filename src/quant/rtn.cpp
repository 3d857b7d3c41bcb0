#include "quant/rtn.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "quant/codes.hpp"
#include "tensor/half.hpp"

namespace halfbyte {
namespace {

constexpr int64_t kColumns = 16;  // columns read together from a [K][N] weight, so that cache lines are used whole

struct Range {
  float min = 0, max = 0;
  bool finite = true;
};

Range range_of(const float* values, int64_t count) {
  float low = values[0], high = values[0], sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    low = values[i] < low ? values[i] : low;
    high = values[i] > high ? values[i] : high;
    sum += values[i] * 0.0f;  // NaN as soon as one is NaN or infinite
  }
  return {low, high, sum == 0.0f};
}

struct BlockCoding {
  double scale = 0;  // before it is rounded to the type it is stored in
  int zero_point = 0;
};

BlockCoding coding_of(const Range& range, const BlockShape& s, RtnMode mode) {
  if (mode == RtnMode::symmetric) {
    const float extreme = std::fabs(range.max) > std::fabs(range.min) ? range.max : range.min;
    return {static_cast<double>(extreme) / -s.default_zero_point(), s.default_zero_point()};
  }
  const double low = std::min(range.min, 0.0f), high = std::max(range.max, 0.0f);
  const auto scale = static_cast<float>((high - low) / s.max_code());
  if (scale == 0) return {0, 0};
  const double zero_point =
      std::clamp(std::round(-low / static_cast<double>(scale)), 0.0, static_cast<double>(s.max_code()));
  return {scale, static_cast<int>(zero_point)};
}

// Stores the scale and gives it back as it will be read. One too small to divide by becomes 0, and its weights with it.
float store_scale(HostTensor& scales, int64_t index, double scale) {
  const auto i = static_cast<size_t>(index);
  if (scales.dtype == DType::float16) {
    const uint16_t bits = double_to_half(scale);
    scales.as<uint16_t>()[i] = bits;
    return half_to_float(bits);
  }
  auto value = static_cast<float>(scale);
  if (value != 0 && !std::isfinite(1 / value)) value = 0;
  scales.as<float>()[i] = value;
  return value;
}

void code_block(const float* values, int64_t count, float scale, int zero_point, int max_code, uint8_t* codes) {
  const float reciprocal = scale != 0 ? 1 / scale : 0;
  const auto shift = static_cast<float>(zero_point), top = static_cast<float>(max_code);
  for (int64_t i = 0; i < count; ++i) {
    float x = values[i] * reciprocal + shift;
    x = x < 0 ? 0 : x;
    x = x > top ? top : x;
    const int whole = static_cast<int>(x);  // then half up: adding 0.5 first would round 0.49999997 up
    codes[i] = static_cast<uint8_t>(whole + (x - static_cast<float>(whole) >= 0.5f));
  }
}

// Rows n .. n+columns of a block, each `count` long, wherever the weight keeps them.
struct Gather {
  std::span<const float> weights;
  WeightOrder order;
  int64_t N, K;
  std::vector<float> buffer;

  const float* row(int64_t n, int64_t column, int64_t k, int64_t count) const {
    return order == WeightOrder::n_k ? weights.data() + (n + column) * K + k : buffer.data() + column * count;
  }
  void load(int64_t n, int64_t columns, int64_t k, int64_t count) {
    if (order == WeightOrder::n_k) return;
    buffer.resize(static_cast<size_t>(kColumns * count));
    for (int64_t i = 0; i < count; ++i)
      for (int64_t c = 0; c < columns; ++c)
        buffer[static_cast<size_t>(c * count + i)] = weights[static_cast<size_t>((k + i) * N + n + c)];
  }
};

std::unexpected<Error> bad_weight(const float* values, int64_t count, int64_t n, int64_t k) {
  const auto at = std::find_if(values, values + count, [](float x) { return !std::isfinite(x); });
  return fail(ErrorCode::invalid_argument,
              std::format("weight [n={},k={}] is {} but only finite ones can be quantized", n, k + (at - values), *at));
}

float weight_at(std::span<const float> weights, WeightOrder order, const BlockShape& s, int64_t n, int64_t k) {
  return weights[static_cast<size_t>(order == WeightOrder::n_k ? n * s.K + k : k * s.N + n)];
}

// Calls row(n, codes -> weights) for each n.
template <class Visit>
void each_dequantized_row(const QuantizedWeight& q, Visit visit) {
  const BlockShape& s = q.shape;
  const int64_t blocks = s.blocks(), stride = s.row_bytes(CodeLayout::onnx), zp_stride = s.zero_point_row_bytes();
  std::vector<uint8_t> codes(static_cast<size_t>(s.K)), zero_points(static_cast<size_t>(blocks));
  std::fill(zero_points.begin(), zero_points.end(), static_cast<uint8_t>(s.default_zero_point()));
  std::vector<float> row(static_cast<size_t>(s.K));
  for (int64_t n = 0; n < s.N; ++n) {
    unpack_codes(q.b.as<uint8_t>().data() + n * stride, s.K, s.bits, codes.data());
    if (q.zero_points)
      unpack_codes(q.zero_points->as<uint8_t>().data() + n * zp_stride, blocks, s.bits, zero_points.data());
    for (int64_t b = 0; b < blocks; ++b) {
      const auto scale = static_cast<float>(q.scales.at(n * blocks + b));
      const int zp = zero_points[static_cast<size_t>(b)];
      for (int64_t k = b * s.block_size; k < std::min((b + 1) * s.block_size, s.K); ++k)
        row[static_cast<size_t>(k)] = static_cast<float>(codes[static_cast<size_t>(k)] - zp) * scale;
    }
    visit(n, row);
  }
}

Result<QuantizedWeight> quantize_checked(const BlockShape& s, std::span<const float> weights, WeightOrder order,
                                         RtnMode mode, DType scale_dtype) {
  const int64_t blocks = s.blocks(), stride = s.row_bytes(CodeLayout::onnx), blob = s.block_size * s.bits / 8;
  QuantizedWeight out{
      s, HostTensor::zeros(DType::uint8, {s.N, blocks, blob}), HostTensor::zeros(scale_dtype, {s.N, blocks}), {}};
  std::vector<uint8_t> codes(static_cast<size_t>(std::min(s.block_size, s.K)));
  std::vector<uint8_t> zero_points(static_cast<size_t>(kColumns * blocks));
  if (mode == RtnMode::asymmetric) out.zero_points = HostTensor::zeros(DType::uint8, {s.N, s.zero_point_row_bytes()});
  Gather gather{weights, order, s.N, s.K, {}};
  for (int64_t n = 0; n < s.N; n += kColumns) {
    const int64_t columns = std::min(kColumns, s.N - n);
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t k = b * s.block_size, count = std::min(s.block_size, s.K - k);
      gather.load(n, columns, k, count);
      for (int64_t c = 0; c < columns; ++c) {
        const float* values = gather.row(n, c, k, count);
        const Range range = range_of(values, count);
        if (!range.finite) return bad_weight(values, count, n + c, k);
        const BlockCoding coding = coding_of(range, s, mode);
        const float scale = store_scale(out.scales, (n + c) * blocks + b, coding.scale);
        if (!std::isfinite(scale))
          return fail(ErrorCode::invalid_argument,
                      std::format("the block at [n={},k={}] needs scale {}, which is past {}'s range", n + c, k,
                                  coding.scale, name(scale_dtype)));
        code_block(values, count, scale, coding.zero_point, s.max_code(), codes.data());
        pack_codes(codes.data(), count, s.bits, out.b.as<uint8_t>().data() + (n + c) * stride + b * blob);
        zero_points[static_cast<size_t>(c * blocks + b)] = static_cast<uint8_t>(coding.zero_point);
      }
    }
    if (!out.zero_points) continue;
    for (int64_t c = 0; c < columns; ++c)
      pack_codes(zero_points.data() + c * blocks, blocks, s.bits,
                 out.zero_points->as<uint8_t>().data() + (n + c) * s.zero_point_row_bytes());
  }
  return out;
}

}  // namespace

Result<QuantizedWeight> quantize_rtn(const BlockShape& s, std::span<const float> weights, WeightOrder order,
                                     RtnMode mode, DType scale_dtype) {
  HB_CHECK(check_matmul_nbits_shape(s));
  if (scale_dtype != DType::float32 && scale_dtype != DType::float16)
    return fail(ErrorCode::invalid_argument, std::format("scales are float32 or float16, not {}", name(scale_dtype)));
  if (static_cast<uint64_t>(weights.size()) != static_cast<uint64_t>(s.N) * static_cast<uint64_t>(s.K))
    return fail(ErrorCode::invalid_argument,
                std::format("N={} times K={} weights are needed, not {}", s.N, s.K, weights.size()));
  try {
    return quantize_checked(s, weights, order, mode, scale_dtype);
  } catch (const std::bad_alloc&) {  // a block size far beyond K pads every row to it
    return fail(ErrorCode::out_of_memory, std::format("{} rows of {} bytes, padded to block_size {}, do not fit memory",
                                                      s.N, s.row_bytes(CodeLayout::onnx), s.block_size));
  }
}

std::vector<float> dequantize(const QuantizedWeight& weight) {
  std::vector<float> out;
  out.reserve(static_cast<size_t>(weight.shape.N * weight.shape.K));
  each_dequantized_row(weight,
                       [&](int64_t, const std::vector<float>& row) { out.insert(out.end(), row.begin(), row.end()); });
  return out;
}

QuantError quantization_error(const QuantizedWeight& weight, std::span<const float> weights, WeightOrder order) {
  ErrorMeter meter;
  each_dequantized_row(weight, [&](int64_t n, const std::vector<float>& row) {
    for (int64_t k = 0; k < weight.shape.K; ++k)
      meter.add(weight_at(weights, order, weight.shape, n, k), row[static_cast<size_t>(k)]);
  });
  return meter.result();
}

}  // namespace halfbyte
