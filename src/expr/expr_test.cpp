#include "expr/expr.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace halfbyte::expr {
namespace {

using ::testing::HasSubstr;

// An environment of a few values; "hidden" is a number that is not there.
class Fixture : public Names {
 public:
  Fixture() {
    for (const char* name : {"a", "b", "c", "d", "hidden", "device.limits.maxBytes"}) declare(name, Type::number);
    for (const char* name : {"p", "q", "device.features.has(\"f\")"}) declare(name, Type::boolean);
    for (const char* name : {"s", "t", "long"}) declare(name, Type::shape);
    declare("dtype", Type::string);
  }

  Result<Meaning> value(std::string_view path) override {
    const auto it = slots_.find(path);
    if (it != slots_.end()) return Meaning{Op::slot, it->second.second, it->second.first, 0};
    const auto derived = derives_.find(path);
    if (derived == derives_.end()) return fail(ErrorCode::parse, std::format("unknown name {}", path));
    return Meaning{Op::derive, program.derives[static_cast<size_t>(derived->second)].expression.type, derived->second,
                   0};
  }
  Result<Meaning> has(std::string_view object, std::string_view key) override {
    if (object != "attrs") return fail(ErrorCode::parse, "has: no such object");
    const auto it = slots_.find(key);
    if (it == slots_.end()) return fail(ErrorCode::parse, "has: no such key");
    return Meaning{Op::slot_present, Type::boolean, it->second.first, 0};
  }
  Result<Meaning> flag(std::string_view function, std::string_view name) override {
    return value(std::format("{}(\"{}\")", function, name));
  }

  Result<Expression> add(std::string_view text) {
    HB_TRY(const Ast ast, parse(text));
    HB_TRY(const Compiled compiled, compile(ast, *this, program));
    return compiled.expression;
  }
  void add_derive(const std::string& name, std::string_view text) {
    const auto ast = parse(text);
    ASSERT_TRUE(ast) << ast.error().to_string();
    const auto compiled = compile(*ast, *this, program);
    ASSERT_TRUE(compiled) << compiled.error().to_string();
    derives_[name] = static_cast<int32_t>(program.derives.size());
    program.derives.push_back({name, compiled->expression, compiled->stack_depth});
  }
  Machine machine() {
    Machine m(program, slots_.size());
    m.set(slot("a"), 7.0);
    m.set(slot("b"), -3.0);
    m.set(slot("c"), 0.5);
    m.set(slot("d"), 4096.0);
    m.set(slot("device.limits.maxBytes"), 16384.0);
    m.set(slot("p"), true);
    m.set(slot("q"), false);
    m.set(slot("device.features.has(\"f\")"), false);
    m.set(slot("s"), Dims{3, {2, 3, 64}});
    m.set(slot("t"), Dims{1, {5}});
    m.set(slot("long"), Dims{7, {1, 1, 1, 1, 1, 1, 1}});
    m.set(slot("dtype"), std::string_view("float16"));
    return m;
  }
  int32_t slot(std::string_view name) const { return slots_.find(name)->second.first; }

  Program program;

 private:
  void declare(const char* name, Type type) {
    const auto index = static_cast<int32_t>(slots_.size());
    slots_.emplace(name, std::pair(index, type));
  }
  std::map<std::string, std::pair<int32_t, Type>, std::less<>> slots_;
  std::map<std::string, int32_t, std::less<>> derives_;
};

// The value as a double, booleans as 0 and 1.
Outcome<double> evaluate(Fixture& f, std::string_view text) {
  const auto expression = f.add(text);
  if (!expression) {
    ADD_FAILURE() << text << ": " << expression.error().to_string();
    return 0.0;
  }
  Machine machine = f.machine();
  if (expression->type == Type::number) return machine.number(expression->root);
  const auto v = machine.boolean(expression->root);
  return v ? Outcome<double>(*v ? 1.0 : 0.0) : Outcome<double>(std::unexpected(v.error()));
}

struct PythonValue {
  const char* text;
  double value;
};
constexpr PythonValue kPython[] = {
#include "expr/python_values.inc"
};

TEST(Expr, GivesPythonsValues) {
  Fixture f;
  for (const PythonValue& expected : kPython) {
    const auto got = evaluate(f, expected.text);
    ASSERT_TRUE(got) << expected.text << ": " << to_string(got.error(), f.program);
    EXPECT_DOUBLE_EQ(*got, expected.value) << expected.text;
  }
  EXPECT_GE(std::size(kPython), 400U);
}

TEST(Expr, FloorSemantics) {
  Fixture f;
  for (const auto& [text, value] :
       std::initializer_list<std::pair<const char*, double>>{{"7 / 2", 3.5},
                                                             {"ceilDiv(7, 2)", 4},
                                                             {"ceilDiv(-7, 2)", -3},
                                                             {"ceilDiv(7, -2)", -3},
                                                             {"-7 % 3", 2},
                                                             {"7 % -3", -2},
                                                             {"7.5 % 2", 1.5},
                                                             {"ceilDiv(9007199254740991, 2)", 4503599627370496},
                                                             {"pow2ceil(1)", 1},
                                                             {"pow2ceil(33)", 64},
                                                             {"pow2ceil(0)", 2},
                                                             {"pow2ceil(2.5)", 4},
                                                             {"pow2ceil(4503599627370497)", 9007199254740992},
                                                             {"0.1 + 0.2", 0.1 + 0.2},
                                                             {"2 - 3 - 4", -5},
                                                             {"64 / 4 / 2", 8},
                                                             {"1 if q else 2 if p else 3", 2},
                                                             {"not q and p", 1},
                                                             {"-2 * -3", 6}}) {
    const auto got = evaluate(f, text);
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(*got, value) << text;
  }
}

TEST(Expr, StringsAndShapes) {
  Fixture f;
  EXPECT_EQ(evaluate(f, "dtype == \"float16\"").value_or(-1), 1);
  EXPECT_EQ(evaluate(f, "(\"a\" if p else \"b\") != 'a'").value_or(-1), 0);
  EXPECT_EQ(evaluate(f, "s[:-1] + [7] == [2, 3, 7]").value_or(-1), 1);
  EXPECT_EQ(evaluate(f, "s[-1] == 64 and s[0] == 2").value_or(-1), 1);
  EXPECT_EQ(evaluate(f, "s == s[:2]").value_or(-1), 0);
  EXPECT_EQ(evaluate(f, "f16Ok(dtype)").value_or(-1), 0);
  EXPECT_EQ(evaluate(f, "f16Ok(\"float32\")").value_or(-1), 1);
  const auto expression = f.add("s[1:]");
  ASSERT_TRUE(expression);
  Machine machine = f.machine();
  const auto dims = machine.shape(expression->root);
  ASSERT_TRUE(dims);
  EXPECT_EQ(dims->count, 2U);
  EXPECT_EQ(dims->at[1], 64);
}

TEST(Expr, MatrixConfigs) {
  Fixture f;
  const auto expression = f.add("matrixConfig(\"f16\", \"f32\", 16, 16, 8 + 8)");
  ASSERT_TRUE(expression) << expression.error().to_string();
  Machine machine = f.machine();
  EXPECT_EQ(machine.boolean(expression->root), false);
  machine.set_matrix_configs({{"f16", "f32", 16, 16, 16}});
  EXPECT_EQ(machine.boolean(expression->root), true);
}

TEST(Expr, Lazy) {
  Fixture f;
  EXPECT_EQ(evaluate(f, "q and hidden == 1").value_or(-1), 0);
  EXPECT_EQ(evaluate(f, "p or hidden == 1").value_or(-1), 1);
  EXPECT_EQ(evaluate(f, "1 if p else hidden").value_or(-1), 1);
  EXPECT_EQ(evaluate(f, "has(attrs, \"hidden\") and hidden == 1").value_or(-1), 0);
  EXPECT_EQ(evaluate(f, "has(attrs, \"a\")").value_or(-1), 1);
}

TEST(Expr, Faults) {
  for (const auto& [text, sentence] : std::initializer_list<std::pair<const char*, const char*>>{
           {"hidden + 1", "hidden has no value here"},
           {"a / (b + 3)", "a / (b + 3) divides by zero"},
           {"a % 0", "a % 0 divides by zero"},
           {"ceilDiv(a, 0)", "ceilDiv(a, 0) divides by zero"},
           {"dim(s, 3)", "dim(s, 3) asks for dimension 3 of 3"},
           {"dim(s, -4)", "dim(s, -4) asks for dimension -4 of 3"},
           {"s[c]", "s[c] uses 0.5 as an index, which is not an integer"},
           {"numel(long + s)", "long + s has 10 dimensions, at most 8 are allowed"},
           {"p and 1 / 0 > 0", "1 / 0 divides by zero"}}) {
    Fixture f;
    const auto got = evaluate(f, text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(to_string(got.error(), f.program), sentence);
  }
}

TEST(Expr, DerivesAreMemoisedAndShareTheirFaults) {
  Fixture f;
  f.add_derive("double_a", "a * 2");
  f.add_derive("broken", "1 / (double_a - 14)");
  f.add_derive("shape", "s + [double_a]");
  const auto first = f.add("broken + 1"), second = f.add("broken * 0"), third = f.add("numel(shape)");
  ASSERT_TRUE(first && second && third);
  Machine machine = f.machine();
  for (const auto& e : {first, second, first}) {
    const auto got = machine.number(e->root);
    ASSERT_FALSE(got);
    EXPECT_EQ(to_string(got.error(), f.program), "1 / (double_a - 14) divides by zero");
  }
  EXPECT_EQ(machine.number(third->root), 2.0 * 3 * 64 * 14);
}

struct Wrong {
  const char* text;
  int column;
  const char* message;
};

TEST(Expr, ErrorsNameTheirColumn) {
  Fixture f;
  for (const Wrong& w : std::initializer_list<Wrong>{
           {"", 1, "the expression ends where a value should be"},
           {"a +", 4, "the expression ends where a value should be"},
           {"a + (b", 7, "the expression ends where ')' should be"},
           {"a b", 3, "unexpected 'b' where the end of the expression should be"},
           {"1 < a < 3", 7, "comparisons cannot be chained, join them with 'and'"},
           {"a // 2", 3, "there is no '//' here, use ceilDiv or '/'"},
           {"p && q", 3, "unexpected '&&', the word is 'and'"},
           {"a = 1", 3, "unexpected '=', a comparison is '=='"},
           {"'open", 1, "the string is not closed"},
           {"'\\n'", 2, "unknown escape"},
           {"12abc", 1, "unexpected 'a' after the number 12"},
           {"1e999", 1, "the number does not fit a double"},
           {"a.", 3, "the expression ends where a name should be"},
           {"1 if p", 7, "the expression ends where 'else' should be"},
           {"a + nonsuch", 5, "unknown name nonsuch"},
           {"a + p", 5, "arithmetic needs a number, but p is a boolean"},
           {"a and p", 1, "'and' needs a boolean, but a is a number"},
           {"not a", 5, "'not' needs a boolean, but a is a number"},
           {"p < q", 1, "an order comparison needs a number, but p is a boolean"},
           {"p == 1", 1, "a boolean is compared with a number"},
           {"1 if p else q", 1, "the two sides of 'if' are a number and a boolean, they must be of one type"},
           {"s + 1", 5, "'+' after a list needs a list of numbers, but 1 is a number"},
           {"[1, p]", 5, "a list needs a number, but p is a boolean"},
           {"min(a)", 1, "min takes at least 2 arguments, not 1"},
           {"dim(a, 0)", 5, "argument 1 of dim is a number, it must be a list of numbers"},
           {"sqrt(a)", 1, "unknown function sqrt"},
           {"has(attrs)", 1, "has takes an object and a key in quotes"},
           {"[1,2,3,4,5,6,7,8,9]", 1, "a list has at most 8 numbers"}}) {
    const auto got = f.add(w.text);
    ASSERT_FALSE(got) << w.text;
    EXPECT_THAT(got.error().message, HasSubstr(w.message)) << w.text;
    EXPECT_EQ(got.error().where.column, w.column) << w.text;
  }
}

TEST(Expr, IsBounded) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '(') + "1" + std::string(static_cast<size_t>(depth), ')');
  };
  Fixture f;
  EXPECT_TRUE(f.add(nested(60)));
  for (const std::string& text : {nested(4000), std::string(4000, '-') + "1", std::string(4000, '['), "p" + [] {
                                    std::string chain;
                                    for (int i = 0; i < 1000; ++i) chain += " or p";
                                    return chain;
                                  }()}) {
    const auto got = f.add(text);
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().message, HasSubstr("nested deeper than 256"));
  }
  const auto too_long = f.add(std::string(9000, ' ') + "1");
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().message, "the expression has 9001 bytes, at most 8192 are allowed");
}

TEST(Expr, SaysWhyAConditionIsFalse) {
  Fixture g;
  g.add_derive("fits", "a * 4096 <= device.limits.maxBytes");
  g.add_derive("enough", "a >= 2 and fits");
  for (const auto& [text, sentence] : std::initializer_list<std::pair<const char*, const char*>>{
           {"enough", "needs maxBytes of at least 28672, the device has 16384 (a * 4096)"},
           {"32768 <= device.limits.maxBytes", "needs maxBytes of at least 32768, the device has 16384"},
           {"device.limits.maxBytes > 20000", "needs maxBytes above 20000, the device has 16384"},
           {"a >= 32", "a >= 32 is false: a is 7"},
           {"a == b", "a == b is false: a is 7, b is -3"},
           {"dtype == \"float32\"", "dtype == \"float32\" is false: dtype is \"float16\""},
           {"s == [1]", "s == [1] is false: s is [2,3,64], [1] is [1]"},
           {"a > 8 or b > 0", "a > 8 is false: a is 7, and b > 0 is false: b is -3"},
           {"not p", "p is true"},
           {"q", "q is false"},
           {"device.features.has(\"f\")", "the device lacks the feature \"f\""},
           {"f16Ok(dtype)", "the device lacks the feature \"shader-f16\""},
           {"a > 1 and hidden > 2", "hidden has no value here"}}) {
    const auto e = g.add(text);
    ASSERT_TRUE(e) << text << ": " << e.error().to_string();
    Machine machine = g.machine();
    EXPECT_EQ(why_false(machine, e->root), sentence);
  }
}

TEST(Expr, SaysWhichValuesMakeAConditionTrue) {
  Fixture g;
  g.add_derive("few", "a < 8 and b < 0");
  g.add_derive("preferred", "a >= 32");
  for (const auto& [text, values] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a < 32", "a is 7"},
           {"few", "a is 7, b is -3"},
           {"a > 8 or b < 0", "b is -3"},
           {"not preferred", "a >= 32 is false: a is 7"},
           {"a < 32 if b < 0 else a > 8", "a is 7"},
           {"dtype == \"float16\" and 1 == 1", "dtype is \"float16\""},
           {"p", ""}}) {
    const auto e = g.add(text);
    ASSERT_TRUE(e) << text << ": " << e.error().to_string();
    Machine machine = g.machine();
    ASSERT_TRUE(machine.boolean(e->root).value_or(false)) << text;
    EXPECT_EQ(why_true(machine, e->root), values) << text;
  }
}

}  // namespace
}  // namespace halfbyte::expr
