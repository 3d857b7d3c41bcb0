#include "plan/explanation.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace halfbyte {

Result<Explanation> explain_problem(const Package& package, const DeviceProfile& profile, const Problem& problem,
                                    const std::string& variant, const std::map<std::string, std::string>& failed) {
  Explanation result;
  SelectOptions options{.variant = variant, .prefer = {}, .exclude = {}};
  std::map<std::string, std::string> refused;
  for (const auto& [id, why] : failed) {
    if (id == variant) continue;  // asked for by name
    options.exclude.push_back(id);
    refused[id] = std::format("verify --quick found it wrong on this device: {}", why);
  }
  while (true) {
    HB_TRY(result.verdicts, explain(package, profile, problem, options));
    const auto winner = std::ranges::find(result.verdicts, Verdict::chosen, &VariantVerdict::verdict);
    if (winner == result.verdicts.end()) break;
    HB_TRY(const Choice choice, select(package, profile, problem, options));
    HB_TRY(Plan plan, make_plan(package, choice));
    const auto fits = check_limits(plan, profile);
    if (fits) {
      result.plan = std::move(plan);
      break;
    }
    refused[plan.variant] = fits.error().message;
    if (!variant.empty()) {
      winner->verdict = Verdict::rejected;
      break;
    }
    options.exclude.push_back(plan.variant);
  }
  if (!result.plan && !refused.empty()) {
    // Weights larger than a binding: in parts of N.
    if (auto parts = plan_problem(package, profile, problem, {.variant = variant, .prefer = {}, .exclude = {}})) {
      for (VariantVerdict& v : result.verdicts)
        if (v.variant == parts->variant) v.verdict = Verdict::chosen;
      refused[parts->variant] = std::format("in {} parts of N, since {}", parts->parts, refused[parts->variant]);
      result.plan = std::move(*parts);
    }
  }
  for (VariantVerdict& v : result.verdicts)
    if (const auto it = refused.find(v.variant); it != refused.end()) v.why = it->second;
  std::ranges::stable_partition(result.verdicts, [](const VariantVerdict& v) { return v.verdict == Verdict::chosen; });
  if (!result.plan)
    result.why_not = variant.empty()
                         ? std::format("no variant of {} can run {} on {}", package.name(), problem.id, profile.name)
                         : std::format("the variant {} cannot run {} on {}", variant, problem.id, profile.name);
  return result;
}

Result<Shaders> render_all(const Package& package, const Plan& plan) {
  Shaders shaders;
  for (const auto* list : {&plan.prepack_passes, &plan.passes})
    for (const PassPlan& pass : *list) {
      HB_TRY(std::string wgsl, render(package, pass));
      shaders.emplace_back(pass.label, std::move(wgsl));
    }
  return shaders;
}

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::chosen: return "chosen";
    case Verdict::eligible: return "eligible";
    case Verdict::demoted: return "demoted";
    case Verdict::rejected: return "rejected";
  }
  return "rejected";
}

std::string numerics_of(const Plan& plan) {
  const std::string& a = plan.numerics_activations;
  std::string text = a.starts_with("int8") ? "int8 activations"
                     : a == "f16"          ? "f16 activations"
                                           : "activations as given";
  if (a.starts_with("int8/")) text += std::format(" (a scale for each {})", a.substr(5));
  if (plan.numerics_multiply == "f16") text += ", f16 products";
  return text + std::format(", sums in {}", plan.numerics_accumulate == "f16_block32"
                                                ? "f16 within 32 products, then f32"
                                                : plan.numerics_accumulate);
}

std::string explanation_json(const Package& package, const DeviceProfile& profile, const Problem& problem,
                             const Explanation& explanation, const Shaders& shaders, const std::string& tuned) {
  using Json = nlohmann::ordered_json;
  Json json{{"package", package.name()}, {"profile", profile.name}, {"problem", problem.id}};
  json["winner"] = explanation.plan ? Json(explanation.plan->variant) : Json(nullptr);
  for (const VariantVerdict& v : explanation.verdicts)
    json["variants"].push_back(
        {{"id", v.variant}, {"verdict", name(v.verdict)}, {"priority", v.priority}, {"why", v.why}});
  json["tuned"] = Json::parse(tuned, nullptr, false);
  json["numerics"] = explanation.plan ? Json(numerics_of(*explanation.plan)) : Json(nullptr);
  json["plan"] = explanation.plan ? Json::parse(print(*explanation.plan)) : Json(nullptr);
  for (const auto& [label, wgsl] : shaders) json["wgsl"].push_back({{"label", label}, {"text", wgsl}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace halfbyte
