// Internal to src/plan: what templates do with values. Each function says what is wrong, without a place, or adds to `cost` the steps
// beyond one that it took.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "plan/jinja_tree.hpp"

namespace halfbyte::jinja {

using Outcome = std::expected<Value, std::string>;

bool truth(const Value& value);
const char* kind_name(const Value& value);  // "a list"
// As a template prints it; false for a list, an object and none.
bool print(const Value& value, std::string& out);

// Operators, subscripts, members, methods and filters on evaluated operands.
Outcome apply(const Expr& e, std::span<const Value> operands, uint64_t& cost);
Outcome apply_test(std::string_view name, const Value& value);
// range(...), raise_exception(text).
Outcome call_function(std::string_view name, std::span<const Value> arguments, uint64_t& cost);

}  // namespace halfbyte::jinja
