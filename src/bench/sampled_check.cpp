#include "bench/sampled_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "verify/operator.hpp"
#include "verify/rng.hpp"

namespace halfbyte {
namespace {

std::vector<int64_t> pick(int64_t count, int64_t most, Rng& rng) {
  std::set<int64_t> picked;
  if (count <= most) {
    for (int64_t i = 0; i < count; ++i) picked.insert(i);
    return {picked.begin(), picked.end()};
  }
  picked = {0, count - 1};
  // Tiles end at multiples of 64 or of parts of it; a kernel that goes wrong at an edge does so there.
  for (int64_t i = 0; i < most / 2; ++i) {
    const int64_t edge = rng.below(count / 64 + 1) * 64 - rng.below(2);
    picked.insert(std::clamp(edge, int64_t{0}, count - 1));
  }
  while (static_cast<int64_t>(picked.size()) < most) picked.insert(rng.below(count));
  return {picked.begin(), picked.end()};
}

// The slices `wanted` of a tensor whose outermost dimension (or, of a flat old one, whose elements) falls into `count` equal slices.
HostTensor slices(const HostTensor& tensor, int64_t count, const std::vector<int64_t>& wanted) {
  const size_t bytes = tensor.data.size() / static_cast<size_t>(count);
  HostTensor out{tensor.dtype, tensor.shape, std::vector<std::byte>(bytes * wanted.size())};
  out.shape[0] = out.shape[0] / count * static_cast<int64_t>(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    std::memcpy(&out.data[i * bytes], &tensor.data[static_cast<size_t>(wanted[i]) * bytes], bytes);
  return out;
}

// The columns `wanted` of a [blocks][padded N] tensor.
HostTensor inner_columns(const HostTensor& tensor, const std::vector<int64_t>& wanted) {
  const size_t element = byte_size(tensor.dtype);
  const auto width = static_cast<size_t>(tensor.shape.back());
  const size_t rows = tensor.data.size() / element / width;
  HostTensor out{tensor.dtype, tensor.shape, std::vector<std::byte>(rows * wanted.size() * element)};
  out.shape.back() = static_cast<int64_t>(wanted.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < wanted.size(); ++i)
      std::memcpy(&out.data[(r * wanted.size() + i) * element],
                  &tensor.data[(r * width + static_cast<size_t>(wanted[i])) * element], element);
  }
  return out;
}

HostTensor part_of(const Operator& op, const std::string& key, const HostTensor& tensor, const SampledCheck& sampled) {
  const Semantics& s = op.semantics;
  if (key == s.a) {
    HostTensor flat = tensor;
    flat.shape = {sampled.M, op.shape.K};
    return slices(flat, sampled.M, sampled.rows);
  }
  const bool by_block =
      (key == s.scales.input && s.scales.layout == BlockLayout::block_n) ||
      (key == s.zero_points.input && s.zero_points.layout == BlockLayout::block_n && tensor.dtype != DType::uint8);
  return by_block ? inner_columns(tensor, sampled.columns) : slices(tensor, op.shape.N, sampled.columns);
}

int64_t count_not_finite(const HostTensor& tensor) {
  int64_t count = 0;
  if (tensor.dtype == DType::float16) {
    for (const uint16_t bits : tensor.as<const uint16_t>()) count += (bits & 0x7c00) == 0x7c00;
  } else {
    for (const float value : tensor.as<const float>()) count += !std::isfinite(value);
  }
  return count;
}

}  // namespace

Result<SampledCheck> make_sampled_check(const Package& package, const Problem& problem,
                                        const std::map<std::string, HostTensor, std::less<>>& inputs, uint64_t seed,
                                        int64_t most_rows, int64_t most_columns) {
  HB_TRY(const Operator op, resolve_operator(package, problem));
  SampledCheck sampled;
  const auto a = inputs.find(op.semantics.a);
  if (a == inputs.end()) return fail(ErrorCode::invalid_argument, std::format("input {} is missing", op.semantics.a));
  sampled.M = a->second.size() / op.shape.K;
  sampled.N = op.shape.N;
  if (sampled.M < 1 || a->second.size() != sampled.M * op.shape.K)
    return fail(ErrorCode::invalid_argument,
                std::format("input {} has {} elements, which is no whole number of rows of {}", op.semantics.a,
                            a->second.size(), op.shape.K));
  Rng rng(seed, 0xc4ec);
  sampled.rows = pick(sampled.M, most_rows, rng);
  sampled.columns = pick(sampled.N, most_columns, rng);
  std::map<std::string, HostTensor, std::less<>> parts;
  sampled.c.problem = problem;
  for (const auto& [key, tensor] : inputs) {
    parts[key] = part_of(op, key, tensor, sampled);
    sampled.c.problem.inputs[key] = parts[key].desc();
  }
  BlockShape shape = op.shape;
  shape.N = static_cast<int64_t>(sampled.columns.size());
  HB_TRY(sampled.data, case_data_from_inputs(op.semantics, shape, sampled.c.problem, std::move(parts)));
  return sampled;
}

Comparison check(const SampledCheck& sampled, const HostTensor& output, const Numerics& numerics) {
  if (output.size() != sampled.M * sampled.N) {
    Comparison wrong;
    wrong.why = std::format("the output has {} elements, not {} x {}", output.size(), sampled.M, sampled.N);
    return wrong;
  }
  HostTensor part = HostTensor::zeros(
      output.dtype, {static_cast<int64_t>(sampled.rows.size()), static_cast<int64_t>(sampled.columns.size())});
  const size_t element = byte_size(output.dtype);
  size_t to = 0;
  for (const int64_t row : sampled.rows) {
    for (const int64_t column : sampled.columns) {
      std::memcpy(&part.data[to], &output.data[static_cast<size_t>(row * sampled.N + column) * element], element);
      to += element;
    }
  }
  part.shape = sampled.data.output.shape;
  Comparison result = compare(sampled.c, sampled.data, part, numerics);
  // The inputs are small normal numbers: no element overflows.
  const int64_t bad = count_not_finite(output);
  if (bad > 0 && result.pass) {
    result.pass = false;
    result.nans = bad;
    result.why = std::format("{} of {} elements are NaN or infinite, or were never written", bad, output.size());
  }
  return result;
}

}  // namespace halfbyte
