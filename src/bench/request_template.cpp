#include "bench/request_template.hpp"

#include <cmath>

namespace halfbyte {

struct RequestCompiler : expr::Names {
  const JsonDocument& document;
  const std::map<std::string, expr::Type, std::less<>>& types;
  RequestTemplate out;

  RequestCompiler(const JsonDocument& d, const std::map<std::string, expr::Type, std::less<>>& t)
      : document(d), types(t) {}

  Result<expr::Meaning> value(std::string_view path) override {
    const auto type = types.find(path);
    if (type == types.end()) {
      std::vector<std::string> names;
      for (const auto& [known, ignored] : types) names.push_back(known);
      return fail(ErrorCode::parse, std::format("no case has a variable {}{}", path, did_you_mean(path, names)));
    }
    const auto [slot, added] = out.slots_.try_emplace(std::string(path), static_cast<int32_t>(out.slots_.size()));
    return expr::Meaning{expr::Op::slot, type->second, slot->second, 0};
  }
  Result<expr::Meaning> has(std::string_view, std::string_view) override {
    return fail(ErrorCode::parse, "has() cannot be used in bench cases");
  }
  Result<expr::Meaning> flag(std::string_view function, std::string_view) override {
    return fail(ErrorCode::parse, std::format("{}() cannot be used in bench cases", function));
  }

  Result<expr::Ast> tree(const JsonValue& value, std::string_view what) {
    if (value.is(JsonValue::Kind::number)) return expr::literal(value.number);
    if (value.is(JsonValue::Kind::boolean)) return expr::literal(value.boolean);
    HB_CHECK(document.expect(value, JsonValue::Kind::string, what));
    return expr::parse(value.text);
  }

  Error placed(Error error, const JsonValue& at) const {
    if (!error.where.file.empty()) return error;
    const auto index = static_cast<size_t>(std::max(error.where.column, 1) - 1);
    error.where = at.is(JsonValue::Kind::string) ? document.place_in_string(at, index) : document.place(at.offset);
    return error;
  }

  Result<RequestTemplate::Compiled> compile(const JsonValue& value, std::string_view what,
                                            std::optional<expr::Type> wanted = std::nullopt) {
    auto ast = tree(value, what);
    if (!ast) return fail(placed(std::move(ast).error(), value));
    auto compiled = expr::compile(*ast, *this, out.program_);
    if (!compiled) return fail(placed(std::move(compiled).error(), value));
    if (wanted && compiled->expression.type != *wanted)
      return document.error(value, std::format("{} must be a {}, not a {}", what, expr::name(*wanted),
                                               expr::name(compiled->expression.type)));
    return RequestTemplate::Compiled{compiled->expression, &value};
  }

  Result<void> add_input(const JsonMember& member) {
    HB_CHECK(document.expect_keys(member.value, "an input", {"shape", "dtype", "when"}));
    RequestTemplate::Input input;
    input.key = member.key;
    HB_TRY(const JsonValue* shape, document.need(member.value, "shape", "an input"));
    HB_TRY(input.shape, compile(*shape, "a shape", expr::Type::shape));
    HB_TRY(const JsonValue* dtype, document.need(member.value, "dtype", "an input"));
    HB_CHECK(document.expect(*dtype, JsonValue::Kind::string, "a dtype"));
    input.dtype = parse_dtype(dtype->text);
    if (!input.dtype) {
      HB_TRY(input.dtype_expression, compile(*dtype, "a dtype", expr::Type::string));
    }
    if (const JsonValue* when = member.value.find("when")) {
      HB_TRY(input.when, compile(*when, "\"when\"", expr::Type::boolean));
    }
    out.inputs_.push_back(std::move(input));
    return {};
  }

  Result<void> run(const JsonValue& request) {
    HB_CHECK(document.expect_keys(request, "the request", {"attrs", "inputs", "constant"}));
    HB_TRY(const JsonValue* attrs, document.need(request, "attrs", "the request"));
    HB_CHECK(document.expect(*attrs, JsonValue::Kind::object, "the key \"attrs\""));
    for (const JsonMember& member : attrs->members) {
      HB_TRY(auto value, compile(member.value, "an attribute"));
      if (value.expression.type != expr::Type::number && value.expression.type != expr::Type::string)
        return document.error(member.value, std::format("the attribute {} must be a number or a text", member.key));
      out.attrs_.emplace_back(member.key, value);
    }
    HB_TRY(const JsonValue* inputs, document.need(request, "inputs", "the request"));
    HB_CHECK(document.expect(*inputs, JsonValue::Kind::object, "the key \"inputs\""));
    for (const JsonMember& member : inputs->members) HB_CHECK(add_input(member));
    if (const JsonValue* constant = request.find("constant")) {
      HB_TRY(out.constant_, document.strings(*constant, "the key \"constant\""));
    }
    return {};
  }
};

Result<RequestTemplate> RequestTemplate::make(const JsonDocument& document, const JsonValue& request,
                                              const std::map<std::string, expr::Type, std::less<>>& types) {
  RequestCompiler compiler(document, types);
  HB_CHECK(compiler.run(request));
  return std::move(compiler.out);
}

Result<Problem> RequestTemplate::evaluate(const JsonDocument& document, const Variables& variables) const {
  expr::Machine machine(program_, slots_.size());
  for (const auto& [name, slot] : slots_) {
    const auto value = variables.find(name);
    if (value == variables.end()) continue;
    std::visit([&](const auto& v) { machine.set(slot, v); }, value->second);
  }
  const auto fault = [&](const JsonValue& at, const expr::Fault& f) {
    return document.error(at, expr::to_string(f, program_));
  };
  Problem problem;
  for (const auto& [key, compiled] : attrs_) {
    if (compiled.expression.type == expr::Type::number) {
      const auto value = machine.number(compiled.expression.root);
      if (!value) return fault(*compiled.at, value.error());
      problem.attrs.emplace(key, *value);
    } else {
      const auto value = machine.string(compiled.expression.root);
      if (!value) return fault(*compiled.at, value.error());
      problem.attrs.emplace(key, std::string(*value));
    }
  }
  for (const Input& input : inputs_) {
    if (input.when.expression) {
      const auto present = machine.boolean(input.when.expression.root);
      if (!present) return fault(*input.when.at, present.error());
      if (!*present) continue;
    }
    TensorDesc desc;
    if (input.dtype) {
      desc.dtype = *input.dtype;
    } else {
      const auto text = machine.string(input.dtype_expression.expression.root);
      if (!text) return fault(*input.dtype_expression.at, text.error());
      const auto dtype = parse_dtype(*text);
      if (!dtype) return document.error(*input.dtype_expression.at, std::format("\"{}\" is not a dtype", *text));
      desc.dtype = *dtype;
    }
    const auto dims = machine.shape(input.shape.expression.root);
    if (!dims) return fault(*input.shape.at, dims.error());
    for (uint32_t i = 0; i < dims->count; ++i) {
      if (dims->at[i] < 0 || dims->at[i] != std::floor(dims->at[i]) || dims->at[i] > 9007199254740992.0)
        return document.error(*input.shape.at, std::format("dimension {} of {} is {}, not a whole number", i, input.key,
                                                           expr::format_number(dims->at[i])));
      desc.shape.push_back(static_cast<int64_t>(dims->at[i]));
    }
    problem.inputs.emplace(input.key, std::move(desc));
  }
  problem.constant.insert(constant_.begin(), constant_.end());
  return problem;
}

}  // namespace halfbyte
