#include "bench/roofline.hpp"

#include <algorithm>

#include "verify/operator.hpp"

namespace halfbyte {
namespace {

bool contains(std::span<const std::string> texts, std::string_view word) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return text.contains(word); });
}

double bytes_of(const TensorDesc& desc) {
  return static_cast<double>(element_count(desc.shape).value_or(0)) * static_cast<double>(byte_size(desc.dtype));
}

bool serves(const Peak& peak, Unit unit) {
  switch (unit) {
    case Unit::fma_f32: return peak.kind == PeakKind::fma && peak.component == "f32";
    case Unit::fma_f16: return peak.kind == PeakKind::fma && peak.component == "f16";
    case Unit::dot_i8: return peak.kind == PeakKind::dot;
    case Unit::matrix_f16: return peak.kind == PeakKind::matrix && (peak.component == "f16" || peak.component == "f32");
    case Unit::matrix_i8: return peak.kind == PeakKind::matrix && (peak.component == "i8" || peak.component == "u8");
  }
  return false;
}

std::string_view limit_kind(PeakKind kind) {
  return kind == PeakKind::read || kind == PeakKind::copy ? "bandwidth" : name(kind);
}

}  // namespace

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::fma_f32: return "fma f32";
    case Unit::fma_f16: return "fma f16";
    case Unit::dot_i8: return "dot i8";
    case Unit::matrix_f16: return "matrix f16";
    case Unit::matrix_i8: return "matrix i8";
  }
  return "";
}

Unit unit_of(std::span<const std::string> wgsl, std::string_view multiply) {
  if (contains(wgsl, "subgroupMatrixMultiply")) {
    const bool integers = contains(wgsl, "subgroup_matrix_left<i8") || contains(wgsl, "subgroup_matrix_left<u8");
    return integers ? Unit::matrix_i8 : Unit::matrix_f16;
  }
  if (contains(wgsl, "dot4I8Packed(") || contains(wgsl, "dot4U8Packed(")) return Unit::dot_i8;
  return multiply == "f16" ? Unit::fma_f16 : Unit::fma_f32;
}

Result<Work> work_of(const Package& package, const Problem& problem) {
  HB_TRY(const Operator op, resolve_operator(package, problem));
  Work work;
  work.N = static_cast<double>(op.shape.N);
  work.K = static_cast<double>(op.shape.K);
  work.bits = op.shape.bits;
  work.block_size = static_cast<double>(op.shape.block_size);
  for (const auto& [key, desc] : problem.inputs) {
    if (key != op.semantics.a) {
      work.weight_bytes += bytes_of(desc);
      continue;
    }
    work.M = static_cast<double>(element_count(desc.shape).value_or(0)) / work.K;
    work.activation_bytes = (work.M * work.K + work.M * work.N) * static_cast<double>(byte_size(desc.dtype));
  }
  work.flops = 2 * work.M * work.N * work.K;
  return work;
}

const Peak* peak_of(const DeviceRecord& record, Unit unit) {
  const Peak* best = nullptr;
  for (const Peak& peak : record.peaks) {
    if (peak.value > 0 && serves(peak, unit) && (best == nullptr || peak.value > best->value)) best = &peak;
  }
  return best;
}

std::optional<Limit> limit_of(const DeviceRecord& record, const Work& work, std::span<const Unit> units, bool cached) {
  std::optional<Limit> limit;
  const auto at_least = [&](const Peak* peak, double seconds) {
    if (peak == nullptr || (limit && limit->seconds >= seconds)) return;
    limit = Limit{std::string(limit_kind(peak->kind)), peak->id, seconds};
  };
  const Peak* fastest = nullptr;
  for (const Unit unit : units) {
    const Peak* peak = peak_of(record, unit);
    if (peak != nullptr && (fastest == nullptr || peak->value > fastest->value)) fastest = peak;
  }
  if (fastest != nullptr) at_least(fastest, work.flops / fastest->value);
  const Peak* read = record.find("read");
  if (read != nullptr && !cached) at_least(read, work.bytes() / read->value);
  const Peak* dispatch = record.find("dispatch");
  if (dispatch != nullptr) at_least(dispatch, dispatch->value);
  return limit;
}

}  // namespace halfbyte
