#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <print>

#include "command.hpp"
#include "gpu_options.hpp"
#include "io/files.hpp"
#include "io/profile_files.hpp"
#include "plan/explanation.hpp"
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

struct TunedExplanation : Explanation {
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

// Puts what was measured on this device over the manifest's order, and beside every variant.
Result<void> apply_tuning(TunedExplanation& e, const Package& package, const Target& target, const Problem& problem,
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

Json tuned_json(const TunedExplanation& e) {
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
  for (const VariantVerdict& v : e.verdicts) table.add({name(v.verdict), v.variant, v.why});
  table.print(stdout);
  if (e.plan) print_passes(*e.plan);
  if (e.plan) std::println("numerics: {}", numerics_of(*e.plan));
  for (const auto& [label, wgsl] : shaders) std::println("\n// {}\n{}", label, wgsl);
}

Result<int> run(const Options& options, const Globals& globals) {
  HB_TRY(const Package package, load(options));
  HB_TRY(const Problem problem, problem_of(options, package));
  HB_TRY(const Target target, target_of(options, globals, package));
  TunedExplanation explanation;
  HB_TRY(static_cast<Explanation&>(explanation),
         explain_problem(package, target.profile, problem, options.variant, target.failed));
  HB_CHECK(apply_tuning(explanation, package, target, problem, options.variant));
  Shaders shaders;
  if (options.wgsl && explanation.plan) {
    HB_TRY(shaders, render_all(package, *explanation.plan));
  }
  if (options.json) {
    std::println(
        "{}", explanation_json(package, target.profile, problem, explanation, shaders, tuned_json(explanation).dump()));
  } else {
    print_text(package, target.profile, problem, explanation, shaders);
  }
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
