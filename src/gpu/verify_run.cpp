#include "gpu/verify_run.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "gpu/host_run.hpp"

namespace halfbyte::gpu {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool same_bits(const HostTensor& a, const HostTensor& b) { return a.data == b.data; }

class Verifier {
 public:
  Verifier(Kernel& kernel, std::span<const Case> cases, const VerifyOptions& options)
      : kernel_(kernel), cases_(cases), options_(options) {
    report_.run_seed = options.run_seed;
  }

  Result<VerifyReport> run() {
    for (const Case& c : cases_) {
      HB_CHECK(run_case(c));
      ++case_index_;
    }
    for (const std::string& variant : kernel_.package().variant_ids()) {
      if (!wanted(variant) || ran_.contains(variant)) continue;
      const auto why = refused_.find(variant);
      report_.skips.push_back({variant, "", why == refused_.end() ? "there are no cases" : why->second});
    }
    return std::move(report_);
  }

 private:
  bool wanted(const std::string& variant) const { return options_.variant.empty() || options_.variant == variant; }

  void fail_row(const Case& c, const std::string& variant, const std::string& why) {
    report_.rows.push_back({c.problem.id, variant, false, why, {}});
  }

  Result<void> run_case(const Case& c) {
    auto data = make_case_data(kernel_.package(), c, options_.run_seed);
    if (!data) {
      fail_row(c, "", "the case cannot be made: " + data.error().to_string());
      return {};
    }
    const auto eligible = eligible_variants(data->problem);
    if (!eligible) {
      fail_row(c, "", "no variant was considered: " + eligible.error().to_string());
      return {};
    }
    if (element_count(data->output.shape) == 0) return run_empty(c, *data);
    if (eligible->empty()) {
      if (options_.variant.empty()) report_.skips.push_back({"", c.problem.id, why_none(data->problem)});
      return {};
    }
    const auto tensors = DeviceTensors::create(kernel_.shared_runtime(), data->inputs,
                                               {{data->output_key, data->output}}, options_.guard);
    if (!tensors) return note_gpu_error(c, "", tensors.error());
    for (const std::string& variant : *eligible) {
      report_progress(c, variant);
      if (auto row = run_variant(c, *data, *tensors, variant); !row) HB_CHECK(note_gpu_error(c, variant, row.error()));
    }
    return {};
  }

  // Nothing to compute: any way of preparing it must succeed and dispatch nothing.
  Result<void> run_empty(const Case& c, const CaseData& data) {
    report_progress(c, "");
    SelectOptions select;
    select.variant = options_.variant;
    const auto call = kernel_.prepare(data.problem, select);
    if (!call) return note_gpu_error(c, "", call.error());
    const auto outputs = gpu::run(**call, data.inputs);
    if (!outputs) return note_gpu_error(c, "", outputs.error());
    const HostTensor& output = outputs->at(data.output_key);
    const bool right = output.data.empty() && output.shape == data.output.shape;
    const std::string& variant = (*call)->plan().variant;
    report_.rows.push_back({c.problem.id, variant, right, right ? "" : "the output has elements", {}});
    ran_[variant] = true;
    return {};
  }

  // In the manifest's order; notes why the others are not.
  Result<std::vector<std::string>> eligible_variants(const Problem& problem) {
    HB_TRY(const std::vector<VariantVerdict> verdicts, explain(kernel_.package(), kernel_.device().profile(), problem));
    std::vector<std::string> eligible;
    for (const VariantVerdict& verdict : verdicts) {
      if (!wanted(verdict.variant)) continue;
      if (verdict.verdict == Verdict::rejected) {
        refused_[verdict.variant] = verdict.why;
      } else {
        eligible.push_back(verdict.variant);
      }
    }
    return eligible;
  }

  std::string why_none(const Problem& problem) const {
    const auto plan = plan_problem(kernel_.package(), kernel_.device().profile(), problem);
    return plan ? "no variant is eligible" : plan.error().message;
  }

  // Adds a row, or nothing when the plan exceeds a limit of the device.
  Result<void> run_variant(const Case& c, const CaseData& data, const DeviceTensors& tensors,
                           const std::string& variant) {
    SelectOptions select;
    select.variant = variant;
    const auto started = Clock::now();
    const auto call = kernel_.prepare(data.problem, select);
    const auto prepared = Clock::now();
    if (!call && (call.error().code == ErrorCode::limit || call.error().code == ErrorCode::not_eligible)) {
      refused_[variant] = call.error().message;
      return {};
    }
    HB_CHECK(call);
    HB_TRY(const std::vector<TensorBinding> bindings, tensors.bindings(**call));
    VerifyRow row{c.problem.id, variant, false, {}, {}};
    row.prepare_seconds = seconds_between(started, prepared);
    HostTensor first;
    for (int i = 0; i < std::max(options_.repeat, 1) && row.why.empty(); ++i) {
      HB_CHECK(tensors.poison_outputs());
      HB_CHECK((*call)->poison_scratch());
      HB_CHECK(run_and_wait(**call, bindings));
      HB_TRY(DeviceTensors::Read read, tensors.read(data.output_key));
      if (!read.guard.empty()) row.why = read.guard;
      if (i == 0) {
        const Plan& plan = (*call)->plan();
        row.comparison = compare(c, data, read.tensor,
                                 {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations});
        if (!row.comparison.pass) row.why = row.comparison.why.empty() ? "the result is wrong" : row.comparison.why;
        first = std::move(read.tensor);
      } else if (!same_bits(first, read.tensor)) {
        row.why = std::format("run {} of {} differs from the first", i + 1, options_.repeat);
      }
    }
    row.run_seconds = seconds_between(prepared, Clock::now());
    row.pass = row.why.empty();
    ran_[variant] = true;
    report_.rows.push_back(std::move(row));
    return {};
  }

  // A lost device ends the run; anything else is that pair's failure.
  Result<void> note_gpu_error(const Case& c, const std::string& variant, const Error& error) {
    if (error.code == ErrorCode::device_lost) return fail(error);
    fail_row(c, variant, error.to_string());
    if (!variant.empty()) ran_[variant] = true;
    return {};
  }

  void report_progress(const Case& c, const std::string& variant) {
    if (!options_.progress) return;
    options_.progress({case_index_, cases_.size(), c.problem.id, variant, report_.passed(), report_.failed()});
  }

  Kernel& kernel_;
  std::span<const Case> cases_;
  const VerifyOptions& options_;
  size_t case_index_ = 0;
  VerifyReport report_;
  std::map<std::string, bool> ran_;
  std::map<std::string, std::string> refused_;
};

}  // namespace

int VerifyReport::passed() const { return static_cast<int>(std::ranges::count(rows, true, &VerifyRow::pass)); }
int VerifyReport::failed() const { return static_cast<int>(std::ranges::count(rows, false, &VerifyRow::pass)); }

double VerifyReport::worst_ratio() const {
  double worst = 0;
  for (const VerifyRow& row : rows) {
    if (row.pass && row.comparison.bound > 0) worst = std::max(worst, row.comparison.error / row.comparison.bound);
  }
  return worst;
}

Result<VerifyReport> verify_package(Kernel& kernel, std::span<const Case> cases, const VerifyOptions& options) {
  const auto& variants = kernel.package().variant_ids();
  if (!options.variant.empty() && !std::ranges::contains(variants, options.variant)) {
    Error error{ErrorCode::invalid_argument, std::format("the package has no variant '{}'", options.variant), {}, {}};
    for (const std::string& id : variants) error.notes.push_back(id);
    return fail(std::move(error));
  }
  return Verifier(kernel, cases, options).run();
}

}  // namespace halfbyte::gpu
