#include <algorithm>

#include "manifest/manifest.hpp"
#include "plan/plan.hpp"
#include "plan/split.hpp"
#include "select/evaluation.hpp"

namespace halfbyte {
namespace {

class LimitCheck {
 public:
  LimitCheck(const Plan& plan, const DeviceProfile& profile) : plan_(plan), profile_(profile) {}

  Result<void> run() const {
    for (const auto* list : {&plan_.scratch, &plan_.prepacked})
      for (const BufferPlan& b : *list)
        HB_CHECK(within("maxBufferSize", b.byte_size, std::format("the buffer {} of {} bytes", b.id, b.byte_size)));
    for (const auto* list : {&plan_.prepack_passes, &plan_.passes})
      for (const PassPlan& pass : *list) HB_CHECK(check_pass(pass));
    return {};
  }

 private:
  Result<void> within(std::string_view limit, uint64_t need, const std::string& what) const {
    const std::optional<double> value = profile_.limit(limit);
    if (!value || static_cast<double>(need) <= *value) return {};
    return fail(ErrorCode::limit,
                std::format("the variant {}: {} exceeds {}, which is {} on {}", plan_.variant, what, limit,
                            expr::format_number(*value), profile_.name.empty() ? "this device" : profile_.name));
  }

  // 0 for a uniform and for an argument that the plan does not know.
  uint64_t storage_bytes(const PlanBinding& b) const {
    if (b.slice) return (b.slice->bytes + 3) / 4 * 4;
    if (b.kind == BindingKind::argument) {
      for (const auto* list : {&plan_.inputs, &plan_.outputs})
        for (const auto& [key, desc] : *list)
          if (key == b.source)
            return (static_cast<uint64_t>(element_count(desc.shape).value_or(0)) * byte_size(desc.dtype) + 3) / 4 * 4;
      return 0;
    }
    const auto& list = b.kind == BindingKind::scratch ? plan_.scratch : plan_.prepacked;
    const auto it = std::ranges::find(list, b.source, &BufferPlan::id);
    return it == list.end() ? 0 : it->byte_size;
  }

  Result<void> check_pass(const PassPlan& pass) const {
    uint64_t storage = 0;
    for (const PlanBinding& b : pass.bindings) {
      if (b.kind == BindingKind::uniform) {
        HB_CHECK(within("maxUniformBufferBindingSize", b.uniform_bytes.size(),
                        std::format("the uniform {} of {} bytes", b.name, b.uniform_bytes.size())));
        continue;
      }
      ++storage;
      const uint64_t bytes = storage_bytes(b);
      HB_CHECK(within("maxStorageBufferBindingSize", bytes, std::format("{} of {} bytes", b.source, bytes)));
    }
    HB_CHECK(within("maxStorageBuffersPerShaderStage", storage,
                    std::format("the pass {} with {} storage buffers", pass.id, storage)));
    HB_CHECK(within("maxBindingsPerBindGroup", pass.bindings.size(),
                    std::format("the pass {} with {} bindings", pass.id, pass.bindings.size())));
    for (size_t i = 0; i < 3; ++i)
      HB_CHECK(within("maxComputeWorkgroupsPerDimension", pass.dispatch[i],
                      std::format("the dispatch {} of the pass {}, {},", "xyz"[i], pass.id, pass.dispatch[i])));
    return {};
  }

  const Plan& plan_;
  const DeviceProfile& profile_;
};

// A plan that computes nothing since nothing is asked for.
std::optional<Plan> empty_plan(const Package& package, const DeviceProfile& profile, const Problem& problem) {
  const auto evaluation = Evaluation::make(package, profile, problem);
  if (!evaluation) return std::nullopt;
  Plan plan;
  plan.package = package.name();
  const Manifest& manifest = package.manifest();
  for (size_t i = 0; i < manifest.tensors.size(); ++i) {
    const TensorDesc* desc = (*evaluation)->tensor(static_cast<int>(i));
    if (!desc) continue;
    (i < manifest.input_count ? plan.inputs : plan.outputs).emplace_back(manifest.tensors[i].key, *desc);
    if (i >= manifest.input_count && element_count(desc->shape) == 0) plan.empty = true;
  }
  return plan.empty ? std::optional(std::move(plan)) : std::nullopt;
}

}  // namespace

Result<void> check_limits(const Plan& plan, const DeviceProfile& profile) { return LimitCheck(plan, profile).run(); }

namespace {

using Keys = std::set<std::string, std::less<>>;

Result<void> works_without(const Plan& plan, const Keys& gone) {
  for (const std::string& key : gone) {
    const bool present = std::ranges::any_of(plan.inputs, [&](const auto& input) { return input.first == key; });
    if (!present || std::ranges::contains(plan.prepacked_inputs, key)) continue;
    return fail(ErrorCode::not_eligible,
                std::format("the variant {} reads {} itself, not a packed copy of it", plan.variant, key));
  }
  return {};
}

Result<Plan> plan_whole(const Package& package, const DeviceProfile& profile, const Problem& problem,
                        const SelectOptions& options, const Keys& gone) {
  SelectOptions remaining = options;
  std::vector<Error> refused;
  while (true) {
    auto choice = select(package, profile, problem, remaining);
    if (!choice && choice.error().code == ErrorCode::not_eligible && refused.empty())
      if (std::optional<Plan> plan = empty_plan(package, profile, problem)) return std::move(*plan);
    if (!choice && refused.empty()) return fail(std::move(choice).error());
    if (!choice) {
      // Every eligible variant exceeds a limit: the first one's limit is the answer, the others are notes.
      Error error = refused.front();
      for (size_t i = 1; i < refused.size(); ++i) error.notes.push_back(refused[i].message);
      return fail(std::move(error));
    }
    HB_TRY(Plan plan, make_plan(package, *choice));
    Result<void> fits = check_limits(plan, profile);
    if (fits && !plan.empty) fits = works_without(plan, gone);
    if (fits) return plan;
    if (!options.variant.empty()) return fail(fits.error());
    refused.push_back(fits.error());
    remaining.exclude.push_back(plan.variant);
  }
}

}  // namespace

Result<Plan> plan_problem(const Package& package, const DeviceProfile& profile, const Problem& problem,
                          const SelectOptions& options, const Keys& gone) {
  auto whole = plan_whole(package, profile, problem, options, gone);
  if (whole || whole.error().code != ErrorCode::limit || !exceeds_binding(package, profile, problem)) return whole;
  auto split = split_plan(package, profile, problem, options);
  if (split) {
    HB_CHECK(works_without(*split, gone));
    return split;
  }
  Error error = std::move(whole).error();
  error.notes.push_back("in parts of N: " + split.error().message);
  return fail(std::move(error));
}

}  // namespace halfbyte
