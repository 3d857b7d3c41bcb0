#include "halfbyte/halfbyte.hpp"

#include "gpu/device.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "gpu/persistent_cache.hpp"
#include "gpu/prepared_call.hpp"
#include "gpu/runtime.hpp"
#include "io/files.hpp"
#include "io/kernel_path.hpp"

namespace halfbyte {

Result<Device> Device::open(const DeviceOptions& options) {
  gpu::OpenOptions open;
  open.adapter = options.adapter;
  open.robustness = options.robustness;
  if (options.program_cache) open.cache = gpu::persistent_cache();
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
  return {.programs_compiled = stats.programs.compiled,
          .program_hits = stats.programs.hits,
          .compile_seconds = stats.programs.compile_seconds,
          .bind_groups = stats.bind_groups,
          .scratch_bytes = stats.scratch_bytes,
          .packed_weights = stats.packed_copies,
          .packed_bytes = stats.packed_bytes};
}

void Device::forget(const wgpu::Buffer& buffer) const { runtime_->forget(buffer); }

std::span<const CallTensor> Call::tensors() const { return call_->tensors(); }
const std::string& Call::variant() const { return call_->plan().variant; }
bool Call::ready() const { return call_->ready(); }
Result<void> Call::wait() const { return call_->wait(); }

Result<void> Call::record(const wgpu::ComputePassEncoder& pass, std::span<const TensorBinding> tensors) const {
  return call_->record(pass, tensors);
}

Result<HostTensors> Call::run(const HostTensors& inputs) const { return gpu::run(*call_, inputs); }

Result<Kernel> Kernel::load(const Device& device, const std::string& package) {
  std::string path = package;
  // A name has no '/', and a folder is taken as one when it holds a manifest.
  auto loaded = load_package(path);
  if (!loaded && loaded.error().code == ErrorCode::not_found && !package.contains('/')) {
    HB_TRY(path, find_package(package));
    loaded = load_package(path);
  }
  if (!loaded) return fail(std::move(loaded).error());
  return create(device, *loaded);
}

Kernel Kernel::create(const Device& device, const Package& package) {
  return Kernel(gpu::Kernel::create(device.runtime_, package));
}

Result<Call> Kernel::prepare(const Problem& problem) const {
  HB_TRY(auto call, kernel_->prepare(problem));
  return Call(std::move(call));
}

Result<void> Kernel::warm_up(std::span<const Problem> problems) const {
  HB_CHECK(kernel_->warm_up(problems, {}, /*wait=*/false));
  return {};
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
