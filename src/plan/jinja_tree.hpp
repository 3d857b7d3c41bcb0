// Internal to src/plan: what jinja::parse makes and jinja::render walks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/jinja.hpp"

namespace halfbyte::jinja {

struct NamedExpr;
struct Expr {
  enum Kind : uint8_t {
    literal,   // value
    name,      // text
    list,      // kids
    member,    // kids[0].text
    index,     // kids[0][kids[1]]
    slice,     // kids[0][kids[1]:kids[2]]; an omitted bound is a literal none
    call,      // text(kids, named): a macro or a function
    method,    // kids[0].text(kids[1..])
    filter,    // kids[0] | text(kids[1..])
    test,      // kids[0] is text
    negate,    // -kids[0]
    negation,  // not kids[0]
    binary,    // kids[0] text kids[1]
    ternary    // kids[0] if kids[1] else kids[2]
  };
  Kind kind = literal;
  size_t at = 0;  // its place in the template
  int depth = 1;
  std::string text;
  Value value;
  std::vector<Expr> kids;
  std::vector<NamedExpr> named;  // of a call
};

struct NamedExpr {
  std::string name;
  Expr value;
};

struct Node {
  enum Kind : uint8_t {
    text,      // text
    print,     // exprs[0]
    choice,    // bodies[i] where exprs[i] is the first that is true; one more body: else
    loop,      // names in exprs[0] [if exprs[1]]; bodies[0], bodies[1]: else
    set,       // names[0] = exprs[0]
    set_text,  // names[0] = bodies[0] rendered
    macro,     // text(names...); the last exprs.size() parameters have defaults; bodies[0]
    leave,     // break
    again      // continue
  };
  Kind kind = text;
  size_t at = 0;
  std::string text_;
  std::vector<std::string> names;
  std::vector<Expr> exprs;
  std::vector<std::vector<Node>> bodies;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<size_t> lines;  // where each line begins
};

SourceLocation place(const Tree& tree, size_t offset);

}  // namespace halfbyte::jinja
