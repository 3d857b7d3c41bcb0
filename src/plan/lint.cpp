#include "plan/lint.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "manifest/manifest.hpp"
#include "plan/plan.hpp"
#include "plan/shader_facts.hpp"
#include "select/matmul_problem.hpp"

namespace halfbyte {
namespace {

class Linter {
 public:
  Linter(const Package& package, const CompileCheck& compile) : package_(package), compile_(compile) {
    for (const Error& warning : package.warnings()) report_.problems.push_back(warning);
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
    if (!runs) ++report_.nothing;
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
      known = facts_.emplace(pass.program, ShaderFacts{}).first;  // a text that fails is reported once
      HB_TRY(const std::string wgsl, render(package_, pass));
      known->second = shader_facts(wgsl);
      if (!known->second.workgroup_bytes) ++report_.unsized;
      if (compile_) {
        ++report_.compiled;
        HB_CHECK(compile_(wgsl, pass.label));
      }
      if (!known->second.workgroup_size)
        return fail(ErrorCode::parse, std::format("{} has no @workgroup_size that can be read", pass.label));
    }
    auto fits = check_shader(known->second, profile);
    if (!fits) fits.error().message = std::format("{}: {}", pass.label, fits.error().message);
    return fits;
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
  std::unordered_map<Hash128, ShaderFacts> facts_;
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
              for (const bool constant : {false, true}) {
                auto problem = matmul_problem(package, {.M = M,
                                                        .K = K,
                                                        .N = N,
                                                        .bits = bits,
                                                        .block_size = block,
                                                        .dtype = dtype,
                                                        .zero_points = zero_points,
                                                        .bias = bias,
                                                        .constant_weights = constant});
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
