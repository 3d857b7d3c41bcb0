#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "plan/jinja_functions.hpp"
#include "plan/jinja_tree.hpp"

namespace halfbyte::jinja {
namespace {

struct Macro {
  const Node* node = nullptr;
  int frame = 0;  // where it was defined
};

// Names that are set in one place. Frames are on a stack: a macro cannot be a value, so none outlives its frame.
struct Frame {
  int parent = -1;
  Members values;
  std::map<std::string, Macro, std::less<>> macros;
};

constexpr int kMaxDepth = 600;

class Renderer {
 public:
  Renderer(const Tree& tree, const Names& names) : tree_(tree), names_(names) { frames_.emplace_back(); }

  Result<std::string> run() {
    std::string out;
    render(tree_.nodes, 0, out);
    if (error_) return fail(std::move(*error_));
    return out;
  }

 private:
  enum class Leave : uint8_t { none, once, loop };  // continue, break

  // Blocks, expressions and macros inside one another use the stack.
  struct Depth {
    Depth(Renderer& r, size_t at) : renderer(r) {
      if (++renderer.depth_ > kMaxDepth) renderer.stop(at, "the template is nested too deeply, with its macros");
    }
    ~Depth() { --renderer.depth_; }
    Depth(const Depth&) = delete;
    Renderer& renderer;
  };

  void stop(size_t at, std::string message) {
    if (!error_) error_ = Error{ErrorCode::parse, std::move(message), place(tree_, at), {}};
  }

  // False: the rendering has ended with an error.
  bool step(size_t at, uint64_t cost = 1) {
    steps_ += cost;
    if (steps_ > kMaxSteps) stop(at, std::format("the template takes more than {} steps", kMaxSteps));
    return !error_;
  }

  void append(std::string& out, std::string_view text, size_t at) {
    if (!step(at, 1 + text.size() / 64)) return;
    if (out.size() + text.size() > kMaxText) return stop(at, std::format("the text grows past {} bytes", kMaxText));
    out += text;
  }

  // ---- blocks
  Leave render(const std::vector<Node>& nodes, int frame, std::string& out) {
    const Depth depth(*this, nodes.empty() ? 0 : nodes.front().at);
    for (const Node& node : nodes) {
      if (!step(node.at)) return Leave::none;
      switch (node.kind) {
        case Node::text: append(out, node.text_, node.at); break;
        case Node::print: append(out, text(evaluate(node.exprs[0], frame), node.at), node.at); break;
        case Node::set: frames_[frame].values[node.names[0]] = evaluate(node.exprs[0], frame); break;
        case Node::macro: frames_[frame].macros[node.text_] = {&node, frame}; break;
        case Node::leave: return Leave::loop;
        case Node::again: return Leave::once;
        case Node::set_text: {
          std::string inner;
          const Leave leave = render(node.bodies[0], frame, inner);
          frames_[frame].values[node.names[0]].is = std::move(inner);
          if (leave != Leave::none) return leave;
          break;
        }
        case Node::choice:
          if (const Leave leave = choose(node, frame, out); leave != Leave::none) return leave;
          break;
        case Node::loop:
          if (const Leave leave = loop(node, frame, out); leave != Leave::none) return leave;
          break;
      }
      if (error_) return Leave::none;
    }
    return Leave::none;
  }

  Leave choose(const Node& node, int frame, std::string& out) {
    for (size_t i = 0; i < node.exprs.size(); ++i) {
      const bool taken = truth(evaluate(node.exprs[i], frame));
      if (error_) return Leave::none;
      if (taken) return render(node.bodies[i], frame, out);
    }
    if (node.bodies.size() > node.exprs.size()) return render(node.bodies.back(), frame, out);
    return Leave::none;
  }

  int open_frame(int parent) {
    frames_.emplace_back();
    frames_.back().parent = parent;
    return static_cast<int>(frames_.size()) - 1;
  }

  void assign(const Node& node, const Value& item, int frame) {
    if (node.names.size() == 1) {
      frames_[frame].values[node.names[0]] = item;
      return;
    }
    const auto* list = std::get_if<std::shared_ptr<const List>>(&item.is);
    if (!list || (*list)->size() != node.names.size())
      return stop(node.at, std::format("an element of the list is not a list of {}", node.names.size()));
    for (size_t i = 0; i < node.names.size(); ++i) frames_[frame].values[node.names[i]] = (**list)[i];
  }

  Leave loop(const Node& node, int outer, std::string& out) {
    const Value iterable = evaluate(node.exprs[0], outer);
    if (error_) return Leave::none;
    const auto* all = std::get_if<std::shared_ptr<const List>>(&iterable.is);
    if (!all) return stop(node.at, std::format("a for needs a list, this is {}", kind_name(iterable))), Leave::none;
    const int frame = open_frame(outer);
    List chosen;
    for (const Value& item : **all) {
      if (!step(node.at)) break;
      if (node.exprs.size() > 1) {
        assign(node, item, frame);
        if (!truth(evaluate(node.exprs[1], frame))) continue;
      }
      chosen.push_back(item);
    }
    Leave leave = Leave::none;
    if (chosen.empty() && node.bodies.size() > 1 && !error_) leave = render(node.bodies[1], outer, out);
    for (size_t i = 0; i < chosen.size() && step(node.at, 4); ++i) {
      assign(node, chosen[i], frame);
      frames_[frame].values["loop"] = loop_object(i, chosen.size());
      if (render(node.bodies[0], frame, out) == Leave::loop) break;
    }
    frames_.pop_back();
    return leave;
  }

  static Value loop_object(size_t i, size_t n) {
    auto loop = std::make_shared<Members>();
    const auto number = [](size_t v) { return Value{static_cast<int64_t>(v)}; };
    (*loop)["index"] = number(i + 1);
    (*loop)["index0"] = number(i);
    (*loop)["length"] = number(n);
    (*loop)["first"] = Value{i == 0};
    (*loop)["last"] = Value{i + 1 == n};
    return Value{std::shared_ptr<const Members>(std::move(loop))};
  }

  Value call_macro(const Expr& call, const Macro& macro, int frame) {
    const Node& node = *macro.node;
    if (call.kids.size() > node.names.size())
      return stop(call.at, std::format("the macro {} takes {} arguments, not {}", call.text, node.names.size(),
                                       call.kids.size())),
             Value{};
    if (++macro_depth_ > kMaxNesting) stop(call.at, std::format("macros are nested deeper than {}", kMaxNesting));
    Members given;
    for (size_t i = 0; i < call.kids.size() && !error_; ++i) given[node.names[i]] = evaluate(call.kids[i], frame);
    for (const auto& [name, value] : call.named) {
      if (error_) break;
      if (std::ranges::find(node.names, name) == node.names.end())
        stop(value.at, std::format("the macro {} has no parameter {}", call.text, name));
      else
        given[name] = evaluate(value, frame);
    }
    const size_t first_default = node.names.size() - node.exprs.size();
    for (size_t i = 0; i < node.names.size() && !error_; ++i) {
      if (given.contains(node.names[i])) continue;
      if (i < first_default)
        stop(call.at, std::format("the macro {} is called without {}", call.text, node.names[i]));
      else
        given[node.names[i]] = evaluate(node.exprs[i - first_default], macro.frame);
    }
    std::string out;
    if (!error_) {
      const int inner = open_frame(macro.frame);
      frames_[inner].values = std::move(given);
      render(node.bodies[0], inner, out);
      frames_.pop_back();
    }
    --macro_depth_;
    return checked(Value{std::move(out)}, call.at);
  }

  // ---- values
  std::string text(const Value& value, size_t at) {
    if (error_) return {};
    std::string out;
    if (std::holds_alternative<std::monostate>(value.is))
      stop(at, "the template prints a value that is not there");
    else if (!print(value, out))
      stop(at, std::format("{} cannot be printed", kind_name(value)));
    return out;
  }

  // A value as the result of an expression: within the bounds of one.
  Value checked(Value value, size_t at) {
    if (const auto* text = std::get_if<std::string>(&value.is)) {
      if (text->size() > kMaxString) stop(at, std::format("a text grows past {} bytes", kMaxString));
      step(at, text->size() / 64);
    } else if (const auto* list = std::get_if<std::shared_ptr<const List>>(&value.is)) {
      if ((*list)->size() > kMaxList) stop(at, std::format("a list has more than {} elements", kMaxList));
    }
    return value;
  }

  Value evaluate(const Expr& e, int frame) {
    const Depth depth(*this, e.at);
    if (!step(e.at)) return {};
    const auto kid = [&](size_t i) { return evaluate(e.kids[i], frame); };
    switch (e.kind) {
      case Expr::literal: return e.value;
      case Expr::name: return read(e, frame);
      case Expr::list: return make_list(e, frame);
      case Expr::call: return call(e, frame);
      case Expr::negation: return Value{!truth(kid(0))};
      case Expr::test: return test(e, frame);
      case Expr::ternary: {
        const bool taken = truth(kid(1));
        return error_ ? Value{} : kid(taken ? 0 : 2);
      }
      case Expr::binary:
        if (e.text == "and") return Value{truth(kid(0)) && truth(kid(1))};
        if (e.text == "or") {
          Value left = kid(0);
          return truth(left) ? left : kid(1);
        }
        break;
      default: break;
    }
    std::vector<Value> operands;
    for (size_t i = 0; i < e.kids.size(); ++i) operands.push_back(kid(i));
    if (error_) return {};
    uint64_t cost = 0;
    Outcome outcome = apply(e, operands, cost);
    if (!outcome) return stop(e.at, std::move(outcome.error())), Value{};
    step(e.at, cost);
    return checked(std::move(*outcome), e.at);
  }

  Value make_list(const Expr& e, int frame) {
    auto list = std::make_shared<List>();
    for (const Expr& kid : e.kids) {
      list->push_back(evaluate(kid, frame));
      if (nesting(list->back()) >= kMaxNesting) stop(e.at, std::format("lists are nested deeper than {}", kMaxNesting));
      if (error_) return {};
    }
    return Value{std::shared_ptr<const List>(std::move(list))};
  }

  // Of lists in lists; looks at first elements only as deep as they go, so a list that holds itself many times costs no more.
  int nesting(const Value& value) {
    const auto* list = std::get_if<std::shared_ptr<const List>>(&value.is);
    if (!list) return 0;
    int most = 0;
    if (!step(0, (*list)->size())) return 0;
    for (const Value& item : **list)
      if (std::holds_alternative<std::shared_ptr<const List>>(item.is)) most = std::max(most, nesting(item));
    return most + 1;
  }

  Value read(const Expr& e, int frame) {
    for (int f = frame; f >= 0; f = frames_[f].parent) {
      if (const auto it = frames_[f].values.find(e.text); it != frames_[f].values.end())
        return checked(it->second, e.at);
      if (frames_[f].macros.contains(e.text))
        return stop(e.at, std::format("{} is a macro, it can only be called", e.text)), Value{};
    }
    if (const auto it = names_.values.find(e.text); it != names_.values.end()) return checked(it->second, e.at);
    if (const auto it = names_.missing.find(e.text); it != names_.missing.end())
      stop(e.at, std::format("the template reads {}, which has no value here: {}", e.text, it->second));
    else if (std::ranges::find(names_.optional, e.text) == names_.optional.end())
      stop(e.at, std::format("the template reads the unknown name {}", e.text));
    return {};
  }

  Value call(const Expr& e, int frame) {
    for (int f = frame; f >= 0; f = frames_[f].parent)
      if (const auto it = frames_[f].macros.find(e.text); it != frames_[f].macros.end())
        return call_macro(e, it->second, frame);
    std::vector<Value> arguments;
    for (const Expr& kid : e.kids) arguments.push_back(evaluate(kid, frame));
    if (!e.named.empty()) stop(e.at, std::format("{} takes no named arguments", e.text));
    if (error_) return {};
    uint64_t cost = 0;
    Outcome outcome = call_function(e.text, arguments, cost);
    if (!outcome) return stop(e.at, std::move(outcome.error())), Value{};
    step(e.at, cost);
    return std::move(*outcome);
  }

  Value test(const Expr& e, int frame) {
    const Value value = evaluate(e.kids[0], frame);
    if (error_) return {};
    Outcome outcome = apply_test(e.text, value);
    if (!outcome) return stop(e.at, std::move(outcome.error())), Value{};
    return std::move(*outcome);
  }

  const Tree& tree_;
  const Names& names_;
  std::deque<Frame> frames_;
  std::optional<Error> error_;
  uint64_t steps_ = 0;
  int macro_depth_ = 0, depth_ = 0;
};

}  // namespace

Result<std::string> render(const Tree& tree, const Names& names) { return Renderer(tree, names).run(); }

}  // namespace halfbyte::jinja
