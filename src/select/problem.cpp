#include "select/problem.hpp"

#include <algorithm>
#include <cmath>

#include "manifest/json.hpp"

namespace halfbyte {
namespace {

using Kind = JsonValue::Kind;

constexpr double kIntegerLimit = 9007199254740992.0;  // 2^53

Result<TensorDesc> read_tensor(const JsonDocument& doc, const JsonMember& member) {
  const std::string what = std::format("the input {}", member.key);
  HB_CHECK(doc.expect_keys(member.value, what, {"shape", "dtype"}));
  TensorDesc desc;
  HB_TRY(const JsonValue* dtype, doc.need(member.value, "dtype", what));
  HB_CHECK(doc.expect(*dtype, Kind::string, std::format("the dtype of {}", what)));
  const std::optional<DType> parsed = parse_dtype(dtype->text);
  if (!parsed) return doc.error(*dtype, std::format("{} has the unknown dtype \"{}\"", what, dtype->text));
  desc.dtype = *parsed;
  HB_TRY(const JsonValue* shape, doc.need(member.value, "shape", what));
  HB_TRY(const std::vector<double> dims, doc.numbers(*shape, std::format("the shape of {}", what)));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!(std::abs(dims[i]) < kIntegerLimit && dims[i] == std::floor(dims[i])))
      return doc.error(shape->items[i], std::format("the shape of {} has a dimension that is not an integer", what));
    desc.shape.push_back(static_cast<int64_t>(dims[i]));
  }
  return desc;
}

Result<Problem> read_problem(const JsonDocument& doc, const JsonValue& object, const std::vector<std::string>& extra) {
  HB_CHECK(doc.expect(object, Kind::object, "a request"));
  for (const JsonMember& member : object.members) {
    const std::string& key = member.key;
    const bool known = key == "id" || key == "attrs" || key == "inputs" || key == "tunables" || key == "constant";
    if (!known && std::ranges::find(extra, key) == extra.end())
      return doc.error(
          member.offset,
          std::format("unknown key \"{}\" in a request, allowed are id, attrs, inputs, tunables, constant", key));
  }
  Problem problem;
  if (const JsonValue* id = object.find("id")) {
    HB_CHECK(doc.expect(*id, Kind::string, "the \"id\" of a request"));
    problem.id = id->text;
  }
  if (const JsonValue* attrs = object.find("attrs")) {
    HB_CHECK(doc.expect(*attrs, Kind::object, "\"attrs\""));
    for (const JsonMember& member : attrs->members) {
      const JsonValue& v = member.value;
      if (!v.is(Kind::number) && !v.is(Kind::string))
        return doc.error(
            v, std::format("the attribute {} is {}, it must be a number or a string", member.key, name(v.kind)));
      problem.attrs[member.key] = v.is(Kind::number) ? AttrValue(v.number) : AttrValue(v.text);
    }
  }
  HB_TRY(const JsonValue* inputs, doc.need(object, "inputs", "a request"));
  HB_CHECK(doc.expect(*inputs, Kind::object, "\"inputs\""));
  for (const JsonMember& member : inputs->members) {
    HB_TRY(problem.inputs[member.key], read_tensor(doc, member));
  }
  if (const JsonValue* tunables = object.find("tunables")) {
    HB_CHECK(doc.expect(*tunables, Kind::object, "\"tunables\""));
    for (const JsonMember& member : tunables->members) {
      HB_CHECK(doc.expect(member.value, Kind::number, std::format("the tunable {}", member.key)));
      problem.tunables[member.key] = member.value.number;
    }
  }
  if (const JsonValue* constant = object.find("constant")) {
    HB_TRY(const std::vector<std::string> keys, doc.strings(*constant, "\"constant\""));
    problem.constant.insert(keys.begin(), keys.end());
  }
  return problem;
}

}  // namespace

void take_weights_as_constant(Problem& problem, std::string_view activations) {
  if (!problem.constant.empty()) return;
  for (const auto& [key, desc] : problem.inputs)
    if (key != activations) problem.constant.insert(key);
}

Result<std::vector<Problem>> parse_problems(std::string_view json_text, const std::string& file,
                                            const std::vector<std::string>& extra) {
  HB_TRY(const JsonDocument doc, JsonDocument::parse(json_text, file));
  std::vector<Problem> problems;
  if (!doc.root().is(Kind::array)) {
    HB_TRY(Problem problem, read_problem(doc, doc.root(), extra));
    problems.push_back(std::move(problem));
    return problems;
  }
  for (const JsonValue& item : doc.root().items) {
    HB_TRY(Problem problem, read_problem(doc, item, extra));
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace halfbyte
