#include "halfbyte/halfbyte.hpp"

#include <cstdlib>

#include "gpu/device.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "gpu/persistent_cache.hpp"
#include "gpu/prepared_call.hpp"
#include "gpu/runtime.hpp"
#include "io/built_in.hpp"
#include "io/files.hpp"
#include "io/kernel_path.hpp"

namespace halfbyte {

uint32_t version() { return HALFBYTE_VERSION_NUMBER; }

Result<Device> Device::open(const DeviceOptions& options) {
  gpu::OpenOptions open;
  open.adapter = options.adapter;
  open.robustness = options.robustness;
  open.limits = options.limits;
  if (options.program_cache) open.cache = gpu::persistent_cache(options.cache_folder);
  HB_TRY(auto device, gpu::Device::open(open));
  return Device(gpu::Runtime::create(std::move(device)));
}

Result<Device> Device::adopt(const wgpu::Device& theirs) {
  HB_TRY(auto device, gpu::Device::adopt(theirs));
  return Device(gpu::Runtime::create(std::move(device)));
}

const wgpu::Device& Device::webgpu() const { return runtime_->device().wgpu(); }

std::string Device::name() const {
  const gpu::AdapterSummary& adapter = runtime_->device().info().adapter;
  return std::format("{} ({}, {})", adapter.name, adapter.backend, adapter.type);
}

std::string Device::profile_json() const { return to_json_text(runtime_->device().profile()); }

Statistics Device::statistics() const {
  const gpu::RuntimeStats stats = runtime_->stats();
  const gpu::CacheStats cache = runtime_->device().cache_stats();
  return {.programs_compiled = stats.programs.compiled,
          .program_hits = stats.programs.hits,
          .compile_seconds = stats.programs.compile_seconds,
          .cache_hits = cache.hits,
          .cache_misses = cache.misses,
          .cache_bytes_read = cache.bytes_read,
          .cache_bytes_written = cache.bytes_written,
          .bind_groups = stats.bind_groups,
          .uniform_buffers = stats.uniform_buffers,
          .scratch_bytes = stats.scratch_bytes,
          .prepack_runs = stats.prepack_runs,
          .packed_weights = stats.packed_copies,
          .packed_bytes = stats.packed_bytes,
          .dropped_bytes = stats.dropped_bytes};
}

void Device::forget(const wgpu::Buffer& buffer) const { runtime_->forget(buffer); }

Result<uint64_t> Device::drop_original(const wgpu::Buffer& buffer) const { return runtime_->drop_original(buffer); }

std::span<const CallTensor> Call::tensors() const { return call_->tensors(); }
const std::string& Call::variant() const { return call_->plan().variant; }
std::span<const std::string> Call::packed_inputs() const { return call_->plan().prepacked_inputs; }
uint64_t Call::parts() const { return call_->plan().parts; }
bool Call::ready() const { return call_->ready(); }
Result<void> Call::wait() const { return call_->wait(); }

Result<void> Call::record(const wgpu::ComputePassEncoder& pass, std::span<const TensorBinding> tensors) const {
  return call_->record(pass, tensors);
}

Result<HostTensors> Call::run(const HostTensors& inputs) const { return gpu::run(*call_, inputs); }

size_t WarmUp::total() const { return progress_->total(); }
size_t WarmUp::done() const { return progress_->done(); }
Result<void> WarmUp::wait() const { return progress_->wait(); }

Result<Kernel> Kernel::load(const Device& device, const std::string& package) {
  // A folder is taken as one when it holds a manifest; a name has no '/'.
  auto loaded = load_package(package);
  if (!loaded && loaded.error().code == ErrorCode::not_found && !package.contains('/')) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
    const char* kernels = std::getenv("HALFBYTE_KERNELS");
    if (kernels != nullptr && *kernels != '\0') {
      HB_TRY(const std::string path, find_package(package));
      loaded = load_package(path);
    } else {
      loaded = built_in_package(package);
    }
  }
  if (!loaded) return fail(std::move(loaded).error());
  return create(device, *loaded);
}

Kernel Kernel::create(const Device& device, const Package& package) {
  return Kernel(gpu::Kernel::create(device.runtime_, package));
}

std::vector<std::string> Kernel::built_in() { return built_in_packages(); }

Result<Call> Kernel::prepare(const Problem& problem, const PrepareOptions& options) const {
  HB_TRY(auto call,
         kernel_->prepare(problem, {.variant = options.variant, .prefer = {}, .exclude = {}}, options.dropped));
  return Call(std::move(call));
}

WarmUp Kernel::warm_up(std::vector<Problem> problems) const {
  std::vector<std::pair<Problem, PrepareOptions>> wanted;
  for (Problem& problem : problems) wanted.emplace_back(std::move(problem), PrepareOptions());
  return warm_up(std::move(wanted));
}

WarmUp Kernel::warm_up(std::vector<std::pair<Problem, PrepareOptions>> problems) const {
  std::vector<gpu::Kernel::Wanted> wanted;
  for (auto& [problem, options] : problems) {
    wanted.push_back({std::move(problem), {.variant = options.variant, .prefer = {}, .exclude = {}}, options.dropped});
  }
  auto progress = kernel_->warm_up_in_background(std::move(wanted));
  return {kernel_, std::move(progress)};
}

Result<JoinedWeights> Kernel::join(const TensorDesc& activations, std::span<const Weights> parts) const {
  return join_weights(kernel_->package(), activations, parts);
}

Result<HostTensors> Kernel::run(const std::map<std::string, AttrValue, std::less<>>& attributes,
                                const HostTensors& inputs) const {
  Problem problem;
  problem.attrs = attributes;
  for (const auto& [key, tensor] : inputs) problem.inputs[key] = tensor.desc();
  HB_TRY(const Call call, prepare(problem));
  return call.run(inputs);
}

}  // namespace halfbyte
