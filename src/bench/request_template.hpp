// Internal to src/bench: the "request" of bench.json, its expressions compiled once and evaluated for each case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "expr/expr.hpp"
#include "manifest/json.hpp"

namespace halfbyte {

class RequestTemplate {
 public:
  // `types`: every variable with its type (a number, a boolean or a text).
  static Result<RequestTemplate> make(const JsonDocument& document, const JsonValue& request,
                                      const std::map<std::string, expr::Type, std::less<>>& types);

  // Are they used by any expression?
  const std::map<std::string, int32_t, std::less<>>& slots() const { return slots_; }

  // Errors: parse at the expression: a variable without a value, a shape that is not one of whole numbers.
  Result<Problem> evaluate(const JsonDocument& document, const Variables& variables) const;

 private:
  struct Compiled {
    expr::Expression expression;
    const JsonValue* at = nullptr;
  };
  struct Input {
    std::string key;
    Compiled shape;
    Compiled when;               // none: always
    std::optional<DType> dtype;  // or
    Compiled dtype_expression;
  };
  friend struct RequestCompiler;

  expr::Program program_;
  std::map<std::string, int32_t, std::less<>> slots_;
  std::vector<std::pair<std::string, Compiled>> attrs_;
  std::vector<Input> inputs_;
  std::vector<std::string> constant_;
};

}  // namespace halfbyte
