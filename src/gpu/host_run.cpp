#include "gpu/host_run.hpp"

#include <algorithm>

#include "gpu/buffers.hpp"

namespace halfbyte::gpu {
namespace {

constexpr std::byte kInputGuard{0xFF};  // NaN in every float type, the largest code in every integer one
constexpr std::byte kOutputGuard{0xA5};
constexpr std::byte kPoison{0xFF};

std::string check_guard(std::span<const std::byte> guard) {
  const auto changed = std::ranges::find_if(guard, [](std::byte b) { return b != kOutputGuard; });
  if (changed == guard.end()) return {};
  return std::format("byte {} after the output's end was overwritten ({:02x} instead of {:02x})",
                     changed - guard.begin(), static_cast<int>(*changed), static_cast<int>(kOutputGuard));
}

// For messages: "com.microsoft.MatMulNBits/gemv (dispatch main 128x1x1)".
std::string named(const Plan& plan) {
  std::string text = plan.package + "/" + plan.variant;
  for (const PassPlan& pass : plan.passes)
    text += std::format("{}{} {}x{}x{}", &pass == plan.passes.data() ? " (dispatch " : ", ", pass.id, pass.dispatch[0],
                        pass.dispatch[1], pass.dispatch[2]);
  return plan.passes.empty() ? text : text + ")";
}

}  // namespace

Result<DeviceTensors> DeviceTensors::create(std::shared_ptr<Runtime> runtime, const HostTensors& inputs,
                                            const std::vector<std::pair<std::string, TensorDesc>>& outputs,
                                            uint64_t guard) {
  DeviceTensors tensors;
  tensors.runtime_ = std::move(runtime);
  for (const auto& [key, tensor] : inputs) HB_CHECK(tensors.add(key, tensor.desc(), &tensor, guard));
  for (const auto& [key, desc] : outputs) HB_CHECK(tensors.add(key, desc, nullptr, guard));
  return tensors;
}

DeviceTensors::~DeviceTensors() {
  for (const Entry& entry : entries_) {
    if (entry.buffer) runtime_->forget(entry.buffer);
  }
}

Result<void> DeviceTensors::add(std::string key, const TensorDesc& desc, const HostTensor* contents, uint64_t guard) {
  const Device& device = runtime_->device();
  const auto count = element_count(desc.shape);
  if (!count)
    return fail(ErrorCode::invalid_argument, std::format("{} has an impossible shape {}", key, to_string(desc.shape)));
  Entry entry{std::move(key),      desc,   static_cast<uint64_t>(*count) * byte_size(desc.dtype), guard,
              contents == nullptr, nullptr};
  // A tensor that fills a whole binding has no room for a guard.
  if (round_up(entry.bytes + guard, 4) > device.limit("maxStorageBufferBindingSize")) entry.guard = 0;
  const uint64_t size = round_up(entry.bytes + entry.guard, kTensorPadding);
  HB_TRY(entry.buffer, create_buffer(device, entry.key, size, kTensorUsage));
  if (contents != nullptr) {
    std::vector<std::byte> bytes = contents->data;
    bytes.resize(size, kInputGuard);
    HB_CHECK(write_buffer(device, entry.key, entry.buffer, 0, bytes));
  }
  entries_.push_back(std::move(entry));
  return {};
}

Result<std::vector<TensorBinding>> DeviceTensors::bindings(const PreparedCall& call) const {
  std::vector<TensorBinding> bindings;
  for (const CallTensor& wanted : call.tensors()) {
    const auto found = std::ranges::find(entries_, wanted.key, &Entry::key);
    if (found == entries_.end())
      return fail(ErrorCode::invalid_argument, std::format("input {} was not given", wanted.key));
    if (found->desc != wanted.desc) {
      return fail(ErrorCode::invalid_argument,
                  std::format("{} is {}{}, the call was prepared for {}{}", wanted.key, name(found->desc.dtype),
                              to_string(found->desc.shape), name(wanted.desc.dtype), to_string(wanted.desc.shape)));
    }
    const uint64_t exposed = found->guard == 0 ? 0 : (found->bytes + found->guard) / 4 * 4;
    bindings.push_back({found->key, found->buffer, 0, exposed});
  }
  return bindings;
}

Result<void> DeviceTensors::poison_outputs() const {
  for (const Entry& entry : entries_) {
    if (!entry.output) continue;
    std::vector<std::byte> bytes(entry.buffer.GetSize(), kOutputGuard);
    std::fill_n(bytes.begin(), entry.bytes, kPoison);
    HB_CHECK(write_buffer(runtime_->device(), entry.key, entry.buffer, 0, bytes));
  }
  return {};
}

Result<DeviceTensors::Read> DeviceTensors::read(std::string_view key) const {
  const auto entry = std::ranges::find(entries_, key, &Entry::key);
  if (entry == entries_.end()) return fail(ErrorCode::invalid_argument, std::format("there is no tensor {}", key));
  Read result;
  result.tensor.dtype = entry->desc.dtype;
  result.tensor.shape = entry->desc.shape;
  HB_TRY(result.tensor.data, read_buffer(runtime_->device(), key, entry->buffer, 0, entry->bytes + entry->guard));
  if (entry->output) result.guard = check_guard(std::span(result.tensor.data).subspan(entry->bytes));
  result.tensor.data.resize(entry->bytes);
  return result;
}

Result<void> run_and_wait(PreparedCall& call, std::span<const TensorBinding> tensors) {
  const Device& device = call.runtime().device();
  HB_CHECK(device.check());
  const wgpu::CommandEncoder encoder = device.wgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  const Result<void> recorded = call.record(pass, tensors);
  pass.End();
  const std::string name = named(call.plan());
  HB_CHECK(device.scoped("running " + name, [&] {
    const wgpu::CommandBuffer commands = encoder.Finish();
    if (recorded) device.submit(commands, name);
  }));
  HB_CHECK(recorded);
  return device.finish(name);
}

Result<HostTensors> run(PreparedCall& call, const HostTensors& inputs) {
  HB_TRY(const DeviceTensors tensors,
         DeviceTensors::create(call.runtime().shared_from_this(), inputs, call.plan().outputs));
  HB_TRY(const std::vector<TensorBinding> bindings, tensors.bindings(call));
  HB_CHECK(run_and_wait(call, bindings));
  HostTensors outputs;
  for (const auto& [key, desc] : call.plan().outputs) {
    HB_TRY(DeviceTensors::Read read, tensors.read(key));
    outputs.emplace(key, std::move(read.tensor));
  }
  return outputs;
}

}  // namespace halfbyte::gpu
