#include <algorithm>
#include <array>
#include <string_view>

#include "quant/codes.hpp"
#include "reference/matmul.hpp"

namespace halfbyte {
namespace {

bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float16; }

std::unexpected<Error> wrong_size(std::string_view what, const HostTensor& t, const std::string& needs) {
  return fail(ErrorCode::invalid_argument,
              std::format("the {} have dtype {} and shape {} but {}", what, name(t.dtype), to_string(t.shape), needs));
}

// Elements between rows of a [blocks][N padded] tensor; 0 when the tensor does not fit.
int64_t padded_columns(const HostTensor& t, const BlockShape& s) {
  if (t.shape.size() != 2 || t.shape[0] != s.blocks() || t.shape[1] < s.N) return 0;
  return t.size() == t.shape[0] * t.shape[1] ? t.shape[1] : 0;
}

// The stride of a tensor of per-block values, or 0 for n_block (whose stride is the number of blocks).
Result<int64_t> block_stride(std::string_view what, const HostTensor& t, const BlockShape& s, BlockLayout layout) {
  if (!is_float(t.dtype)) return wrong_size(what, t, "must be float32 or float16");
  if (layout == BlockLayout::n_block) {
    if (t.size() != s.N * s.blocks())
      return wrong_size(what, t, std::format("N={} rows of {} blocks need [{},{}]", s.N, s.blocks(), s.N, s.blocks()));
    return 0;
  }
  const int64_t stride = padded_columns(t, s);
  if (stride == 0)
    return wrong_size(
        what, t,
        std::format("{} blocks of N={} columns need [{},{}] or more columns", s.blocks(), s.N, s.blocks(), s.N));
  return stride;
}

}  // namespace

Result<WeightReader> WeightReader::make(const MatMulView& view) {
  const BlockShape& s = view.shape;
  if (s.N < 0 || s.K < 0 || s.block_size < 1 || (s.bits != 2 && s.bits != 4 && s.bits != 8))
    return fail(ErrorCode::invalid_argument, std::format("N={} K={} bits={} block_size={} is not a quantized matrix",
                                                         s.N, s.K, s.bits, s.block_size));
  const HostTensor& codes = *view.codes;
  if (codes.dtype != DType::uint8 || codes.size() != s.N * s.row_bytes(view.code_layout))
    return wrong_size("codes", codes,
                      std::format("{} rows of {} bytes are needed", s.N, s.row_bytes(view.code_layout)));
  WeightReader reader;
  reader.view_ = view;
  HB_TRY(reader.scales_stride_, block_stride("scales", *view.scales, s, view.scales_layout));
  if (const HostTensor* zp = view.zero_points) {
    if (zp->dtype == DType::uint8) {
      if (zp->size() != s.N * s.zero_point_row_bytes())
        return wrong_size("zero points", *zp,
                          std::format("{} rows of {} bytes are needed", s.N, s.zero_point_row_bytes()));
    } else {
      HB_TRY(reader.zero_points_stride_, block_stride("zero points", *zp, s, view.zero_points_layout));
    }
  }
  return reader;
}

double WeightReader::scale(int64_t n, int64_t block) const {
  return view_.scales->at(scales_stride_ ? block * scales_stride_ + n : n * view_.shape.blocks() + block);
}

double WeightReader::zero_point(int64_t n, int64_t block) const {
  const HostTensor* zp = view_.zero_points;
  const BlockShape& s = view_.shape;
  if (!zp) return s.default_zero_point();
  if (zp->dtype != DType::uint8)
    return zp->at(zero_points_stride_ ? block * zero_points_stride_ + n : n * s.blocks() + block);
  const int per_byte = 8 / s.bits;
  const int byte = zp->as<uint8_t>()[static_cast<size_t>(n * s.zero_point_row_bytes() + block / per_byte)];
  return (byte >> (s.bits * (block % per_byte))) & s.max_code();
}

void WeightReader::codes(int64_t n, uint8_t* row) const {
  const auto* first = view_.codes->as<uint8_t>().data() + n * view_.shape.row_bytes(view_.code_layout);
  unpack_codes(first, view_.shape.K, view_.shape.bits, row);
}

void WeightReader::dequantize(int64_t n, double* row) const {
  const BlockShape& s = view_.shape;
  const auto* packed = view_.codes->as<uint8_t>().data() + n * s.row_bytes(view_.code_layout);
  const int per_byte = 8 / s.bits;
  const int mask = s.max_code();
  std::array<double, 16>
      table;  // of one block: code -> weight; 8-bit codes are computed, a table of 256 would cost more
  for (int64_t block = 0; block < s.blocks(); ++block) {
    const int64_t begin = block * s.block_size;
    const int64_t end = std::min(begin + s.block_size, s.K);
    const double scale_value = scale(n, block);
    const double zp = zero_point(n, block);
    if (s.bits == 8) {
      for (int64_t k = begin; k < end; ++k) row[k] = (packed[k] - zp) * scale_value;
      continue;
    }
    for (int c = 0; c <= mask; ++c) table[static_cast<size_t>(c)] = (c - zp) * scale_value;
    int64_t k = begin;
    if (s.bits == 4 && begin % 2 == 0) {  // two at a time: this loop is most of the time at M = 1
      for (; k + 2 <= end; k += 2) {
        row[k] = table[packed[k / 2] & 15];
        row[k + 1] = table[packed[k / 2] >> 4];
      }
    }
    for (; k < end; ++k)
      row[k] = table[static_cast<size_t>((packed[k / per_byte] >> (s.bits * (k % per_byte))) & mask)];
  }
}

}  // namespace halfbyte
