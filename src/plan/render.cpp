#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include <nlohmann/json.hpp>

#include "manifest/manifest.hpp"
#include "plan/jinja.hpp"
#include "plan/plan.hpp"
#include "plan/prologue.hpp"
#include "plan/split.hpp"

namespace halfbyte {
namespace {

// One text is parsed once.
Result<std::shared_ptr<const jinja::Tree>> parsed(const Template& source) {
  static std::mutex mutex;
  static std::map<Hash128, std::shared_ptr<const jinja::Tree>> cache;
  constexpr size_t kMaxCached = 64;
  const std::lock_guard lock(mutex);
  if (const auto it = cache.find(source.hash); it != cache.end()) return it->second;
  HB_TRY(std::shared_ptr<const jinja::Tree> tree, jinja::parse(source.text));
  if (cache.size() >= kMaxCached) cache.clear();
  return cache[source.hash] = std::move(tree);
}

jinja::Value to_value(const nlohmann::ordered_json& json) {
  if (json.is_boolean()) return {json.get<bool>()};
  if (json.is_number_integer()) return {json.get<int64_t>()};
  if (json.is_number()) return {json.get<double>()};
  if (json.is_string()) return {json.get<std::string>()};
  if (!json.is_object()) return {};
  auto members = std::make_shared<jinja::Members>();
  for (const auto& [key, value] : json.items()) (*members)[key] = to_value(value);
  return {std::shared_ptr<const jinja::Members>(std::move(members))};
}

// What PassPlan::parameters_json holds; "!" is not a name but those that have no value, with the reason.
Result<jinja::Names> names_of(const Template& source, const PassPlan& pass) {
  jinja::Names names;
  names.optional = source.optional_names;
  const auto json = nlohmann::ordered_json::parse(pass.parameters_json, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::internal, std::format("the parameters of {} are no JSON", pass.label));
  for (const auto& [key, value] : json.items()) {
    if (key != "!") {
      names.values[key] = to_value(value);
      continue;
    }
    for (const auto& [name, why] : value.items()) names.missing[name] = why.get<std::string>();
  }
  return names;
}

Result<std::string> render_body(const Template& source, const PassPlan& pass) {
  const auto attributed = [&](const Error& error) {
    return fail(
        error.code,
        std::format("the template {} of {} cannot be rendered: {} (line {}, column {}, counted with its includes)",
                    source.name, pass.label, error.message, error.where.line, error.where.column));
  };
  const auto tree = parsed(source);
  if (!tree) return attributed(tree.error());
  HB_TRY(const jinja::Names names, names_of(source, pass));
  auto text = jinja::render(**tree, names);
  if (!text) return attributed(text.error());
  return text;
}

}  // namespace

Result<std::string> render(const Package& package, const PassPlan& pass) {
  if (pass.shader == kPlaceColumns) return with_prologue(place_columns(pass), pass);
  const Manifest& manifest = package.manifest();
  const auto it = std::ranges::find(manifest.templates, pass.shader, &Template::name);
  if (it == manifest.templates.end())
    return fail(ErrorCode::not_found,
                std::format("the package {} was loaded without the template {}", manifest.name, pass.shader));
  HB_TRY(const std::string body, render_body(*it, pass));
  return with_prologue(body, pass);
}

}  // namespace halfbyte
