#include <cctype>
#include <charconv>
#include <cmath>

#include "expr/expr.hpp"

namespace halfbyte::expr {
namespace {

struct Token {
  enum Kind { end, number, string, identifier, symbol } kind = end;
  std::string_view text;
  std::string value;  // of a string, escapes undone
  double amount = 0;  // of a number
  size_t begin = 0;
};

bool starts_identifier(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_keyword(std::string_view word) {
  for (const std::string_view k : {"and", "or", "not", "if", "else", "true", "false"})
    if (k == word) return true;
  return false;
}

// Recursive descent; the order of the functions is the order of precedence, loosest first.
class Parser {
 public:
  explicit Parser(std::string_view text) {
    ast_.text = text;
    ast_.nodes.emplace_back();  // node 0 stands for what could not be parsed
    depths_.push_back(1);
  }

  Result<Ast> run() {
    if (ast_.text.size() > kMaxLength)
      return fail(ErrorCode::parse,
                  std::format("the expression has {} bytes, at most {} are allowed", ast_.text.size(), kMaxLength),
                  {"", 1, 1});
    advance();
    const int32_t root = conditional();
    if (!error_ && token_.kind != Token::end) set_error(unexpected("the end of the expression"));
    if (error_) return fail(*error_);
    ast_.root = root;
    return std::move(ast_);
  }

 private:
  // ---- tokens
  void advance() {
    const std::string_view s = ast_.text;
    previous_end_ = position_;
    while (position_ < s.size() && std::isspace(static_cast<unsigned char>(s[position_]))) ++position_;
    token_ = {};
    token_.begin = position_;
    if (position_ >= s.size()) return;
    const char c = s[position_];
    if (starts_identifier(c)) return lex_identifier();
    if (std::isdigit(static_cast<unsigned char>(c)) || (c == '.' && digit_at(position_ + 1))) return lex_number();
    if (c == '"' || c == '\'') return lex_string(c);
    size_t length = 1;
    for (const std::string_view two : {"==", "!=", "<=", ">=", "//", "**", "&&", "||"})
      if (s.substr(position_, 2) == two) length = 2;
    token_.kind = Token::symbol;
    token_.text = s.substr(position_, length);
    position_ += length;
  }

  bool digit_at(size_t i) const {
    return i < ast_.text.size() && std::isdigit(static_cast<unsigned char>(ast_.text[i]));
  }

  void lex_identifier() {
    const size_t begin = position_;
    while (position_ < ast_.text.size() && continues_identifier(ast_.text[position_])) ++position_;
    token_.kind = Token::identifier;
    token_.text = std::string_view(ast_.text).substr(begin, position_ - begin);
  }

  void lex_number() {
    const char* begin = ast_.text.data() + position_;
    const char* end = ast_.text.data() + ast_.text.size();
    const auto [stop, ec] = std::from_chars(begin, end, token_.amount);
    token_.kind = Token::number;
    position_ += static_cast<size_t>(stop - begin);
    token_.text = std::string_view(begin, stop);
    if (ec != std::errc{} || !std::isfinite(token_.amount)) set_error("the number does not fit a double");
    if (stop != end && starts_identifier(*stop))
      set_error(std::format("unexpected '{}' after the number {}", *stop, token_.text));
  }

  void lex_string(char quote) {
    const std::string_view s = ast_.text;
    size_t i = position_ + 1;
    for (; i < s.size() && s[i] != quote; ++i) {
      if (s[i] != '\\') {
        token_.value += s[i];
        continue;
      }
      if (++i >= s.size()) break;
      if (s[i] != '\\' && s[i] != '"' && s[i] != '\'') {
        position_ = i;
        return set_error(std::format("unknown escape '\\{}' in a string, only \\\\, \\\" and \\' are allowed", s[i]),
                         i - 1);
      }
      token_.value += s[i];
    }
    if (i >= s.size()) return set_error("the string is not closed");
    token_.kind = Token::string;
    token_.text = s.substr(position_, i + 1 - position_);
    position_ = i + 1;
  }

  bool is(std::string_view symbol) const { return token_.kind == Token::symbol && token_.text == symbol; }
  bool is_word(std::string_view word) const { return token_.kind == Token::identifier && token_.text == word; }
  bool accept(std::string_view symbol) { return is(symbol) ? (advance(), true) : false; }
  bool accept_word(std::string_view word) { return is_word(word) ? (advance(), true) : false; }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) set_error(unexpected(std::format("'{}'", symbol)));
  }

  std::string unexpected(std::string_view wanted) const {
    if (is("//")) return "there is no '//' here, use ceilDiv or '/'";
    if (is("**")) return "there is no '**' here";
    if (is("&&")) return "unexpected '&&', the word is 'and'";
    if (is("||")) return "unexpected '||', the word is 'or'";
    if (is("!")) return "unexpected '!', the word is 'not'";
    if (is("=")) return "unexpected '=', a comparison is '=='";
    if (token_.kind == Token::end) return std::format("the expression ends where {} should be", wanted);
    return std::format("unexpected '{}' where {} should be", token_.text, wanted);
  }

  void set_error(std::string message) { set_error(std::move(message), token_.begin); }
  void set_error(std::string message, size_t offset) {
    if (!error_) error_ = Error{ErrorCode::parse, std::move(message), {"", 1, static_cast<int>(offset) + 1}, {}};
    position_ = ast_.text.size();
    token_ = {};
    token_.begin = offset;
  }

  // ---- tree
  int32_t make(Op op, size_t begin, std::initializer_list<int32_t> children) {
    return make(op, begin, std::vector<int32_t>(children));
  }
  int32_t make(Op op, size_t begin, const std::vector<int32_t>& children) {
    Node node;
    node.op = op;
    node.begin = static_cast<uint32_t>(begin);
    node.end = static_cast<uint32_t>(previous_end_);
    node.first = static_cast<int32_t>(ast_.children.size());
    node.count = static_cast<int32_t>(children.size());
    int depth = 1;
    for (const int32_t child : children) {
      ast_.children.push_back(child);
      if (child >= 0) depth = std::max(depth, depths_[static_cast<size_t>(child)] + 1);
    }
    if (depth > kMaxDepth) set_error(std::format("the expression is nested deeper than {}", kMaxDepth), begin);
    ast_.nodes.push_back(node);
    depths_.push_back(depth);
    return static_cast<int32_t>(ast_.nodes.size()) - 1;
  }
  int32_t make_string(Op op, size_t begin, std::string value) {
    const int32_t node = make(op, begin, {});
    ast_.nodes.back().index = static_cast<int32_t>(ast_.strings.size());
    ast_.strings.push_back(std::move(value));
    return node;
  }

  // Parentheses and prefix operators recurse before a node exists, so the nesting is counted here as well.
  struct Nesting {
    explicit Nesting(Parser& p) : parser(p) {
      if (++parser.nesting_ > kMaxDepth)
        parser.set_error(std::format("the expression is nested deeper than {}", kMaxDepth));
    }
    ~Nesting() { --parser.nesting_; }
    Parser& parser;
  };

  int32_t conditional() {
    const Nesting nesting(*this);
    if (error_) return 0;
    const size_t begin = token_.begin;
    const int32_t then = logical_or();
    if (!accept_word("if")) return then;
    const int32_t condition = logical_or();
    if (!accept_word("else")) set_error(unexpected("'else'"));
    const int32_t otherwise = conditional();
    return make(Op::conditional, begin, {then, condition, otherwise});
  }

  int32_t logical_or() {
    const size_t begin = token_.begin;
    int32_t left = logical_and();
    while (accept_word("or")) {
      const int32_t right = logical_and();
      left = make(Op::logical_or, begin, {left, right});
    }
    return left;
  }

  int32_t logical_and() {
    const size_t begin = token_.begin;
    int32_t left = logical_not();
    while (accept_word("and")) {
      const int32_t right = logical_not();
      left = make(Op::logical_and, begin, {left, right});
    }
    return left;
  }

  int32_t logical_not() {
    const Nesting nesting(*this);
    if (error_) return 0;
    const size_t begin = token_.begin;
    if (!accept_word("not")) return comparison();
    const int32_t operand = logical_not();
    return make(Op::logical_not, begin, {operand});
  }

  std::optional<Op> comparison_op() const {
    if (token_.kind != Token::symbol) return std::nullopt;
    if (token_.text == "==") return Op::equal;
    if (token_.text == "!=") return Op::not_equal;
    if (token_.text == "<") return Op::less;
    if (token_.text == "<=") return Op::less_equal;
    if (token_.text == ">") return Op::greater;
    if (token_.text == ">=") return Op::greater_equal;
    return std::nullopt;
  }

  int32_t comparison() {
    const size_t begin = token_.begin;
    const int32_t left = sum();
    const std::optional<Op> op = comparison_op();
    if (!op) return left;
    advance();
    const int32_t right = sum();
    const int32_t node = make(*op, begin, {left, right});
    if (comparison_op()) set_error("comparisons cannot be chained, join them with 'and'");
    return node;
  }

  int32_t sum() {
    const size_t begin = token_.begin;
    int32_t left = product();
    while (is("+") || is("-")) {
      const Op op = is("+") ? Op::add : Op::subtract;
      advance();
      const int32_t right = product();
      left = make(op, begin, {left, right});
    }
    return left;
  }

  int32_t product() {
    const size_t begin = token_.begin;
    int32_t left = unary();
    while (is("*") || is("/") || is("%")) {
      const Op op = is("*") ? Op::multiply : is("/") ? Op::divide : Op::modulo;
      advance();
      const int32_t right = unary();
      left = make(op, begin, {left, right});
    }
    return left;
  }

  int32_t unary() {
    const Nesting nesting(*this);
    if (error_) return 0;
    const size_t begin = token_.begin;
    if (!accept("-")) return postfix();
    const int32_t operand = unary();
    return make(Op::negate, begin, {operand});
  }

  int32_t postfix() {
    const size_t begin = token_.begin;
    int32_t value = primary();
    while (is("[")) {
      advance();
      int32_t from = -1, to = -1;
      if (!is(":")) from = conditional();
      if (!accept(":")) {
        expect("]");
        value = make(Op::index, begin, {value, from});
        continue;
      }
      if (!is("]")) to = conditional();
      expect("]");
      value = make(Op::slice, begin, {value, from, to});
    }
    return value;
  }

  int32_t primary() {
    const size_t begin = token_.begin;
    if (token_.kind == Token::number) {
      const double value = token_.amount;
      advance();
      const int32_t node = make(Op::number, begin, {});
      ast_.nodes.back().number = value;
      return node;
    }
    if (token_.kind == Token::string) {
      std::string value = token_.value;
      advance();
      return make_string(Op::string, begin, std::move(value));
    }
    if (is_word("true") || is_word("false")) {
      const bool value = is_word("true");
      advance();
      const int32_t node = make(Op::boolean, begin, {});
      ast_.nodes.back().number = value ? 1 : 0;
      return node;
    }
    if (token_.kind == Token::identifier && !is_keyword(token_.text)) return path(begin);
    if (accept("(")) {
      const int32_t node = conditional();
      expect(")");
      return node;
    }
    if (is("[")) {
      advance();
      return make(Op::list, begin, arguments("]"));
    }
    set_error(unexpected("a value"));
    return 0;
  }

  int32_t path(size_t begin) {
    std::string path(token_.text);
    advance();
    while (accept(".")) {
      if (token_.kind != Token::identifier) {
        set_error(unexpected("a name"));
        return 0;
      }
      path += '.';
      path += token_.text;
      advance();
    }
    if (!accept("(")) return make_string(Op::name, begin, std::move(path));
    const std::vector<int32_t> list = arguments(")");
    const int32_t node = make(Op::call, begin, list);
    ast_.nodes.back().index = static_cast<int32_t>(ast_.strings.size());
    ast_.strings.push_back(std::move(path));
    return node;
  }

  std::vector<int32_t> arguments(std::string_view close) {
    std::vector<int32_t> list;
    if (accept(close)) return list;
    do {
      list.push_back(conditional());
    } while (!error_ && accept(","));
    expect(close);
    return list;
  }

  Ast ast_;
  std::vector<int> depths_;
  Token token_;
  size_t position_ = 0, previous_end_ = 0;
  int nesting_ = 0;
  std::optional<Error> error_;
};

Ast one_node(Op op, double value, std::string text) {
  Ast ast;
  ast.text = std::move(text);
  Node node;
  node.op = op;
  node.number = value;
  node.end = static_cast<uint32_t>(ast.text.size());
  ast.nodes.push_back(node);
  ast.root = 0;
  return ast;
}

}  // namespace

Result<Ast> parse(std::string_view text) { return Parser(text).run(); }
Ast literal(double value) { return one_node(Op::number, value, format_number(value)); }
Ast literal(bool value) { return one_node(Op::boolean, value ? 1 : 0, value ? "true" : "false"); }

}  // namespace halfbyte::expr
