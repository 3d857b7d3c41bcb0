// Internal to src/plan: reads the expressions of one template tag.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "plan/jinja_tree.hpp"

namespace halfbyte::jinja {

struct Failure {
  size_t at = 0;
  std::string message;
};

struct Token {
  enum Kind : uint8_t { end, name, integer, real, string, symbol } kind = end;
  std::string text;  // of a string: escapes undone
  size_t at = 0;
};

class Expressions {
 public:
  Expressions(std::string_view text, size_t begin, size_t end);

  std::optional<Failure> failure;  // the first; from then on the tag has ended

  bool at_end() const { return token_.kind == Token::end; }
  size_t at() const { return token_.at; }
  bool is(std::string_view text) const {
    return (token_.kind == Token::symbol || token_.kind == Token::name) && token_.text == text;
  }
  bool accept(std::string_view text) { return is(text) ? (advance(), true) : false; }
  void expect(std::string_view text) {
    if (!accept(text)) unexpected(std::format("'{}'", text));
  }
  std::string take_name(std::string_view what);
  void unexpected(std::string_view wanted);
  void stop(size_t at, std::string message);

  // `conditional`: may end with "if ... else ..." (not so in a for, whose "if" filters).
  Expr expression(bool conditional = true);

 private:
  void advance();
  void number();
  void string(char quote);
  Expr make(Expr::Kind kind, size_t at, std::string text, std::vector<Expr> kids);
  template <class Next, size_t N>
  Expr chain(const std::array<std::string_view, N>& operators, Next next);
  Expr disjunction();
  Expr conjunction();
  Expr negation();
  Expr comparison();
  Expr concatenation();
  Expr sum();
  Expr product();
  Expr unary();
  Expr postfix();
  Expr subscript(Expr value, size_t at);
  void arguments(std::vector<Expr>& kids, std::vector<NamedExpr>* named);
  bool next_is_equals() const;
  Expr primary();
  Expr named_value(Expr e, const std::string& text);

  std::string_view text_;
  size_t position_, end_;
  Token token_;
  int nesting_ = 0;
};

}  // namespace halfbyte::jinja
