// Compiled passes, shared by everything on a device whose WGSL is the same. Thread-safe: two threads that want one program at
// the same time compile it once.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "gpu/device.hpp"
#include "plan/plan.hpp"

namespace halfbyte::gpu {

struct Program {
  wgpu::ComputePipeline pipeline;
  wgpu::BindGroupLayout
      layout;  // explicit, and shared by all programs that bind the same kinds, so bind groups are too
};

// The WGSL of a pass; called only for a program that is not there yet.
using ShaderSource = std::function<Result<std::string>(const PassPlan&)>;

struct ProgramStats {
  uint64_t compiled = 0, hits = 0, failed = 0;
  double compile_seconds = 0;  // from the call to WebGPU until its answer was seen, summed; side by side each counts
};

// A program that is there, or being compiled on WebGPU's threads.
class PendingProgram;
using ProgramHandle = std::shared_ptr<PendingProgram>;

class ProgramCache {
 public:
  explicit ProgramCache(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  // Starts compiling the passes that are not there yet, all at once. One handle for each pass.
  // Errors here: those of `source`; WGSL that does not parse (gpu; message with line and column, notes with the line);
  // compilation errors come with wait(). A failed program is forgotten, so that it may be tried again.
  Result<std::vector<ProgramHandle>> start(std::span<const PassPlan> passes, const ShaderSource& source);

  // The programs, when they are compiled. Errors: the first failed one's; device_lost, timeout.
  Result<std::vector<Program>> wait(std::span<const ProgramHandle> programs);
  bool ready(const ProgramHandle& program);   // wait() would not block
  bool failed(const ProgramHandle& program);  // ready, with an error

  // start(), then wait().
  Result<std::vector<Program>> get(std::span<const PassPlan> passes, const ShaderSource& source);

  ProgramStats stats() const;

 private:
  struct Layout {
    wgpu::BindGroupLayout group;
    wgpu::PipelineLayout pipeline;
  };
  Result<Layout> layout(const PassPlan& pass);
  Result<void> compile(const PassPlan& pass, const ShaderSource& source, PendingProgram& pending);
  void settle(PendingProgram& pending);

  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;  // of programs_ and stats_
  std::unordered_map<Hash128, ProgramHandle> programs_;
  ProgramStats stats_;
  std::mutex layout_mutex_;
  std::map<std::string, Layout> layouts_;
};

}  // namespace halfbyte::gpu
