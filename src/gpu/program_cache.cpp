#include "gpu/program_cache.hpp"

#include <chrono>

#include "gpu/gpu_error.hpp"

namespace halfbyte::gpu {

// What a pipeline's callback needs, which may come from another thread after the cache is gone.
struct ProgramCache::Shared {
  std::mutex mutex;
  std::unordered_map<Hash128, Future> programs;
  ProgramStats stats;
};

namespace {

using Clock = std::chrono::steady_clock;
using Promise = std::promise<Result<Program>>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

wgpu::BufferBindingType binding_type(const PlanBinding& binding) {
  if (binding.kind == BindingKind::uniform) return wgpu::BufferBindingType::Uniform;
  return binding.access == Access::read ? wgpu::BufferBindingType::ReadOnlyStorage : wgpu::BufferBindingType::Storage;
}

std::string signature(const PassPlan& pass) {
  std::string text;
  for (const PlanBinding& binding : pass.bindings) text += static_cast<char>('a' + static_cast<int>(binding_type(binding)));
  return text;
}

}  // namespace

std::shared_ptr<ProgramCache::Shared> ProgramCache::make_shared() { return std::make_shared<Shared>(); }

ProgramCache::~ProgramCache() = default;

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

Result<void> ProgramCache::compile(const PassPlan& pass, const ShaderSource& source, std::shared_ptr<Promise> promise) {
  HB_TRY(const std::string wgsl, source(pass));
  HB_TRY(const Layout layout, this->layout(pass));
  wgpu::ShaderSourceWGSL text;
  text.code = std::string_view(wgsl);
  wgpu::ShaderModuleDescriptor module_descriptor;
  module_descriptor.nextInChain = &text;
  module_descriptor.label = std::string_view(pass.label);
  wgpu::ShaderModule module;
  HB_CHECK(device_->scoped("shader " + pass.label, [&] { module = device_->wgpu().CreateShaderModule(&module_descriptor); }));

  wgpu::ComputePipelineDescriptor descriptor;
  descriptor.label = std::string_view(pass.label);
  descriptor.layout = layout.pipeline;
  descriptor.compute.module = module;
  // Holds no device: this may be the last thing to run on one of WebGPU's threads, where a device must not be destroyed.
  const auto finished = [shared = shared_, promise, key = pass.program, label = pass.label, group = layout.group,
                         started = Clock::now()](wgpu::CreatePipelineAsyncStatus status, wgpu::ComputePipeline pipeline,
                                                 wgpu::StringView message) {
    const bool ok = status == wgpu::CreatePipelineAsyncStatus::Success;
    const double seconds = seconds_since(started);
    {
      const std::scoped_lock lock(shared->mutex);
      (ok ? shared->stats.compiled : shared->stats.failed) += 1;
      shared->stats.compile_seconds += seconds;
      if (!ok) shared->programs.erase(key);
    }
    promise->set_value(ok ? Result<Program>(Program{std::move(pipeline), group, seconds})
                          : fail(gpu_error(ErrorCode::gpu, "pipeline of " + label, message)));
  };
  device_->wgpu().CreateComputePipelineAsync(&descriptor, wgpu::CallbackMode::AllowSpontaneous, finished);
  return {};
}

Result<std::vector<ProgramCache::Future>> ProgramCache::start(std::span<const PassPlan> passes, const ShaderSource& source) {
  HB_CHECK(device_->check());
  std::vector<Future> futures;
  for (const PassPlan& pass : passes) {
    std::shared_ptr<Promise> promise;
    {
      const std::scoped_lock lock(shared_->mutex);
      const auto found = shared_->programs.find(pass.program);
      if (found != shared_->programs.end()) {
        shared_->stats.hits += 1;
        futures.push_back(found->second);
        continue;
      }
      promise = std::make_shared<Promise>();
      futures.push_back(promise->get_future().share());
      shared_->programs[pass.program] = futures.back();
    }
    if (auto started = compile(pass, source, promise); !started) {
      {
        const std::scoped_lock lock(shared_->mutex);
        shared_->programs.erase(pass.program);
        shared_->stats.failed += 1;
      }
      promise->set_value(fail(started.error()));  // for threads that wait for the same program
      return fail(started.error());
    }
  }
  return futures;
}

Result<std::vector<Program>> ProgramCache::wait(const Device& device, std::span<const Future> futures) {
  const auto deadline = Clock::now() + device.timeout();
  std::vector<Program> programs;
  for (const Future& future : futures) {
    if (future.wait_until(deadline) != std::future_status::ready) {
      HB_CHECK(device.check());
      return fail(ErrorCode::timeout, std::format("a shader was not compiled within {} s", device.timeout().count() / 1000.0));
    }
    const Result<Program>& program = future.get();
    if (!program) {
      HB_CHECK(device.check());
      return fail(program.error());
    }
    programs.push_back(*program);
  }
  return programs;
}

Result<std::vector<Program>> ProgramCache::get(std::span<const PassPlan> passes, const ShaderSource& source) {
  HB_TRY(const std::vector<Future> futures, start(passes, source));
  return wait(*device_, futures);
}

ProgramStats ProgramCache::stats() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->stats;
}

}  // namespace halfbyte::gpu
