#include "quant/q4gsw.hpp"

#include <algorithm>

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

}  // namespace

Result<Q4gswWeight> to_q4gsw(const BlockShape& s, const HostTensor& b, const HostTensor& scales) {
  HB_CHECK(check_matmul_nbits_shape(s));
  if (s.bits != 4)
    return fail(ErrorCode::invalid_argument,
                std::format("q4gsw has 4-bit codes, so a weight of {} bits cannot become one", s.bits));
  const int64_t blocks = s.blocks(), padded = (s.N + 3) / 4 * 4;
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
