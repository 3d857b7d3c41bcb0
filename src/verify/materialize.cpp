#include "verify/materialize.hpp"

#include <cmath>
#include <limits>

#include "quant/codes.hpp"
#include "tensor/half.hpp"

namespace halfbyte {
namespace {

void store(HostTensor& t, int64_t i, double value) {
  const auto n = static_cast<size_t>(i);
  if (t.dtype == DType::float16)
    t.as<uint16_t>()[n] = double_to_half(value);
  else
    t.as<float>()[n] = static_cast<float>(value);
}

Result<HostTensor> allocate(const std::string& key, const TensorDesc& desc, int64_t elements,
                            const std::string& needs) {
  const auto count = element_count(desc.shape);
  if (!count || *count != elements)
    return fail(ErrorCode::invalid_argument,
                std::format("input {} has shape {} but {}", key, to_string(desc.shape), needs));
  return HostTensor::zeros(desc.dtype, desc.shape);
}

Result<void> need_float(const std::string& key, DType dtype) {
  if (dtype == DType::float32 || dtype == DType::float16) return {};
  return fail(ErrorCode::invalid_argument,
              std::format("input {} has dtype {} but must be float32 or float16", key, name(dtype)));
}

Result<HostTensor> make_a(const std::string& key, const TensorDesc& desc, const BlockShape& s, const Recipe& recipe) {
  HB_CHECK(need_float(key, desc.dtype));
  const auto count = element_count(desc.shape);
  if (!count || desc.shape.empty() || desc.shape.back() != s.K)
    return fail(ErrorCode::invalid_argument, std::format("input {} has shape {} but its last dimension must be K={}",
                                                         key, to_string(desc.shape), s.K));
  HostTensor a = HostTensor::zeros(desc.dtype, desc.shape);
  for (int64_t r = 0; r * s.K < *count; ++r)
    for (int64_t k = 0; k < s.K; ++k) store(a, r * s.K + k, recipe.a(r, k));
  return a;
}

Result<HostTensor> make_codes(const std::string& key, const TensorDesc& desc, const BlockShape& s, CodeLayout layout,
                              const Recipe& recipe) {
  const int64_t stride = s.row_bytes(layout);
  if (desc.dtype != DType::uint8)
    return fail(ErrorCode::invalid_argument,
                std::format("input {} has dtype {} but must be uint8", key, name(desc.dtype)));
  HB_TRY(HostTensor codes,
         allocate(key, desc, s.N * stride, std::format("{} rows of {} bytes are needed", s.N, stride)));
  const int64_t slots = stride * 8 / s.bits;
  std::vector<uint8_t> row(static_cast<size_t>(slots), static_cast<uint8_t>(s.max_code()));  // poison past K
  for (int64_t n = 0; n < s.N; ++n) {
    for (int64_t k = 0; k < s.K; ++k) row[static_cast<size_t>(k)] = static_cast<uint8_t>(recipe.code(n, k));
    pack_codes(row.data(), slots, s.bits, codes.as<uint8_t>().data() + n * stride);
  }
  return codes;
}

using BlockRule = std::function<double(int64_t, int64_t)>;

Result<HostTensor> make_blocks(const std::string& key, const TensorDesc& desc, const BlockShape& s, BlockLayout layout,
                               const BlockRule& rule) {
  HB_CHECK(need_float(key, desc.dtype));
  const int64_t blocks = s.blocks();
  int64_t columns = s.N;
  if (layout == BlockLayout::block_n) {
    if (desc.shape.size() != 2 || desc.shape[0] != blocks || desc.shape[1] < s.N)
      return fail(ErrorCode::invalid_argument, std::format("input {} has shape {} but [{},{} or more] is needed", key,
                                                           to_string(desc.shape), blocks, s.N));
    columns = desc.shape[1];
  }
  HB_TRY(HostTensor t, allocate(key, desc, blocks * columns, std::format("[{},{}] is needed", s.N, blocks)));
  const bool rows = layout == BlockLayout::n_block;
  for (int64_t n = 0; n < s.N; ++n)
    for (int64_t b = 0; b < blocks; ++b) store(t, rows ? n * blocks + b : b * columns + n, rule(n, b));
  for (int64_t n = s.N; n < columns; ++n)
    for (int64_t b = 0; b < blocks; ++b) store(t, b * columns + n, std::numeric_limits<double>::quiet_NaN());
  return t;
}

Result<HostTensor> make_packed_zero_points(const std::string& key, const TensorDesc& desc, const BlockShape& s,
                                           const Recipe& recipe) {
  const int64_t stride = s.zero_point_row_bytes();
  HB_TRY(HostTensor t, allocate(key, desc, s.N * stride, std::format("{} rows of {} bytes are needed", s.N, stride)));
  const int64_t slots = stride * 8 / s.bits;
  std::vector<uint8_t> row(static_cast<size_t>(slots), static_cast<uint8_t>(s.max_code()));  // poison past the blocks
  for (int64_t n = 0; n < s.N; ++n) {
    for (int64_t b = 0; b < s.blocks(); ++b)
      row[static_cast<size_t>(b)] = static_cast<uint8_t>(recipe.zero_point(n, b));
    pack_codes(row.data(), slots, s.bits, t.as<uint8_t>().data() + n * stride);
  }
  return t;
}

Result<HostTensor> make_bias(const std::string& key, const TensorDesc& desc, const BlockShape& s,
                             const Recipe& recipe) {
  HB_CHECK(need_float(key, desc.dtype));
  HB_TRY(HostTensor t, allocate(key, desc, s.N, std::format("[{}] is needed", s.N)));
  for (int64_t n = 0; n < s.N; ++n) store(t, n, recipe.bias(n));
  return t;
}

}  // namespace

Result<std::map<std::string, HostTensor, std::less<>>> materialize(const Recipe& recipe, const Semantics& m,
                                                                   const BlockShape& s, const Problem& problem) {
  std::map<std::string, HostTensor, std::less<>> inputs;
  for (const auto& key : {m.a, m.codes.input, m.scales.input})
    if (!problem.inputs.contains(key))
      return fail(ErrorCode::invalid_argument, std::format("input {} is missing from the case {}", key, problem.id));
  for (const auto& [key, desc] : problem.inputs) {
    Result<HostTensor> made = fail(ErrorCode::invalid_argument, std::format("the operator has no input {}", key));
    if (key == m.a)
      made = make_a(key, desc, s, recipe);
    else if (key == m.codes.input)
      made = make_codes(key, desc, s, m.codes.layout, recipe);
    else if (key == m.scales.input)
      made = make_blocks(key, desc, s, m.scales.layout, recipe.scale);
    else if (key == m.zero_points.input && desc.dtype == DType::uint8)
      made = make_packed_zero_points(key, desc, s, recipe);
    else if (key == m.zero_points.input)
      made = make_blocks(key, desc, s, m.zero_points.layout, recipe.zero_point);
    else if (key == m.bias)
      made = make_bias(key, desc, s, recipe);
    HB_TRY(inputs[key], std::move(made));
  }
  return inputs;
}

}  // namespace halfbyte
