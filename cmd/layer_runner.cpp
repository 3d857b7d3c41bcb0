#ifdef HALFBYTE_HAS_GPU
#include "layer_runner.hpp"

#include "bench_session.hpp"
#include "gpu/measure_peaks.hpp"
#include "tune/advice.hpp"
#include "verify/operator.hpp"

namespace halfbyte::cmd {
namespace {

// Copies of weights too small to fill a cache: past this many it is not the weights that take the time.
constexpr size_t kMostCopies = 1024;

}  // namespace

std::optional<double> LayerRun::share() const {
  if (!limit || seconds.count == 0 || seconds.median <= 0) return std::nullopt;
  return limit->seconds / seconds.median;
}

LayerRunner::LayerRunner(std::shared_ptr<gpu::Kernel> kernel, SelectOptions select, const DeviceRecord* peaks,
                         const TuningRecords* tuning, gpu::Stopwatch watch)
    : kernel_(std::move(kernel)),
      select_(std::move(select)),
      peaks_(peaks),
      tuning_(tuning),
      watch_(std::move(watch)) {}

Result<LayerRunner> LayerRunner::create(std::shared_ptr<gpu::Kernel> kernel, SelectOptions select,
                                        const DeviceRecord* peaks, const TuningRecords* tuning) {
  const auto& device = kernel->runtime().shared_device();
  HB_TRY(gpu::Stopwatch watch, gpu::Stopwatch::create(device, session_options(*device).measure));
  return LayerRunner(std::move(kernel), std::move(select), peaks, tuning, std::move(watch));
}

Result<void> LayerRunner::load(const gpu::HostTensors& constants) {
  weights_.reset();  // before the next layer's take their room
  const uint64_t rotate = session_options(kernel_->device()).rotate_bytes;
  HB_TRY(weights_, gpu::WeightSets::create(kernel_->shared_runtime(), constants, rotate, kMostCopies));
  return {};
}

Result<std::shared_ptr<const Plan>> LayerRunner::plan(const Problem& problem, LayerRun& run) const {
  const Package& package = kernel_->package();
  static const TuningRecords kNone;
  const RecordKey key{gpu::device_key(kernel_->device()), package.name(), package.hash()};
  HB_TRY(TunedPlan tuned, plan_tuned(package, kernel_->device().profile(), problem,
                                     tuning_ != nullptr ? *tuning_ : kNone, key, select_));
  run.variant = tuned.plan.variant;
  run.demoted = tuned.plan.demoted;
  run.tuned = tuned.measured.has_value();
  run.numerics = {tuned.plan.numerics_accumulate, tuned.plan.numerics_multiply, tuned.plan.numerics_activations};
  return std::make_shared<const Plan>(std::move(tuned.plan));
}

Result<LayerRun> LayerRunner::run(const Problem& problem, const HostTensor& a) {
  const Package& package = kernel_->package();
  HB_TRY(const Operator op, resolve_operator(package, problem));
  LayerRun run;
  HB_TRY(run.work, work_of(package, problem));
  HB_TRY(const auto plan, this->plan(problem, run));

  gpu::SharedTensors activations(kernel_->shared_runtime());
  HB_CHECK(activations.write(op.semantics.a, a));
  HB_TRY(gpu::MeasuredCall call, gpu::MeasuredCall::create(*kernel_, plan, weights_, activations));
  HB_CHECK(call.wait());
  HB_TRY(run.output, call.run_once(op.semantics.y));
  if (plan->empty) return run;
  HB_TRY(const gpu::Timing timing,
         watch_.time([&](const wgpu::ComputePassEncoder& pass, uint64_t i) { return call.record(pass, i); }));
  run.seconds = summarize(timing.seconds);
  if (peaks_ != nullptr) {
    const auto units = units_of(package, kernel_->device().profile(), problem, units_);
    run.limit = limit_of(*peaks_, run.work, units, false);
  }
  return run;
}

}  // namespace halfbyte::cmd
#endif
