#include "bench/problem_key.hpp"

#include "expr/expr.hpp"
#include "manifest/manifest.hpp"
#include "verify/operator.hpp"

namespace halfbyte {
namespace {

std::string attribute_text(const AttrValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return expr::format_number(*number);
  return std::get<std::string>(value);
}

}  // namespace

Result<ProblemKey> problem_key(const Package& package, const Problem& problem) {
  HB_TRY(const Operator op, resolve_operator(package, problem));
  std::map<std::string, AttrValue, std::less<>> attrs = problem.attrs;
  for (const AttributeSpec& spec : package.manifest().attributes) {
    if (spec.default_value) attrs.try_emplace(spec.name, *spec.default_value);
  }
  ProblemKey key;
  for (const auto& [name, value] : attrs) key.signature += std::format("{}={} ", name, attribute_text(value));
  key.signature += "|";
  for (const auto& [name, desc] : problem.inputs) {
    if (name != op.semantics.a) {
      key.signature += std::format(" {} {}{}", name, halfbyte::name(desc.dtype), to_string(desc.shape));
      continue;
    }
    key.signature += std::format(" {} {}[*,{}]", name, halfbyte::name(desc.dtype), op.shape.K);
    key.M = element_count(desc.shape).value_or(0) / op.shape.K;
  }
  if (!problem.constant.empty()) key.signature += " | constant";
  for (const std::string& name : problem.constant) key.signature += " " + name;
  return key;
}

}  // namespace halfbyte
