#include <algorithm>
#include <span>

#include "expr/expr.hpp"

namespace halfbyte::expr {
namespace {

struct Function {
  std::string_view name;
  Op op;
  int min_arguments, max_arguments;
  std::array<Type, 5> arguments;  // of a variadic function: the first one's for all
  Type result;
};

constexpr int kMany = 64;
constexpr Type N = Type::number, S = Type::string, L = Type::shape, B = Type::boolean;
constexpr std::array<Function, 8> kFunctions{{
    {"min", Op::min, 2, kMany, {N, N, N, N, N}, N},
    {"max", Op::max, 2, kMany, {N, N, N, N, N}, N},
    {"ceilDiv", Op::ceil_div, 2, 2, {N, N}, N},
    {"numel", Op::numel, 1, 1, {L}, N},
    {"dim", Op::dim, 2, 2, {L, N}, N},
    {"pow2ceil", Op::pow2ceil, 1, 1, {N}, N},
    {"f16Ok", Op::f16_ok, 1, 1, {S}, B},
    {"matrixConfig", Op::matrix_config, 5, 5, {S, S, N, N, N}, B},
}};

// Copies the tree into the program bottom up, resolving names and checking types on the way.
class Checker {
 public:
  Checker(const Ast& ast, Names& names, Program& program)
      : ast_(ast), names_(names), program_(program), base_depth_(names.depth) {
    text_ = static_cast<int32_t>(program_.texts.size());
    program_.texts.push_back(ast.text);
    program_.text_bytes += ast.text.size();
  }

  Result<Compiled> run() {
    if (program_.nodes.size() + ast_.nodes.size() > kMaxNodes || program_.text_bytes > kMaxProgramText)
      return fail(
          ErrorCode::parse,
          std::format("the expressions of all variants together are too large: {} nodes and {} bytes, at most {} and "
                      "{} are allowed",
                      program_.nodes.size() + ast_.nodes.size(), program_.text_bytes, kMaxNodes, kMaxProgramText),
          {"", 1, 1});
    HB_TRY(const int32_t root, check(ast_.root, 1));
    return Compiled{{root, type(root)}, stack_depth_};
  }

 private:
  Type type(int32_t node) const { return program_.nodes[static_cast<size_t>(node)].type; }

  std::unexpected<Error> error(const Node& node, std::string message) const {
    return fail(ErrorCode::parse, std::move(message), {"", 1, static_cast<int>(node.begin) + 1});
  }
  std::string_view source(const Node& node) const {
    return std::string_view(ast_.text).substr(node.begin, node.end - node.begin);
  }
  const Node& child(const Node& node, int32_t i) const {
    return ast_.nodes[static_cast<size_t>(ast_.children[static_cast<size_t>(node.first + i)])];
  }

  int32_t emit(const Node& from, Op op, Type type, std::span<const int32_t> children) {
    Node node = from;
    node.op = op;
    node.type = type;
    node.text = text_;
    node.first = static_cast<int32_t>(program_.children.size());
    node.count = static_cast<int32_t>(children.size());
    program_.children.insert(program_.children.end(), children.begin(), children.end());
    program_.nodes.push_back(node);
    return static_cast<int32_t>(program_.nodes.size()) - 1;
  }

  Result<int32_t> check(int32_t index, int depth) {
    const Node& node = ast_.nodes[static_cast<size_t>(index)];
    stack_depth_ = std::max(stack_depth_, depth);
    switch (node.op) {
      case Op::number: return emit(node, Op::number, Type::number, {});
      case Op::boolean: return emit(node, Op::boolean, Type::boolean, {});
      case Op::string: return check_string(node);
      case Op::name: return check_name(node, depth);
      case Op::call: return check_call(node, depth);
      default: break;
    }
    std::vector<int32_t> children;
    for (int32_t i = 0; i < node.count; ++i) {
      const int32_t c = ast_.children[static_cast<size_t>(node.first + i)];
      if (c < 0) {
        children.push_back(-1);
        continue;
      }
      HB_TRY(const int32_t checked, check(c, depth + 1));
      children.push_back(checked);
    }
    return check_operator(node, children);
  }

  int32_t check_string(const Node& node) {
    const int32_t result = emit(node, Op::string, Type::string, {});
    program_.nodes.back().index = static_cast<int32_t>(program_.strings.size());
    program_.strings.push_back(ast_.strings[static_cast<size_t>(node.index)]);
    return result;
  }

  Result<int32_t> use(const Node& node, Result<Meaning> meaning, int depth) {
    if (!meaning) {
      // An error of a derive that this name led to has its own place already.
      if (!meaning.error().where.file.empty()) return fail(std::move(meaning).error());
      return error(node, meaning.error().message);
    }
    const int32_t result = emit(node, meaning->op, meaning->type, {});
    program_.nodes.back().index = meaning->index;
    if (meaning->op == Op::number || meaning->op == Op::boolean) program_.nodes.back().number = meaning->number;
    if (meaning->op == Op::derive)
      stack_depth_ = std::max(stack_depth_, depth + program_.derives[static_cast<size_t>(meaning->index)].stack_depth);
    if (stack_depth_ > kMaxStackDepth)
      return error(node, std::format("{} leads through derives nested deeper than {}", source(node), kMaxStackDepth));
    return result;
  }

  Result<int32_t> check_name(const Node& node, int depth) {
    names_.depth = base_depth_ + depth;
    return use(node, names_.value(ast_.strings[static_cast<size_t>(node.index)]), depth);
  }

  Result<int32_t> check_call(const Node& node, int depth) {
    const std::string& name = ast_.strings[static_cast<size_t>(node.index)];
    for (const Function& function : kFunctions)
      if (function.name == name) return check_function(node, function, depth);
    if (name == "has") {
      if (node.count != 2 || child(node, 0).op != Op::name || child(node, 1).op != Op::string)
        return error(node,
                     R"(has takes an object and a key in quotes, as in has(device.adapterInfo, "subgroupMinSize"))");
      return use(node,
                 names_.has(ast_.strings[static_cast<size_t>(child(node, 0).index)],
                            ast_.strings[static_cast<size_t>(child(node, 1).index)]),
                 depth);
    }
    if (name == "constant" || name == "device.features.has" || name == "device.wgslLanguageFeatures.has") {
      if (node.count != 1 || child(node, 0).op != Op::string)
        return error(node, std::format("{} takes one name in quotes", name));
      return use(node, names_.flag(name, ast_.strings[static_cast<size_t>(child(node, 0).index)]), depth);
    }
    return error(
        node,
        std::format("unknown function {}, there are min, max, ceilDiv, numel, dim, has, pow2ceil, f16Ok, matrixConfig, "
                    "constant, device.features.has and device.wgslLanguageFeatures.has",
                    name));
  }

  Result<int32_t> check_function(const Node& node, const Function& function, int depth) {
    if (node.count < function.min_arguments || node.count > function.max_arguments)
      return error(node, std::format("{} takes {}{} argument{}, not {}", function.name,
                                     function.max_arguments == kMany ? "at least " : "", function.min_arguments,
                                     function.min_arguments == 1 ? "" : "s", node.count));
    std::vector<int32_t> children;
    for (int32_t i = 0; i < node.count; ++i) {
      HB_TRY(const int32_t argument, check(ast_.children[static_cast<size_t>(node.first + i)], depth + 1));
      const Type wanted = function.arguments[static_cast<size_t>(function.max_arguments == kMany ? 0 : i)];
      if (type(argument) != wanted)
        return error(child(node, i), std::format("argument {} of {} is a {}, it must be a {}", i + 1, function.name,
                                                 expr::name(type(argument)), expr::name(wanted)));
      children.push_back(argument);
    }
    return emit(node, function.op, function.result, children);
  }

  Result<void> need(const Node& node, const std::vector<int32_t>& children, int32_t i, Type wanted,
                    std::string_view what) const {
    const Type got = type(children[static_cast<size_t>(i)]);
    if (got == wanted) return {};
    const Node& operand = child(node, i);
    return error(operand, std::format("{} needs a {}, but {} is a {}", what, expr::name(wanted), source(operand),
                                      expr::name(got)));
  }

  Result<int32_t> check_operator(const Node& node, const std::vector<int32_t>& children) {
    switch (node.op) {
      case Op::negate:
        HB_CHECK(need(node, children, 0, Type::number, "'-'"));
        return emit(node, node.op, Type::number, children);
      case Op::logical_not:
        HB_CHECK(need(node, children, 0, Type::boolean, "'not'"));
        return emit(node, node.op, Type::boolean, children);
      case Op::logical_and:
      case Op::logical_or:
        for (int32_t i = 0; i < 2; ++i)
          HB_CHECK(need(node, children, i, Type::boolean, node.op == Op::logical_and ? "'and'" : "'or'"));
        return emit(node, node.op, Type::boolean, children);
      case Op::add:
        if (type(children[0]) == Type::shape) {
          HB_CHECK(need(node, children, 1, Type::shape, "'+' after a list"));
          return emit(node, Op::concat, Type::shape, children);
        }
        [[fallthrough]];
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::modulo:
        for (int32_t i = 0; i < 2; ++i) HB_CHECK(need(node, children, i, Type::number, "arithmetic"));
        return emit(node, node.op, Type::number, children);
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
        for (int32_t i = 0; i < 2; ++i) HB_CHECK(need(node, children, i, Type::number, "an order comparison"));
        return emit(node, node.op, Type::boolean, children);
      case Op::equal:
      case Op::not_equal:
        if (type(children[0]) != type(children[1]))
          return error(node, std::format("a {} is compared with a {}", expr::name(type(children[0])),
                                         expr::name(type(children[1]))));
        return emit(node, node.op, Type::boolean, children);
      case Op::conditional:
        HB_CHECK(need(node, children, 1, Type::boolean, "'if'"));
        if (type(children[0]) != type(children[2]))
          return error(node, std::format("the two sides of 'if' are a {} and a {}, they must be of one type",
                                         expr::name(type(children[0])), expr::name(type(children[2]))));
        return emit(node, node.op, type(children[0]), children);
      default: return check_list_operator(node, children);
    }
  }

  Result<int32_t> check_list_operator(const Node& node, const std::vector<int32_t>& children) {
    if (node.op == Op::list) {
      if (children.size() > kMaxRank) return error(node, std::format("a list has at most {} numbers", kMaxRank));
      for (int32_t i = 0; i < node.count; ++i) HB_CHECK(need(node, children, i, Type::number, "a list"));
      return emit(node, Op::list, Type::shape, children);
    }
    HB_CHECK(need(node, children, 0, Type::shape, "'[]'"));
    for (int32_t i = 1; i < node.count; ++i)
      if (children[static_cast<size_t>(i)] >= 0) HB_CHECK(need(node, children, i, Type::number, "an index"));
    return emit(node, node.op, node.op == Op::index ? Type::number : Type::shape, children);
  }

  const Ast& ast_;
  Names& names_;
  Program& program_;
  int32_t text_;
  int base_depth_;
  int stack_depth_ = 0;
};

}  // namespace

const char* name(Type type) {
  switch (type) {
    case Type::number: return "number";
    case Type::boolean: return "boolean";
    case Type::string: return "string";
    case Type::shape: return "list of numbers";
  }
  return "value";
}

Result<Compiled> compile(const Ast& ast, Names& names, Program& program) { return Checker(ast, names, program).run(); }

}  // namespace halfbyte::expr
