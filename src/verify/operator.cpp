#include "verify/operator.hpp"

#include <algorithm>
#include <cmath>

#include "manifest/manifest.hpp"

namespace halfbyte {
namespace {

void set(expr::Machine& machine, int32_t slot, const std::variant<double, std::string>& value) {
  if (slot < 0) return;
  if (const double* number = std::get_if<double>(&value)) machine.set(slot, *number);
  else machine.set(slot, std::string_view(std::get<std::string>(value)));
}

// Attributes and input shapes: what sizes can depend on.
expr::Machine environment(const Manifest& manifest, const Problem& problem) {
  expr::Machine machine(manifest.program, manifest.slot_count);
  for (const AttributeSpec& attribute : manifest.attributes) {
    if (const auto given = problem.attrs.find(attribute.name); given != problem.attrs.end())
      set(machine, attribute.slot, given->second);
    else if (attribute.default_value)
      set(machine, attribute.slot, *attribute.default_value);
  }
  for (const TensorSpec& tensor : manifest.tensors) {
    const auto input = problem.inputs.find(tensor.key);
    if (input == problem.inputs.end() || input->second.shape.size() > expr::kMaxRank) continue;
    expr::Dims dims;
    for (const int64_t d : input->second.shape) dims.at[dims.count++] = static_cast<double>(d);
    if (tensor.shape_slot >= 0) machine.set(tensor.shape_slot, dims);
    if (tensor.rank_slot >= 0) machine.set(tensor.rank_slot, static_cast<double>(dims.count));
  }
  return machine;
}

Result<int64_t> size(expr::Machine& machine, const Formula& formula, std::string_view what, const Problem& problem) {
  if (!formula) return fail(ErrorCode::unsupported, std::format("the package's semantics do not give {}", what));
  const auto value = machine.number(formula.expression.root);
  if (!value)
    return fail(ErrorCode::invalid_argument, std::format("{} of {} cannot be found: {}", what, problem.id,
                                                         expr::to_string(value.error(), machine.program())));
  if (!(*value >= 1 && *value < 0x1p31) || *value != std::floor(*value))
    return fail(ErrorCode::invalid_argument, std::format("{} of {} is {} but must be an integer from 1 to 2147483647",
                                                         what, problem.id, *value));
  return static_cast<int64_t>(*value);
}

BlockLayout block_layout(const std::string& text) {
  return text == "block_n" ? BlockLayout::block_n : BlockLayout::n_block;
}

}  // namespace

Result<Operator> resolve_operator(const Package& package, const Problem& problem) {
  const Manifest& manifest = package.manifest();
  if (!manifest.semantics)
    return fail(ErrorCode::unsupported,
                std::format("package {} has no \"semantics\", so what it should compute is not known", manifest.name));
  const SemanticsSpec& spec = *manifest.semantics;
  Operator op;
  op.semantics = {spec.a, spec.y, spec.bias,
                  {spec.codes, spec.codes_layout == "rows" ? CodeLayout::rows : CodeLayout::onnx},
                  {spec.scales, block_layout(spec.scales_layout)},
                  {spec.zero_points, block_layout(spec.zero_points_layout)}};
  expr::Machine machine = environment(manifest, problem);
  HB_TRY(op.shape.K, size(machine, spec.K, "K", problem));
  HB_TRY(op.shape.N, size(machine, spec.N, "N", problem));
  HB_TRY(op.shape.block_size, size(machine, spec.block_size, "block_size", problem));
  HB_TRY(const int64_t bits, size(machine, spec.bits, "bits", problem));
  if (bits != 2 && bits != 4 && bits != 8)
    return fail(ErrorCode::invalid_argument, std::format("bits of {} is {} but must be 2, 4 or 8", problem.id, bits));
  op.shape.bits = static_cast<int>(bits);
  return op;
}

}  // namespace halfbyte
