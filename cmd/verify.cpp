#ifdef HALFBYTE_HAS_GPU
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <print>

#include "command.hpp"
#include "gpu/kernel.hpp"
#include "gpu/verify_run.hpp"
#include "gpu_options.hpp"
#include "io/files.hpp"
#include "io/writable.hpp"
#include "table.hpp"
#include "verify_quick.hpp"

namespace halfbyte::cmd::verify_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string package, templates, cases, variant, json;
  int repeat = 1;
  bool exact = false, quick = false;
  GpuOptions gpu;
};

// Every variant: how many cases it ran, and how close it came to a bound.
void print_variants(const gpu::VerifyReport& report, const std::vector<std::string>& variants) {
  Table table({"variant", ">passed", ">failed", ">worst error / bound"});
  for (const std::string& variant : variants) {
    int passed = 0, failed = 0;
    double worst = 0;
    for (const gpu::VerifyRow& row : report.rows) {
      if (row.variant != variant) continue;
      (row.pass ? passed : failed) += 1;
      if (row.comparison.bound > 0) worst = std::max(worst, row.comparison.error / row.comparison.bound);
    }
    if (passed + failed == 0) continue;
    table.add({variant, std::to_string(passed), std::to_string(failed), std::format("{:.3f}", worst)});
  }
  table.print(stdout);
}

void print_failures(const gpu::VerifyReport& report) {
  for (const gpu::VerifyRow& row : report.rows) {
    if (row.pass) continue;
    std::println("FAILED {}{}{}: {}", row.case_id, row.variant.empty() ? "" : " by ", row.variant, row.why);
  }
}

void print_skips(const gpu::VerifyReport& report) {
  for (const gpu::VerifySkip& skip : report.skips) {
    if (skip.variant.empty()) {
      std::println("skipped case {}: {}", skip.case_id, skip.why);
    } else {
      std::println("skipped variant {}: no case can use it here ({})", skip.variant, skip.why);
    }
  }
}

Json row_json(const gpu::VerifyRow& row) {
  Json j{{"case", row.case_id}, {"variant", row.variant}, {"pass", row.pass}};
  j["error"] = row.comparison.error;
  j["bound"] = row.comparison.bound;
  j["max_abs_error"] = row.comparison.max_abs_error;
  j["prepare_seconds"] = row.prepare_seconds;
  j["run_seconds"] = row.run_seconds;
  if (!row.why.empty()) j["why"] = row.why;
  return j;
}

std::string report_json(const gpu::VerifyReport& report, const gpu::Device& device, const Package& package) {
  Json j{{"package", package.name()},
         {"package_hash", package.hash().hex()},
         {"adapter", device.info().adapter.name},
         {"backend", device.info().adapter.backend},
         {"driver", device.info().adapter.description},
         {"webgpu", device.info().webgpu},
         {"seed", report.run_seed},
         {"passed", report.passed()},
         {"failed", report.failed()},
         {"skipped", report.skipped()},
         {"worst_ratio", report.worst_ratio()}};
  j["rows"] = Json::array();
  for (const gpu::VerifyRow& row : report.rows) j["rows"].push_back(row_json(row));
  j["skips"] = Json::array();
  for (const gpu::VerifySkip& skip : report.skips) {
    j["skips"].push_back({{"case", skip.case_id}, {"variant", skip.variant}, {"why", skip.why}});
  }
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string default_cases(const std::string& package) {
  const std::filesystem::path path(package);
  return ((path.extension() == ".json" ? path.parent_path() : path) / "cases.json").string();
}

Result<int> run(const Options& options, const Globals& globals) {
  if (!options.json.empty()) HB_CHECK(check_writable(options.json));
  HB_TRY(const std::string folder, package_path(options.package));
  HB_TRY(const Package package, load_package(folder, options.templates));
  if (options.quick && options.cases.empty()) {
    HB_TRY(const auto quick_runtime, open_runtime(options.gpu, globals));
    return verify_quick(*gpu::Kernel::create(quick_runtime, package), {}, options.json, globals);
  }
  const std::string cases_file = options.cases.empty() ? default_cases(folder) : options.cases;
  HB_TRY(const std::string text, read_text(cases_file));
  HB_TRY(const std::vector<Case> cases, parse_cases(text, cases_file));
  HB_TRY(const auto runtime, open_runtime(options.gpu, globals));
  const auto kernel = gpu::Kernel::create(runtime, package);

  if (options.quick) return verify_quick(*kernel, cases, options.json, globals);
  gpu::VerifyOptions verify;
  verify.variant = options.variant;
  verify.run_seed = seed_or_fresh(globals);
  verify.repeat = options.repeat;
  if (options.exact) verify.guard = 0;
  if (show_progress(globals)) {
    verify.progress = [](const gpu::VerifyProgress& p) {
      progress_line(std::format("case {} of {}: {} by {} ({} passed, {} failed)", p.case_index + 1, p.case_count,
                                p.case_id, p.variant, p.passed, p.failed));
    };
  }
  HB_TRY(const gpu::VerifyReport report, gpu::verify_package(*kernel, cases, verify));
  progress_line("");
  if (!options.json.empty()) HB_CHECK(write_file(options.json, report_json(report, runtime->device(), package)));

  print_failures(report);
  if (!globals.quiet) {
    print_variants(report, package.variant_ids());
    print_skips(report);
    std::println("{} on {}, seed {}, worst error / bound {:.3f}", package.name(), runtime->device().info().adapter.name,
                 report.run_seed, report.worst_ratio());
  }
  std::println("{} passed, {} failed, {} skipped", report.passed(), report.failed(), report.skipped());
  return report.failed() == 0 && report.passed() > 0 ? 0 : 1;
}

Action add(CLI::App& sub, const Globals& globals) {
  auto o = std::make_shared<Options>();
  sub.add_option("package", o->package, "a package's folder, its manifest.json, or its name")->required();
  sub.add_option("--cases", o->cases, "the cases (default: the package's cases.json)");
  sub.add_option("--variant", o->variant, "only this variant");
  sub.add_option("--json", o->json, "write every result here");
  sub.add_option("--templates", o->templates, "take the shader templates from this folder");
  sub.add_option("--repeat", o->repeat, "runs of each case and variant, which must give the same bits")
      ->check(CLI::Range(1, 1000000));
  sub.add_flag("--exact-bindings", o->exact, "bind tensors exactly, without guard bytes after them");
  sub.add_flag("--quick", o->quick,
               "in about a second: only the variants that would be chosen, each once; those that fail are left out "
               "from then on");
  add_gpu_options(sub, o->gpu);
  return [o, &globals] { return run(*o, globals); };
}

const Registration registration{"verify", 50,
                                "run every case with every variant that this device can run, against the reference",
                                "halfbyte verify kernels/com.microsoft.MatMulNBits", add};

}  // namespace
}  // namespace halfbyte::cmd::verify_command
#endif
