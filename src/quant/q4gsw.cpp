#include "quant/q4gsw.hpp"

#include <algorithm>
#include <bit>

#include "quant/codes.hpp"

namespace halfbyte {
namespace {

std::unexpected<Error> wrong(const char* what, const HostTensor& t, const std::string& needs) {
  return fail(ErrorCode::invalid_argument,
              std::format("{} is {} {} but {}", what, name(t.dtype), to_string(t.shape), needs));
}

bool whole(const HostTensor& t, DType dtype) {
  const auto count = element_count(t.shape);
  return t.dtype == dtype && count && *count == t.size();
}

bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float16; }

// Element `from` of a to element `to` of b, same dtype.
void copy_element(const HostTensor& a, int64_t from, HostTensor& b, int64_t to) {
  const auto width = static_cast<int64_t>(byte_size(a.dtype));
  std::copy_n(a.data.begin() + from * width, width, b.data.begin() + to * width);
}

// Rows of K codes from one layout to the other; codes past K become 0.
HostTensor copy_rows(const HostTensor& from, CodeLayout from_layout, const BlockShape& s, CodeLayout to_layout,
                     Shape shape) {
  HostTensor to = HostTensor::zeros(DType::uint8, std::move(shape));
  std::vector<uint8_t> codes(static_cast<size_t>(s.K));
  for (int64_t n = 0; n < s.N; ++n) {
    unpack_codes(from.as<uint8_t>().data() + n * s.row_bytes(from_layout), s.K, s.bits, codes.data());
    pack_codes(codes.data(), s.K, s.bits, to.as<uint8_t>().data() + n * s.row_bytes(to_layout));
  }
  return to;
}

std::vector<float> transposed(std::span<const float> weights, int64_t K, int64_t N) {
  std::vector<float> rows(weights.size());
  for (int64_t k = 0; k < K; ++k)
    for (int64_t n = 0; n < N; ++n) rows[static_cast<size_t>(n * K + k)] = weights[static_cast<size_t>(k * N + n)];
  return rows;
}

int64_t padded_to_4(int64_t n) { return (n + 3) / 4 * 4; }

}  // namespace

Result<Q4gswWeight> quantize_q4gsw(int64_t N, int64_t K, int64_t group_size, std::span<const float> weights,
                                   WeightOrder order, DType scale_dtype) {
  if (K < 8 || K % 8 != 0)
    return fail(ErrorCode::invalid_argument, std::format("K is {} but q4gsw needs a multiple of 8", K));
  if (group_size < 8 || group_size > 256 || K % group_size != 0)
    return fail(ErrorCode::invalid_argument,
                std::format("the group size is {} but must be from 8 to 256 and divide K, which is {}", group_size, K));
  // Refuses what N * K cannot be, before anything is allocated.
  HB_CHECK(check_matmul_nbits_shape({N, K, 4, 256}));
  if (static_cast<int64_t>(weights.size()) != N * K)
    return fail(ErrorCode::invalid_argument,
                std::format("there are {} weights but N={} times K={} are needed", weights.size(), N, K));
  std::vector<float> rows;
  if (order == WeightOrder::k_n) rows = transposed(weights, K, N);
  // Every group as a matrix row of its own, in a block that MatMulNBits has: that block is the group and padding.
  const int64_t groups = K / group_size;
  const BlockShape as_rows{
      N * groups, group_size, 4,
      std::max<int64_t>(16, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(group_size))))};
  auto quantized = quantize_rtn(as_rows, order == WeightOrder::k_n ? std::span<const float>(rows) : weights,
                                WeightOrder::n_k, RtnMode::symmetric, scale_dtype);
  if (!quantized) {
    Error error = std::move(quantized).error();
    error.message += std::format(" (n counts groups here: row n / {}, group n % {})", groups, groups);
    return fail(std::move(error));
  }
  Q4gswWeight out{N, K, group_size, HostTensor::zeros(DType::uint8, {N, K / 2}),
                  HostTensor::zeros(scale_dtype, {groups, padded_to_4(N)})};
  std::vector<uint8_t> codes(static_cast<size_t>(K));
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t row = n * groups + g;
      unpack_codes(quantized->b.as<uint8_t>().data() + row * as_rows.row_bytes(CodeLayout::onnx), group_size, 4,
                   codes.data() + g * group_size);
      copy_element(quantized->scales, row, out.scales, g * padded_to_4(N) + n);
    }
    pack_codes(codes.data(), K, 4, out.weight.as<uint8_t>().data() + n * (K / 2));
  }
  return out;
}

Result<Q4gswWeight> to_q4gsw(const BlockShape& s, const HostTensor& b, const HostTensor& scales) {
  HB_CHECK(check_matmul_nbits_shape(s));
  if (s.bits != 4)
    return fail(ErrorCode::invalid_argument,
                std::format("q4gsw has 4-bit codes, so a weight of {} bits cannot become one", s.bits));
  const int64_t blocks = s.blocks(), padded = padded_to_4(s.N);
  if (!whole(b, DType::uint8) || b.shape != Shape{s.N, blocks, s.block_size / 2})
    return wrong("B", b, std::format("must be uint8 [{},{},{}]", s.N, blocks, s.block_size / 2));
  if (!is_float(scales.dtype) || !whole(scales, scales.dtype) ||
      (scales.shape != Shape{s.N, blocks} && scales.shape != Shape{s.N * blocks}))
    return wrong("scales", scales,
                 std::format("must be float32 or float16 [{},{}] or [{}]", s.N, blocks, s.N * blocks));
  Q4gswWeight out{s.N, s.K, s.block_size, copy_rows(b, CodeLayout::onnx, s, CodeLayout::rows, {s.N, (s.K + 1) / 2}),
                  HostTensor::zeros(scales.dtype, {blocks, padded})};
  for (int64_t n = 0; n < s.N; ++n)
    for (int64_t g = 0; g < blocks; ++g) copy_element(scales, n * blocks + g, out.scales, g * padded + n);
  return out;
}

Result<MatMulNBitsWeight> to_matmul_nbits(const Q4gswWeight& w) {
  MatMulNBitsWeight out;
  out.shape = {w.N, w.K, 4, w.group_size};
  const BlockShape& s = out.shape;
  if (auto checked = check_matmul_nbits_shape(s); !checked)
    return fail(ErrorCode::invalid_argument,
                std::format("MatMulNBits cannot hold this q4gsw weight of group size {}: {}", w.group_size,
                            checked.error().message));
  const int64_t blocks = s.blocks();
  if (!whole(w.weight, DType::uint8) || w.weight.shape != Shape{s.N, (s.K + 1) / 2})
    return wrong("the weight", w.weight, std::format("must be uint8 [{},{}]", s.N, (s.K + 1) / 2));
  const HostTensor& scales = w.scales;
  if (!is_float(scales.dtype) || !whole(scales, scales.dtype) || scales.shape.size() != 2 ||
      scales.shape[0] != blocks || scales.shape[1] < s.N)
    return wrong("the tensor of scales", scales,
                 std::format("must be float32 or float16 [K/group_size, N padded] = [{},{} or more]", blocks, s.N));
  out.b = copy_rows(w.weight, CodeLayout::rows, s, CodeLayout::onnx, {s.N, blocks, s.block_size / 2});
  out.scales = HostTensor::zeros(scales.dtype, {s.N, blocks});
  for (int64_t n = 0; n < s.N; ++n)
    for (int64_t g = 0; g < blocks; ++g) copy_element(scales, g * scales.shape[1] + n, out.scales, n * blocks + g);
  return out;
}

}  // namespace halfbyte
