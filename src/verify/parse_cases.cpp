#include <algorithm>
#include <nlohmann/json.hpp>

#include "verify/case.hpp"
#include "verify/recipe.hpp"

namespace halfbyte {
namespace {

using Json = nlohmann::ordered_json;  // as everywhere else: one instantiation

std::unexpected<Error> wrong(const std::string& file, const Case& c, const std::string& what) {
  return fail(ErrorCode::parse, std::format("case \"{}\": {}", c.problem.id, what), {file, 0, 0});
}

Result<void> read_text_field(const Json& json, const char* key, std::string& into, const std::string& file,
                             const Case& c) {
  const auto it = json.find(key);
  if (it == json.end()) return {};
  if (!it->is_string()) return wrong(file, c, std::format("\"{}\" must be a string", key));
  into = it->get<std::string>();
  return {};
}

Result<void> read_expect(const Json& json, Case& c, const std::string& file) {
  const auto it = json.find("expect");
  if (it == json.end()) return {};
  if (!it->is_object()) return wrong(file, c, "\"expect\" must be an object of numbers");
  for (const auto& [key, value] : it->items()) {
    if (key != "first" && key != "last" && key != "wsum" && key != "sum")
      return wrong(file, c, std::format("\"expect\" has the key \"{}\"; known are first, last, wsum, sum", key));
    if (!value.is_number()) return wrong(file, c, std::format("\"expect\": \"{}\" must be a number", key));
    c.expect[key] = value.get<double>();
  }
  return {};
}

// The keys that a case has beyond a request. parse_problems has already held the text to JSON, and every item to an object.
Result<Case> read_case(const Json& json, Problem problem, const std::string& file) {
  Case c;
  c.problem = std::move(problem);
  HB_CHECK(read_text_field(json, "fill", c.fill, file, c));
  HB_CHECK(read_text_field(json, "tolerance", c.tolerance, file, c));
  HB_CHECK(read_text_field(json, "note", c.note, file, c));
  const auto& names = recipe_names();
  if (std::ranges::find(names, c.fill) == names.end()) {
    std::string known;
    for (const auto& name : names) known += (known.empty() ? "" : ", ") + name;
    return wrong(file, c, std::format("fill \"{}\" is not known; known are {}", c.fill, known));
  }
  if (c.tolerance != "bound" && c.tolerance != "exact" && c.tolerance != "f16_ulp")
    return wrong(file, c, std::format("tolerance \"{}\" is not known; known are bound, exact, f16_ulp", c.tolerance));
  if (const auto it = json.find("seed"); it != json.end()) {
    if (!it->is_number_unsigned()) return wrong(file, c, "\"seed\" must be a whole number, 0 or more");
    c.seed = it->get<uint64_t>();
  }
  HB_CHECK(read_expect(json, c, file));
  return c;
}

}  // namespace

Result<std::vector<Case>> parse_cases(std::string_view json_text, const std::string& file) {
  HB_TRY(auto problems, parse_problems(json_text, file, {"fill", "seed", "tolerance", "expect", "note"}));
  Json json = Json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) json = Json::array({json});
  if (!json.is_array() || json.size() != problems.size())
    return fail(ErrorCode::parse, "cases must be a JSON array of objects", {file, 0, 0});
  std::vector<Case> cases;
  cases.reserve(problems.size());
  for (size_t i = 0; i < problems.size(); ++i) {
    HB_TRY(Case c, read_case(json[i], std::move(problems[i]), file));
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace halfbyte
