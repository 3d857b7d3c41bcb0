#include "plan/prologue.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "plan/wgsl_tokens.hpp"

namespace halfbyte {
namespace {

bool is_f16_type(std::string_view t) {
  if (t == "f16") return true;
  const auto size = [](char c) { return c >= '2' && c <= '4'; };
  if (t.size() == 5 && t.starts_with("vec")) return size(t[3]) && t[4] == 'h';
  return t.size() == 7 && t.starts_with("mat") && size(t[3]) && t[4] == 'x' && size(t[5]) && t[6] == 'h';
}

bool is_f16_literal(std::string_view t) { return std::isdigit(static_cast<unsigned char>(t[0])) && t.back() == 'h'; }

const std::set<std::string_view>& subgroup_functions() {
  static const std::set<std::string_view> names{"subgroupAdd",       "subgroupExclusiveAdd", "subgroupInclusiveAdd",
                                                "subgroupAll",       "subgroupAnd",          "subgroupAny",
                                                "subgroupBallot",    "subgroupBroadcast",    "subgroupBroadcastFirst",
                                                "subgroupElect",     "subgroupMax",          "subgroupMin",
                                                "subgroupMul",       "subgroupExclusiveMul", "subgroupInclusiveMul",
                                                "subgroupOr",        "subgroupShuffle",      "subgroupShuffleDown",
                                                "subgroupShuffleUp", "subgroupShuffleXor",   "subgroupXor",
                                                "quadBroadcast",     "quadSwapDiagonal",     "quadSwapX",
                                                "quadSwapY"};
  return names;
}

const std::set<std::string_view>& packed_functions() {
  static const std::set<std::string_view> names{"dot4U8Packed",  "dot4I8Packed",  "pack4xI8",   "pack4xU8",
                                                "pack4xI8Clamp", "pack4xU8Clamp", "unpack4xI8", "unpack4xU8"};
  return names;
}

struct Directives {
  std::set<std::string> enables, required, diagnostics;
};

// The names of Dawn's 2026-09 `enable` extensions and of WGSL's language features.
void find_directives(std::string_view text, Directives& d) {
  const std::vector<std::string_view> list = wgsl_tokens(text);
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string_view t = list[i];
    if (is_f16_type(t) || is_f16_literal(t)) d.enables.insert("f16");
    if (subgroup_functions().contains(t)) d.enables.insert("subgroups");
    if (t.starts_with("subgroup_matrix_") || t.starts_with("subgroupMatrix"))
      d.enables.insert("chromium_experimental_subgroup_matrix");
    if (packed_functions().contains(t)) d.required.insert("packed_4x8_integer_dot_product");
    if (t == "subgroup_size" && i > 0 && list[i - 1] == "@") {
      d.enables.insert("subgroup_size_control");
      d.enables.insert("subgroups");
    }
    if (t == "builtin" && i + 2 < list.size()) {
      const std::string_view value = list[i + 2];
      if (value == "subgroup_invocation_id" || value == "subgroup_size" || value == "subgroup_id" ||
          value == "num_subgroups")
        d.enables.insert("subgroups");
      if (value == "subgroup_id" || value == "num_subgroups") d.required.insert("subgroup_id");
      if (value == "global_invocation_index" || value == "workgroup_index") d.required.insert("linear_indexing");
    }
  }
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

// Takes a line that is one directive; false: it is not.
bool take_directive(std::string_view line, Directives& d) {
  line = trimmed(line);
  if (!line.ends_with(';')) return false;
  line.remove_suffix(1);
  if (line.starts_with("diagnostic") && trimmed(line.substr(10)).starts_with('(')) {
    d.diagnostics.insert(std::string(line));
    return true;
  }
  for (const auto& [word, target] :
       {std::pair<std::string_view, std::set<std::string>*>{"enable", &d.enables}, {"requires", &d.required}}) {
    if (!line.starts_with(word) || line.size() == word.size() ||
        !std::isspace(static_cast<unsigned char>(line[word.size()])))
      continue;
    std::string_view names = line.substr(word.size());
    while (!names.empty()) {
      const size_t comma = names.find(',');
      if (const std::string_view name = trimmed(names.substr(0, comma)); !name.empty())
        target->insert(std::string(name));
      names = comma == std::string_view::npos ? "" : names.substr(comma + 1);
    }
    return true;
  }
  return false;
}

std::string declarations(const PassPlan& pass) {
  std::string text;
  for (const PlanBinding& b : pass.bindings) {
    if (b.kind != BindingKind::uniform) continue;
    text += std::format("struct {}_struct {{\n", b.name);
    for (const UniformField& field : b.fields) text += std::format("  {}: {},\n", field.name, field.type);
    text += "}\n";
  }
  for (size_t i = 0; i < pass.bindings.size(); ++i) {
    const PlanBinding& b = pass.bindings[i];
    if (b.kind == BindingKind::uniform) {
      text += std::format("@group(0) @binding({}) var<uniform> {}: {}_struct;\n", i, b.name, b.name);
      continue;
    }
    const std::string type =
        b.length ? std::format("array<{}, {}>", b.element_type, *b.length) : std::format("array<{}>", b.element_type);
    text += std::format("@group(0) @binding({}) var<storage, {}> {}: {};\n", i,
                        b.access == Access::read ? "read" : "read_write", b.name, type);
  }
  return text;
}

}  // namespace

std::string with_prologue(std::string_view body, const PassPlan& pass) {
  Directives directives;
  std::string rest;
  while (!body.empty()) {
    const size_t newline = body.find('\n');
    const std::string_view line = body.substr(0, newline == std::string_view::npos ? body.size() : newline + 1);
    body.remove_prefix(line.size());
    if (!take_directive(line, directives)) rest += line;
  }
  const std::string declared = declarations(pass);
  find_directives(declared, directives);
  find_directives(rest, directives);
  std::string text;
  for (const std::string& name : directives.enables) text += std::format("enable {};\n", name);
  for (const std::string& name : directives.required) text += std::format("requires {};\n", name);
  for (const std::string& line : directives.diagnostics) text += line + ";\n";
  return text + declared + rest;
}

}  // namespace halfbyte
