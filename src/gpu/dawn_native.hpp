// What WebGPU does not offer and Dawn does: toggles, a list of all adapters, asking whether a device is
// lost, the blob cache. No other file of the project names Dawn.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfbyte::gpu {

struct Toggles {
  std::vector<std::string> enabled, disabled;
};

// The toggles that every device of ours is opened with:
//   allow_unsafe_apis             experimental features may be asked for at all
//   vulkan_enable_f16_on_nvidia   shader-f16 on NVIDIA's Linux driver, which Dawn hides because of old drivers
//   use_vulkan_memory_model       NVIDIA: without it subgroup matrices are not offered
//   timestamp_quantization (off)  GPU times in the clock's own steps, not in 100 us
// Robustness (bounds checks) stays on unless asked otherwise.
Toggles default_toggles(bool robustness);

// An instance with timed waits and experimental features allowed. Null when Dawn refuses. Dawn's log goes to recent_messages()
// instead of stderr.
wgpu::Instance create_instance();

// Dawn's last few log messages of this process (why a driver could not be loaded ...). Thread-safe.
std::vector<std::string> recent_messages();

std::vector<wgpu::Adapter> enumerate_adapters(const wgpu::Instance& instance, wgpu::BackendType backend,
                                              wgpu::FeatureLevel level, const Toggles& toggles);

std::vector<std::string> toggles_in_use(const wgpu::Device& device);
bool is_lost(const wgpu::Device& device);

// Failures on purpose (faults.hpp).
void inject_error(const wgpu::Device& device, wgpu::ErrorType type, std::string_view message);
void lose(const wgpu::Device& device, std::string_view message);

// Which build of WebGPU this is, for keys of what is remembered between runs: "dawn 3f0c..." by the library's build id, or "dawn".
std::string webgpu_build();

// Where compiled programs live between processes. Both calls come from Dawn's worker threads.
class BlobCache {
 public:
  virtual ~BlobCache() = default;
  // Empty when there is none, or when what is there is damaged.
  virtual std::optional<std::vector<std::byte>> load(std::span<const std::byte> key) = 0;
  // Failures are the cache's own business: a program that could not be kept is compiled again next time.
  virtual void store(std::span<const std::byte> key, std::span<const std::byte> value) = 0;
};

// The descriptor chain of a device: toggles and, when given, the blob cache. Must outlive the call that creates the device.
// `cache_state()` is what keeps the cache: when it goes, the device works on without one.
class DeviceChain {
 public:
  DeviceChain(const Toggles& toggles, std::shared_ptr<BlobCache> cache, const std::string& isolation_key);
  ~DeviceChain();
  const wgpu::ChainedStruct* get() const;
  std::shared_ptr<void> cache_state() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Replaces the handler that prints warnings to stderr by one that keeps them for recent_messages().
void silence(const wgpu::Device& device);

}  // namespace halfbyte::gpu
