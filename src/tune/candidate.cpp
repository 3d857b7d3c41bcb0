#include "tune/candidate.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/hash.hpp"
#include "expr/expr.hpp"
#include "manifest/manifest.hpp"
#include "plan/plan.hpp"
#include "select/select.hpp"

namespace halfbyte {
namespace {

using Tunables = std::map<std::string, double, std::less<>>;

void add_passes(Hasher& hasher, const std::vector<PassPlan>& passes) {
  for (const PassPlan& pass : passes) {
    hasher.add(pass.id).add(pass.program);
    for (const uint32_t size : pass.dispatch) hasher.add(uint64_t{size});
    for (const PlanBinding& binding : pass.bindings) {
      hasher.add(binding.source);
      hasher.add(
          std::string_view(reinterpret_cast<const char*>(binding.uniform_bytes.data()), binding.uniform_bytes.size()));
    }
  }
}

// Plans that do the same on the GPU have the same identity.
Hash128 identity(const Plan& plan) {
  Hasher hasher;
  hasher.add(plan.variant);
  add_passes(hasher, plan.passes);
  add_passes(hasher, plan.prepack_passes);
  for (const BufferPlan& buffer : plan.scratch) hasher.add(buffer.byte_size);
  return hasher.finish();
}

struct Search {
  const Package& package;
  const DeviceProfile& profile;
  const Problem& problem;
  size_t most;
  std::set<Hash128> seen;

  // Empty when the variant cannot run with these tunables.
  std::optional<Hash128> plan_of(const std::string& variant, const Tunables& tunables) const {
    SelectOptions forced;
    forced.variant = variant;
    const auto plan = plan_problem(package, profile, with_tunables(problem, {variant, tunables}), forced);
    if (!plan) return std::nullopt;
    return identity(*plan);
  }

  // Adds the candidate unless one like it is there.
  void add(const std::string& variant, const Tunables& tunables, std::vector<Candidate>& out) {
    const auto id = plan_of(variant, tunables);
    if (id && seen.insert(*id).second) out.push_back({variant, tunables});
  }

  // The tunables that make a difference to this variant.
  std::vector<const TunableSpec*> relevant(const std::string& variant) const {
    const auto plain = plan_of(variant, {});
    std::vector<const TunableSpec*> out;
    for (const TunableSpec& spec : package.manifest().tunables) {
      if (problem.tunables.contains(spec.name)) continue;
      const bool matters = std::ranges::any_of(spec.values, [&](double value) {
        return value != spec.default_value && plan_of(variant, {{spec.name, value}}) != plain;
      });
      if (matters) out.push_back(&spec);
    }
    return out;
  }

  static std::vector<double> choices(const TunableSpec& spec) {
    std::vector<double> values = spec.values;
    if (!std::ranges::contains(values, spec.default_value)) values.insert(values.begin(), spec.default_value);
    return values;
  }

  static Tunables without_defaults(const std::vector<const TunableSpec*>& specs, const std::vector<double>& values) {
    Tunables tunables;
    for (size_t i = 0; i < specs.size(); ++i) {
      if (values[i] != specs[i]->default_value) tunables.emplace(specs[i]->name, values[i]);
    }
    return tunables;
  }

  void combinations(const std::string& variant, std::vector<Candidate>& out) {
    const auto specs = relevant(variant);
    size_t count = 1;
    for (const TunableSpec* spec : specs) count = std::min(count * choices(*spec).size(), size_t{1} << 20);
    if (count <= most) {
      for (size_t index = 0; index < count; ++index) add(variant, nth(specs, index), out);
      return;
    }
    const size_t before = out.size();
    for (const TunableSpec* spec : specs) {
      for (const double value : spec->values) {
        if (value != spec->default_value) add(variant, {{spec->name, value}}, out);
      }
    }
    uint64_t state = 0x9e3779b97f4a7c15ULL;  // fixed: the same candidates in every run, so that a run can be resumed
    for (size_t tries = 0; out.size() - before < most && tries < 4 * most; ++tries) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      add(variant, nth(specs, static_cast<size_t>(state >> 33) % count), out);
    }
  }

  static Tunables nth(const std::vector<const TunableSpec*>& specs, size_t index) {
    std::vector<double> values;
    for (const TunableSpec* spec : specs) {
      const auto list = choices(*spec);
      values.push_back(list[index % list.size()]);
      index /= list.size();
    }
    return without_defaults(specs, values);
  }
};

}  // namespace

std::string Candidate::label() const {
  std::string text = variant;
  for (const auto& [name, value] : tunables) text += std::format(" {}={}", name, expr::format_number(value));
  return text;
}

Problem with_tunables(Problem problem, const Candidate& candidate) {
  for (const auto& [name, value] : candidate.tunables) problem.tunables.try_emplace(name, value);
  return problem;
}

Result<std::vector<Candidate>> find_candidates(const Package& package, const DeviceProfile& profile,
                                               const Problem& problem, size_t most_per_variant) {
  HB_TRY(const Plan own, plan_problem(package, profile, problem));
  HB_TRY(const auto verdicts, explain(package, profile, problem));
  const std::string& chosen = own.variant;
  std::vector<std::string> variants{chosen};
  for (const VariantVerdict& verdict : verdicts) {
    if (verdict.verdict != Verdict::rejected && verdict.variant != chosen) variants.push_back(verdict.variant);
  }
  Search search{package, profile, problem, std::max(most_per_variant, size_t{1}), {}};
  std::vector<Candidate> out;
  for (const std::string& variant : variants) search.add(variant, {}, out);
  // A variant may be eligible only with other tunables than the defaults.
  for (const VariantVerdict& verdict : verdicts) search.combinations(verdict.variant, out);
  return out;
}

}  // namespace halfbyte
