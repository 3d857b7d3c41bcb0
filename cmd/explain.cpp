#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <print>

#include "command.hpp"
#include "gpu_options.hpp"
#include "io/files.hpp"
#include "io/profile_files.hpp"
#include "plan/plan.hpp"
#include "select/matmul_problem.hpp"
#include "table.hpp"
#include "tune/advice.hpp"
#include "tuning_files.hpp"
#ifdef HALFBYTE_HAS_GPU
#include "gpu/measure_peaks.hpp"
#include "gpu/self_check.hpp"
#else
#include "io/kernel_path.hpp"
#endif

namespace halfbyte::cmd::explain_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string package, templates, profile, dtype = "f16", variant;
  MatmulCall call;
  int64_t accuracy_level = -1;
  bool changing_weights = false, wgsl = false, json = false;
#ifdef HALFBYTE_HAS_GPU
  GpuOptions gpu;
#endif
};

// The device asked about, and where its tuning records are.
struct Target {
  DeviceProfile profile;
  std::optional<RecordKey> key;  // empty: the records know nothing of it
  TuningRecords records;
  std::map<std::string, std::string> failed;  // variant -> why: by verify --quick, on this machine's device
};

struct Explanation {
  std::vector<VariantVerdict> verdicts;  // the winner first
  std::optional<Plan> plan;
  std::string why_not;  // when nothing runs
  std::optional<Advice> advice;
  std::optional<TunedPlan> tuned;  // when the advice was followed; its plan is in `plan`
};

Result<Package> load(const Options& options) {
#ifdef HALFBYTE_HAS_GPU
  HB_TRY(const std::string path, package_path(options.package));
#else
  const std::string& path = options.package;
#endif
  return load_package(path, options.templates);
}

Result<Target> target_of(const Options& options, const Globals& globals, const Package& package) {
  Target target;
  HB_TRY(target.records, load_tuning(globals));
  if (!options.profile.empty()) {
    HB_TRY(std::vector<ProfileFile> files, load_profiles(options.profile));
    if (files.size() != 1)
      return fail(ErrorCode::invalid_argument,
                  std::format("--profile {} holds {} profiles, explain takes one", options.profile, files.size()));
    target.profile = std::move(files.front().profile);
    target.key = target.records.key_for(target.profile.adapter, package.name(), package.hash());
    return target;
  }
#ifdef HALFBYTE_HAS_GPU
  HB_TRY(const auto runtime, open_runtime(options.gpu, globals));
  target.failed = gpu::recorded_failures(runtime->device(), package);
  target.profile = runtime->device().profile();
  target.key = RecordKey{gpu::device_key(runtime->device()), package.name(), package.hash()};
  if (const std::string why = target.records.why_none(*target.key); !why.empty() && !globals.quiet)
    std::println(stderr, "remark: tuning records are not used: {}", why);
  return target;
#else
  return fail(ErrorCode::unsupported, "this halfbyte was built without a GPU runtime, so --profile FILE is needed");
#endif
}

Result<Problem> problem_of(const Options& options, const Package& package) {
  MatmulCall call = options.call;
  const std::map<std::string, DType> dtypes{
      {"f16", DType::float16}, {"float16", DType::float16}, {"f32", DType::float32}, {"float32", DType::float32}};
  const auto dtype = dtypes.find(options.dtype);
  if (dtype == dtypes.end())
    return fail(ErrorCode::invalid_argument,
                std::format("--dtype {} is unknown, allowed are f16 and f32", options.dtype));
  call.dtype = dtype->second;
  call.constant_weights = !options.changing_weights;
  if (options.accuracy_level >= 0) call.accuracy_level = options.accuracy_level;
  return matmul_problem(package, call);
}

// A variant whose plan exceeds a limit of the device is passed over, as plan_problem does, and its sentence becomes the reason.
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
    HB_TRY(result.verdicts, halfbyte::explain(package, profile, problem, options));
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

// Puts what was measured on this device over the manifest's order, and beside every variant.
Result<void> apply_tuning(Explanation& e, const Package& package, const Target& target, const Problem& problem,
                          const std::string& variant) {
  if (!target.key) return {};
  HB_TRY(e.advice, advise(target.records, *target.key, package, problem));
  if (!e.advice || !e.plan) return {};
  const char* how = e.advice->low == e.advice->high ? "measured" : "estimated";
  for (VariantVerdict& v : e.verdicts) {
    if (v.verdict == Verdict::rejected) continue;
    const auto fastest = std::ranges::find_if(
        e.advice->ranked, [&](const MeasuredCandidate& one) { return one.candidate.variant == v.variant; });
    if (fastest != e.advice->ranked.end())
      v.why =
          std::format("{}; {} {:.1f} us at best", v.verdict == Verdict::chosen ? "the manifest's first choice" : v.why,
                      how, fastest->seconds * 1e6);
  }
  SelectOptions options{.variant = variant, .prefer = {}, .exclude = {}};
  for (const auto& [failed, why] : target.failed)
    if (failed != variant) options.exclude.push_back(failed);
  HB_TRY(TunedPlan tuned, plan_tuned(package, target.profile, problem, e.advice, options));
  if (!tuned.measured) return {};
  for (VariantVerdict& v : e.verdicts) {
    if (v.variant == tuned.plan.variant) {
      v.verdict = Verdict::chosen;
      v.why = tuned_sentence(*e.advice, tuned);
      if (const auto& tunables = tuned.measured->candidate.tunables; !tunables.empty())
        v.why += ", as " + tuned.measured->candidate.label();
    } else if (v.verdict == Verdict::chosen) {
      v.verdict = e.plan->demoted ? Verdict::demoted : Verdict::eligible;
    }
  }
  std::ranges::stable_partition(e.verdicts, [](const VariantVerdict& v) { return v.verdict == Verdict::chosen; });
  e.plan = tuned.plan;
  e.tuned = std::move(tuned);
  return {};
}

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::chosen: return "chosen";
    case Verdict::eligible: return "eligible";
    case Verdict::demoted: return "demoted";
    case Verdict::rejected: return "rejected";
  }
  return "rejected";
}

using Shaders = std::vector<std::pair<std::string, std::string>>;  // pass label, WGSL

Result<Shaders> shaders_of(const Package& package, const Plan& plan) {
  Shaders shaders;
  for (const auto* list : {&plan.prepack_passes, &plan.passes})
    for (const PassPlan& pass : *list) {
      HB_TRY(std::string wgsl, render(package, pass));
      shaders.emplace_back(pass.label, std::move(wgsl));
    }
  return shaders;
}

Json tuned_json(const Explanation& e) {
  if (!e.tuned) return nullptr;
  const MeasuredCandidate& used = *e.tuned->measured;
  Json json{{"sentence", tuned_sentence(*e.advice, *e.tuned)},
            {"us", used.seconds * 1e6},
            {"tunables", used.candidate.tunables},
            {"manifest", {{"variant", e.tuned->manifest_variant}}},
            {"measured_at_M", {e.advice->low, e.advice->high}}};
  if (e.tuned->manifest_seconds > 0) json["manifest"]["us"] = e.tuned->manifest_seconds * 1e6;
  return json;
}

// What the variant may round (docs/numerics.md), in words.
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

void print_json(const Package& package, const DeviceProfile& profile, const Problem& problem, const Explanation& e,
                const Shaders& shaders) {
  Json json{{"package", package.name()}, {"profile", profile.name}, {"problem", problem.id}};
  json["winner"] = e.plan ? Json(e.plan->variant) : Json(nullptr);
  for (const VariantVerdict& v : e.verdicts)
    json["variants"].push_back(
        {{"id", v.variant}, {"verdict", word(v.verdict)}, {"priority", v.priority}, {"why", v.why}});
  json["tuned"] = tuned_json(e);
  json["numerics"] = e.plan ? Json(numerics_of(*e.plan)) : Json(nullptr);
  json["plan"] = e.plan ? Json::parse(print(*e.plan)) : Json(nullptr);
  for (const auto& [label, wgsl] : shaders) json["wgsl"].push_back({{"label", label}, {"text", wgsl}});
  std::println("{}", json.dump(1, ' ', false, Json::error_handler_t::replace));
}

void print_passes(const Plan& plan) {
  Table table({"pass", "program", ">dispatch", "bindings"});
  for (const auto* list : {&plan.prepack_passes, &plan.passes})
    for (const PassPlan& pass : *list) {
      std::string bindings;
      for (const PlanBinding& b : pass.bindings) bindings += (bindings.empty() ? "" : " ") + b.name;
      table.add({list == &plan.passes ? pass.id : pass.id + " (once)", pass.program.hex().substr(0, 8),
                 std::format("{} x {} x {}", pass.dispatch[0], pass.dispatch[1], pass.dispatch[2]), bindings});
    }
  table.print(stdout);
  for (const BufferPlan& b : plan.scratch)
    std::println("scratch {}: {}", b.id, human_bytes(static_cast<double>(b.byte_size)));
  for (const BufferPlan& b : plan.prepacked)
    std::println("prepacked {}: {}", b.id, human_bytes(static_cast<double>(b.byte_size)));
}

void print_text(const Package& package, const DeviceProfile& profile, const Problem& problem, const Explanation& e,
                const Shaders& shaders) {
  std::println("{} {} on {}", package.name(), problem.id, profile.name);
  if (!e.plan) std::println("nothing runs: {}", e.why_not);
  Table table({"", "variant", "why"});
  for (const VariantVerdict& v : e.verdicts) table.add({word(v.verdict), v.variant, v.why});
  table.print(stdout);
  if (e.plan) print_passes(*e.plan);
  if (e.plan) std::println("numerics: {}", numerics_of(*e.plan));
  for (const auto& [label, wgsl] : shaders) std::println("\n// {}\n{}", label, wgsl);
}

Result<int> run(const Options& options, const Globals& globals) {
  HB_TRY(const Package package, load(options));
  HB_TRY(const Problem problem, problem_of(options, package));
  HB_TRY(const Target target, target_of(options, globals, package));
  HB_TRY(Explanation explanation, explain_problem(package, target.profile, problem, options.variant, target.failed));
  HB_CHECK(apply_tuning(explanation, package, target, problem, options.variant));
  Shaders shaders;
  if (options.wgsl && explanation.plan) {
    HB_TRY(shaders, shaders_of(package, *explanation.plan));
  }
  (options.json ? print_json : print_text)(package, target.profile, problem, explanation, shaders);
  return explanation.plan ? 0 : 1;
}

Action add(CLI::App& sub, const Globals& globals) {
  auto options = std::make_shared<Options>();
  sub.add_option("package", options->package, "a package's folder, its manifest.json, or its name")->required();
  sub.add_option("--templates", options->templates, "take the templates from this folder");
  sub.add_option("--profile", options->profile, "a device profile (default: this machine's device)");
  sub.add_option("-M", options->call.M, "rows of A")->required();
  sub.add_option("-K", options->call.K, "columns of A")->required();
  sub.add_option("-N", options->call.N, "columns of the result")->required();
  sub.add_option("--bits", options->call.bits, "2, 4 or 8")->capture_default_str();
  sub.add_option("--block-size", options->call.block_size, "weights of one scale")->capture_default_str();
  sub.add_option("--dtype", options->dtype, "f16 or f32")->capture_default_str();
  sub.add_flag("--zero-points", options->call.zero_points, "with zero points");
  sub.add_flag("--bias", options->call.bias, "with a bias");
  sub.add_option("--accuracy-level", options->accuracy_level, "0 to 4, as ONNX has it");
  sub.add_flag("--changing-weights", options->changing_weights, "do not say that the weights are constant");
  sub.add_option("--variant", options->variant, "ask for this one");
  sub.add_flag("--wgsl", options->wgsl, "show the shaders");
  sub.add_flag("--json", options->json, "as JSON");
#ifdef HALFBYTE_HAS_GPU
  add_gpu_options(sub, options->gpu);
#endif
  return [options, &globals] { return run(*options, globals); };
}

const Registration registration{
    "explain", 20, "which variant runs a problem, and why not every other one",
    "halfbyte explain com.microsoft.MatMulNBits -M 128 -K 4096 -N 4096 --bits 4 --block-size 32 --dtype f16", add};

}  // namespace
}  // namespace halfbyte::cmd::explain_command
