#include "plan/jinja_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace halfbyte::jinja {
namespace {

using ListPtr = std::shared_ptr<const List>;
using MembersPtr = std::shared_ptr<const Members>;

std::unexpected<std::string> wrong(std::string message) { return std::unexpected(std::move(message)); }

const std::string* as_text(const Value& v) { return std::get_if<std::string>(&v.is); }
const List* as_list(const Value& v) {
  const auto* list = std::get_if<ListPtr>(&v.is);
  return list ? list->get() : nullptr;
}
const Members* as_members(const Value& v) {
  const auto* members = std::get_if<MembersPtr>(&v.is);
  return members ? members->get() : nullptr;
}
const int64_t* as_integer(const Value& v) { return std::get_if<int64_t>(&v.is); }
std::optional<double> as_number(const Value& v) {
  if (const auto* i = as_integer(v)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&v.is)) return *d;
  return std::nullopt;
}
Value list_value(List list) { return Value{std::make_shared<const List>(std::move(list))}; }

bool equal(const Value& a, const Value& b, uint64_t& cost) {
  ++cost;
  if (const auto x = as_number(a), y = as_number(b); x && y) return *x == *y;
  if (const List *x = as_list(a), *y = as_list(b); x && y) {
    if (x->size() != y->size()) return false;
    for (size_t i = 0; i < x->size() && cost < kMaxSteps; ++i)
      if (!equal((*x)[i], (*y)[i], cost)) return false;
    return true;
  }
  if (a.is.index() != b.is.index() || as_members(a)) return false;
  return a.is == b.is;
}

Outcome arithmetic(std::string_view op, const Value& a, const Value& b) {
  const int64_t *x = as_integer(a), *y = as_integer(b);
  if (x && y) {
    int64_t result = 0;
    bool overflow = false;
    if (op == "+") overflow = __builtin_add_overflow(*x, *y, &result);
    if (op == "-") overflow = __builtin_sub_overflow(*x, *y, &result);
    if (op == "*") overflow = __builtin_mul_overflow(*x, *y, &result);
    if (op == "%") {
      if (*y == 0) return wrong("'%' divides by zero");
      result = *y == -1 ? 0 : *x % *y;
      if (result != 0 && (result < 0) != (*y < 0)) result += *y;  // the divisor's sign, as in the expression language
    }
    if (overflow) return wrong(std::format("'{}' leaves 64 bits", op));
    return Value{result};
  }
  const auto p = as_number(a), q = as_number(b);
  if (!p || !q) return wrong(std::format("'{}' needs numbers, not {} and {}", op, kind_name(a), kind_name(b)));
  if (op == "%" && *q == 0) return wrong("'%' divides by zero");
  double result = op == "+" ? *p + *q : op == "-" ? *p - *q : op == "*" ? *p * *q : std::fmod(*p, *q);
  if (op == "%" && result != 0 && (result < 0) != (*q < 0)) result += *q;
  return Value{result};
}

Outcome concatenate(const Value& a, const Value& b) {
  std::string text;
  for (const Value* v : {&a, &b})
    if (!print(*v, text)) return wrong(std::format("{} cannot be part of a text", kind_name(*v)));
  return Value{std::move(text)};
}

Outcome add(const Value& a, const Value& b, uint64_t& cost) {
  if (as_text(a) || as_text(b)) return concatenate(a, b);
  const List *x = as_list(a), *y = as_list(b);
  if (!x || !y) return arithmetic("+", a, b);
  List list = *x;
  list.insert(list.end(), y->begin(), y->end());
  cost += list.size();
  return list_value(std::move(list));
}

Outcome contains(const Value& item, const Value& in, uint64_t& cost) {
  if (const List* list = as_list(in)) {
    for (const Value& v : *list)
      if (equal(item, v, cost)) return Value{true};
    return Value{false};
  }
  const std::string* text = as_text(item);
  if (const Members* members = as_members(in); members && text) return Value{members->contains(*text)};
  if (const std::string* whole = as_text(in); whole && text) {
    cost += whole->size() / 64 * (1 + text->size());
    if (cost > kMaxSteps) return wrong("the texts of 'in' are too long");
    return Value{whole->find(*text) != std::string::npos};
  }
  return wrong(std::format("'in' cannot look for {} in {}", kind_name(item), kind_name(in)));
}

Outcome order(std::string_view op, const Value& a, const Value& b) {
  int sign = 0;
  if (const auto x = as_number(a), y = as_number(b); x && y)
    sign = *x < *y ? -1 : *x > *y ? 1 : 0;
  else if (const std::string* s = as_text(a), *t = as_text(b); s && t)
    sign = s->compare(*t);
  else
    return wrong(std::format("'{}' cannot compare {} with {}", op, kind_name(a), kind_name(b)));
  return Value{op == "<" ? sign < 0 : op == "<=" ? sign <= 0 : op == ">" ? sign > 0 : sign >= 0};
}

Outcome binary(const std::string& op, const Value& a, const Value& b, uint64_t& cost) {
  if (op == "+") return add(a, b, cost);
  if (op == "~") return concatenate(a, b);
  if (op == "==") return Value{equal(a, b, cost)};
  if (op == "!=") return Value{!equal(a, b, cost)};
  if (op == "in") return contains(a, b, cost);
  if (op == "-" || op == "*" || op == "%") return arithmetic(op, a, b);
  return order(op, a, b);
}

Outcome subscript(const Value& of, const Value& at) {
  if (const Members* members = as_members(of)) {
    const std::string* key = as_text(at);
    if (!key) return wrong("a member is named by a text");
    const auto it = members->find(*key);
    return it == members->end() ? Value{} : it->second;
  }
  const List* list = as_list(of);
  const std::string* text = as_text(of);
  const int64_t* i = as_integer(at);
  if ((!list && !text) || !i) return wrong(std::format("{} has no element {}", kind_name(of), kind_name(at)));
  const auto size = static_cast<int64_t>(list ? list->size() : text->size());
  const int64_t index = *i < 0 ? *i + size : *i;
  if (index < 0 || index >= size) return wrong(std::format("the index {} is outside a length of {}", *i, size));
  return list ? (*list)[static_cast<size_t>(index)] : Value{std::string(1, (*text)[static_cast<size_t>(index)])};
}

Outcome slice(std::span<const Value> o, uint64_t& cost) {
  const List* list = as_list(o[0]);
  const std::string* text = as_text(o[0]);
  if (!list && !text) return wrong(std::format("{} has no part", kind_name(o[0])));
  const auto size = static_cast<int64_t>(list ? list->size() : text->size());
  const auto bound = [&](const Value& v, int64_t fallback) -> std::optional<int64_t> {
    if (std::holds_alternative<std::monostate>(v.is)) return fallback;
    const int64_t* i = as_integer(v);
    if (!i) return std::nullopt;
    return std::clamp(*i < 0 ? std::max(*i, -size) + size : *i, int64_t{0}, size);
  };
  const auto from = bound(o[1], 0), to = bound(o[2], size);
  if (!from || !to) return wrong("the bounds of a part are integers");
  const auto begin = static_cast<size_t>(*from), count = static_cast<size_t>(std::max<int64_t>(*to - *from, 0));
  cost += count;
  if (text) return Value{text->substr(begin, count)};
  return list_value(List(list->begin() + *from, list->begin() + *from + static_cast<int64_t>(count)));
}

std::string cased(std::string text, bool upper) {
  for (char& c : text)
    if (upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z') c = static_cast<char>(c ^ 0x20);
  return text;
}

Outcome method(const Expr& e, std::span<const Value> o) {
  const std::string* text = as_text(o[0]);
  const std::string* argument = o.size() == 2 ? as_text(o[1]) : nullptr;
  if (text && o.size() == 1 && (e.text == "upper" || e.text == "lower")) return Value{cased(*text, e.text == "upper")};
  if (text && argument && e.text == "startswith") return Value{text->starts_with(*argument)};
  if (text && argument && e.text == "endswith") return Value{text->ends_with(*argument)};
  return wrong(std::format("{} has no method {} with {} arguments; a text has upper, lower, startswith and endswith",
                           kind_name(o[0]), e.text, o.size() - 1));
}

Outcome join(std::span<const Value> o, uint64_t& cost) {
  const List* list = as_list(o[0]);
  const std::string none, *between = o.size() > 1 ? as_text(o[1]) : &none;
  if (!list || !between) return wrong("join needs a list and a text");
  std::string text;
  for (size_t i = 0; i < list->size(); ++i) {
    if (i > 0) text += *between;
    if (!print((*list)[i], text)) return wrong(std::format("{} cannot be joined", kind_name((*list)[i])));
    if (text.size() > kMaxString) return wrong(std::format("a text grows past {} bytes", kMaxString));
  }
  cost += list->size();
  return Value{std::move(text)};
}

std::string without_blanks(const std::string& text) {
  constexpr const char* kBlanks = " \t\n\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Outcome to_integer(const Value& v) {
  if (as_integer(v)) return v;
  if (const auto* flag = std::get_if<bool>(&v.is)) return Value{int64_t{*flag}};
  if (const auto number = as_number(v); number && std::abs(*number) < 9e18) return Value{static_cast<int64_t>(*number)};
  if (const std::string* text = as_text(v)) {
    int64_t value = 0;
    const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (ec == std::errc{} && end == text->data() + text->size()) return Value{value};
  }
  return wrong(std::format("{} is no integer", kind_name(v)));
}

Outcome filter(const Expr& e, std::span<const Value> o, uint64_t& cost) {
  const std::string& name = e.text;
  const List* list = as_list(o[0]);
  const std::string* text = as_text(o[0]);
  const size_t most = name == "default" || name == "join" ? 2 : 1;
  if (o.size() > most) return wrong(std::format("the filter {} is given {} arguments too many", name, o.size() - most));
  if (name == "length" || name == "count") {
    if (list) return Value{static_cast<int64_t>(list->size())};
    if (text) return Value{static_cast<int64_t>(text->size())};
  } else if (name == "join") {
    return join(o, cost);
  } else if (name == "default") {
    if (o.size() != 2) return wrong("the filter default takes one argument");
    return std::holds_alternative<std::monostate>(o[0].is) ? o[1] : o[0];
  } else if (name == "int") {
    return to_integer(o[0]);
  } else if (name == "string") {
    std::string out;
    if (print(o[0], out)) return Value{std::move(out)};
  } else if ((name == "upper" || name == "lower") && text) {
    return Value{cased(*text, name == "upper")};
  } else if (name == "trim" && text) {
    return Value{without_blanks(*text)};
  } else if ((name == "first" || name == "last") && list) {
    if (list->empty()) return wrong(std::format("the filter {} is given an empty list", name));
    return name == "first" ? list->front() : list->back();
  } else if (name == "list" && list) {
    return o[0];
  }
  return wrong(
      std::format("there is no filter {} for {}; there are length, count, join, default, int, string, upper, lower, "
                  "trim, first, last and list",
                  name, kind_name(o[0])));
}

Outcome range(std::span<const Value> o, uint64_t& cost) {
  std::array<int64_t, 3> bounds{0, 0, 1};
  if (o.empty() || o.size() > 3) return wrong(std::format("range takes 1 to 3 arguments, not {}", o.size()));
  for (size_t i = 0; i < o.size(); ++i) {
    const int64_t* v = as_integer(o[i]);
    if (!v) return wrong(std::format("range needs integers, not {}", kind_name(o[i])));
    bounds[o.size() == 1 ? 1 : i] = *v;
  }
  const auto [begin, end, by] = bounds;
  if (by == 0) return wrong("range cannot step by 0");
  const double count = std::ceil((static_cast<double>(end) - static_cast<double>(begin)) / static_cast<double>(by));
  if (count > static_cast<double>(kMaxList))
    return wrong(std::format("range({}, {}, {}) has more than {} elements", begin, end, by, kMaxList));
  List list;
  for (int64_t i = begin; static_cast<double>(list.size()) < count; i += by) {
    list.push_back(Value{i});
    if (by > 0 ? i > INT64_MAX - by : i < INT64_MIN - by) break;
  }
  cost += list.size() / 2;
  return list_value(std::move(list));
}

}  // namespace

bool truth(const Value& v) {
  if (const auto* flag = std::get_if<bool>(&v.is)) return *flag;
  if (const auto number = as_number(v)) return *number != 0;
  if (const std::string* text = as_text(v)) return !text->empty();
  if (const List* list = as_list(v)) return !list->empty();
  return as_members(v) != nullptr;
}

const char* kind_name(const Value& v) {
  static constexpr std::array<const char*, 7> kNames{"nothing", "a boolean", "an integer", "a number",
                                                     "a text",  "a list",    "an object"};
  return kNames[v.is.index()];
}

bool print(const Value& v, std::string& out) {
  if (const std::string* text = as_text(v)) {
    out += *text;
  } else if (const auto* flag = std::get_if<bool>(&v.is)) {
    out += *flag ? "True" : "False";
  } else if (const int64_t* i = as_integer(v)) {
    out += std::to_string(*i);
  } else if (const auto number = as_number(v)) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *number).ptr;
    const std::string_view digits(buffer.data(), end);
    out += digits;
    if (digits.find_first_not_of("-0123456789") == std::string_view::npos) out += ".0";
  } else {
    return false;
  }
  return true;
}

Outcome apply(const Expr& e, std::span<const Value> o, uint64_t& cost) {
  switch (e.kind) {
    case Expr::binary: return binary(e.text, o[0], o[1], cost);
    case Expr::negate: return arithmetic("-", Value{int64_t{0}}, o[0]);
    case Expr::index: return subscript(o[0], o[1]);
    case Expr::slice: return slice(o, cost);
    case Expr::method: return method(e, o);
    case Expr::filter: return filter(e, o, cost);
    case Expr::member:
      if (!as_members(o[0])) return wrong(std::format("{} has no member {}", kind_name(o[0]), e.text));
      return subscript(o[0], Value{e.text});
    default: return wrong("an expression that cannot be applied");
  }
}

Outcome apply_test(std::string_view name, const Value& v) {
  const bool none = std::holds_alternative<std::monostate>(v.is);
  if (name == "defined") return Value{!none};
  if (name == "undefined" || name == "none") return Value{none};
  if (name == "string") return Value{as_text(v) != nullptr};
  if (name == "number") return Value{as_number(v).has_value()};
  if (name == "integer") return Value{as_integer(v) != nullptr};
  if (name == "float") return Value{std::holds_alternative<double>(v.is)};
  if (name == "boolean") return Value{std::holds_alternative<bool>(v.is)};
  if (name == "sequence" || name == "iterable") return Value{as_list(v) != nullptr};
  if (name == "mapping") return Value{as_members(v) != nullptr};
  if (name == "true" || name == "false")
    return Value{std::holds_alternative<bool>(v.is) && truth(v) == (name == "true")};
  if (const int64_t* i = as_integer(v); i && (name == "odd" || name == "even"))
    return Value{(*i % 2 != 0) == (name == "odd")};
  return wrong(std::format("there is no test {} for {}", name, kind_name(v)));
}

Outcome call_function(std::string_view name, std::span<const Value> arguments, uint64_t& cost) {
  if (name == "range") return range(arguments, cost);
  if (name == "raise_exception") {
    std::string text;
    for (const Value& v : arguments) print(v, text);
    return wrong(std::format("the template says: {}", text));
  }
  return wrong(std::format("unknown function {}, there are range, raise_exception and macros", name));
}

}  // namespace halfbyte::jinja
