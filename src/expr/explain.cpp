#include <charconv>
#include <cmath>

#include "expr/expr.hpp"

namespace halfbyte::expr {
namespace {

constexpr std::string_view kLimits = "device.limits.";

bool is_literal(Op op) { return op == Op::number || op == Op::string || op == Op::boolean; }

std::string format_value(Machine& machine, int32_t node) {
  const Program& program = machine.program();
  switch (program.nodes[static_cast<size_t>(node)].type) {
    case Type::number:
      if (const auto v = machine.number(node)) return format_number(*v);
      break;
    case Type::boolean:
      if (const auto v = machine.boolean(node)) return *v ? "true" : "false";
      break;
    case Type::string:
      if (const auto v = machine.string(node)) return std::format("\"{}\"", *v);
      break;
    case Type::shape:
      if (const auto v = machine.shape(node)) {
        std::string text = "[";
        for (uint32_t i = 0; i < v->count; ++i) text += (i ? "," : "") + format_number(v->at[i]);
        return text + "]";
      }
      break;
  }
  return "unknown";
}

// "tiledWorkgroupSide is 16"; nothing for a literal.
std::string named_value(Machine& machine, int32_t node) {
  const Program& program = machine.program();
  if (is_literal(program.nodes[static_cast<size_t>(node)].op)) return {};
  return std::format("{} is {}", program.source(node), format_value(machine, node));
}

// A comparison with a device limit that the device does not reach, put as a need. Empty for any other comparison.
std::string limit_sentence(Machine& machine, const Node& node) {
  const Program& program = machine.program();
  int32_t need = program.child(node, 0), limit = program.child(node, 1);
  bool strict = node.op == Op::less || node.op == Op::greater;
  if (node.op == Op::greater || node.op == Op::greater_equal) std::swap(need, limit);
  if (node.op != Op::less && node.op != Op::less_equal && node.op != Op::greater && node.op != Op::greater_equal)
    return {};
  const std::string_view name = program.source(limit);
  const bool is_limit = program.nodes[static_cast<size_t>(limit)].op == Op::slot && name.starts_with(kLimits);
  if (!is_limit) return {};
  const std::string_view why = program.source(need);
  std::string text =
      std::format("needs {} {} {}, the device has {}", name.substr(kLimits.size()), strict ? "above" : "of at least",
                  format_value(machine, need), format_value(machine, limit));
  if (!is_literal(program.nodes[static_cast<size_t>(need)].op)) text += std::format(" ({})", why);
  return text;
}

// "aRows is 4, tunables.TILED_MIN_M is 64".
std::string operand_values(Machine& machine, const Node& node) {
  const Program& program = machine.program();
  std::string values = named_value(machine, program.child(node, 0));
  const std::string right = named_value(machine, program.child(node, 1));
  if (!right.empty()) values += (values.empty() ? "" : ", ") + right;
  return values;
}

std::string comparison_sentence(Machine& machine, int32_t self) {
  const Program& program = machine.program();
  const Node& node = program.nodes[static_cast<size_t>(self)];
  if (std::string text = limit_sentence(machine, node); !text.empty()) return text;
  const std::string values = operand_values(machine, node);
  return std::format("{} is false{}{}", program.source(self), values.empty() ? "" : ": ", values);
}

std::string flag_sentence(std::string_view source) {
  for (const auto& [call, what] : {std::pair<std::string_view, std::string_view>{"device.features.has(", "the feature"},
                                   {"device.wgslLanguageFeatures.has(", "the WGSL language feature"}})
    if (source.starts_with(call))
      return std::format("the device lacks {} {}", what, source.substr(call.size(), source.size() - call.size() - 1));
  return std::format("{} is false", source);
}

// Goes down to what decides; `budget`: parts it may still look at, since derives of derives can name more than anyone would read.
std::string explain(Machine& machine, int32_t node, int& budget) {
  const Program& program = machine.program();
  const auto value = machine.boolean(node);
  if (!value) return to_string(value.error(), program);
  const Node& n = program.nodes[static_cast<size_t>(node)];
  if (--budget <= 0) return std::format("{} is false", program.source(node));
  switch (n.op) {
    case Op::derive: return explain(machine, program.derives[static_cast<size_t>(n.index)].expression.root, budget);
    case Op::logical_and: {
      const auto left = machine.boolean(program.child(n, 0));
      return explain(machine, program.child(n, left && *left ? 1 : 0), budget);
    }
    case Op::logical_or:
      return explain(machine, program.child(n, 0), budget) + ", and " + explain(machine, program.child(n, 1), budget);
    case Op::logical_not: return std::format("{} is true", program.source(program.child(n, 0)));
    case Op::conditional: {
      const auto condition = machine.boolean(program.child(n, 1));
      return explain(machine, program.child(n, condition && *condition ? 0 : 2), budget);
    }
    case Op::slot:
    case Op::slot_present: return flag_sentence(program.source(node));
    case Op::f16_ok: return "the device lacks the feature \"shader-f16\"";
    case Op::matrix_config: return std::format("the device does not list {}", program.source(node));
    case Op::boolean: return "false is false";
    default: return comparison_sentence(machine, node);
  }
}

// The values that make it true; empty where its own words say all.
std::string support(Machine& machine, int32_t node, int& budget) {
  const Program& program = machine.program();
  const Node& n = program.nodes[static_cast<size_t>(node)];
  if (--budget <= 0) return {};
  switch (n.op) {
    case Op::derive: return support(machine, program.derives[static_cast<size_t>(n.index)].expression.root, budget);
    case Op::logical_and: {
      std::string text = support(machine, program.child(n, 0), budget);
      const std::string right = support(machine, program.child(n, 1), budget);
      if (!right.empty()) text += (text.empty() ? "" : ", ") + right;
      return text;
    }
    case Op::logical_or: {
      const auto left = machine.boolean(program.child(n, 0));
      return support(machine, program.child(n, left && *left ? 0 : 1), budget);
    }
    case Op::logical_not: return explain(machine, program.child(n, 0), budget);
    case Op::conditional: {
      const auto condition = machine.boolean(program.child(n, 1));
      return support(machine, program.child(n, condition && *condition ? 0 : 2), budget);
    }
    case Op::slot:
    case Op::slot_present:
    case Op::f16_ok:
    case Op::matrix_config:
    case Op::boolean: return {};
    default: return operand_values(machine, n);
  }
}

}  // namespace

std::string format_number(double value) {
  std::array<char, 32> buffer{};
  const bool whole = std::isfinite(value) && value == std::floor(value) && std::abs(value) < 9.007199254740992e15;
  const auto end = whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<int64_t>(value)).ptr
                         : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string to_string(const Fault& fault, const Program& program) {
  const std::string_view source = program.source(fault.node);
  switch (fault.kind) {
    case FaultKind::absent: return std::format("{} has no value here", source);
    case FaultKind::division_by_zero: return std::format("{} divides by zero", source);
    case FaultKind::not_an_integer:
      return std::format("{} uses {} as an index, which is not an integer", source, format_number(fault.a));
    case FaultKind::out_of_range:
      return std::format("{} asks for dimension {} of {}", source, format_number(fault.a), format_number(fault.b));
    case FaultKind::too_many_dimensions:
      return std::format("{} has {} dimensions, at most {} are allowed", source, format_number(fault.a), kMaxRank);
    case FaultKind::too_large:
      return std::format("{} is {}, past 2^53, where a double no longer holds every integer", source, fault.a);
    case FaultKind::not_finite: return std::format("{} is given {}, which is not finite", source, fault.a);
  }
  return std::string(source);
}

std::string why_false(Machine& machine, int32_t node) {
  int budget = 64;
  return explain(machine, node, budget);
}

std::string why_true(Machine& machine, int32_t node) {
  int budget = 64;
  return support(machine, node, budget);
}

}  // namespace halfbyte::expr
