#include "gpu/program_cache.hpp"

#include <chrono>
#include <optional>

#include "gpu/gpu_error.hpp"

namespace halfbyte::gpu {
namespace {

using Clock = std::chrono::steady_clock;

wgpu::BufferBindingType binding_type(const PlanBinding& binding) {
  if (binding.kind == BindingKind::uniform) return wgpu::BufferBindingType::Uniform;
  return binding.access == Access::read ? wgpu::BufferBindingType::ReadOnlyStorage : wgpu::BufferBindingType::Storage;
}

std::string signature(const PassPlan& pass) {
  std::string text;
  for (const PlanBinding& binding : pass.bindings)
    text += static_cast<char>('a' + static_cast<int>(binding_type(binding)));
  return text;
}

// Where WebGPU's callback leaves its answer. It may come when nobody waits any more, so it is shared with the callback.
struct Answer {
  bool given = false;
  wgpu::ComputePipeline pipeline;
  std::string message;
};

}  // namespace

// `mutex` is held by whoever starts or waits for the program; the others wait for them. WaitAnyOnly callbacks run in WaitAny
// alone: with spontaneous ones Dawn deadlocks when the device goes while a pipeline is being compiled (its destruction holds the device's
// lock and waits for the callback, which wants that lock).
class PendingProgram {
 public:
  bool refused = false;  // by a test
  std::mutex mutex;
  Hash128 key;
  std::string label;
  Clock::time_point started = Clock::now();
  wgpu::Future future;
  std::shared_ptr<Answer> answer = std::make_shared<Answer>();
  wgpu::BindGroupLayout layout;
  std::optional<Result<Program>> result;
};

Result<ProgramCache::Layout> ProgramCache::layout(const PassPlan& pass) {
  const std::scoped_lock lock(layout_mutex_);
  const std::string key = signature(pass);
  if (const auto found = layouts_.find(key); found != layouts_.end()) return found->second;

  std::vector<wgpu::BindGroupLayoutEntry> entries(pass.bindings.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].binding = static_cast<uint32_t>(i);
    entries[i].visibility = wgpu::ShaderStage::Compute;
    entries[i].buffer.type = binding_type(pass.bindings[i]);
  }
  wgpu::BindGroupLayoutDescriptor group;
  group.label = std::string_view(key);
  group.entryCount = entries.size();
  group.entries = entries.data();
  Layout made;
  HB_CHECK(device_->scoped("binding layout of " + pass.label, [&] {
    made.group = device_->wgpu().CreateBindGroupLayout(&group);
    wgpu::PipelineLayoutDescriptor pipeline;
    pipeline.bindGroupLayoutCount = 1;
    pipeline.bindGroupLayouts = &made.group;
    made.pipeline = device_->wgpu().CreatePipelineLayout(&pipeline);
  }));
  layouts_[key] = made;
  return made;
}

// Precondition: the caller holds pending.mutex.
Result<void> ProgramCache::compile(const PassPlan& pass, const ShaderSource& source, PendingProgram& pending) {
  HB_TRY(const std::string wgsl, source(pass));
  HB_TRY(const Layout layout, this->layout(pass));
  wgpu::ShaderSourceWGSL text;
  text.code = std::string_view(wgsl);
  wgpu::ShaderModuleDescriptor module_descriptor;
  module_descriptor.nextInChain = &text;
  module_descriptor.label = std::string_view(pass.label);
  wgpu::ShaderModule module;
  HB_CHECK(device_->scoped("shader " + pass.label,
                           [&] { module = device_->wgpu().CreateShaderModule(&module_descriptor); }));

  wgpu::ComputePipelineDescriptor descriptor;
  descriptor.label = std::string_view(pass.label);
  descriptor.layout = layout.pipeline;
  descriptor.compute.module = module;
  pending.layout = layout.group;
  pending.future = device_->wgpu().CreateComputePipelineAsync(
      &descriptor, wgpu::CallbackMode::WaitAnyOnly,
      [answer = pending.answer](wgpu::CreatePipelineAsyncStatus status, wgpu::ComputePipeline pipeline,
                                wgpu::StringView message) {
        answer->given = true;
        answer->message = std::string_view(message);
        if (status == wgpu::CreatePipelineAsyncStatus::Success) answer->pipeline = std::move(pipeline);
      });
  pending.refused = device_->faulty(FaultPoint::pipeline, pass.label);
  return {};
}

Result<std::vector<ProgramHandle>> ProgramCache::start(std::span<const PassPlan> passes, const ShaderSource& source) {
  HB_CHECK(device_->check());
  std::vector<ProgramHandle> handles;
  for (const PassPlan& pass : passes) {
    const auto fresh = std::make_shared<PendingProgram>();
    fresh->key = pass.program;
    fresh->label = pass.label;
    const std::scoped_lock started(fresh->mutex);
    {
      const std::scoped_lock lock(mutex_);
      const auto [entry, inserted] = programs_.emplace(pass.program, fresh);
      handles.push_back(entry->second);
      if (!inserted) {
        stats_.hits += 1;
        continue;
      }
    }
    if (auto compiling = compile(pass, source, *fresh); !compiling) {
      fresh->result = fail(compiling.error());  // for threads that wait for the same program
      settle(*fresh);
      return fail(compiling.error());
    }
  }
  return handles;
}

// Counts a program whose result is there. Precondition: the caller holds pending.mutex.
void ProgramCache::settle(PendingProgram& pending) {
  const std::scoped_lock lock(mutex_);
  (*pending.result ? stats_.compiled : stats_.failed) += 1;
  stats_.compile_seconds += std::chrono::duration<double>(Clock::now() - pending.started).count();
  if (*pending.result) return;
  const auto found = programs_.find(pending.key);
  if (found != programs_.end() && found->second.get() == &pending) programs_.erase(found);
}

Result<std::vector<Program>> ProgramCache::wait(std::span<const ProgramHandle> handles) {
  std::vector<Program> programs;
  for (const ProgramHandle& pending : handles) {
    const std::scoped_lock lock(pending->mutex);
    if (!pending->result) {
      // Not kept as the program's result: a timeout says nothing of the program, and the device may be asked again.
      HB_CHECK(device_->wait(pending->future, "compiling " + pending->label));
      const Answer& answer = *pending->answer;
      pending->result = answer.pipeline && !pending->refused
                            ? Result<Program>(Program{answer.pipeline, pending->layout})
                            : fail(gpu_error(ErrorCode::gpu, "pipeline of " + pending->label, answer.message));
      settle(*pending);
    }
    if (!*pending->result) return fail(pending->result->error());
    programs.push_back(**pending->result);
  }
  return programs;
}

bool ProgramCache::ready(const ProgramHandle& pending) {
  const std::unique_lock lock(pending->mutex, std::try_to_lock);
  if (!lock) return false;
  return pending->result || pending->answer->given ||
         device_->instance().WaitAny(pending->future, 0) == wgpu::WaitStatus::Success;
}

bool ProgramCache::failed(const ProgramHandle& pending) { return ready(pending) && !wait(std::span(&pending, 1)); }

Result<std::vector<Program>> ProgramCache::get(std::span<const PassPlan> passes, const ShaderSource& source) {
  HB_TRY(const std::vector<ProgramHandle> handles, start(passes, source));
  return wait(handles);
}

ProgramStats ProgramCache::stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

}  // namespace halfbyte::gpu
