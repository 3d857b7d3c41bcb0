#ifdef HALFBYTE_HAS_GPU
#include "layer_runner.hpp"

#include <algorithm>
#include <cmath>

namespace halfbyte::cmd {
namespace {

constexpr uint32_t kSamples = 21;
// A sample spans this many steps of the clock, so that a step more or less is 2 %.
constexpr double kSteps = 50;
// And its work this long at most: a long submit can get the device reset.
constexpr double kLongestSample = 0.05;
constexpr int kMostRepetitions = 1000;
// Bytes watched after each tensor.
constexpr uint64_t kGuard = 64;

int repetitions(double seconds, double step) {
  if (step <= 0) return 1;
  // A time below the clock's step was seen as 0: take half a step for it and look again.
  const double once = std::max(seconds, step / 2);
  const double wanted = std::ceil(kSteps * step / once);
  const double allowed = std::max(1.0, kLongestSample / once);
  return static_cast<int>(std::clamp(wanted, 1.0, std::min(allowed, double{kMostRepetitions})));
}

double quantile(std::vector<double>& values, double q) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

Result<LayerRunner> LayerRunner::create(std::shared_ptr<gpu::Kernel> kernel, SelectOptions select) {
  HB_TRY(gpu::Timer timer, gpu::Timer::create(kernel->runtime().shared_device(), kSamples));
  return LayerRunner(std::move(kernel), std::move(select), std::move(timer));
}

// Seconds of one call each.
Result<std::vector<double>> LayerRunner::samples(gpu::PreparedCall& call, std::span<const gpu::TensorBinding> bindings) {
  int repeat = 1;
  const auto record = [&](uint32_t, const wgpu::ComputePassEncoder& pass) -> Result<void> {
    for (int i = 0; i < repeat; ++i) HB_CHECK(call.record(pass, bindings));
    return {};
  };
  HB_TRY(const std::vector<double> first, timer_.measure(3, record));  // also warms up
  repeat = repetitions(*std::ranges::min_element(first), timer_.step_seconds());
  HB_TRY(std::vector<double> seconds, timer_.measure(kSamples, record));
  for (double& s : seconds) s /= repeat;
  return seconds;
}

Result<LayerRun> LayerRunner::run(const Problem& problem, const gpu::HostTensors& inputs) {
  HB_TRY(const auto call, kernel_->prepare(problem, select_));
  const Plan& plan = call->plan();
  if (plan.outputs.size() != 1)
    return fail(ErrorCode::unsupported, std::format("the package {} has {} outputs, not one", plan.package, plan.outputs.size()));
  HB_TRY(const auto tensors, gpu::DeviceTensors::create(kernel_->shared_runtime(), inputs, plan.outputs, kGuard));
  HB_TRY(const auto bindings, tensors.bindings(*call));
  HB_CHECK(tensors.poison_outputs());
  HB_CHECK(gpu::run_and_wait(*call, bindings));
  HB_TRY(auto read, tensors.read(plan.outputs.front().first));
  if (!read.guard.empty())
    return fail(ErrorCode::gpu, std::format("variant {} wrote past its output: {}", plan.variant, read.guard));

  LayerRun run{.variant = plan.variant, .demoted = plan.demoted};
  run.numerics = {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations};
  run.output = std::move(read.tensor);
  if (plan.empty) return run;
  HB_TRY(std::vector<double> seconds, samples(*call, bindings));
  run.seconds = quantile(seconds, 0.5);
  if (run.seconds > 0) run.spread = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / run.seconds;
  return run;
}

}  // namespace halfbyte::cmd
#endif
