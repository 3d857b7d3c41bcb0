#ifdef HALFBYTE_HAS_GPU
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <print>

#include "bench/problem_key.hpp"
#include "bench_session.hpp"
#include "command.hpp"
#include "gpu/measure_peaks.hpp"
#include "gpu_options.hpp"
#include "io/files.hpp"
#include "io/writable.hpp"
#include "table.hpp"
#include "tune/tuner.hpp"
#include "tuning_files.hpp"

namespace halfbyte::cmd::tune_command {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string package, cases, out;
  std::vector<std::string> only, set, rows;
  double budget = 120, per_case = 0;
  size_t most_per_variant = 24;
  bool fresh = false, no_prepack = false;
  GpuOptions gpu;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What was tuned, for the table.
struct Outcome {
  std::string id;
  std::optional<TunedPoint> point;
  size_t candidates = 0, failed = 0;
  double used = 0;
  std::string why;
  bool kept = false;  // from an earlier run
};

class TuneRun {
 public:
  TuneRun(gpu::Kernel& kernel, const Options& options, const Globals& globals, SessionOptions session, RecordKey key,
          TuningRecords& records, std::string path, gpu::Stopwatch& watch)
      : kernel_(kernel),
        options_(options),
        globals_(globals),
        session_(std::move(session)),
        key_(std::move(key)),
        records_(records),
        path_(std::move(path)),
        watch_(watch) {}

  Result<void> group(const std::vector<BenchCase>& cases, size_t& left) {
    if (all_known(cases)) {
      left -= cases.size();
      return {};
    }
    HB_TRY(const auto group, CaseGroup::create(kernel_, cases, session_));
    for (size_t i = 0; i < cases.size(); ++i) {
      HB_CHECK(one(*group, i, left));
      --left;
    }
    return {};
  }

  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  // A complete point is not measured again, unless asked to.
  bool known(const BenchCase& c) {
    if (options_.fresh) return false;
    const auto id = problem_key(kernel_.package(), c.problem);
    if (!id) return false;
    const auto* points = records_.find(key_, id->signature);
    if (points == nullptr) return false;
    const auto point = points->find(id->M);
    if (point == points->end() || !point->second.complete) return false;
    outcomes_.push_back({c.id, point->second, point->second.measured.size(), point->second.failed.size(), 0, "", true});
    return true;
  }

  bool all_known(const std::vector<BenchCase>& cases) {
    const size_t before = outcomes_.size();
    if (std::ranges::all_of(cases, [&](const BenchCase& c) { return known(c); })) return true;
    outcomes_.resize(before);
    return false;
  }

  Result<void> one(CaseGroup& group, size_t i, size_t left) {
    const BenchCase& c = group.cases()[i];
    if (known(c)) return {};
    Outcome outcome{c.id, {}, 0, 0, 0, "", false};
    auto candidates =
        find_candidates(kernel_.package(), kernel_.device().profile(), c.problem, options_.most_per_variant);
    if (!candidates || candidates->empty()) {
      outcome.why = candidates ? "no candidate can be planned" : candidates.error().message;
      outcomes_.push_back(std::move(outcome));
      return {};
    }
    HB_TRY(const ProblemKey id, problem_key(kernel_.package(), c.problem));
    TunerOptions tuning;
    // What is left of the whole time, shared evenly by the cases to come.
    tuning.budget_seconds = options_.per_case > 0
                                ? options_.per_case
                                : std::max(0.0, options_.budget - seconds_since(start_)) / static_cast<double>(left);
    Tuner tuner(*candidates, tuning);
    if (const std::string* state = records_.unfinished(key_, id.signature, id.M); state != nullptr && !options_.fresh) {
      // A state that does not fit is worth nothing, and costs nothing.
      if (const auto restored = tuner.restore(*state); !restored && !globals_.quiet)
        std::println(stderr, "remark: {} is started anew: {}", c.id, restored.error().message);
    }
    HB_CHECK(race(group, i, tuner));
    const TunerResult result = tuner.result();
    outcome.candidates = candidates->size();
    outcome.used = result.used_seconds;
    outcome.point = make_point(tuner, id.M);
    if (outcome.point) {
      outcome.failed = outcome.point->failed.size();
      records_.set(key_, id.signature, *outcome.point);
    } else {
      outcome.why = tuning.budget_seconds > 0 ? "no candidate was measured" : "the time was used up";
    }
    if (!result.complete) records_.set_unfinished(key_, id.signature, id.M, tuner.save());
    outcomes_.push_back(std::move(outcome));
    // After every case: what is found survives whatever happens next.
    return write_file(path_, records_.to_json_text());
  }

  Result<void> race(CaseGroup& group, size_t i, Tuner& tuner) {
    const BenchCase& c = group.cases()[i];
    std::vector<std::optional<gpu::MeasuredCall>> calls(tuner.candidates().size());
    // Side by side, as far as the budget can use them.
    auto started = Clock::now();
    for (size_t k = 0; k < calls.size(); ++k) {
      if (tuner.candidates()[k].failed()) continue;
      auto call = prepare(group, c, tuner.candidates()[k].candidate);
      if (call) {
        calls[k] = std::move(*call);
      } else if (call.error().code == ErrorCode::device_lost) {
        return std::unexpected(std::move(call).error());
      } else {
        tuner.report_failure(k, call.error().message, 0);
      }
    }
    double used = seconds_since(started);
    for (TunerStep step = tuner.next(); step.action != TunerAction::done; step = tuner.next()) {
      const std::string label = tuner.candidates()[step.candidate].candidate.label();
      if (show_progress(globals_))
        progress_line(std::format("{}: {} of {} candidates, {} {}", c.id, step.candidate + 1, calls.size(),
                                  step.action == TunerAction::verify ? "checking" : "measuring", label));
      started = Clock::now();
      const Result<void> done = step.action == TunerAction::verify
                                    ? verify(group, i, *calls[step.candidate], tuner, step.candidate, used)
                                    : measure(*calls[step.candidate], tuner, step.candidate, used);
      used = 0;
      if (done) continue;
      if (done.error().code == ErrorCode::device_lost) return done;
      tuner.report_failure(step.candidate, done.error().message, seconds_since(started));
      calls[step.candidate].reset();
    }
    return {};
  }

  Result<gpu::MeasuredCall> prepare(CaseGroup& group, const BenchCase& c, const Candidate& candidate) {
    SelectOptions forced;
    forced.variant = candidate.variant;
    HB_TRY(const Plan plan,
           plan_problem(kernel_.package(), kernel_.device().profile(), with_tunables(c.problem, candidate), forced));
    return group.prepare(plan);
  }

  Result<void> verify(CaseGroup& group, size_t i, gpu::MeasuredCall& call, Tuner& tuner, size_t k, double before) {
    const auto started = Clock::now();
    HB_CHECK(call.wait());
    HB_TRY(const Comparison compared, group.check(i, call));
    tuner.report_verified(k, compared.pass, compared.why, before + seconds_since(started));
    return {};
  }

  Result<void> measure(gpu::MeasuredCall& call, Tuner& tuner, size_t k, double before) {
    const auto started = Clock::now();
    HB_TRY(const gpu::Timing timing,
           watch_.time([&](const wgpu::ComputePassEncoder& pass, uint64_t r) { return call.record(pass, r); }));
    tuner.report_samples(k, timing.seconds, before + seconds_since(started));
    return {};
  }

  gpu::Kernel& kernel_;
  const Options& options_;
  const Globals& globals_;
  SessionOptions session_;
  RecordKey key_;
  TuningRecords& records_;
  std::string path_;
  gpu::Stopwatch& watch_;
  std::vector<Outcome> outcomes_;
  Clock::time_point start_ = Clock::now();
};

std::string us(double seconds) { return std::format("{:.1f} us", seconds * 1e6); }

void print_outcomes(const std::vector<Outcome>& outcomes) {
  Table table({"case", "fastest", ">time", ">manifest's choice", ">gain", ">tried", ""});
  for (const Outcome& o : outcomes) {
    if (!o.point || o.point->measured.empty()) {
      table.add({o.id, "-", "", "", "", "", o.why});
      continue;
    }
    const TunedPoint& p = *o.point;
    const double best = p.measured.front().seconds;
    std::string remark = !p.complete ? "cut short" : o.kept ? "known before" : "";
    if (!p.ties.empty())
      remark += std::format("{}tie with {}{}", remark.empty() ? "" : ", ", p.ties.front(),
                            p.ties.size() > 1 ? std::format(" and {} more", p.ties.size() - 1) : "");
    if (o.failed > 0) remark += std::format("{}{} wrong or not runnable", remark.empty() ? "" : ", ", o.failed);
    table.add({o.id, p.measured.front().candidate.label(), us(best),
               p.default_seconds > 0 ? us(p.default_seconds) + " " + p.default_variant : p.default_variant,
               p.default_seconds > 0 ? std::format("{:.2f} x", p.default_seconds / best) : "-",
               std::to_string(o.candidates), remark});
  }
  table.print(stdout);
}

Result<int> run(const Options& options, const Globals& globals) {
  HB_TRY(const std::string folder, package_path(options.package));
  HB_TRY(const Package package, load_package(folder));
  HB_TRY(const std::vector<BenchCase> cases,
         read_bench_cases(
             {options.cases.empty() ? bench_file(folder) : options.cases, options.only, options.set, options.rows}));
  const std::string path = options.out.empty() ? tuning_path(globals) : options.out;
  if (path.empty())
    return fail(ErrorCode::invalid_argument, "there is no cache folder to keep records in; name a file with --out");
  std::error_code ignored;
  if (options.out.empty()) std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  HB_CHECK(check_writable(path));
  TuningRecords records;
  if (const auto text = read_text(path)) {
    HB_TRY(records, TuningRecords::parse(*text, path));
  }
  HB_TRY(const auto runtime, open_runtime(options.gpu, globals));
  const auto kernel = gpu::Kernel::create(runtime, package);
  SessionOptions session = session_options(runtime->device());
  session.constant_weights = !options.no_prepack;
  session.seed = seed_or_fresh(globals);
  // Many short rounds tell more about many candidates than a few long ones.
  session.measure.rules.samples = std::min(session.measure.rules.samples, 3);
  HB_TRY(gpu::Stopwatch watch, gpu::Stopwatch::create(runtime->shared_device(), session.measure));
  HB_TRY(const auto groups, group_cases(package, cases, session));
  TuneRun tune(*kernel, options, globals, session, {gpu::device_key(runtime->device()), package.name(), package.hash()},
               records, path, watch);
  size_t left = cases.size();
  for (const auto& members : groups) HB_CHECK(tune.group(members, left));
  progress_line("");
  HB_CHECK(write_file(path, records.to_json_text()));
  print_outcomes(tune.outcomes());
  const auto found = std::ranges::count_if(tune.outcomes(), [](const Outcome& o) { return o.point.has_value(); });
  if (!globals.quiet)
    std::println("{} of {} cases in {} (seed {}, {})", found, tune.outcomes().size(), path, session.seed,
                 watch.clock());
  return found > 0 ? 0 : 1;
}

Action add(CLI::App& sub, const Globals& globals) {
  auto o = std::make_shared<Options>();
  sub.add_option("package", o->package, "a package's folder, its manifest.json, or its name")->required();
  sub.add_option("--cases", o->cases,
                 "the cases: a bench file or a list of requests (default: the package's bench.json)");
  sub.add_option("--only", o->only, "only cases whose name has all of these words; may be given again");
  sub.add_option("-M", o->rows, "numbers of rows instead of the file's")->delimiter(',');
  sub.add_option("--set", o->set, "another value of a variable of the bench file: NAME=VALUE or NAME=VALUE,VALUE");
  sub.add_option("--out", o->out, "the records (default: --tuning, or the cache folder's); added to when it exists");
  sub.add_option("--budget", o->budget,
                 "seconds for all cases together; a run that is cut short goes on where it stopped")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sub.add_option("--per-case", o->per_case, "seconds for each case instead")->check(CLI::PositiveNumber);
  sub.add_option("--most", o->most_per_variant, "combinations of tunables to try of each variant")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub.add_flag("--fresh", o->fresh, "measure again what is known");
  sub.add_flag("--no-prepack", o->no_prepack, "the weights may change: no variant that rewrites them once");
  add_gpu_options(sub, o->gpu);
  return [o, &globals] { return run(*o, globals); };
}

const Registration registration{"tune", 70, "find the fastest variant and tunables for this device, and remember them",
                                "halfbyte tune kernels/com.microsoft.MatMulNBits --only 'Llama-3.2-1B M1' --budget 60",
                                add};

}  // namespace
}  // namespace halfbyte::cmd::tune_command
#endif
