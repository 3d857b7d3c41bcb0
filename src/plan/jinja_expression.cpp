#include "plan/jinja_expression.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace halfbyte::jinja {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 10> words{"if", "else", "and",  "or",    "not",
                                                   "in", "is",   "true", "false", "none"};
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

Expressions::Expressions(std::string_view text, size_t begin, size_t end) : text_(text), position_(begin), end_(end) {
  advance();
}

std::string Expressions::take_name(std::string_view what) {
  std::string name = token_.text;
  if (token_.kind != Token::name || is_keyword(name)) {
    unexpected(what);
    return {};
  }
  advance();
  return name;
}

void Expressions::unexpected(std::string_view wanted) {
  stop(token_.at, token_.kind == Token::end ? std::format("the tag ends where {} should be", wanted)
                                            : std::format("unexpected '{}' where {} should be", token_.text, wanted));
}

void Expressions::stop(size_t at, std::string message) {
  if (!failure) failure = Failure{at, std::move(message)};
  position_ = end_;
  token_ = {};
  token_.at = at;
}

Expr Expressions::expression(bool conditional) {
  if (++nesting_ > kMaxNesting) stop(token_.at, std::format("brackets are nested deeper than {}", kMaxNesting));
  Expr value = disjunction();
  if (conditional && is("if")) {
    const size_t at = token_.at;
    advance();
    Expr condition = disjunction();
    Expr otherwise;
    otherwise.at = at;
    if (accept("else")) otherwise = expression();
    value = make(Expr::ternary, at, "", {std::move(value), std::move(condition), std::move(otherwise)});
  }
  --nesting_;
  return value;
}

void Expressions::advance() {
  while (position_ < end_ && is_space(text_[position_])) ++position_;
  token_ = {};
  token_.at = position_;
  if (position_ >= end_) return;
  const char c = text_[position_];
  const size_t begin = position_;
  if (is_letter(c)) {
    while (position_ < end_ && (is_letter(text_[position_]) || is_digit(text_[position_]))) ++position_;
    token_.kind = Token::name;
  } else if (is_digit(c)) {
    return number();
  } else if (c == '"' || c == '\'') {
    return string(c);
  } else {
    static constexpr std::array<std::string_view, 6> two{"==", "!=", "<=", ">=", "//", "**"};
    position_ += std::ranges::find(two, text_.substr(position_, 2)) != two.end() ? 2 : 1;
    token_.kind = Token::symbol;
  }
  token_.text = text_.substr(begin, position_ - begin);
}

void Expressions::number() {
  const size_t begin = position_;
  const auto digits = [&] {
    while (position_ < end_ && is_digit(text_[position_])) ++position_;
  };
  digits();
  token_.kind = Token::integer;
  if (position_ + 1 < end_ && text_[position_] == '.' && is_digit(text_[position_ + 1])) {
    token_.kind = Token::real;
    ++position_;
    digits();
  }
  if (position_ < end_ && (text_[position_] == 'e' || text_[position_] == 'E')) {
    token_.kind = Token::real;
    ++position_;
    if (position_ < end_ && (text_[position_] == '+' || text_[position_] == '-')) ++position_;
    digits();
  }
  token_.text = text_.substr(begin, position_ - begin);
  if (position_ < end_ && is_letter(text_[position_]))
    stop(begin, std::format("'{}' is not a number", token_.text + text_[position_]));
}

void Expressions::string(char quote) {
  token_.kind = Token::string;
  size_t i = position_ + 1;
  for (; i < end_ && text_[i] != quote; ++i) {
    if (text_[i] != '\\') {
      token_.text += text_[i];
      continue;
    }
    if (++i >= end_) break;
    switch (text_[i]) {
      case 'n': token_.text += '\n'; break;
      case 't': token_.text += '\t'; break;
      case '\\':
      case '"':
      case '\'': token_.text += text_[i]; break;
      default: return stop(i - 1, std::format("unknown escape '\\{}' in a string", text_[i]));
    }
  }
  if (i >= end_) return stop(position_, "the string is not closed");
  position_ = i + 1;
}

Expr Expressions::make(Expr::Kind kind, size_t at, std::string text, std::vector<Expr> kids) {
  Expr e;
  e.kind = kind;
  e.at = at;
  e.text = std::move(text);
  for (const Expr& kid : kids) e.depth = std::max(e.depth, kid.depth + 1);
  if (e.depth > kMaxExpression) stop(at, std::format("the expression is deeper than {}", kMaxExpression));
  e.kids = std::move(kids);
  return e;
}

// One left-associative level of precedence.

template <class Next, size_t N>
Expr Expressions::chain(const std::array<std::string_view, N>& operators, Next next) {
  Expr left = (this->*next)();
  while (!failure) {
    const auto op = std::ranges::find_if(operators, [&](std::string_view o) { return is(o); });
    if (op == operators.end()) break;
    const size_t at = token_.at;
    advance();
    left = make(Expr::binary, at, std::string(*op), {std::move(left), (this->*next)()});
  }
  return left;
}

Expr Expressions::disjunction() { return chain(std::array<std::string_view, 1>{"or"}, &Expressions::conjunction); }

Expr Expressions::conjunction() { return chain(std::array<std::string_view, 1>{"and"}, &Expressions::negation); }

Expr Expressions::negation() {
  if (!is("not")) return comparison();
  std::vector<size_t> places;
  while (is("not")) {
    places.push_back(token_.at);
    advance();
  }
  Expr value = comparison();
  for (auto it = places.rbegin(); it != places.rend() && !failure; ++it)
    value = make(Expr::negation, *it, "", {std::move(value)});
  return value;
}

Expr Expressions::comparison() {
  constexpr std::array<std::string_view, 8> operators{"==", "!=", "<=", ">=", "<", ">", "in", "not"};
  Expr left = concatenation();
  while (!failure) {
    const size_t at = token_.at;
    if (accept("is")) {
      const bool negated = accept("not");
      std::string test = token_.text;  // "none" and "true" are tests as well
      if (token_.kind != Token::name) unexpected("the name of a test");
      advance();
      left = make(Expr::test, at, std::move(test), {std::move(left)});
      if (negated) left = make(Expr::negation, at, "", {std::move(left)});
      continue;
    }
    const auto op = std::ranges::find_if(operators, [&](std::string_view o) { return is(o); });
    if (op == operators.end()) break;
    advance();
    const bool negated = *op == "not";
    if (negated) expect("in");
    left = make(Expr::binary, at, negated ? "in" : std::string(*op), {std::move(left), concatenation()});
    if (negated) left = make(Expr::negation, at, "", {std::move(left)});
  }
  return left;
}

Expr Expressions::concatenation() { return chain(std::array<std::string_view, 1>{"~"}, &Expressions::sum); }

Expr Expressions::sum() { return chain(std::array<std::string_view, 2>{"+", "-"}, &Expressions::product); }

Expr Expressions::product() {
  Expr value = chain(std::array<std::string_view, 2>{"*", "%"}, &Expressions::unary);
  if (is("/") || is("//") || is("**"))
    stop(token_.at, std::format("'{}' is not allowed in a template: compute the value in derive", token_.text));
  return value;
}

Expr Expressions::unary() {
  std::vector<size_t> places;
  while (is("-") || is("+")) {
    if (is("-")) places.push_back(token_.at);
    advance();
  }
  Expr value = postfix();
  for (auto it = places.rbegin(); it != places.rend() && !failure; ++it)
    value = make(Expr::negate, *it, "", {std::move(value)});
  return value;
}

Expr Expressions::postfix() {
  Expr value = primary();
  while (!failure) {
    const size_t at = token_.at;
    if (accept("[")) {
      value = subscript(std::move(value), at);
    } else if (accept(".")) {
      std::string name = token_.text;
      if (token_.kind != Token::name) unexpected("a member's name");
      advance();
      if (!accept("(")) {
        value = make(Expr::member, at, std::move(name), {std::move(value)});
        continue;
      }
      std::vector<Expr> kids;
      kids.push_back(std::move(value));
      arguments(kids, nullptr);
      value = make(Expr::method, at, std::move(name), std::move(kids));
    } else if (accept("|")) {
      std::string name = take_name("a filter's name");
      std::vector<Expr> kids;
      kids.push_back(std::move(value));
      if (accept("(")) arguments(kids, nullptr);
      value = make(Expr::filter, at, std::move(name), std::move(kids));
    } else {
      break;
    }
  }
  return value;
}

Expr Expressions::subscript(Expr value, size_t at) {
  Expr from, to;
  if (!is(":")) from = expression();
  if (!accept(":")) {
    expect("]");
    return make(Expr::index, at, "", {std::move(value), std::move(from)});
  }
  if (!is("]")) to = expression();
  expect("]");
  return make(Expr::slice, at, "", {std::move(value), std::move(from), std::move(to)});
}

// Behind "(", up to and with ")".

void Expressions::arguments(std::vector<Expr>& kids, std::vector<NamedExpr>* named) {
  while (!failure && !accept(")")) {
    if (named && token_.kind == Token::name && next_is_equals()) {
      std::string name = take_name("a name");
      expect("=");
      named->push_back({std::move(name), expression()});
    } else {
      kids.push_back(expression());
    }
    if (accept(")")) return;
    expect(",");
  }
}

bool Expressions::next_is_equals() const {
  size_t i = position_;
  while (i < end_ && is_space(text_[i])) ++i;
  return i < end_ && text_[i] == '=' && text_.substr(i, 2) != "==";
}

Expr Expressions::primary() {
  const size_t at = token_.at;
  const std::string text = token_.text;
  Expr e;
  e.at = at;
  switch (token_.kind) {
    case Token::integer: {
      int64_t value = 0;
      const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (ec != std::errc{}) stop(at, std::format("the number {} does not fit 64 bits", text));
      e.value.is = value;
      advance();
      return e;
    }
    case Token::real: {
      double value = 0;
      const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (ec != std::errc{} || end != text.data() + text.size())
        stop(at, std::format("the number {} does not fit a double", text));
      e.value.is = value;
      advance();
      return e;
    }
    case Token::string:
      e.value.is = text;
      advance();
      return e;
    case Token::name: return named_value(std::move(e), text);
    default: break;
  }
  if (accept("(")) {
    e = expression();
    expect(")");
    return e;
  }
  if (accept("[")) {
    std::vector<Expr> kids;
    while (!failure && !accept("]")) {
      kids.push_back(expression());
      if (accept("]")) break;
      expect(",");
    }
    return make(Expr::list, at, "", std::move(kids));
  }
  unexpected("a value");
  return e;
}

Expr Expressions::named_value(Expr e, const std::string& text) {
  if (text == "true" || text == "True" || text == "false" || text == "False") {
    e.value.is = text == "true" || text == "True";
    advance();
    return e;
  }
  if (text == "none" || text == "None") {
    advance();
    return e;
  }
  if (is_keyword(text)) {
    unexpected("a value");
    return e;
  }
  advance();
  if (!accept("(")) {
    e.kind = Expr::name;
    e.text = text;
    return e;
  }
  std::vector<Expr> kids;
  std::vector<NamedExpr> named;
  arguments(kids, &named);
  const size_t at = e.at;
  e = make(Expr::call, at, text, std::move(kids));
  for (const auto& [name, value] : named) e.depth = std::max(e.depth, value.depth + 1);
  if (e.depth > kMaxExpression) stop(at, std::format("the expression is deeper than {}", kMaxExpression));
  e.named = std::move(named);
  return e;
}

}  // namespace halfbyte::jinja
