#include "select/select.hpp"

#include <algorithm>

#include "select/evaluation.hpp"
#include "select/semantics.hpp"

namespace halfbyte {
namespace {

// The first reason against a variant, in words; empty: it is eligible. With `words` false the reason is not spelt out.
class Eligibility {
 public:
  Eligibility(Evaluation& evaluation, const VariantSpec& variant) : e_(evaluation), v_(variant) {}

  bool eligible() {
    return missing_feature() == nullptr && short_limit() == nullptr && missing_config() == nullptr &&
           changing_input() < 0 && false_condition() == nullptr;
  }

  // Precondition: not eligible.
  std::string why() {
    if (const std::string* feature = missing_feature())
      return std::format("the device lacks the feature \"{}\"", *feature);
    if (const auto* limit = short_limit())
      return std::format("needs {} of at least {}, the device has {}", limit->first, expr::format_number(limit->second),
                         expr::format_number(e_.profile().limit(limit->first).value_or(0)));
    if (const MatrixConfigSpec* c = missing_config())
      return std::format("the device lists no subgroup matrix {} -> {} of {}x{}x{}", c->component_type,
                         c->result_component_type, c->M, c->N, c->K);
    if (const int input = changing_input(); input >= 0)
      return std::format("it rewrites {} ahead, which the caller does not say is constant",
                         e_.manifest().tensors[static_cast<size_t>(input)].key);
    return expr::why_false(e_.machine(), false_condition()->expression.root);
  }

  bool demoted() { return demoting().second >= 0; }

  std::string demoted_by() { return std::string(demoting().first); }

  // Precondition: demoted(). "aRows < 16 holds: aRows is 4".
  std::string why_demoted() {
    const auto [source, root] = demoting();
    const std::string values = expr::why_true(e_.machine(), root);
    return std::format("{} holds{}{}", source, values.empty() ? "" : ": ", values);
  }

 private:
  const std::string* missing_feature() const {
    for (const std::string& f : v_.requirements.features)
      if (!e_.profile().has_feature(f)) return &f;
    return nullptr;
  }
  const std::pair<std::string, double>* short_limit() const {
    for (const auto& limit : v_.requirements.limits)
      if (e_.profile().limit(limit.first).value_or(0) < limit.second) return &limit;
    return nullptr;
  }
  std::pair<std::string_view, int32_t> demoting() {
    for (const Formula& f : v_.demote_when)
      if (e_.machine().boolean(f.expression.root).value_or(false))
        return {e_.manifest().program.source(f.expression.root), f.expression.root};
    return {{}, -1};
  }
  const MatrixConfigSpec* missing_config() const {
    for (const MatrixConfigSpec& c : v_.requirements.matrix_configs) {
      const SubgroupMatrixConfig wanted{c.component_type, c.result_component_type, c.M, c.N, c.K};
      if (std::ranges::find(e_.profile().subgroup_matrix_configs, wanted) == e_.profile().subgroup_matrix_configs.end())
        return &c;
    }
    return nullptr;
  }
  int changing_input() const {
    if (!v_.prepack) return -1;
    for (const int input : v_.prepack->from)
      if (e_.tensor(input) && !e_.constant(input)) return input;
    return -1;
  }
  const Formula* false_condition() {
    for (const Formula& f : v_.when)
      if (!e_.machine().boolean(f.expression.root).value_or(false)) return &f;
    return nullptr;
  }

  Evaluation& e_;
  const VariantSpec& v_;
};

Eligibility eligibility(Evaluation& evaluation, int index) {
  return {evaluation, evaluation.manifest().variants[static_cast<size_t>(index)]};
}

int find_variant(const Manifest& manifest, std::string_view id) {
  const auto it = std::ranges::find(manifest.variant_ids, id);
  return it == manifest.variant_ids.end() ? -1 : static_cast<int>(it - manifest.variant_ids.begin());
}

struct Winner {
  int variant = -1;
  bool demoted = false;
  bool measured = false;  // by SelectOptions::prefer
};

bool excluded(const Manifest& manifest, int variant, const SelectOptions& options) {
  return std::ranges::find(options.exclude, manifest.variant_ids[static_cast<size_t>(variant)]) !=
         options.exclude.end();
}

Winner find_winner(Evaluation& evaluation, const SelectOptions& options) {
  const Manifest& manifest = evaluation.manifest();
  if (!options.variant.empty()) {
    const int forced = find_variant(manifest, options.variant);
    if (forced < 0 || !eligibility(evaluation, forced).eligible()) return {};
    return {forced, eligibility(evaluation, forced).demoted(), false};
  }
  for (const std::string& id : options.prefer) {
    const int index = find_variant(manifest, id);
    if (index >= 0 && !excluded(manifest, index, options) && eligibility(evaluation, index).eligible())
      return {index, eligibility(evaluation, index).demoted(), true};
  }
  Winner fallback;
  for (const int index : manifest.by_preference) {
    Eligibility one = eligibility(evaluation, index);
    if (excluded(manifest, index, options) || !one.eligible()) continue;
    if (!one.demoted()) return {index, false, false};
    if (fallback.variant < 0) fallback = {index, true, false};
  }
  return fallback;
}

std::string list_variants(const Manifest& manifest) {
  std::string text;
  for (const std::string& id : manifest.variant_ids) text += (text.empty() ? "" : ", ") + id;
  return text;
}

Result<std::shared_ptr<Evaluation>> evaluate(const Package& package, const DeviceProfile& profile,
                                             const Problem& problem, const SelectOptions& options) {
  if (!options.variant.empty() && find_variant(package.manifest(), options.variant) < 0)
    return fail(ErrorCode::not_found, std::format("the package {} has no variant {}, there are {}", package.name(),
                                                  options.variant, list_variants(package.manifest())));
  HB_TRY(std::shared_ptr<Evaluation> evaluation, Evaluation::make(package, profile, problem));
  HB_CHECK(check_semantics(*evaluation));
  return evaluation;
}

std::string subject(const DeviceProfile& profile, const Problem& problem) {
  return std::format("{} on {}", problem.id.empty() ? "this problem" : problem.id,
                     profile.name.empty() ? "this device" : profile.name);
}

Error not_eligible(Evaluation& evaluation, const Problem& problem, const SelectOptions& options) {
  const Manifest& manifest = evaluation.manifest();
  Error error{ErrorCode::not_eligible, {}, {}, {}};
  if (!options.variant.empty()) {
    const std::string why = eligibility(evaluation, find_variant(manifest, options.variant)).why();
    error.message =
        std::format("the variant {} cannot run {}: {}", options.variant, subject(evaluation.profile(), problem), why);
    error.notes.push_back(std::format("{}: {}", options.variant, why));
    return error;
  }
  error.message = std::format("no variant of {} can run {}", manifest.name, subject(evaluation.profile(), problem));
  for (size_t i = 0; i < manifest.variants.size(); ++i) {
    Eligibility one = eligibility(evaluation, static_cast<int>(i));
    error.notes.push_back(
        std::format("{}: {}", manifest.variant_ids[i], one.eligible() ? "excluded by the caller" : one.why()));
  }
  return error;
}

}  // namespace

Result<Choice> select(const Package& package, const DeviceProfile& profile, const Problem& problem,
                      const SelectOptions& options) {
  HB_TRY(std::shared_ptr<Evaluation> evaluation, evaluate(package, profile, problem, options));
  const Winner winner = find_winner(*evaluation, options);
  if (winner.variant < 0) return fail(not_eligible(*evaluation, problem, options));
  return Choice{winner.variant, winner.demoted, std::move(evaluation)};
}

Result<std::vector<VariantVerdict>> explain(const Package& package, const DeviceProfile& profile,
                                            const Problem& problem, const SelectOptions& options) {
  HB_TRY(const std::shared_ptr<Evaluation> evaluation, evaluate(package, profile, problem, options));
  const Manifest& manifest = package.manifest();
  const Winner winner = find_winner(*evaluation, options);
  std::vector<VariantVerdict> verdicts;
  for (size_t i = 0; i < manifest.variants.size(); ++i) {
    const VariantSpec& variant = manifest.variants[i];
    Eligibility one(*evaluation, variant);
    VariantVerdict verdict{variant.id, Verdict::rejected, variant.priority, {}};
    if (!one.eligible()) {
      verdict.why = one.why();
      verdicts.push_back(std::move(verdict));
      continue;
    }
    if (excluded(manifest, static_cast<int>(i), options)) {
      verdict.why = "excluded by the caller";
      verdicts.push_back(std::move(verdict));
      continue;
    }
    const std::string demoted_by = one.demoted_by();
    const std::string rank =
        demoted_by.empty() ? std::format("priority {}", expr::format_number(variant.priority))
                           : std::format("priority {}, demoted: {}", expr::format_number(variant.priority), demoted_by);
    if (static_cast<int>(i) == winner.variant) {
      verdict.verdict = Verdict::chosen;
      verdict.why = !options.variant.empty() ? std::format("asked for by name ({})", rank)
                    : winner.measured        ? std::format("the fastest one measured ({})", rank)
                                             : rank;
    } else {
      verdict.verdict = demoted_by.empty() ? Verdict::eligible : Verdict::demoted;
      const VariantSpec* best = winner.variant < 0 ? nullptr : &manifest.variants[static_cast<size_t>(winner.variant)];
      if (!best || !options.variant.empty()) {
        verdict.why = std::format("could run, {}, but another one is asked for", rank);
      } else if (winner.measured) {
        verdict.why = std::format("could run, {}, but {} measured faster", rank, best->id);
      } else if (!demoted_by.empty() && !winner.demoted) {
        verdict.why = std::format("demoted, since {}", one.why_demoted());
      } else if (variant.priority < best->priority) {
        verdict.why = std::format("priority {} is below {} of {}", expr::format_number(variant.priority),
                                  expr::format_number(best->priority), best->id);
      } else {
        verdict.why = std::format("priority {} as {}, which comes first in the manifest",
                                  expr::format_number(variant.priority), best->id);
      }
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace halfbyte
