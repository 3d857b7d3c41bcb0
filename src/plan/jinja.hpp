// The template language: as much of Jinja as kernels need, and no template can make it run long, grow large or crash.
//
//   {{ expression }}                 printed; printing a value that is not there is an error
//   {% if %} {% elif %} {% else %} {% endif %}
//   {% for a[, b] in list [if ...] %} {% else %} {% endfor %}, {% break %}, {% continue %}, loop.index, loop.index0, loop.first, loop.last, loop.length
//   {% set a = expression %}, {% set a %} text {% endset %}
//   {% macro f(a, b=1) %} {% endmacro %}, called as f(1); a macro sees the names of the place where it is defined
//   {# comment #}, `-` beside a tag's brace takes the white space on that side
// A block tag takes the newline after it and, on a line of its own, the blanks before it (Jinja's trim_blocks and lstrip_blocks).
//
// Expressions: numbers, 'strings', true, false, none, lists, names, x.member, x[i], x[i:j], a if c else b, or, and, not, == != < <= > >=, in,
// not in, is [not] TEST, ~ + - * %, filters. There is no '/' (values are computed in derive), no dictionary, and a string is not multiplied.
//
// An unknown name is an error, in place of Jinja's empty text. Integers are 64 bits and overflow is an error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace halfbyte::jinja {

inline constexpr size_t kMaxText = size_t{4} << 20;    // bytes of a template, and of what it renders to
inline constexpr size_t kMaxString = size_t{1} << 20;  // bytes of one value
inline constexpr size_t kMaxList = 65536;              // elements of one list, and of a range
inline constexpr int kMaxNesting = 64;      // blocks in blocks, brackets in brackets, lists in lists, macros in macros
inline constexpr int kMaxExpression = 256;  // depth of an expression's tree, so operands of one chain as well
inline constexpr uint64_t kMaxSteps = 2'000'000;  // of one rendering: nodes and expressions visited, and bytes / 64

struct Value;
using List = std::vector<Value>;
using Members = std::map<std::string, Value, std::less<>>;

struct Value {
  std::variant<std::monostate, bool, int64_t, double, std::string, std::shared_ptr<const List>,
               std::shared_ptr<const Members>>
      is;
};

struct Tree;  // a parsed template; immutable, may be shared between threads

// Errors: parse; where.line and where.column in `text`, where.file empty.
Result<std::shared_ptr<const Tree>> parse(std::string_view text);

// What a template can read.
struct Names {
  Members values;
  std::map<std::string, std::string> missing;  // name -> why it has no value here; reading it is an error that says so
  std::vector<std::string> optional;           // may be asked for by `is defined` without being in `values`
};

// Errors: parse (unknown name, wrong type, a bound above); where.line and where.column as in parse().
Result<std::string> render(const Tree& tree, const Names& names);

}  // namespace halfbyte::jinja
