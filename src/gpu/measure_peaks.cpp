#include "gpu/measure_peaks.hpp"

#include <algorithm>

#include "bench/peaks.hpp"
#include "bench/statistics.hpp"
#include "gpu/buffers.hpp"
#include "gpu/measure_call.hpp"
#include "manifest/manifest.hpp"

namespace halfbyte::gpu {
namespace {

constexpr int64_t kCheckIterations = 5;
constexpr int64_t kMostIterations = int64_t{1} << 22;
constexpr uint64_t kLeastMemory = uint64_t{16} << 20;

std::vector<std::string> tunables_of(PeakKind kind) {
  switch (kind) {
    case PeakKind::fma:
    case PeakKind::dot: return {"GROUPS", "CHAINS"};
    case PeakKind::matrix: return {"MATRIX_GROUPS", "TILES"};
    case PeakKind::read:
    case PeakKind::copy: return {"MEMORY_GROUPS", "LOADS"};
    case PeakKind::dispatch: return {};
  }
  return {};
}

struct Measured {
  PeakSetting setting;
  Summary per_dispatch;
  double value = 0;
};

class Meter {
 public:
  Meter(Kernel& kernel, const PeakOptions& options, Stopwatch& watch)
      : kernel_(kernel), options_(options), watch_(watch), shared_(kernel.shared_runtime()) {}

  // The filled buffer that reading and copying start from.
  Result<void> fill_memory() {
    const DeviceProfile& profile = kernel_.device().profile();
    memory_bytes_ = std::min({options_.memory_bytes, kernel_.device().limit("maxStorageBufferBindingSize"),
                              kernel_.device().limit("maxBufferSize")});
    for (;;) {
      // To whole chunks, as make_peak_run does.
      const PeakRequest read{{"read", PeakKind::read}, "read"};
      memory_bytes_ = make_peak_run(read, profile, setting({}), 0).memory_bytes;
      const Result<void> filled = fill();
      if (filled || filled.error().code != ErrorCode::out_of_memory || memory_bytes_ / 2 < kLeastMemory) return filled;
      memory_bytes_ /= 2;
    }
  }

  Result<Peak> measure(const PeakRequest& request) {
    std::vector<Measured> all;
    HB_CHECK(each_setting(request, [&](const PeakSetting& s) -> Result<void> {
      HB_TRY(Measured one, time(request, s));
      all.push_back(std::move(one));
      return {};
    }));
    std::ranges::sort(all, std::greater(),
                      [&](const Measured& m) { return request.peak.kind == PeakKind::dispatch ? -m.value : m.value; });
    Peak peak = request.peak;
    for (const Measured& best : all) {
      const Result<void> right = check(request, best.setting);
      if (!right) {
        peak.why = right.error().message;
        continue;
      }
      peak.why.clear();
      peak.checked = true;
      peak.value = best.value;
      peak.spread = best.per_dispatch.spread();
      for (const std::string& name : tunables_of(peak.kind))
        peak.settings[name] = best.setting.tunables.find(name)->second;
      break;
    }
    return peak;
  }

 private:
  PeakSetting setting(const Tunables& chosen) const {
    PeakSetting s;
    for (const TunableSpec& spec : kernel_.package().manifest().tunables) {
      const double least = spec.values.empty() ? spec.default_value : *std::ranges::min_element(spec.values);
      s.tunables[spec.name] = options_.thorough ? spec.default_value : least;
    }
    for (const auto& [name, value] : chosen) s.tunables[name] = value;
    s.memory_bytes = memory_bytes_;
    return s;
  }

  Result<void> each_setting(const PeakRequest& request,
                            const std::function<Result<void>(const PeakSetting&)>& body) const {
    std::vector<Tunables> settings{{}};
    for (const std::string& name : tunables_of(request.peak.kind)) {
      const auto& specs = kernel_.package().manifest().tunables;
      const auto spec = std::ranges::find(specs, name, &TunableSpec::name);
      if (spec == specs.end() || !options_.thorough) continue;
      std::vector<Tunables> more;
      for (const Tunables& s : settings) {
        for (const double value : spec->values) {
          more.push_back(s);
          more.back()[name] = value;
        }
      }
      settings = std::move(more);
    }
    for (const Tunables& s : settings) HB_CHECK(body(setting(s)));
    return {};
  }

  Result<MeasuredCall> prepare(const PeakRun& run) {
    HB_TRY(Plan plan, plan_problem(kernel_.package(), kernel_.device().profile(), run.problem));
    HB_TRY(MeasuredCall call,
           MeasuredCall::create(kernel_, std::make_shared<const Plan>(std::move(plan)), nullptr, shared_));
    if (!run.x.data.empty()) HB_CHECK(shared_.write("xT", run.x));
    HB_CHECK(call.wait());
    return call;
  }

  Result<void> fill() {
    // Its output is the others' input.
    const PeakRun run = make_fill_run(kernel_.device().profile(), memory_bytes_);
    HB_TRY(Plan plan, plan_problem(kernel_.package(), kernel_.device().profile(), run.problem));
    HB_TRY(const auto call, kernel_.prepare(std::make_shared<const Plan>(std::move(plan))));
    HB_TRY(memory_, create_buffer(kernel_.device(), "memory", memory_bytes_, kTensorUsage));
    std::vector<TensorBinding> tensors;
    for (const CallTensor& tensor : call->tensors()) {
      wgpu::Buffer buffer = memory_;
      if (tensor.key != "yT") {
        HB_TRY(buffer, shared_.buffer(tensor.key, tensor.bytes));
      }
      tensors.push_back({tensor.key, buffer, 0, 0});
    }
    return run_and_wait(*call, tensors);
  }

  // Grows the loop until a dispatch is long enough for its start and end not to matter.
  Result<PeakRun> sized_run(const PeakRequest& request, PeakSetting& s) {
    const bool loops = request.peak.kind == PeakKind::fma || request.peak.kind == PeakKind::dot ||
                       request.peak.kind == PeakKind::matrix;
    PeakRun run = make_peak_run(request, kernel_.device().profile(), s, options_.seed);
    if (!loops) return run;
    HB_TRY(Timer timer, Timer::create(kernel_.runtime().shared_device(), 2));
    s.iterations = last_iterations_;
    for (int tries = 0; tries < 40; ++tries) {
      run = make_peak_run(request, kernel_.device().profile(), s, options_.seed);
      HB_TRY(MeasuredCall call, prepare(run));
      HB_TRY(const std::vector<double> seconds,
             timer.measure(
                 2, [&](uint32_t span, const wgpu::ComputePassEncoder& pass) { return call.record(pass, span); }));
      const double taken = std::min(seconds[0], seconds[1]);
      if (taken > 4 * options_.dispatch_seconds && s.iterations > 1) {
        s.iterations = std::max(
            int64_t{1}, static_cast<int64_t>(static_cast<double>(s.iterations) * options_.dispatch_seconds / taken));
        continue;
      }
      if (taken >= 0.7 * options_.dispatch_seconds || s.iterations >= kMostIterations) break;
      const double factor = taken > 0 ? std::clamp(1.1 * options_.dispatch_seconds / taken, 1.1, 16.0) : 16.0;
      s.iterations = std::min(kMostIterations, static_cast<int64_t>(static_cast<double>(s.iterations) * factor) + 1);
    }
    last_iterations_ = s.iterations;
    return run;
  }

  Result<MeasuredCall> prepare_any(const PeakRequest& request, const PeakRun& run) {
    if (request.peak.kind != PeakKind::read && request.peak.kind != PeakKind::copy) return prepare(run);
    shared_.put("xT", memory_);
    return prepare(run);
  }

  Result<Measured> time(const PeakRequest& request, PeakSetting s) {
    HB_TRY(const PeakRun run, sized_run(request, s));
    HB_TRY(MeasuredCall call, prepare_any(request, run));
    HB_TRY(const Timing timing,
           watch_.time([&](const wgpu::ComputePassEncoder& pass, uint64_t i) { return call.record(pass, i); }));
    Measured measured{s, halfbyte::summarize(timing.seconds), 0};
    double subgroups = 1;
    if (request.peak.kind == PeakKind::matrix) {
      HB_TRY(const HostTensor info, read("infoT", 0, 16));
      subgroups = info.as<const uint32_t>()[0];
    }
    const double work = peak_work(request, run, subgroups);
    measured.value =
        request.peak.kind == PeakKind::dispatch ? measured.per_dispatch.median : work / measured.per_dispatch.median;
    return measured;
  }

  Result<HostTensor> read(const std::string& key, uint64_t offset, uint64_t bytes) {
    HB_TRY(const wgpu::Buffer buffer, shared_.buffer(key, offset + bytes));
    HB_TRY(std::vector<std::byte> data, read_buffer(kernel_.device(), key, buffer, offset, bytes));
    return HostTensor{DType::uint32, {static_cast<int64_t>(bytes / 4)}, std::move(data)};
  }

  // After as many iterations as were timed, and after so few that even f16 sums are exact.
  Result<void> check(const PeakRequest& request, const PeakSetting& timed) {
    HB_CHECK(check_once(request, timed));
    PeakSetting few = timed;
    few.iterations = kCheckIterations;
    return few.iterations == timed.iterations ? Result<void>() : check_once(request, few);
  }

  Result<void> check_once(const PeakRequest& request, const PeakSetting& s) {
    const PeakRun run = make_peak_run(request, kernel_.device().profile(), s, options_.seed);
    HB_TRY(MeasuredCall call, prepare_any(request, run));
    const bool chain = request.peak.kind == PeakKind::dispatch;
    if (chain) HB_CHECK(shared_.write("yT", HostTensor::zeros(DType::uint32, {4})));
    constexpr int64_t kChain = 1000;
    HB_CHECK(submit(call, chain ? kChain : 1));
    HB_TRY(const HostTensor info, read("infoT", 0, 16));
    const uint64_t bytes = call.plan().outputs.front().second.shape[0] * uint64_t{4};
    // Of a copy, its beginning, a part in the middle and its end.
    const uint64_t window = request.peak.kind == PeakKind::copy ? std::min(bytes, uint64_t{1} << 20) : bytes;
    for (const uint64_t at : {uint64_t{0}, (bytes - window) / 2 / 4 * 4, bytes - window}) {
      HB_TRY(const HostTensor y, read("yT", at, window));
      HB_CHECK(check_peak(request, run, y, info, kChain, at / 4));
      if (window == bytes) break;
    }
    return {};
  }

  Result<void> submit(MeasuredCall& call, int64_t dispatches) {
    HB_TRY(Timer timer, Timer::create(kernel_.runtime().shared_device(), 1));
    const auto times = timer.measure(1, [&](uint32_t, const wgpu::ComputePassEncoder& pass) -> Result<void> {
      for (int64_t i = 0; i < dispatches; ++i) HB_CHECK(call.record(pass, static_cast<uint64_t>(i)));
      return {};
    });
    return times ? Result<void>() : std::unexpected(times.error());
  }

  Kernel& kernel_;
  const PeakOptions& options_;
  Stopwatch& watch_;
  SharedTensors shared_;
  wgpu::Buffer memory_;
  uint64_t memory_bytes_ = 0;
  int64_t last_iterations_ = kCheckIterations;
};

}  // namespace

PeakOptions peak_options(const Device& device) {
  PeakOptions options;
  options.measure.rules.target_seconds = 4e-3;
  options.measure.rules.samples = 7;
  if (device.info().adapter.type != "CPU") return options;
  options.measure = cpu_measure_options();
  options.measure.rules.target_seconds = 4e-3;
  options.memory_bytes = kLeastMemory;
  options.thorough = false;
  return options;
}

Result<DeviceRecord> measure_peaks(Kernel& kernel, const PeakOptions& options) {
  HB_TRY(Stopwatch watch, Stopwatch::create(kernel.runtime().shared_device(), options.measure));
  DeviceRecord record;
  record.key = device_key(kernel.device());
  record.package = kernel.package().hash();
  Meter meter(kernel, options, watch);
  const Result<void> filled = meter.fill_memory();
  for (const PeakRequest& request : peak_requests(kernel.device().profile())) {
    HB_CHECK(kernel.device().check());
    if (options.progress) options.progress(request.peak.id);
    Peak peak = request.peak;
    const bool memory = peak.kind == PeakKind::read || peak.kind == PeakKind::copy;
    if (memory && !filled) peak.why = filled.error().message;
    if (peak.why.empty()) {
      auto measured = meter.measure(request);
      if (measured) {
        peak = std::move(*measured);
      } else {
        peak.why = measured.error().message;
      }
    }
    record.peaks.push_back(std::move(peak));
  }
  record.clock = watch.clock();
  return record;
}

DeviceKey device_key(const Device& device) {
  return halfbyte::device_key(device.profile().adapter, device.info().adapter.backend, device.info().webgpu);
}

}  // namespace halfbyte::gpu
