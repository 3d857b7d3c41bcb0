// The manifest's expression language: text -> tree -> typed program -> values.
//
// The language is the common part of Python and JavaScript that kernel manifests use (docs/manifest.md). Its meaning is
// Python's on doubles: `/` is true division, `%` takes the divisor's sign, ceilDiv is -((-a) // b), `and`/`or`/`if` are
// lazy. It has no loops and derived values are memoised, so an evaluation takes at most one step for each node of the
// program; text length, nesting and list length are bounded below.
//
// A value that is not there (an adapter field that the device hides, the shape of an absent input), a division by zero,
// an index out of range or a number of elements past 2^53 is a Fault: the evaluation of that expression ends, nothing else happens.
//
// Thread-safety: Program is immutable once built; a Machine belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace halfbyte::expr {

inline constexpr size_t kMaxLength = 8192;  // bytes of one expression
inline constexpr int kMaxDepth = 256;       // of one expression's tree
inline constexpr int kMaxStackDepth = 512;  // of a tree with the derives it refers to
inline constexpr size_t kMaxRank = 8;       // dimensions of a shape value
inline constexpr size_t kMaxNodes = size_t{1}
                                    << 20;  // of a program: a derive counts once for each scope that changes it
inline constexpr size_t kMaxProgramText = size_t{16} << 20;  // bytes of all its expressions
inline constexpr double kMaxExact = 9007199254740992.0;      // 2^53: a double holds every integer up to it

enum class Type : uint8_t { number, boolean, string, shape };
const char* name(Type type);  // "number"

enum class Op : uint8_t {
  number,
  boolean,
  string,  // literals
  name,
  call,
  method,        // only before type checking: a dotted path; path(arguments)
  slot,          // value `index` of the environment
  slot_present,  // has(object, "key"): is slot `index` there
  derive,        // derived value `index`, evaluated on first use
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  concat,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  conditional,  // conditional: then, condition, else
  list,
  index,
  slice,  // slice: value, begin or -1, end or -1
  min,
  max,
  ceil_div,
  numel,
  dim,
  pow2ceil,
  f16_ok,
  matrix_config,
};

struct Node {
  Op op = Op::number;
  Type type = Type::number;
  int32_t text = 0;              // which expression it belongs to
  uint32_t begin = 0, end = 0;   // its bytes in that expression
  int32_t first = 0, count = 0;  // children, in the owner's `children`; -1 stands for an omitted one
  int32_t index = 0;             // string, slot or derive
  double number = 0;             // literal; booleans are 0 and 1
};

// A parsed expression, names not yet looked up.
struct Ast {
  std::string text;
  std::vector<Node> nodes;
  std::vector<int32_t> children;
  std::vector<std::string> strings;
  int32_t root = -1;
};

// Errors: parse, with where.line = 1 and where.column = the byte (from 1) in `text`.
Result<Ast> parse(std::string_view text);
Ast literal(double value);
Ast literal(bool value);

// What a name stands for. A constant is a number or a boolean known when the package loads.
struct Meaning {
  Op op = Op::slot;  // slot, slot_present, derive, number or boolean
  Type type = Type::number;
  int32_t index = 0;
  double number = 0;
};

// Looks names up while an expression is type-checked. Errors carry the message only; compile adds the place.
class Names {
 public:
  virtual ~Names() = default;
  int depth = 0;  // of the derives around this expression; compile adds the depth of the name that it looks up
  virtual Result<Meaning> value(std::string_view path) = 0;                        // attrs.K, tileRows
  virtual Result<Meaning> has(std::string_view object, std::string_view key) = 0;  // has(attrs, "K")
  virtual Result<Meaning> flag(std::string_view function,
                               std::string_view name) = 0;  // constant("bT"), device.features.has("f")
};

struct Expression {
  int32_t root = -1;
  Type type = Type::number;
  explicit operator bool() const { return root >= 0; }
};

struct Derive {
  std::string name;
  Expression expression;
  int stack_depth = 0;
};

struct Program {
  std::vector<Node> nodes;
  std::vector<int32_t> children;
  std::deque<std::string> strings, texts;
  size_t text_bytes = 0;  // of texts
  std::vector<Derive> derives;

  std::string_view source(int32_t node) const {
    const Node& n = nodes[static_cast<size_t>(node)];
    return std::string_view(texts[static_cast<size_t>(n.text)]).substr(n.begin, n.end - n.begin);
  }
  int32_t child(const Node& node, int32_t i) const { return children[static_cast<size_t>(node.first + i)]; }
};

struct Compiled {
  Expression expression;
  int stack_depth = 0;
};

// Type-checks `ast` and appends it to `program`. Errors: parse, where.column as in parse().
Result<Compiled> compile(const Ast& ast, Names& names, Program& program);

struct Dims {
  uint32_t count = 0;
  std::array<double, kMaxRank> at{};
};

struct MatrixConfig {
  std::string_view component, result;
  double M = 0, N = 0, K = 0;
};

enum class FaultKind : uint8_t {
  absent,
  division_by_zero,
  not_an_integer,
  out_of_range,
  too_many_dimensions,
  not_finite,
  too_large
};

struct Fault {
  FaultKind kind = FaultKind::absent;
  int32_t node = -1;    // where
  double a = 0, b = 0;  // the numbers at fault
};

template <class T>
using Outcome = std::expected<T, Fault>;

// One evaluation: the environment's slots, filled by the caller, and the derived values found so far.
class Machine {
 public:
  Machine(const Program& program, size_t slots) : program_(&program), slots_(slots), memo_(program.derives.size()) {}

  void set(int32_t slot, double value);
  void set(int32_t slot, bool value) { set(slot, value ? 1.0 : 0.0); }
  void set(int32_t slot, std::string_view value);  // the bytes must outlive the machine
  void set(int32_t slot, const Dims& value);
  void set_matrix_configs(std::vector<MatrixConfig> configs) { configs_ = std::move(configs); }
  void set_f16(bool present) { f16_ = present; }
  bool present(int32_t slot) const { return slots_[static_cast<size_t>(slot)].state == State::known; }

  Outcome<double> number(int32_t node);
  Outcome<bool> boolean(int32_t node);
  Outcome<std::string_view> string(int32_t node);
  Outcome<Dims> shape(int32_t node);

  const Program& program() const { return *program_; }

 private:
  enum class State : uint8_t { unknown, known, failed };
  struct Value {
    State state = State::unknown;
    int32_t dims = -1;  // index into dims_, or into faults_ of a failed value
    double number = 0;
    std::string_view text;
  };

  double eval_number(int32_t node);
  double eval_index(const Node& node, int32_t self);
  double eval_min_max(const Node& node);
  bool eval_boolean(int32_t node);
  bool eval_comparison(const Node& node);
  bool eval_matrix_config(const Node& node);
  std::string_view eval_string(int32_t node);
  void eval_shape(int32_t node, Dims& out);
  void eval_slice(const Node& node, int32_t self, Dims& out);
  const Value& derived(int32_t index);
  const Value& slot(int32_t node);
  double stop(FaultKind kind, int32_t node, double a = 0, double b = 0);
  const Node& at(int32_t node) const { return program_->nodes[static_cast<size_t>(node)]; }

  const Program* program_;
  std::vector<Value> slots_, memo_;
  std::vector<Dims> dims_;
  std::vector<Fault> faults_;
  std::vector<MatrixConfig> configs_;
  std::optional<Fault> fault_;
  bool f16_ = false;
};

// "attrs.K % attrs.block_size divides by zero"
std::string to_string(const Fault& fault, const Program& program);

// One sentence on why a boolean expression is false: goes down to the first false conjunct, follows bare derives, and
// gives the numbers of a comparison. Precondition: it is false or a fault.
//   "needs device.limits.maxComputeWorkgroupStorageSize of at least 32768, the device has 16384"
//   "aRows >= 32 is false: aRows is 4"
std::string why_false(Machine& machine, int32_t node);

// The values behind a boolean expression that is true: "aRows is 4, tunables.TILED_MIN_M is 64"; of a negation why_false of what it negates.
// Empty where the expression's own words say all.
std::string why_true(Machine& machine, int32_t node);

// "16384", "0.5": integers without a decimal point.
std::string format_number(double value);

}  // namespace halfbyte::expr
