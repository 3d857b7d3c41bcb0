#include "bench/cases.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "bench/request_template.hpp"

namespace halfbyte {
namespace {

using Kind = JsonValue::Kind;
using Lists = std::map<std::string, std::vector<Variable>, std::less<>>;  // a variable and the values it goes through
constexpr size_t kMostCases = 100000;

expr::Type type_of(const Variable& value) {
  constexpr expr::Type types[] = {expr::Type::number, expr::Type::boolean, expr::Type::string};
  return types[value.index()];
}

std::string variable_text(const Variable& value) {
  if (const auto* number = std::get_if<double>(&value)) return expr::format_number(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

Result<Variable> scalar(const JsonDocument& document, const JsonValue& value) {
  switch (value.kind) {
    case Kind::number: return Variable(value.number);
    case Kind::boolean: return Variable(value.boolean);
    case Kind::string: return Variable(value.text);
    default:
      return document.error(value, "a variable must be a number, a text, true or false, or a list of one of them");
  }
}

Result<std::vector<Variable>> values_of(const JsonDocument& document, const JsonValue& value) {
  std::vector<Variable> values;
  if (!value.is(Kind::array)) {
    HB_TRY(Variable one, scalar(document, value));
    values.push_back(std::move(one));
    return values;
  }
  for (const JsonValue& item : value.items) {
    HB_TRY(Variable one, scalar(document, item));
    values.push_back(std::move(one));
  }
  if (values.empty()) return document.error(value, "a list of values must not be empty");
  return values;
}

class BenchFile {
 public:
  BenchFile(const JsonDocument& document, const Overrides& overrides) : document_(document), overrides_(overrides) {}

  Result<std::vector<BenchCase>> run() {
    const JsonValue& root = document_.root();
    HB_CHECK(document_.expect_keys(root, "a bench file", {"about", "request", "variables", "cases"}));
    if (const JsonValue* variables = root.find("variables")) {
      HB_CHECK(document_.expect(*variables, Kind::object, "the key \"variables\""));
      for (const JsonMember& member : variables->members) HB_CHECK(add_values(defaults_, member));
    }
    HB_TRY(const JsonValue* cases, document_.need(root, "cases", "a bench file"));
    HB_CHECK(document_.expect(*cases, Kind::array, "the key \"cases\""));
    for (const JsonValue& item : cases->items) HB_CHECK(read_layer(item));
    HB_CHECK(apply_overrides());
    HB_TRY(const JsonValue* request, document_.need(root, "request", "a bench file"));
    HB_TRY(const RequestTemplate compiled, RequestTemplate::make(document_, *request, types_));
    for (const auto& [name, type] : types_) {
      if (!compiled.slots().contains(name))
        return document_.error(*first_use_.at(name), std::format("the request does not use the variable \"{}\"", name));
    }
    for (const Layer& layer : layers_) HB_CHECK(expand(layer, compiled));
    return std::move(out_);
  }

 private:
  struct Layer {
    const JsonValue* at = nullptr;
    std::string model, name;
    double count = 1;
    Lists lists;
  };

  Result<void> add_values(Lists& lists, const JsonMember& member) {
    HB_TRY(auto values, values_of(document_, member.value));
    const auto [type, added] = types_.try_emplace(member.key, type_of(values.front()));
    if (added) first_use_[member.key] = &member.value;
    for (const Variable& value : values) {
      if (type_of(value) != type->second)
        return document_.error(
            member.value, std::format("the variable \"{}\" is a {} elsewhere", member.key, expr::name(type->second)));
    }
    lists[member.key] = std::move(values);
    return {};
  }

  Result<void> read_layer(const JsonValue& item) {
    HB_CHECK(document_.expect(item, Kind::object, "a case"));
    Layer layer;
    layer.at = &item;
    layer.lists = defaults_;
    for (const JsonMember& member : item.members) {
      if (member.key == "model" || member.key == "layer") {
        HB_CHECK(document_.expect(member.value, Kind::string, std::format("the key \"{}\"", member.key)));
        (member.key == "model" ? layer.model : layer.name) = member.value.text;
      } else if (member.key == "count") {
        HB_CHECK(document_.expect(member.value, Kind::number, "the key \"count\""));
        layer.count = member.value.number;
      } else {
        HB_CHECK(add_values(layer.lists, member));
      }
    }
    layers_.push_back(std::move(layer));
    return {};
  }

  Result<void> apply_overrides() {
    for (const auto& [name, values] : overrides_) {
      const auto type = types_.find(name);
      if (type == types_.end()) {
        std::vector<std::string> names;
        for (const auto& [known, ignored] : types_) names.push_back(known);
        return fail(ErrorCode::invalid_argument,
                    std::format("{} has no variable {}{}", document_.file(), name, did_you_mean(name, names)));
      }
      for (const Variable& value : values) {
        if (type_of(value) != type->second)
          return fail(ErrorCode::invalid_argument,
                      std::format("the variable {} of {} is a {}, \"{}\" is not", name, document_.file(),
                                  expr::name(type->second), variable_text(value)));
      }
      for (Layer& layer : layers_) {
        if (layer.lists.contains(name)) layer.lists[name] = values;
      }
    }
    return {};
  }

  // One case for each combination of the lists' values, the last variable changing fastest; M, when there is one, is the last.
  Result<void> expand(const Layer& layer, const RequestTemplate& request) {
    std::vector<std::string_view> order;
    for (const auto& [name, values] : layer.lists) {
      if (name != "M") order.push_back(name);
    }
    if (layer.lists.contains("M")) order.emplace_back("M");
    std::vector<size_t> at(order.size(), 0);
    for (;;) {
      BenchCase c;
      c.model = layer.model;
      c.layer = layer.name;
      c.count = layer.count;
      c.id = layer.model + (layer.model.empty() || layer.name.empty() ? "" : "/") + layer.name;
      for (size_t i = 0; i < order.size(); ++i) {
        const std::vector<Variable>& values = layer.lists.find(order[i])->second;
        c.variables.emplace(order[i], values[at[i]]);
        if (order[i] == "M") {
          c.id += "/M" + variable_text(values[at[i]]);
        } else if (values.size() > 1) {
          c.id += "/" + variable_text(values[at[i]]);
        }
      }
      HB_CHECK(add(layer, request, std::move(c)));
      size_t i = order.size();
      while (i > 0 && ++at[i - 1] == layer.lists.find(order[i - 1])->second.size()) at[--i] = 0;
      if (i == 0) return {};
    }
  }

  Result<void> add(const Layer& layer, const RequestTemplate& request, BenchCase c) {
    auto problem = request.evaluate(document_, c.variables);
    if (!problem) {
      problem.error().notes.push_back(
          std::format("in the case \"{}\" at line {}", c.id, document_.place(layer.at->offset).line));
      return std::unexpected(std::move(problem).error());
    }
    if (!ids_.insert(c.id).second) {
      return document_.error(*layer.at,
                             std::format("two cases have the name \"{}\"; give this one another \"layer\"", c.id));
    }
    if (out_.size() == kMostCases) return document_.error(*layer.at, std::format("more than {} cases", kMostCases));
    c.problem = std::move(*problem);
    c.problem.id = c.id;
    out_.push_back(std::move(c));
    return {};
  }

  const JsonDocument& document_;
  const Overrides& overrides_;
  Lists defaults_;
  std::map<std::string, expr::Type, std::less<>> types_;
  std::map<std::string, const JsonValue*, std::less<>> first_use_;
  std::vector<Layer> layers_;
  std::set<std::string> ids_;
  std::vector<BenchCase> out_;
};

Result<std::vector<BenchCase>> from_requests(std::string_view text, const std::string& file,
                                             const Overrides& overrides) {
  if (!overrides.empty())
    return fail(ErrorCode::invalid_argument, std::format("{} is a list of requests and has no variables", file));
  HB_TRY(std::vector<Problem> problems, parse_problems(text, file, {"seed", "fill", "tolerance", "expect", "note"}));
  std::vector<BenchCase> cases;
  for (Problem& problem : problems) {
    if (problem.id.empty()) problem.id = std::format("request {}", cases.size() + 1);
    BenchCase c;
    c.id = c.layer = problem.id;
    c.problem = std::move(problem);
    cases.push_back(std::move(c));
  }
  return cases;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Anywhere in it, but not the beginning of a longer number: M1 is not in M128.
bool has_word(std::string_view id, std::string_view word) {
  for (size_t at = id.find(word); at != std::string_view::npos; at = id.find(word, at + 1)) {
    const size_t end = at + word.size();
    if (end == id.size() || word.empty() || !is_digit(word.back()) || !is_digit(id[end])) return true;
  }
  return false;
}

bool has_all_words(const std::string& id, std::string_view words) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (!has_word(id, words.substr(0, end))) return false;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return true;
}

}  // namespace

Result<std::pair<std::string, std::vector<Variable>>> parse_override(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return fail(ErrorCode::invalid_argument,
                std::format("\"{}\" must be of the form NAME=VALUE or NAME=VALUE,VALUE", text));
  std::vector<Variable> values;
  std::string_view rest = text.substr(equals + 1);
  for (;;) {
    const size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, end);
    double number = 0;
    const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty()) return fail(ErrorCode::invalid_argument, std::format("\"{}\" has an empty value", text));
    if (problem == std::errc() && stop == word.data() + word.size()) {
      values.emplace_back(number);
    } else if (word == "true" || word == "false") {
      values.emplace_back(word == "true");
    } else {
      values.emplace_back(std::string(word));
    }
    if (end == rest.size()) return std::pair(std::string(text.substr(0, equals)), std::move(values));
    rest.remove_prefix(end + 1);
  }
}

Result<std::vector<BenchCase>> parse_bench_cases(std::string_view json_text, const std::string& file,
                                                 const Overrides& overrides) {
  HB_TRY(const JsonDocument document, JsonDocument::parse(json_text, file));
  if (document.root().is(Kind::array)) return from_requests(json_text, file, overrides);
  HB_CHECK(document.expect(document.root(), Kind::object, "a bench file"));
  return BenchFile(document, overrides).run();
}

std::vector<BenchCase> matching(std::vector<BenchCase> cases, const std::vector<std::string>& words) {
  if (words.empty()) return cases;
  std::erase_if(cases, [&](const BenchCase& c) {
    return std::ranges::none_of(words, [&](const std::string& one) { return has_all_words(c.id, one); });
  });
  return cases;
}

}  // namespace halfbyte
