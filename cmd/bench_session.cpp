#ifdef HALFBYTE_HAS_GPU
#include "bench_session.hpp"

#include <algorithm>
#include <filesystem>

#include "bench/inputs.hpp"
#include "bench/problem_key.hpp"
#include "io/files.hpp"
#include "verify/operator.hpp"

namespace halfbyte::cmd {
namespace {

// Sets of weights too small to fill a cache: past this many it is not the weights that take the time.
constexpr size_t kMostSets = 1024;
// For cases whose rounds differ.
constexpr int kMoreRounds = 1;

// What is to be measured: a plan for a case.
struct Job {
  size_t at = 0;
  BenchRow row;
  std::optional<Plan> plan;
  std::optional<gpu::MeasuredCall> call;
};

BenchRow empty_row(const Package& package, const BenchCase& c, const std::string& signature,
                   const SessionOptions& options, const gpu::WeightSets& weights) {
  BenchRow row;
  row.id = c.id;
  row.model = c.model;
  row.layer = c.layer;
  row.count = c.count;
  row.group = signature;
  if (const auto work = work_of(package, c.problem)) row.work = *work;
  if (const auto op = resolve_operator(package, c.problem)) {
    const auto& inputs = c.problem.inputs;
    if (const auto a = inputs.find(op->semantics.a); a != inputs.end()) row.dtype = name(a->second.dtype);
    row.zero_points = inputs.contains(op->semantics.zero_points.input);
    row.bias = inputs.contains(op->semantics.bias);
  }
  if (const auto level = c.problem.attrs.find("accuracy_level"); level != c.problem.attrs.end()) {
    if (const auto* number = std::get_if<double>(&level->second)) row.accuracy_level = static_cast<int64_t>(*number);
  }
  row.weight_sets = options.cached ? 1 : weights.size();
  row.rotated_bytes = row.weight_sets * weights.bytes_per_set();
  return row;
}

void describe(BenchRow& row, const Plan& plan) {
  row.variant = plan.variant;
  row.passes = static_cast<int>(plan.passes.size());
  row.prepack_passes = static_cast<int>(plan.prepack_passes.size());
  for (const BufferPlan& buffer : plan.prepacked) row.packed_bytes += buffer.byte_size;
}

// The plans of one case: the chosen one first, then, if asked for, every other variant that can run.
std::vector<Job> plan_case(const Package& package, const DeviceProfile& profile, const BenchCase& c, size_t at,
                           const BenchChoice& choice, const BenchRow& blank) {
  std::vector<Job> jobs;
  SelectOptions options;
  options.variant = choice.variant;
  static const TuningRecords kNone;
  auto chosen =
      plan_tuned(package, profile, c.problem, choice.tuning != nullptr ? *choice.tuning : kNone, choice.key, options);
  Job first{at, blank, {}, {}};
  if (!chosen) {
    first.row.why = chosen.error().message;
    first.row.variant = choice.variant;
    jobs.push_back(std::move(first));
    return jobs;
  }
  first.row.chosen = true;
  first.row.tuned = chosen->measured.has_value();
  if (chosen->measured) first.row.tunables = chosen->measured->candidate.tunables;
  describe(first.row, chosen->plan);
  first.plan = std::move(chosen->plan);
  jobs.push_back(std::move(first));
  if (!choice.all_variants) return jobs;
  const auto verdicts = explain(package, profile, c.problem);
  if (!verdicts) return jobs;
  for (const VariantVerdict& verdict : *verdicts) {
    if (verdict.verdict == Verdict::rejected) continue;
    SelectOptions forced;
    forced.variant = verdict.variant;
    auto plan = plan_problem(package, profile, c.problem, forced);
    if (!plan || (verdict.variant == jobs.front().row.variant && !jobs.front().row.tuned)) continue;
    Job job{at, blank, {}, {}};
    describe(job.row, *plan);
    job.plan = std::move(*plan);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

HostTensor first_rows(const HostTensor& tensor, const TensorDesc& wanted) {
  HostTensor part{wanted.dtype, wanted.shape, {}};
  const auto bytes = static_cast<size_t>(element_count(wanted.shape).value_or(0)) * byte_size(wanted.dtype);
  part.data.assign(tensor.data.begin(), tensor.data.begin() + static_cast<ptrdiff_t>(bytes));
  return part;
}

// Fatal errors end the whole run; anything else is this row's.
Result<void> keep(Job& job, const Error& error) {
  if (error.code == ErrorCode::device_lost) return fail(error);
  job.row.why = error.message;
  job.call.reset();
  return {};
}

Result<void> check_job(CaseGroup& group, Job& job) {
  const auto compared = group.check(job.at, *job.call);
  if (!compared) return keep(job, compared.error());
  job.row.checked = true;
  job.row.right = compared->pass;
  job.row.error = compared->error;
  job.row.bound = compared->bound;
  if (!compared->pass) job.row.why = "wrong result: " + compared->why;
  return {};
}

Result<void> time_job(gpu::Stopwatch& watch, Job& job, bool cached) {
  const auto timing = watch.time(
      [&](const wgpu::ComputePassEncoder& pass, uint64_t i) { return job.call->record(pass, cached ? 0 : i); });
  if (!timing) return keep(job, timing.error());
  job.row.add_round(summarize(timing->seconds), timing->repetitions, timing->enough_steps);
  return {};
}

}  // namespace

std::string bench_file(const std::string& package_path) {
  const std::filesystem::path path(package_path);
  return ((path.extension() == ".json" ? path.parent_path() : path) / "bench.json").string();
}

Result<std::vector<BenchCase>> read_bench_cases(const CaseOptions& options) {
  Overrides overrides;
  const auto add = [&](const std::string& text) -> Result<void> {
    HB_TRY(auto entry, parse_override(text));
    overrides.insert_or_assign(std::move(entry.first), std::move(entry.second));
    return {};
  };
  for (const std::string& text : options.set) HB_CHECK(add(text));
  std::string rows;
  for (const std::string& m : options.rows) rows += (rows.empty() ? "M=" : ",") + m;
  if (!rows.empty()) HB_CHECK(add(rows));
  HB_TRY(const std::string text, read_text(options.file));
  HB_TRY(std::vector<BenchCase> cases, parse_bench_cases(text, options.file, overrides));
  cases = matching(std::move(cases), options.only);
  if (cases.empty())
    return fail(ErrorCode::invalid_argument, std::format("no case of {} matches --only", options.file));
  return cases;
}

SessionOptions session_options(const gpu::Device& device) {
  SessionOptions options;
  if (device.info().adapter.type != "CPU") return options;
  options.measure = gpu::cpu_measure_options();
  options.rounds = 1;
  options.rotate_bytes = uint64_t{4} << 20;
  return options;
}

std::vector<Unit> units_of(const Package& package, const DeviceProfile& profile, const Problem& problem,
                           std::map<std::string, Unit>& known) {
  std::vector<Unit> units;
  const auto verdicts = explain(package, profile, problem);
  if (!verdicts) return units;
  for (const VariantVerdict& verdict : *verdicts) {
    if (verdict.verdict == Verdict::rejected) continue;
    const auto at = known.find(verdict.variant);
    if (at != known.end()) {
      units.push_back(at->second);
      continue;
    }
    SelectOptions forced;
    forced.variant = verdict.variant;
    const auto plan = plan_problem(package, profile, problem, forced);
    if (!plan) continue;
    const auto unit = unit_of_plan(package, *plan);
    if (!unit) continue;
    known.emplace(verdict.variant, *unit);
    units.push_back(*unit);
  }
  return units;
}

Result<Unit> unit_of_plan(const Package& package, const Plan& plan) {
  std::vector<std::string> wgsl;
  for (const PassPlan& pass : plan.passes) {
    HB_TRY(wgsl.emplace_back(), render(package, pass));
  }
  return unit_of(wgsl, plan.numerics_multiply);
}

Result<std::vector<std::vector<BenchCase>>> group_cases(const Package& package, std::vector<BenchCase> cases,
                                                        const SessionOptions& options) {
  std::map<std::string, size_t> at;
  std::vector<std::vector<std::pair<int64_t, BenchCase>>> groups;
  for (BenchCase& c : cases) {
    if (options.constant_weights) {
      HB_TRY(c.problem, with_constant_weights(package, std::move(c.problem)));
    }
    auto key = problem_key(package, c.problem);
    if (!key) {
      key.error().message = std::format("case {}: {}", c.id, key.error().message);
      return std::unexpected(std::move(key).error());
    }
    const auto [it, added] = at.try_emplace(key->signature, groups.size());
    if (added) groups.emplace_back();
    groups[it->second].emplace_back(key->M, std::move(c));
  }
  std::vector<std::vector<BenchCase>> out;
  for (auto& group : groups) {
    std::ranges::stable_sort(group, {}, [](const auto& entry) { return entry.first; });
    out.emplace_back();
    for (auto& [M, c] : group) out.back().push_back(std::move(c));
  }
  return out;
}

Result<std::unique_ptr<CaseGroup>> CaseGroup::create(gpu::Kernel& kernel, std::vector<BenchCase> cases,
                                                     const SessionOptions& options) {
  std::unique_ptr<CaseGroup> group(new CaseGroup(kernel, options));
  const Package& package = kernel.package();
  const BenchCase& largest = cases.back();
  HB_TRY(const ProblemKey key, problem_key(package, largest.problem));
  group->signature_ = key.signature;
  HB_TRY(const Operator op, resolve_operator(package, largest.problem));
  group->a_key_ = op.semantics.a;
  group->y_key_ = op.semantics.y;
  HB_TRY(group->inputs_, random_inputs(package, largest.problem, options.seed));
  gpu::HostTensors weights = group->inputs_;
  weights.erase(group->a_key_);
  const uint64_t rotate = options.cached ? 0 : options.rotate_bytes;
  HB_TRY(group->weights_,
         gpu::WeightSets::create(kernel.shared_runtime(), weights, rotate, options.cached ? 1 : kMostSets));
  // The largest buffers first: growing one later would leave earlier calls with the old one.
  HB_CHECK(group->shared_.write(group->a_key_, group->inputs_.find(group->a_key_)->second));
  const auto y_bytes =
      static_cast<uint64_t>(key.M * op.shape.N) * byte_size(group->inputs_.find(group->a_key_)->second.dtype);
  HB_CHECK(group->shared_.buffer(group->y_key_, y_bytes));
  group->cases_ = std::move(cases);
  return group;
}

Result<gpu::MeasuredCall> CaseGroup::prepare(const Plan& plan) {
  return gpu::MeasuredCall::create(kernel_, std::make_shared<const Plan>(plan), weights_, shared_);
}

Result<const SampledCheck*> CaseGroup::reference(size_t i) {
  const Problem& problem = cases_[i].problem;
  HB_TRY(const ProblemKey key, problem_key(kernel_.package(), problem));
  const auto known = references_.find(key.M);
  if (known != references_.end()) return &known->second;
  // The weights may be large: they stay where they are.
  HostTensor all_rows = std::move(inputs_[a_key_]);
  inputs_[a_key_] = first_rows(all_rows, problem.inputs.find(a_key_)->second);
  auto sampled = make_sampled_check(kernel_.package(), problem, inputs_, options_.seed);
  inputs_[a_key_] = std::move(all_rows);
  if (!sampled) return std::unexpected(std::move(sampled).error());
  return &references_.emplace(key.M, std::move(*sampled)).first->second;
}

Result<Comparison> CaseGroup::check(size_t i, gpu::MeasuredCall& call) {
  HB_TRY(const SampledCheck* sampled, reference(i));
  HB_TRY(const HostTensor output, call.run_once(y_key_));
  const Plan& plan = call.plan();
  return halfbyte::check(*sampled, output,
                         {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations});
}

Result<std::vector<BenchRow>> measure_group(gpu::Kernel& kernel, CaseGroup& group, const BenchChoice& choice,
                                            const SessionOptions& options, gpu::Stopwatch& watch,
                                            const DeviceRecord* peaks,
                                            const std::function<void(const std::string&)>& progress) {
  const Package& package = kernel.package();
  const DeviceProfile& profile = kernel.device().profile();
  std::vector<Job> jobs;
  std::vector<std::vector<Unit>> units;
  std::map<std::string, Unit> known_units;
  for (size_t i = 0; i < group.cases().size(); ++i) {
    const BenchCase& c = group.cases()[i];
    const BenchRow blank = empty_row(package, c, group.signature(), options, group.weights());
    for (Job& job : plan_case(package, profile, c, i, choice, blank)) jobs.push_back(std::move(job));
    units.push_back(units_of(package, profile, c.problem, known_units));
  }
  for (Job& job : jobs) {
    if (!job.plan) continue;
    auto call = group.prepare(*job.plan);
    if (!call) {
      HB_CHECK(keep(job, call.error()));
    } else {
      job.call = std::move(*call);
    }
  }
  for (Job& job : jobs) {
    if (!job.call) continue;
    if (options.late()) {
      job.row.why = kLate;
      job.call.reset();
      continue;
    }
    if (progress) progress(std::format("{} {}: compiling and checking", job.row.id, job.row.variant));
    if (const auto compiled = job.call->wait(); !compiled) {
      HB_CHECK(keep(job, compiled.error()));
      continue;
    }
    if (const auto unit = unit_of_plan(package, *job.plan)) job.row.unit = *unit;
    if (options.check) HB_CHECK(check_job(group, job));
  }
  for (int round = 0; round < options.rounds + kMoreRounds; ++round) {
    for (Job& job : jobs) {
      if (!job.call || !job.row.why.empty() || (round >= options.rounds && !job.row.unsteady())) continue;
      if (options.late() && job.row.measured()) continue;
      if (progress) progress(std::format("{} {}: measuring", job.row.id, job.row.variant));
      if (options.late())
        job.row.why = kLate;
      else
        HB_CHECK(time_job(watch, job, options.cached));
    }
  }
  std::vector<BenchRow> rows;
  for (Job& job : jobs) {
    if (peaks != nullptr) job.row.limit = limit_of(*peaks, job.row.work, units[job.at], options.cached);
    job.call.reset();
    rows.push_back(std::move(job.row));
  }
  return rows;
}

}  // namespace halfbyte::cmd
#endif
