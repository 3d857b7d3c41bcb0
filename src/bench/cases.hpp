// bench.json of a package, or a list of requests -> the problems to measure. docs/benchmarks.md describes the form: one request
// written with variables, and layers that give the variables' values; a list of values stands for one case each.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "select/problem.hpp"

namespace halfbyte {

using Variable = std::variant<double, bool, std::string>;
using Variables = std::map<std::string, Variable, std::less<>>;

struct BenchCase {
  std::string id;     // "Llama-3.2-1B/q_proj o_proj/M128"; unique
  std::string model;  // empty: not a model's layer
  std::string layer;
  double count = 1;  // how many such layers the model has
  Variables variables;
  Problem problem;  // its id is the case's
};

// Values that take the place of the file's, for every case that has the variable: {"M": {1, 128}, "dtype": {"float32"}}.
using Overrides = std::map<std::string, std::vector<Variable>, std::less<>>;

// "M=1,128" -> the variable's name and its values: numbers, true/false, else text. Errors: invalid_argument.
Result<std::pair<std::string, std::vector<Variable>>> parse_override(std::string_view text);

// `file` is for messages. Errors: parse, with line and column: unknown keys or variables, a case that lacks a variable or gives one
// of another type, expressions, more than 100000 cases; invalid_argument: an override of a variable that the file does not have.
Result<std::vector<BenchCase>> parse_bench_cases(std::string_view json_text, const std::string& file,
                                                 const Overrides& overrides = {});

// The cases whose id contains every word of one of `words` ("Llama M128", blanks apart); all when it is empty.
std::vector<BenchCase> matching(std::vector<BenchCase> cases, const std::vector<std::string>& words);

}  // namespace halfbyte
