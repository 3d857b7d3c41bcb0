#include "plan/lint.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "manifest/manifest.hpp"
#include "plan/plan.hpp"
#include "plan/shader_facts.hpp"
#include "plan/wgsl_tokens.hpp"
#include "select/matmul_problem.hpp"

namespace halfbyte {
namespace {

// What a text asks of a device beyond limits: WebGPU features and WGSL language features, from its directives.
struct Needs {
  std::set<std::string> features, language;
};

struct Known {
  ShaderFacts facts;
  Needs needs;
};

// The WebGPU feature behind each WGSL extension.
std::string feature_of(std::string_view extension) {
  if (extension == "f16") return "shader-f16";
  std::string feature(extension);
  std::ranges::replace(feature, '_', '-');
  return feature;
}

Needs needs_of(std::string_view wgsl) {
  Needs needs;
  const std::vector<std::string_view> tokens = wgsl_tokens(wgsl);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool enable = tokens[i] == "enable";
    if (!enable && tokens[i] != "requires") continue;
    for (++i; i < tokens.size() && tokens[i] != ";"; ++i)
      if (tokens[i] != ",") enable ? needs.features.insert(feature_of(tokens[i])) : needs.language.emplace(tokens[i]);
  }
  return needs;
}

// Null accepts every feature; a device refuses a text whose feature it does not have.
Result<void> check_needs(const Needs& needs, const DeviceProfile& profile) {
  for (const std::string& feature : needs.features)
    if (!profile.has_feature(feature))
      return fail(ErrorCode::unsupported, std::format("the text needs the feature {}, which {} does not have; a "
                                                      "condition of the variant must ask for it",
                                                      feature, profile.name));
  for (const std::string& feature : needs.language)
    if (!std::ranges::contains(profile.wgsl_language_features, feature))
      return fail(ErrorCode::unsupported, std::format("the text needs the WGSL language feature {}, which {} does not "
                                                      "have; a condition of the variant must ask for it",
                                                      feature, profile.name));
  return {};
}

class Linter {
 public:
  Linter(const Package& package, const CompileCheck& compile) : package_(package), compile_(compile) {
    report_.warnings = package.warnings();
  }

  void check_pair(const DeviceProfile& profile, const Problem& problem) {
    ++report_.pairs;
    const auto verdicts = explain(package_, profile, problem);
    if (!verdicts) return add(verdicts.error(), problem.id, profile);
    bool runs = false;
    for (const VariantVerdict& verdict : *verdicts) {
      if (verdict.verdict == Verdict::rejected) continue;
      eligible_.insert(verdict.variant);
      runs = check_variant(profile, problem, verdict.variant) || runs;
    }
    if (runs) return;
    ++report_.nothing;
    note_nothing(profile, problem, verdicts->back());
  }

  LintReport finish() {
    for (const std::string& id : package_.variant_ids())
      if (!eligible_.contains(id))
        report_.problems.push_back(
            {ErrorCode::not_eligible,
             std::format("the variant {} is eligible for no problem on any profile, so nothing of it was checked", id),
             {},
             {}});
    report_.programs = facts_.size();
    return std::move(report_);
  }

 private:
  // Does it run?
  bool check_variant(const DeviceProfile& profile, const Problem& problem, const std::string& variant) {
    auto choice = select(package_, profile, problem, {.variant = variant});
    if (!choice) return add(choice.error(), problem.id, profile), false;
    auto plan = make_plan(package_, *choice);
    if (!plan) return add(plan.error(), problem.id, profile), false;
    ++report_.plans;
    if (!check_limits(*plan, profile)) {
      ++report_.refused;
      return false;
    }
    for (const auto* list : {&plan->prepack_passes, &plan->passes})
      for (const PassPlan& pass : *list)
        if (const auto checked = check_pass(profile, pass); !checked) add(checked.error(), problem.id, profile);
    return true;
  }

  Result<void> check_pass(const DeviceProfile& profile, const PassPlan& pass) {
    auto known = facts_.find(pass.program);
    if (known == facts_.end()) {
      known = facts_.emplace(pass.program, Known{}).first;  // a text that fails is reported once
      HB_TRY(const std::string wgsl, render(package_, pass));
      known->second = {shader_facts(wgsl), needs_of(wgsl)};
      if (!known->second.facts.workgroup_bytes) ++report_.unsized;
      if (compile_) {
        ++report_.compiled;
        HB_CHECK(compile_(wgsl, pass.label));
      }
      if (!known->second.facts.workgroup_size)
        return fail(ErrorCode::parse, std::format("{} has no @workgroup_size that can be read", pass.label));
    }
    auto fits = check_shader(known->second.facts, profile);
    if (fits) fits = check_needs(known->second.needs, profile);
    if (!fits) fits.error().message = std::format("{}: {}", pass.label, fits.error().message);
    return fits;
  }

  void note_nothing(const DeviceProfile& profile, const Problem& problem, const VariantVerdict& fallback) {
    const auto plan = plan_problem(package_, profile, problem);
    if (plan) return;
    Error remark{plan.error().code, plan.error().message, {}, {}};
    if (remark.code == ErrorCode::not_eligible)
      remark.message = std::format("no variant is eligible; {}: {}", fallback.variant, fallback.why);
    if (!seen_.insert(remark.to_string()).second) return;
    remark.notes.push_back(std::format("with {} on {}", problem.id, profile.name));
    report_.remarks.push_back(std::move(remark));
  }

  void add(Error error, const std::string& problem, const DeviceProfile& profile) {
    const std::string identity = error.to_string();
    if (!seen_.insert(identity).second) return;
    error.notes.insert(error.notes.begin(), std::format("with {} on {}", problem, profile.name));
    report_.problems.push_back(std::move(error));
  }

  const Package& package_;
  const CompileCheck& compile_;
  LintReport report_;
  std::set<std::string> eligible_, seen_;
  std::unordered_map<Hash128, Known> facts_;
};

}  // namespace

LintReport lint(const Package& package, const std::vector<DeviceProfile>& profiles,
                const std::vector<Problem>& problems, const CompileCheck& compile,
                const std::function<void(double)>& progress) {
  Linter linter(package, compile);
  const double total = static_cast<double>(profiles.size() * problems.size());
  double done = 0;
  for (const DeviceProfile& profile : profiles)
    for (const Problem& problem : problems) {
      linter.check_pair(profile, problem);
      if (progress) progress(++done / total);
    }
  return linter.finish();
}

std::vector<Problem> lint_problems(const Package& package) {
  std::vector<Problem> problems;
  for (const DType dtype : {DType::float32, DType::float16})
    for (const int64_t bits : {2, 4, 8})
      for (const bool zero_points : {false, true})
        for (const bool bias : {false, true})
          for (const int64_t M : {1, 4, 64, 512})
            for (const auto& [K, N, block] : {std::tuple<int64_t, int64_t, int64_t>{1024, 2048, 32}, {120, 70, 16}})
              for (const std::optional<int64_t> level : {std::optional<int64_t>{}, std::optional<int64_t>{4}}) {
                auto problem = matmul_problem(package, {.M = M,
                                                        .K = K,
                                                        .N = N,
                                                        .bits = bits,
                                                        .block_size = block,
                                                        .dtype = dtype,
                                                        .zero_points = zero_points,
                                                        .bias = bias,
                                                        .accuracy_level = level,
                                                        .constant_weights = true});
                if (problem && level) problem->id += "-level4";
                if (problem) problems.push_back(std::move(*problem));
              }
  // What the operator does not do (3 of its widths, other dtypes) is not a fault of the package.
  std::erase_if(problems, [&](const Problem& p) {
    const auto verdicts = explain(package, {}, p);
    return !verdicts && verdicts.error().code == ErrorCode::invalid_argument;
  });
  return problems;
}

}  // namespace halfbyte
