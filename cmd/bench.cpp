#ifdef HALFBYTE_HAS_GPU
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <print>

#include "bench_session.hpp"
#include "command.hpp"
#include "device_measure.hpp"
#include "gpu/measure_peaks.hpp"
#include "gpu_options.hpp"
#include "io/files.hpp"
#include "io/writable.hpp"
#include "other_runtime.hpp"
#include "table.hpp"
#include "tuning_files.hpp"

namespace halfbyte::cmd::bench_command {
namespace {

struct Options {
  std::string package, cases, variant, json, html, compare, from;
  std::vector<std::string> only, set;
  std::vector<std::string> rows;  // -M
  bool all_variants = false, cached = false, no_prepack = false, no_check = false, stored_peaks = false, ort = false;
  double rotate_mb = 0, sample_ms = 0, budget = 0;
  int samples = 0;
  GpuOptions gpu;
};

std::string now_text() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return std::format("{:%Y-%m-%d %H:%M} UTC", now);
}

SessionOptions session_of(const Options& options, const gpu::Device& device, uint64_t seed) {
  SessionOptions session = session_options(device);
  session.cached = options.cached;
  if (options.rotate_mb > 0) session.rotate_bytes = static_cast<uint64_t>(options.rotate_mb * 1e6);
  if (options.sample_ms > 0) session.measure.rules.target_seconds = options.sample_ms * 1e-3;
  if (options.samples > 0) session.measure.rules.samples = options.samples;
  session.constant_weights = !options.no_prepack;
  session.check = !options.no_check;
  session.seed = seed;
  if (options.budget > 0)
    session.deadline =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(options.budget));
  return session;
}

std::string percent(double share) { return std::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }

void print_rows(const BenchReport& report) {
  const bool others = std::ranges::any_of(report.rows, [](const BenchRow& row) { return row.other.has_value(); });
  std::vector<std::string> headers{"case",          ">M",    ">K",    ">N", "variant", ">time", ">spread", ">TFLOPS",
                                   ">weights GB/s", "limit", ">share"};
  if (others) headers.emplace_back(">other takes");
  Table table(headers);
  for (const BenchRow& row : report.rows) {
    std::vector<std::string> cells{row.id, std::format("{:.0f}", row.work.M), std::format("{:.0f}", row.work.K),
                                   std::format("{:.0f}", row.work.N),
                                   row.variant + (row.tuned ? " (tuned)" : "") + (row.chosen ? "" : " *")};
    if (row.measured() && row.why.empty()) {
      const auto share = row.share();
      cells.insert(cells.end(), {time_text(row.seconds.median), percent(row.seconds.spread()),
                                 std::format("{:.2f}", row.flops_per_second() * 1e-12),
                                 std::format("{:.0f}", row.weight_bytes_per_second() * 1e-9),
                                 row.limit ? row.limit->kind : "-", share ? percent(*share) : "-"});
    } else {
      cells.insert(cells.end(), {"-", "", "", "", "", ""});
    }
    if (others)
      cells.push_back(row.other && row.measured() ? std::format("{:.2f} x", row.other->seconds / row.seconds.median)
                                                  : "-");
    table.add(std::move(cells));
  }
  table.print(stdout);
}

void print_sums(const BenchReport& report) {
  const auto sums = model_sums(report);
  if (sums.empty()) return;
  std::println("");
  const bool others = std::ranges::any_of(sums, [](const ModelSum& s) { return s.other_seconds > 0; });
  std::vector<std::string> headers{"model", "dtype", ">M", ">all layers", ">tokens/s", ">weights", ">share"};
  if (others) headers.emplace_back(">other takes");
  Table table(headers);
  for (const ModelSum& s : sums) {
    std::vector<std::string> cells{s.model,
                                   s.dtype,
                                   std::format("{:.0f}{}", s.M, s.last_token_only ? "+" : ""),
                                   time_text(s.seconds),
                                   std::format("{:.0f}", s.tokens_per_second()),
                                   human_bytes(s.weight_bytes),
                                   s.limit_seconds > 0 ? percent(s.limit_seconds / s.seconds) : "-"};
    if (others) cells.push_back(s.other_seconds > 0 ? std::format("{:.2f} x", s.other_seconds / s.seconds) : "-");
    table.add(std::move(cells));
  }
  table.print(stdout);
  if (std::ranges::any_of(sums, &ModelSum::last_token_only))
    std::println("+ the output head for the last token only, as a prompt needs it");
}

// Fastest variants of every case with several, and ties: what a choice should rest on.
void print_ranking(const BenchReport& report) {
  for (const BenchRow& row : report.rows) {
    if (row.ties.empty()) continue;
    std::string ties;
    for (const std::string& tie : row.ties) ties += (ties.empty() ? "" : ", ") + tie;
    std::println("{}: {} is fastest, a tie within the noise with {}", row.id, row.variant, ties);
  }
}

int print_problems(const BenchReport& report) {
  int failed = 0;
  for (const BenchRow& row : report.rows) {
    if (row.why.empty()) continue;
    const bool wrong = row.checked && !row.right;
    failed += wrong ? 1 : 0;
    std::println("{} {}{}{}: {}", wrong ? "FAILED" : "not measured", row.id, row.variant.empty() ? "" : " by ",
                 row.variant, row.why);
  }
  const bool coarse =
      std::ranges::any_of(report.rows, [](const BenchRow& row) { return row.measured() && !row.enough_steps; });
  if (coarse)
    std::println("remark: some samples span fewer than 100 steps of the clock ({}); the JSON says which", report.clock);
  const auto unsteady = std::ranges::count_if(report.rows, &BenchRow::unsteady);
  if (unsteady > 0)
    std::println("remark: {} of {} times differ by more than 10 % between rounds; the fastest round is shown", unsteady,
                 report.rows.size());
  return failed;
}

// 1 when a result was wrong, or nothing could be measured.
Result<int> show(const Options& options, const BenchReport& report, const Globals& globals) {
  if (!options.json.empty()) HB_CHECK(write_file(options.json, to_json_text(report)));
  if (!options.html.empty()) HB_CHECK(write_file(options.html, to_html(report)));
  print_rows(report);
  if (!globals.quiet) {
    print_sums(report);
    print_ranking(report);
    const auto starred = std::ranges::any_of(report.rows, [](const BenchRow& row) { return !row.chosen; });
    if (starred) std::println("* not what would be chosen");
    for (const std::string& remark : report.remarks) std::println("{}", remark);
    std::println("{} on {}, {}, seed {}", report.package, report.device.key.adapter, report.clock, report.seed);
  }
  const int failed = print_problems(report);
  const bool any = std::ranges::any_of(report.rows, [](const BenchRow& row) { return row.measured(); });
  return failed == 0 && any ? 0 : 1;
}

Result<void> compare(const Options& options, const std::vector<BenchCase>& cases, const Package& package,
                     BenchReport& report, const Globals& globals) {
  std::string file = options.compare, text;
  if (options.ort) {
    HB_TRY(text, run_onnxruntime(package, cases, globals));
    file = "the output of bench/ort";
  } else if (!file.empty()) {
    HB_TRY(text, read_text(file));
  } else {
    return {};
  }
  HB_TRY(const int found, add_other_runtime(report, text, file));
  report.remarks.push_back(
      std::format("{}: {} of {} rows have a time of it", report.other_runtime, found, report.rows.size()));
  return {};
}

Result<int> again(const Options& options, const Globals& globals) {
  HB_TRY(const std::string text, read_text(options.from));
  HB_TRY(BenchReport report, parse_bench_report(text, options.from));
  if (!options.compare.empty()) {
    HB_TRY(const std::string other, read_text(options.compare));
    HB_CHECK(add_other_runtime(report, other, options.compare));
  }
  return show(options, report, globals);
}

Result<int> run(const Options& options, const Globals& globals) {
  for (const std::string& path : {options.json, options.html}) {
    if (!path.empty()) HB_CHECK(check_writable(path));
  }
  if (!options.from.empty()) return again(options, globals);
  HB_TRY(const std::string folder, package_path(options.package));
  HB_TRY(const Package package, load_package(folder));
  HB_TRY(const std::vector<BenchCase> cases,
         read_bench_cases(
             {options.cases.empty() ? bench_file(folder) : options.cases, options.only, options.set, options.rows}));
  HB_TRY(const TuningRecords tuning, load_tuning(globals));
  HB_TRY(const auto runtime, open_runtime(options.gpu, globals));
  const auto kernel = gpu::Kernel::create(runtime, package);

  BenchReport report;
  report.tool = "halfbyte " HALFBYTE_VERSION;
  report.measured_at = now_text();
  report.package = package.name();
  report.package_hash = package.hash();
  report.seed = seed_or_fresh(globals);
  HB_TRY(report.device, options.stored_peaks ? known_device(runtime, globals) : measure_device(runtime, globals));
  const SessionOptions session = session_of(options, runtime->device(), report.seed);
  report.cached = session.cached;
  report.rotate_bytes = session.rotate_bytes;
  const BenchChoice choice{options.all_variants,
                           options.variant,
                           tuning.empty() ? nullptr : &tuning,
                           {report.device.key, package.name(), package.hash()}};
  if (const std::string why = tuning.why_none(choice.key); !why.empty())
    report.remarks.push_back("tuning records are not used: " + why);

  HB_TRY(gpu::Stopwatch watch, gpu::Stopwatch::create(runtime->shared_device(), session.measure));
  HB_TRY(auto groups, group_cases(package, cases, session));
  const auto progress = show_progress(globals) ? std::function<void(const std::string&)>(progress_line) : nullptr;
  for (auto& members : groups) {
    auto group = session.late() ? Result<std::unique_ptr<CaseGroup>>(fail(ErrorCode::limit, kLate))
                                : CaseGroup::create(*kernel, members, session);
    if (!group) {
      if (group.error().code == ErrorCode::device_lost) return std::unexpected(std::move(group).error());
      for (const BenchCase& member : members) {
        BenchRow row;
        row.id = member.id;
        row.why = group.error().message;
        report.rows.push_back(std::move(row));
      }
      continue;
    }
    HB_TRY(auto rows, measure_group(*kernel, **group, choice, session, watch, &report.device, progress));
    std::ranges::move(rows, std::back_inserter(report.rows));
  }
  progress_line("");
  report.clock = watch.clock();
  find_ties(report);
  HB_CHECK(compare(options, cases, package, report, globals));
  return show(options, report, globals);
}

Action add(CLI::App& sub, const Globals& globals) {
  auto o = std::make_shared<Options>();
  sub.add_option("package", o->package, "a package's folder, its manifest.json, or its name");
  sub.add_option("--cases", o->cases,
                 "the cases: a bench file or a list of requests (default: the package's bench.json)");
  sub.add_option("--only", o->only,
                 "only cases whose name has all of these words, e.g. 'Llama-3.2-1B M128'; may be given again");
  sub.add_option("-M", o->rows, "numbers of rows instead of the file's")->delimiter(',');
  sub.add_option("--set", o->set, "another value of a variable of the bench file: NAME=VALUE or NAME=VALUE,VALUE");
  auto* variant = sub.add_option("--variant", o->variant, "only this variant");
  sub.add_flag("--all-variants", o->all_variants, "every variant that can run, not only the chosen one")
      ->excludes(variant);
  sub.add_flag("--cached", o->cached, "one set of weights over and over, instead of more than a cache holds");
  sub.add_option("--rotate-mb", o->rotate_mb, "megabytes of weights to go through in turn (default: 268)")
      ->check(CLI::PositiveNumber);
  sub.add_option("--samples", o->samples, "samples of each time")->check(CLI::Range(1, 60));
  sub.add_option("--sample-ms", o->sample_ms, "milliseconds of GPU time in a sample")->check(CLI::PositiveNumber);
  sub.add_option("--budget", o->budget, "seconds after which no case is begun; the rest is shown as not measured")
      ->check(CLI::PositiveNumber);
  sub.add_flag("--no-prepack", o->no_prepack, "the weights may change: no variant that rewrites them once");
  sub.add_flag("--no-check", o->no_check, "do not compare results with the reference");
  sub.add_flag("--stored-peaks", o->stored_peaks,
               "take this device's limits from its record instead of measuring them again");
  sub.add_option("--compare", o->compare, "another runtime's times to put beside (written by bench/ort)");
  sub.add_flag("--ort", o->ort,
               "run ONNX Runtime's WebGPU provider on the same shapes now (needs node; see bench/ort)");
  sub.add_option("--from", o->from, "show a kept --json again, without measuring");
  sub.add_option("--json", o->json, "write every figure here");
  sub.add_option("--html", o->html, "write a page here");
  add_gpu_options(sub, o->gpu);
  return [o, &globals]() -> Result<int> {
    if (o->package.empty() && o->from.empty())
      return fail(ErrorCode::invalid_argument, "bench needs a package, or --from");
    return run(*o, globals);
  };
}

const Registration registration{
    "bench", 60, "measure a package's kernels, and how far they are from this device's limits",
    "halfbyte bench kernels/com.microsoft.MatMulNBits --only Llama-3.2-1B --html bench.html", add};

}  // namespace
}  // namespace halfbyte::cmd::bench_command
#endif
