// The C ABI: halfbyte.hpp behind opaque handles.
#include "halfbyte/halfbyte.h"

#include "api/c_convert.hpp"

struct halfbyte_device {
  halfbyte::Device device;
  std::string name, profile;
};
struct halfbyte_kernel {
  halfbyte::Kernel kernel;
};
struct halfbyte_call {
  halfbyte::Call call;
};
struct halfbyte_warm_up {
  halfbyte::WarmUp progress;
};

namespace halfbyte {
namespace {

halfbyte_device* handle_of(Device device) {
  std::string name = device.name(), profile = device.profile_json();
  return new halfbyte_device{std::move(device), std::move(name), std::move(profile)};
}

}  // namespace
}  // namespace halfbyte

using namespace halfbyte;
using namespace halfbyte::c_abi;

extern "C" {

uint32_t halfbyte_version(void) { return HALFBYTE_VERSION_NUMBER; }

const char* halfbyte_status_name(halfbyte_status status) {
  if (status == HALFBYTE_OK) return "ok";
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code)
    if (status_of(static_cast<ErrorCode>(code)) == status) return to_string(static_cast<ErrorCode>(code));
  return "unknown";
}

const char* halfbyte_last_error(void) { return last_error().c_str(); }

halfbyte_status halfbyte_device_open(const halfbyte_device_options* options, halfbyte_device** out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(out, "out"));
    DeviceOptions open;
    if (options != nullptr) {
      HB_TRY(const halfbyte_device_options given, sized(options, "the device options"));
      HB_TRY(open, convert(given));
    }
    HB_TRY(Device device, Device::open(open));
    *out = handle_of(std::move(device));
    return {};
  });
}

halfbyte_status halfbyte_device_adopt(WGPUDevice theirs, halfbyte_device** out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(out, "out"));
    HB_TRY(Device device, Device::adopt(wgpu::Device(theirs)));
    *out = handle_of(std::move(device));
    return {};
  });
}

void halfbyte_device_release(halfbyte_device* device) { delete device; }

WGPUDevice halfbyte_device_webgpu(const halfbyte_device* device) {
  return device == nullptr ? nullptr : device->device.webgpu().Get();
}
const char* halfbyte_device_name(const halfbyte_device* device) {
  return device == nullptr ? "" : device->name.c_str();
}
const char* halfbyte_device_profile_json(const halfbyte_device* device) {
  return device == nullptr ? "" : device->profile.c_str();
}

halfbyte_status halfbyte_device_statistics(const halfbyte_device* device, halfbyte_statistics* out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(device, "the device"));
    const Statistics s = device->device.statistics();
    halfbyte_statistics result{};
    result.programs_compiled = s.programs_compiled;
    result.program_hits = s.program_hits;
    result.compile_seconds = s.compile_seconds;
    result.cache_hits = s.cache_hits;
    result.cache_misses = s.cache_misses;
    result.cache_bytes_read = s.cache_bytes_read;
    result.cache_bytes_written = s.cache_bytes_written;
    result.bind_groups = s.bind_groups;
    result.uniform_buffers = s.uniform_buffers;
    result.scratch_bytes = s.scratch_bytes;
    result.prepack_runs = s.prepack_runs;
    result.packed_weights = s.packed_weights;
    result.packed_bytes = s.packed_bytes;
    result.dropped_bytes = s.dropped_bytes;
    return give(result, out, "the statistics");
  });
}

halfbyte_status halfbyte_device_forget(const halfbyte_device* device, WGPUBuffer buffer) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(device, "the device"));
    HB_CHECK(not_null(buffer, "the buffer"));
    device->device.forget(wgpu::Buffer(buffer));
    return {};
  });
}

halfbyte_status halfbyte_device_drop_original(const halfbyte_device* device, WGPUBuffer buffer, uint64_t* freed) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(device, "the device"));
    HB_CHECK(not_null(buffer, "the buffer"));
    HB_TRY(const uint64_t bytes, device->device.drop_original(wgpu::Buffer(buffer)));
    if (freed != nullptr) *freed = bytes;
    return {};
  });
}

halfbyte_status halfbyte_kernel_load(const halfbyte_device* device, const char* package, halfbyte_kernel** out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(device, "the device"));
    HB_CHECK(not_null(package, "the package"));
    HB_CHECK(not_null(out, "out"));
    HB_TRY(Kernel kernel, Kernel::load(device->device, package));
    *out = new halfbyte_kernel{std::move(kernel)};
    return {};
  });
}

halfbyte_status halfbyte_kernel_load_memory(const halfbyte_device* device, const halfbyte_file* manifest,
                                            const halfbyte_file* templates, size_t template_count,
                                            halfbyte_kernel** out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(device, "the device"));
    HB_CHECK(not_null(manifest, "the manifest"));
    HB_CHECK(array(manifest->text, manifest->size, "the manifest's text"));
    HB_CHECK(array(templates, template_count, "templates"));
    HB_CHECK(not_null(out, "out"));
    std::map<std::string, std::string> texts;
    for (const halfbyte_file& file : std::span(templates, template_count)) {
      HB_CHECK(not_null(file.name, "the name of a template"));
      HB_CHECK(array(file.text, file.size, std::format("the text of {}", file.name)));
      texts[file.name] = std::string(file.text, file.size);
    }
    HB_TRY(const Package package, Package::load({manifest->text, manifest->size}, text(manifest->name), texts));
    *out = new halfbyte_kernel{Kernel::create(device->device, package)};
    return {};
  });
}

void halfbyte_kernel_release(halfbyte_kernel* kernel) { delete kernel; }

halfbyte_status halfbyte_kernel_prepare(const halfbyte_kernel* kernel, const halfbyte_problem* problem,
                                        halfbyte_call** out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(kernel, "the kernel"));
    HB_CHECK(not_null(out, "out"));
    HB_TRY(const FullProblem full, convert(problem));
    HB_TRY(Call call, kernel->kernel.prepare(full.problem, full.options));
    *out = new halfbyte_call{std::move(call)};
    return {};
  });
}

halfbyte_status halfbyte_kernel_warm_up(const halfbyte_kernel* kernel, const halfbyte_problem* const* problems,
                                        size_t count, halfbyte_warm_up** out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(kernel, "the kernel"));
    HB_CHECK(array(problems, count, "problems"));
    std::vector<std::pair<Problem, PrepareOptions>> list;
    for (const halfbyte_problem* problem : std::span(problems, count)) {
      HB_TRY(FullProblem full, convert(problem));
      list.emplace_back(std::move(full.problem), std::move(full.options));
    }
    WarmUp progress = kernel->kernel.warm_up(std::move(list));
    if (out != nullptr) *out = new halfbyte_warm_up{std::move(progress)};
    return {};
  });
}

size_t halfbyte_warm_up_done(const halfbyte_warm_up* warm_up) {
  return warm_up == nullptr ? 0 : warm_up->progress.done();
}

halfbyte_status halfbyte_warm_up_wait(const halfbyte_warm_up* warm_up) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(warm_up, "the warm-up"));
    return warm_up->progress.wait();
  });
}

void halfbyte_warm_up_release(halfbyte_warm_up* warm_up) { delete warm_up; }

void halfbyte_call_release(halfbyte_call* call) { delete call; }

const char* halfbyte_call_variant(const halfbyte_call* call) {
  return call == nullptr ? "" : call->call.variant().c_str();
}

bool halfbyte_call_ready(const halfbyte_call* call) {
  bool ready = false;
  (void)guarded([&]() -> Result<void> {
    HB_CHECK(not_null(call, "the call"));
    ready = call->call.ready();
    return {};
  });
  return ready;
}

halfbyte_status halfbyte_call_wait(const halfbyte_call* call) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(call, "the call"));
    return call->call.wait();
  });
}

size_t halfbyte_call_tensor_count(const halfbyte_call* call) {
  return call == nullptr ? 0 : call->call.tensors().size();
}

halfbyte_status halfbyte_call_tensor(const halfbyte_call* call, size_t index, halfbyte_tensor_info* out) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(call, "the call"));
    const auto tensors = call->call.tensors();
    if (index >= tensors.size())
      return wrong(std::format("there is no tensor {}, the call has {}", index, tensors.size()));
    const CallTensor& tensor = tensors[index];
    halfbyte_tensor_info info{};
    info.desc = {tensor.key.c_str(), c_dtype(tensor.desc.dtype), static_cast<uint32_t>(tensor.desc.shape.size()),
                 tensor.desc.shape.data()};
    info.bytes = tensor.bytes;
    info.output = tensor.output;
    info.packed = std::ranges::contains(call->call.packed_inputs(), tensor.key);
    return give(info, out, "the tensor info");
  });
}

halfbyte_status halfbyte_call_record(const halfbyte_call* call, WGPUComputePassEncoder pass,
                                     const halfbyte_binding* bindings, size_t count) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(call, "the call"));
    HB_CHECK(not_null(pass, "the pass"));
    HB_CHECK(array(bindings, count, "bindings"));
    if (count > kMostBindings)
      return wrong(std::format("{} bindings were given, at most {} are taken", count, kMostBindings));
    std::array<TensorBinding, kMostBindings> tensors;
    for (size_t i = 0; i < count; ++i) {
      HB_CHECK(not_null(bindings[i].key, "the key of a binding"));
      tensors[i] = {bindings[i].key, wgpu::Buffer(bindings[i].buffer), bindings[i].offset, bindings[i].size};
    }
    return call->call.record(wgpu::ComputePassEncoder(pass), std::span(tensors).first(count));
  });
}

halfbyte_status halfbyte_call_run(const halfbyte_call* call, const halfbyte_host_tensor* inputs, size_t input_count,
                                  const halfbyte_host_tensor* outputs, size_t output_count) {
  return guarded([&]() -> Result<void> {
    HB_CHECK(not_null(call, "the call"));
    HB_CHECK(array(inputs, input_count, "inputs"));
    HB_CHECK(array(outputs, output_count, "outputs"));
    return run(call->call, {inputs, input_count}, {outputs, output_count});
  });
}

}  // extern "C"
