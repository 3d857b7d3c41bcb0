// Compiled passes, shared by everything on a device whose WGSL is the same. Thread-safe: two threads that want one program at
// the same time compile it once.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <functional>
#include <future>
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
  wgpu::BindGroupLayout layout;  // explicit, and shared by all programs that bind the same kinds, so bind groups are too
  double compile_seconds = 0;    // from the call to WebGPU's answer
};

// The WGSL of a pass; called only for a program that is not there yet.
using ShaderSource = std::function<Result<std::string>(const PassPlan&)>;

struct ProgramStats {
  uint64_t compiled = 0, hits = 0, failed = 0;
  double compile_seconds = 0;  // summed over programs; those compiled side by side count each
};

class ProgramCache {
 public:
  using Future = std::shared_future<Result<Program>>;

  explicit ProgramCache(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  ~ProgramCache();

  // Starts compiling the passes that are not there yet, all at once, on WebGPU's threads. One future for each pass.
  // Errors here: those of `source`; WGSL that does not parse (gpu; message with line and column, notes with the line);
  // compilation errors come through the futures. A failed program is forgotten, so that it may be tried again.
  Result<std::vector<Future>> start(std::span<const PassPlan> passes, const ShaderSource& source);

  // start(), then waits for all.
  Result<std::vector<Program>> get(std::span<const PassPlan> passes, const ShaderSource& source);

  // The futures' values. Errors: the first failed one's; timeout.
  static Result<std::vector<Program>> wait(const Device& device, std::span<const Future> futures);

  ProgramStats stats() const;

 private:
  struct Shared;
  struct Layout {
    wgpu::BindGroupLayout group;
    wgpu::PipelineLayout pipeline;
  };
  Result<Layout> layout(const PassPlan& pass);
  Result<void> compile(const PassPlan& pass, const ShaderSource& source, std::shared_ptr<std::promise<Result<Program>>> promise);

  std::shared_ptr<Device> device_;
  std::shared_ptr<Shared> shared_ = make_shared();
  std::mutex layout_mutex_;
  std::map<std::string, Layout> layouts_;

  static std::shared_ptr<Shared> make_shared();
};

}  // namespace halfbyte::gpu
