// How far a time is from what the device can do: limits from work and measured peaks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "bench/device_record.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"

namespace halfbyte {

// The arithmetic a kernel does its products with.
enum class Unit { fma_f32, fma_f16, dot_i8, matrix_f16, matrix_i8 };
std::string_view name(Unit unit);  // "matrix f16"

// From the WGSL of a variant's passes and the numerics it declares: subgroup matrices of 8-bit integers or of floats, packed
// 8-bit dots, else multiply-adds in f16 where it says that it multiplies in f16.
Unit unit_of(std::span<const std::string> wgsl, std::string_view multiply);

// The least that any kernel has to do for a problem.
struct Work {
  double M = 0, N = 0, K = 0;
  double bits = 0, block_size = 0;
  double flops = 0;             // 2MNK
  double weight_bytes = 0;      // codes, scales, zero points, bias as the operator has them
  double activation_bytes = 0;  // A and Y
  double bytes() const { return weight_bytes + activation_bytes; }
  double intensity() const { return bytes() > 0 ? flops / bytes() : 0; }
};

// Errors: those of resolve_operator.
Result<Work> work_of(const Package& package, const Problem& problem);

struct Limit {
  std::string kind;  // "matrix", "dot", "fma", "bandwidth" or "dispatch": the largest of them
  std::string peak;  // id of the peak it comes from
  double seconds = 0;
};

// The fastest of the peaks for this unit, if one was measured.
const Peak* peak_of(const DeviceRecord& record, Unit unit);

// `units`: those of all variants that can run the problem; the fastest counts, whichever kernel was chosen. Bandwidth counts only
// when the weights come from memory (not `cached`). Empty when the record lacks all of it.
std::optional<Limit> limit_of(const DeviceRecord& record, const Work& work, std::span<const Unit> units, bool cached);

}  // namespace halfbyte
