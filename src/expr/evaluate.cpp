#include <algorithm>
#include <cmath>

#include "expr/expr.hpp"

namespace halfbyte::expr {
namespace {

// Python's float_divmod: exact for integers below 2^53, where floor(a / b) would round up just below a whole quotient.
struct DivMod {
  double quotient, remainder;
};
DivMod floor_divmod(double a, double b) {
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) {
      remainder += b;
      quotient -= 1;
    }
  } else {
    remainder = std::copysign(0.0, b);
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), remainder};
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return {whole, remainder};
}

bool is_integer(double value) { return std::isfinite(value) && value == std::floor(value); }

// 1 << (ceil(n) - 1).bit_length(), Python's: the bit length of a negative number is that of its magnitude, so
// pow2ceil(0) is 2. Callers guard with n >= 1.
double pow2_ceil(double n) {
  int bit_length = 0;
  std::frexp(std::abs(std::ceil(n) - 1), &bit_length);
  return std::ldexp(1.0, bit_length);
}

}  // namespace

void Machine::set(int32_t slot, double value) {
  Value& v = slots_[static_cast<size_t>(slot)];
  v.state = State::known;
  v.number = value;
}

void Machine::set(int32_t slot, std::string_view value) {
  Value& v = slots_[static_cast<size_t>(slot)];
  v.state = State::known;
  v.text = value;
}

void Machine::set(int32_t slot, const Dims& value) {
  Value& v = slots_[static_cast<size_t>(slot)];
  v.state = State::known;
  v.dims = static_cast<int32_t>(dims_.size());
  dims_.push_back(value);
}

double Machine::stop(FaultKind kind, int32_t node, double a, double b) {
  if (!fault_) fault_ = Fault{kind, node, a, b};
  return 0;
}

const Machine::Value& Machine::slot(int32_t node) {
  const Value& v = slots_[static_cast<size_t>(at(node).index)];
  if (v.state != State::known) stop(FaultKind::absent, node);
  return v;
}

const Machine::Value& Machine::derived(int32_t index) {
  Value& v = memo_[static_cast<size_t>(index)];
  if (v.state == State::known) return v;
  if (v.state == State::failed) {
    if (!fault_) fault_ = faults_[static_cast<size_t>(v.dims)];
    return v;
  }
  const Expression& e = program_->derives[static_cast<size_t>(index)].expression;
  switch (e.type) {
    case Type::number: v.number = eval_number(e.root); break;
    case Type::boolean: v.number = eval_boolean(e.root) ? 1 : 0; break;
    case Type::string: v.text = eval_string(e.root); break;
    case Type::shape: {
      Dims dims;
      eval_shape(e.root, dims);
      v.dims = static_cast<int32_t>(dims_.size());
      dims_.push_back(dims);
      break;
    }
  }
  v.state = fault_ ? State::failed : State::known;
  if (fault_) {
    v.dims = static_cast<int32_t>(faults_.size());
    faults_.push_back(*fault_);
  }
  return v;
}

double Machine::eval_number(int32_t node) {
  if (fault_) return 0;
  const Node& n = at(node);
  const auto kid = [&](int32_t i) { return eval_number(program_->child(n, i)); };
  switch (n.op) {
    case Op::number: return n.number;
    case Op::slot: return slot(node).number;
    case Op::derive: return derived(n.index).number;
    case Op::negate: return -kid(0);
    case Op::add: {
      const double a = kid(0);
      return a + kid(1);
    }
    case Op::subtract: {
      const double a = kid(0);
      return a - kid(1);
    }
    case Op::multiply: {
      const double a = kid(0);
      return a * kid(1);
    }
    case Op::divide:
    case Op::modulo:
    case Op::ceil_div: {
      const double a = kid(0), b = kid(1);
      if (fault_) return 0;
      if (b == 0) return stop(FaultKind::division_by_zero, node);
      if (n.op == Op::divide) return a / b;
      return n.op == Op::modulo ? floor_divmod(a, b).remainder : -floor_divmod(-a, b).quotient;
    }
    case Op::conditional: return eval_boolean(program_->child(n, 1)) ? kid(0) : fault_ ? 0 : kid(2);
    case Op::min:
    case Op::max: return eval_min_max(n);
    case Op::numel: {
      Dims dims;
      eval_shape(program_->child(n, 0), dims);
      double product = 1;
      for (uint32_t i = 0; i < dims.count; ++i) product *= dims.at[i];
      return std::abs(product) <= kMaxExact ? product : stop(FaultKind::too_large, node, product);
    }
    case Op::index:
    case Op::dim: return eval_index(n, node);
    case Op::pow2ceil: {
      const double v = kid(0);
      return std::isfinite(v) ? pow2_ceil(v) : stop(FaultKind::not_finite, node, v);
    }
    default: return 0;
  }
}

double Machine::eval_min_max(const Node& node) {
  double best = eval_number(program_->child(node, 0));
  for (int32_t i = 1; i < node.count; ++i) {
    const double v = eval_number(program_->child(node, i));
    if (node.op == Op::min ? v < best : v > best) best = v;
  }
  return best;
}

double Machine::eval_index(const Node& node, int32_t self) {
  Dims dims;
  eval_shape(program_->child(node, 0), dims);
  const double wanted = eval_number(program_->child(node, 1));
  if (fault_) return 0;
  if (!is_integer(wanted)) return stop(FaultKind::not_an_integer, self, wanted);
  const double i = wanted < 0 ? wanted + dims.count : wanted;  // as in Python, -1 is the last one
  if (i < 0 || i >= dims.count) return stop(FaultKind::out_of_range, self, wanted, dims.count);
  return dims.at[static_cast<size_t>(i)];
}

bool Machine::eval_boolean(int32_t node) {
  if (fault_) return false;
  const Node& n = at(node);
  const auto kid = [&](int32_t i) { return eval_boolean(program_->child(n, i)); };
  switch (n.op) {
    case Op::boolean: return n.number != 0;
    case Op::slot: return slot(node).number != 0;
    case Op::slot_present: return present(n.index);
    case Op::derive: return derived(n.index).number != 0;
    case Op::logical_not: return !kid(0);
    case Op::logical_and: return kid(0) && kid(1);
    case Op::logical_or: return kid(0) || kid(1);
    case Op::conditional: return kid(1) ? kid(0) : !fault_ && kid(2);
    case Op::f16_ok: {
      const std::string_view dtype = eval_string(program_->child(n, 0));
      return dtype != "float16" || f16_;
    }
    case Op::matrix_config: return eval_matrix_config(n);
    default: return eval_comparison(n);
  }
}

bool Machine::eval_comparison(const Node& node) {
  const int32_t left = program_->child(node, 0), right = program_->child(node, 1);
  const bool want_equal = node.op == Op::equal;
  switch (at(left).type) {
    case Type::string: {
      const std::string_view a = eval_string(left), b = eval_string(right);
      return (a == b) == want_equal;
    }
    case Type::boolean: {
      const bool a = eval_boolean(left), b = eval_boolean(right);
      return (a == b) == want_equal;
    }
    case Type::shape: {
      Dims a, b;
      eval_shape(left, a);
      eval_shape(right, b);
      bool same = a.count == b.count;
      for (uint32_t i = 0; same && i < a.count; ++i) same = a.at[i] == b.at[i];
      return same == want_equal;
    }
    case Type::number: break;
  }
  const double a = eval_number(left), b = eval_number(right);
  switch (node.op) {
    case Op::equal: return a == b;
    case Op::not_equal: return a != b;
    case Op::less: return a < b;
    case Op::less_equal: return a <= b;
    case Op::greater: return a > b;
    default: return a >= b;
  }
}

bool Machine::eval_matrix_config(const Node& node) {
  const std::string_view component = eval_string(program_->child(node, 0)),
                         result = eval_string(program_->child(node, 1));
  std::array<double, 3> size{};
  for (int32_t i = 0; i < 3; ++i) size[static_cast<size_t>(i)] = eval_number(program_->child(node, i + 2));
  for (const MatrixConfig& c : configs_)
    if (c.component == component && c.result == result && c.M == size[0] && c.N == size[1] && c.K == size[2])
      return true;
  return false;
}

std::string_view Machine::eval_string(int32_t node) {
  if (fault_) return {};
  const Node& n = at(node);
  switch (n.op) {
    case Op::string: return program_->strings[static_cast<size_t>(n.index)];
    case Op::slot: return slot(node).text;
    case Op::derive: return derived(n.index).text;
    case Op::conditional:
      return eval_boolean(program_->child(n, 1)) ? eval_string(program_->child(n, 0))
                                                 : eval_string(program_->child(n, 2));
    default: return {};
  }
}

void Machine::eval_shape(int32_t node, Dims& out) {
  if (fault_) return;
  const Node& n = at(node);
  switch (n.op) {
    case Op::slot:
    case Op::derive: {
      const Value& v = n.op == Op::slot ? slot(node) : derived(n.index);
      if (!fault_) out = dims_[static_cast<size_t>(v.dims)];
      return;
    }
    case Op::list:
      out.count = static_cast<uint32_t>(n.count);
      for (int32_t i = 0; i < n.count; ++i) out.at[static_cast<size_t>(i)] = eval_number(program_->child(n, i));
      return;
    case Op::concat: {
      Dims tail;
      eval_shape(program_->child(n, 0), out);
      eval_shape(program_->child(n, 1), tail);
      if (out.count + tail.count > kMaxRank) {
        stop(FaultKind::too_many_dimensions, node, out.count + tail.count);
        return;
      }
      for (uint32_t i = 0; i < tail.count; ++i) out.at[out.count++] = tail.at[i];
      return;
    }
    case Op::slice: return eval_slice(n, node, out);
    case Op::conditional: return eval_shape(program_->child(n, eval_boolean(program_->child(n, 1)) ? 0 : 2), out);
    default: return;
  }
}

void Machine::eval_slice(const Node& node, int32_t self, Dims& out) {
  Dims whole;
  eval_shape(program_->child(node, 0), whole);
  const double size = whole.count;
  const auto bound = [&](int32_t i, double fallback) {
    const int32_t child = program_->child(node, i);
    if (child < 0) return fallback;
    const double v = eval_number(child);
    if (!fault_ && !is_integer(v)) return stop(FaultKind::not_an_integer, self, v);
    return std::clamp(v < 0 ? v + size : v, 0.0, size);
  };
  const double begin = bound(1, 0), end = bound(2, size);
  if (fault_) return;
  out.count = 0;
  for (double i = begin; i < end; ++i) out.at[out.count++] = whole.at[static_cast<size_t>(i)];
}

Outcome<double> Machine::number(int32_t node) {
  fault_.reset();
  const double v = eval_number(node);
  return fault_ ? Outcome<double>(std::unexpected(*fault_)) : v;
}

Outcome<bool> Machine::boolean(int32_t node) {
  fault_.reset();
  const bool v = eval_boolean(node);
  return fault_ ? Outcome<bool>(std::unexpected(*fault_)) : v;
}

Outcome<std::string_view> Machine::string(int32_t node) {
  fault_.reset();
  const std::string_view v = eval_string(node);
  return fault_ ? Outcome<std::string_view>(std::unexpected(*fault_)) : v;
}

Outcome<Dims> Machine::shape(int32_t node) {
  fault_.reset();
  Dims v;
  eval_shape(node, v);
  return fault_ ? Outcome<Dims>(std::unexpected(*fault_)) : v;
}

}  // namespace halfbyte::expr
