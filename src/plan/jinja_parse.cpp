#include <algorithm>
#include <cctype>
#include <optional>

#include "plan/jinja_expression.hpp"

namespace halfbyte::jinja {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)); }

// ---- pieces: text and tags

struct Piece {
  enum Kind : uint8_t { text, print, block, comment } kind = text;
  size_t begin = 0, end = 0;  // of the text, or of what is between a tag's braces
  size_t at = 0;              // of the tag
  bool strip_before = false, strip_after = false;
};

// The end of a tag's inside: before `close`, outside strings.
std::optional<size_t> find_close(std::string_view text, size_t from, std::string_view close) {
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i, 2) == close) return i;
    if (c != '"' && c != '\'') continue;
    for (++i; i < text.size() && text[i] != c; ++i)
      if (text[i] == '\\') ++i;
  }
  return std::nullopt;
}

std::optional<Failure> split(std::string_view text, std::vector<Piece>& pieces) {
  size_t i = 0;
  while (i < text.size()) {
    size_t open = i;
    while ((open = text.find('{', open)) != std::string_view::npos && open + 1 < text.size() && text[open + 1] != '{' &&
           text[open + 1] != '%' && text[open + 1] != '#')
      ++open;
    if (open == std::string_view::npos || open + 1 >= text.size()) open = text.size();
    if (open > i) pieces.push_back({Piece::text, i, open, i});
    if (open == text.size()) break;
    Piece tag;
    tag.at = open;
    tag.begin = open + 2;
    const char kind = text[open + 1];
    tag.kind = kind == '{' ? Piece::print : kind == '%' ? Piece::block : Piece::comment;
    const std::string_view close = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
    const std::optional<size_t> end =
        tag.kind == Piece::comment
            ? (text.find(close, tag.begin) == std::string_view::npos ? std::nullopt
                                                                     : std::optional(text.find(close, tag.begin)))
            : find_close(text, tag.begin, close);
    if (!end) return Failure{open, std::format("the tag is not closed with {}", close)};
    tag.end = *end;
    if (tag.begin < tag.end && text[tag.begin] == '-') ++tag.begin, tag.strip_before = true;
    if (tag.begin < tag.end && text[tag.end - 1] == '-') --tag.end, tag.strip_after = true;
    pieces.push_back(tag);
    i = *end + 2;
  }
  return std::nullopt;
}

// Text between tags, with the white space that its neighbours take.
std::string trimmed(std::string_view text, const std::vector<Piece>& pieces, size_t index) {
  const Piece* before = index > 0 ? &pieces[index - 1] : nullptr;
  const Piece* after = index + 1 < pieces.size() ? &pieces[index + 1] : nullptr;
  size_t begin = pieces[index].begin, end = pieces[index].end;
  if (after && after->strip_before) {
    while (end > begin && is_blank(text[end - 1])) --end;
  } else if (after) {
    size_t i = end;
    while (i > begin && (text[i - 1] == ' ' || text[i - 1] == '\t')) --i;
    if (i == begin ? !before : text[i - 1] == '\n') end = i;
  }
  if (before && before->strip_after) {
    while (begin < end && is_blank(text[begin])) ++begin;
  } else if (before && before->kind != Piece::print && begin < end && text[begin] == '\n') {
    ++begin;
  }
  return std::string(text.substr(begin, end - begin));
}

// ---- blocks

class Blocks {
 public:
  Blocks(std::string_view text, const std::vector<Piece>& pieces) : text_(text), pieces_(pieces) {}

  std::optional<Failure> failure;

  // Nodes up to a block tag with one of these words, which is left at `index_` (its expression reader in `tag`).
  std::vector<Node> body(std::initializer_list<std::string_view> ends, std::string& found, size_t opened) {
    std::vector<Node> nodes;
    if (++nesting_ > kMaxNesting) stop(opened, std::format("blocks are nested deeper than {}", kMaxNesting));
    while (!failure && index_ < pieces_.size()) {
      const size_t index = index_++;
      const Piece& piece = pieces_[index];
      if (piece.kind == Piece::comment) continue;
      if (piece.kind == Piece::text) {
        Node node;
        node.at = piece.begin;
        node.text_ = trimmed(text_, pieces_, index);
        nodes.push_back(std::move(node));
        continue;
      }
      Expressions in(text_, piece.begin, piece.end);
      if (piece.kind == Piece::print) {
        Node node;
        node.kind = Node::print;
        node.at = piece.at;
        node.exprs.push_back(in.expression());
        finish(in);
        nodes.push_back(std::move(node));
        continue;
      }
      std::string word = in.at_end() ? "" : std::string(word_at(in.at(), piece.end));
      if (std::ranges::find(ends, word) != ends.end()) {
        found = std::move(word);
        --nesting_;
        index_ = index;  // the caller reads the tag
        return nodes;
      }
      nodes.push_back(statement(in, word, piece.at));
    }
    --nesting_;
    if (!failure && ends.size() > 0) stop(opened, std::format("the block is not closed with {}", *(ends.end() - 1)));
    return nodes;
  }

 private:
  void stop(size_t at, std::string message) {
    if (!failure) failure = Failure{at, std::move(message)};
  }
  void finish(Expressions& in) {
    if (!in.failure && !in.at_end()) in.unexpected("the end of the tag");
    if (in.failure) stop(in.failure->at, in.failure->message);
  }
  std::string_view word_at(size_t at, size_t end) const {
    size_t i = at;
    while (i < end && text_[i] >= 'a' && text_[i] <= 'z') ++i;
    return text_.substr(at, i - at);
  }
  // The reader of the end tag that body() has stopped at, behind its word.
  Expressions end_tag(const std::string& word) {
    const Piece& piece = pieces_[std::min(index_++, pieces_.size() - 1)];
    Expressions in(text_, piece.begin, piece.end);
    in.accept(word);
    return in;
  }

  Node statement(Expressions& in, const std::string& word, size_t at) {
    Node node;
    node.at = at;
    if (word.empty() || !in.accept(word)) {
      in.unexpected("a word such as if, for or set");
    } else if (word == "if") {
      return choice(in, std::move(node));
    } else if (word == "for") {
      return loop(in, std::move(node));
    } else if (word == "set") {
      return assignment(in, std::move(node));
    } else if (word == "macro") {
      return macro(in, std::move(node));
    } else if (word == "break" || word == "continue") {
      node.kind = word == "break" ? Node::leave : Node::again;
      if (loops_ == 0) in.stop(at, std::format("{} is outside a for", word));
    } else {
      in.stop(at, std::format("unknown block '{}', there are if, for, set, macro, break and continue", word));
    }
    finish(in);
    return node;
  }

  Node choice(Expressions& in, Node node) {
    node.kind = Node::choice;
    node.exprs.push_back(in.expression());
    finish(in);
    std::string end;
    while (!failure) {
      node.bodies.push_back(body({"elif", "else", "endif"}, end, node.at));
      if (failure) break;
      Expressions tag = end_tag(end);
      if (end == "elif") {
        node.exprs.push_back(tag.expression());
        finish(tag);
        continue;
      }
      finish(tag);
      if (end == "endif") break;
      node.bodies.push_back(body({"endif"}, end, node.at));
      if (failure) break;
      Expressions last = end_tag(end);
      finish(last);
      break;
    }
    return node;
  }

  Node loop(Expressions& in, Node node) {
    node.kind = Node::loop;
    do node.names.push_back(in.take_name("a name"));
    while (!in.failure && in.accept(","));
    in.expect("in");
    node.exprs.push_back(in.expression(false));
    if (in.accept("if")) node.exprs.push_back(in.expression());
    finish(in);
    std::string end;
    ++loops_;
    if (!failure) node.bodies.push_back(body({"else", "endfor"}, end, node.at));
    --loops_;
    if (failure) return node;
    Expressions tag = end_tag(end);
    finish(tag);
    if (end == "endfor" || failure) return node;
    node.bodies.push_back(body({"endfor"}, end, node.at));
    if (failure) return node;
    Expressions last = end_tag(end);
    finish(last);
    return node;
  }

  Node assignment(Expressions& in, Node node) {
    node.kind = Node::set;
    node.names.push_back(in.take_name("a name"));
    if (in.accept("=")) {
      node.exprs.push_back(in.expression());
      finish(in);
      return node;
    }
    node.kind = Node::set_text;
    finish(in);
    return close(std::move(node), "endset");
  }

  Node macro(Expressions& in, Node node) {
    node.kind = Node::macro;
    node.text_ = in.take_name("the macro's name");
    in.expect("(");
    while (!in.failure && !in.accept(")")) {
      node.names.push_back(in.take_name("a parameter's name"));
      if (in.accept("="))
        node.exprs.push_back(in.expression());
      else if (!node.exprs.empty())
        in.unexpected("a default, since an earlier parameter has one,");
      if (in.accept(")")) break;
      in.expect(",");
    }
    finish(in);
    const int loops = std::exchange(loops_, 0);  // a macro's break cannot leave its caller's loop
    node = close(std::move(node), "endmacro");
    loops_ = loops;
    return node;
  }

  Node close(Node node, const std::string& word) {
    if (failure) return node;
    std::string end;
    node.bodies.push_back(body({word}, end, node.at));
    if (failure) return node;
    Expressions last = end_tag(end);
    finish(last);
    return node;
  }

  std::string_view text_;
  const std::vector<Piece>& pieces_;
  size_t index_ = 0;
  int nesting_ = 0, loops_ = 0;
};

std::string without_carriage_returns(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || text.substr(i + 1, 1) != "\n") result += text[i];
  return result;
}

}  // namespace

SourceLocation place(const Tree& tree, size_t offset) {
  const auto next = std::ranges::upper_bound(tree.lines, offset);
  const auto line = next - tree.lines.begin();
  return {"", static_cast<int>(line), static_cast<int>(offset - *(next - 1)) + 1};
}

Result<std::shared_ptr<const Tree>> parse(std::string_view given) {
  if (given.size() > kMaxText)
    return fail(ErrorCode::parse,
                std::format("the template has {} bytes, at most {} are allowed", given.size(), kMaxText), {"", 1, 1});
  const std::string text = without_carriage_returns(given);
  auto tree = std::make_shared<Tree>();
  tree->lines.push_back(0);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') tree->lines.push_back(i + 1);
  std::vector<Piece> pieces;
  std::optional<Failure> failure = split(text, pieces);
  if (!failure) {
    Blocks blocks(text, pieces);
    std::string none;
    tree->nodes = blocks.body({}, none, 0);
    failure = std::move(blocks.failure);
  }
  if (failure) return fail(ErrorCode::parse, std::move(failure->message), place(*tree, failure->at));
  return tree;
}

}  // namespace halfbyte::jinja
