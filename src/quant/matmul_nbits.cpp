#include "quant/matmul_nbits.hpp"

#include <string>
#include <string_view>

#include "quant/zero_points.hpp"

namespace halfbyte {
namespace {

std::string block_words(const BlockShape& s) {
  return std::format("N={}, K={} and block_size {} ({} blocks)", s.N, s.K, s.block_size, s.blocks());
}

Result<void> expect_dtype(std::string_view input, const HostTensor& t, DType dtype, std::string_view because) {
  if (t.dtype == dtype) return {};
  return fail(ErrorCode::invalid_argument,
              std::format("input {} is {} but must be {}{}", input, name(t.dtype), name(dtype), because));
}

// The usual shape, or the flat one of old models (empty: not allowed).
Result<void> expect_shape(std::string_view input, const HostTensor& t, const Shape& shape, const Shape& flat,
                          const std::string& because) {
  const auto count = element_count(t.shape);
  const bool whole = count && *count == t.size();  // the bytes are there, too
  if (whole && (t.shape == shape || (!flat.empty() && t.shape == flat))) return {};
  const std::string allowed = flat.empty() ? to_string(shape) : to_string(shape) + " or " + to_string(flat);
  return fail(ErrorCode::invalid_argument,
              std::format("input {} has shape {}{} but {} needs {}", input, to_string(t.shape),
                          whole ? "" : std::format(" and {} bytes", t.data.size()), because, allowed));
}

Result<HostTensor> kernel_zero_points(const BlockShape& s, DType dtype, const HostTensor& given) {
  const int64_t blocks = s.blocks();
  if (given.dtype == DType::uint8) {
    const int64_t row = s.zero_point_row_bytes();
    HB_CHECK(expect_shape("zero_points", given, {s.N, row}, {s.N * row},
                          std::format("{} with {}-bit zero points packed row by row", block_words(s), s.bits)));
    return unpack_zero_points(given, blocks, s.bits, dtype);
  }
  HB_CHECK(expect_dtype("zero_points", given, dtype, ", as A and scales are, or uint8, packed"));
  HB_CHECK(expect_shape("zero_points", given, {s.N, blocks}, {s.N * blocks}, block_words(s)));
  HostTensor out = given;
  out.shape = {s.N, blocks};
  return out;
}

}  // namespace

Result<KernelTensors> to_kernel_tensors(const BlockShape& s, DType dtype, const MatMulNBitsTensors& tensors) {
  HB_CHECK(check_matmul_nbits_shape(s));
  if (dtype != DType::float32 && dtype != DType::float16)
    return fail(ErrorCode::invalid_argument, std::format("input A is {} but must be float32 or float16", name(dtype)));
  const int64_t blocks = s.blocks();
  HB_CHECK(expect_dtype("B", *tensors.b, DType::uint8, ""));
  HB_CHECK(expect_shape("B", *tensors.b, {s.N, blocks, s.block_size * s.bits / 8}, {},
                        std::format("{} at {} bits", block_words(s), s.bits)));
  HB_CHECK(expect_dtype("scales", *tensors.scales, dtype, ", as A is"));
  HB_CHECK(expect_shape("scales", *tensors.scales, {s.N, blocks}, {s.N * blocks}, block_words(s)));
  KernelTensors out{*tensors.scales, std::nullopt};
  out.scales.shape = {s.N, blocks};
  if (tensors.zero_points) {
    HB_TRY(out.zero_points, kernel_zero_points(s, dtype, *tensors.zero_points));
  }
  if (tensors.bias) {
    HB_CHECK(expect_dtype("bias", *tensors.bias, dtype, ", as A is"));
    HB_CHECK(expect_shape("bias", *tensors.bias, {s.N}, {}, std::format("N={}", s.N)));
  }
  return out;
}

}  // namespace halfbyte
