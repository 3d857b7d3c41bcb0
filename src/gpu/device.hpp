// A WebGPU device: opened by us or adopted from the caller, with its profile and its one way of reporting failure.
//
// Thread-safety: every member may be called from any thread, when the device has implicit synchronization (those we open have
// it where the adapter offers it; `info().thread_safe`). On an adopted device without it, the caller keeps its own use of the
// device and calls into this library apart.
//
// Errors: WebGPU's asynchronous errors are caught with error scopes and returned by the call that caused them. Once the device is lost,
// every call fails with the same device_lost error.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/dawn_native.hpp"
#include "gpu/faults.hpp"
#include "gpu/features.hpp"
#include "select/profile.hpp"

namespace halfbyte::gpu {

struct AdapterSummary {
  int index = 0;     // position in list_adapters()
  std::string name;  // "NVIDIA H200"
  std::string vendor, architecture, description;
  std::string backend;  // "vulkan"
  std::string type;     // "discrete GPU"
  bool is_default = false;
  std::string reason;  // why it is, or is not, the default one
};

struct OpenOptions {
  // Part of the adapter's name (any case), its index in list_adapters(), or a backend ("vulkan", "null" ...). Empty: the best.
  std::string adapter;
  FeatureGroups disabled;  // hidden from the profile and not asked of the device
  std::map<std::string, double>
      limits;                        // lowered to these (alignments: raised); a value beyond the adapter's is an error
  bool robustness = true;            // bounds checks in shaders
  std::shared_ptr<BlobCache> cache;  // null: compiled programs are not kept between processes
  std::chrono::milliseconds timeout{std::chrono::minutes(10)};  // longest wait for the GPU

  // For tests. `faults` is asked at every FaultPoint; `alter_profile` makes the device say other things of itself than it should.
  FaultHook faults;
  std::function<void(DeviceProfile&)> alter_profile;
};

// What a device's cache of compiled programs did.
struct CacheStats {
  uint64_t hits = 0, misses = 0, stored = 0;
  uint64_t bytes_read = 0, bytes_written = 0;
};

struct DeviceInfo {
  AdapterSummary adapter;
  bool adopted = false;
  bool thread_safe = false;
  std::string webgpu;                // which build of the implementation
  std::vector<std::string> toggles;  // in use
  std::vector<std::string> remarks;  // what was done without, and why
};

// Adapters in Dawn's order, the default one marked: discrete GPU before integrated, virtual and CPU; among equals the native
// API (Vulkan, D3D12, Metal) before OpenGL, then the first. The Null backend is never listed.
Result<std::vector<AdapterSummary>> list_adapters();

class Device {
 public:
  // Asks for every optional feature we know that the adapter has, requires none, and takes the adapter's real limits. When an
  // experimental feature makes creation fail, it is tried once more without; info().remarks says so. "null" opens Dawn's Null
  // backend: it accepts every feature and computes nothing.
  // Errors: not_found (no such adapter; notes list those there are), invalid_argument (limits), gpu.
  static Result<std::shared_ptr<Device>> open(const OpenOptions& options = {});

  // Takes a device that the caller made. Its callbacks, features and limits stay as they are; it is not destroyed with the last reference
  // of ours if the caller still holds one. `disabled` and `limits` restrict what is used of it.
  static Result<std::shared_ptr<Device>> adopt(const wgpu::Device& device, const FeatureGroups& disabled = {},
                                               const std::map<std::string, double>& limits = {},
                                               std::chrono::milliseconds timeout = std::chrono::minutes(10));
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceProfile& profile() const { return profile_; }
  const DeviceInfo& info() const { return info_; }
  const wgpu::Device& wgpu() const { return device_; }
  const wgpu::Queue& queue() const { return queue_; }
  const wgpu::Instance& instance() const { return instance_; }
  std::chrono::milliseconds timeout() const { return timeout_; }
  CacheStats cache_stats() const;  // zeros without a cache
  bool has(wgpu::FeatureName feature) const { return device_.HasFeature(feature); }
  // Of the profile; name must be one of known_limits(). WebGPU's default where the profile hides it or says nonsense (0).
  uint64_t limit(std::string_view name) const;

  // device_lost when it is; the message stays the same.
  Result<void> check() const;

  // Waits until `future` has called back. Errors: device_lost, timeout (what: the thing waited for, for the message).
  Result<void> wait(wgpu::Future future, std::string_view what) const;

  // Runs `body` between error scopes for validation, out-of-memory and internal errors, and returns the first one, its message
  // preceded by `what`. Serialized over threads, since scopes are the device's.
  Result<void> scoped(std::string_view what, const std::function<void()>& body) const;

  // Hands commands to the queue. Inside scoped(), for errors.
  void submit(const wgpu::CommandBuffer& commands, std::string_view what) const;

  // Waits until all that was submitted so far has been done. `what` is named when it is not done in time.
  Result<void> finish(std::string_view what = "the submitted work") const;

  // Asks OpenOptions::faults and does what it says; true: the caller is to fail by itself (Fault::refuse, Fault::never).
  bool faulty(FaultPoint point, std::string_view what) const;

  // The error WebGPU reported outside any scope since the last call, oldest first ("" when none). Adopted devices report to their
  // owner's callback instead.
  std::vector<std::string> take_uncaptured_errors() const;

 private:
  struct Callbacks;
  class CountedCache;
  friend struct DeviceBuilder;
  Device() = default;
  Error lost_error() const;

  wgpu::Instance instance_;
  DeviceProfile profile_;
  DeviceInfo info_;
  std::chrono::milliseconds timeout_{0};
  bool timed_wait_ = false;
  FaultHook faults_;
  std::shared_ptr<Callbacks> callbacks_;
  std::shared_ptr<void> cache_state_;
  std::shared_ptr<CountedCache> cache_;
  wgpu::Device device_;  // goes before the cache, which still takes the programs that its end waits for
  wgpu::Queue queue_;
  mutable std::mutex scope_mutex_;
};

}  // namespace halfbyte::gpu
