// What calls on one device share: programs, uniform blocks, scratch memory, packed weights. Shared by reference; whatever is
// still used by a call stays alive until that call goes, so everything may be destroyed in any order. Thread-safe.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/bind_pass.hpp"
#include "gpu/device.hpp"
#include "gpu/program_cache.hpp"
#include "plan/plan.hpp"

namespace halfbyte::gpu {

struct RuntimeStats {
  ProgramStats programs;
  uint64_t bind_groups = 0;  // made so far
  uint64_t uniform_buffers = 0;
  uint64_t scratch_bytes = 0;                    // shared scratch buffers now
  uint64_t packed_copies = 0, packed_bytes = 0;  // prepacked weights held now
  uint64_t prepack_runs = 0;                     // times that prepack passes were run
  uint64_t dropped_bytes = 0;                    // of originals that drop_original() has freed so far
};

// The identity of a part of a buffer, as cache key. The one who keeps a key keeps a reference to the buffer too: a handle cannot be
// reused while that lasts.
struct RangeKey {
  WGPUBuffer buffer = nullptr;
  uint64_t offset = 0, size = 0;
  auto operator<=>(const RangeKey&) const = default;
};

// Weights rewritten by a plan's prepack passes.
struct PackedWeights {
  std::map<std::string, wgpu::Buffer> buffers;  // by BufferPlan::id
  uint64_t bytes = 0;
};

class PreparedCall;

class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  static std::shared_ptr<Runtime> create(std::shared_ptr<Device> device);

  const Device& device() const { return *device_; }
  const std::shared_ptr<Device>& shared_device() const { return device_; }
  ProgramCache& programs() { return programs_; }

  // An immutable uniform buffer with this content; equal contents share one.
  Result<wgpu::Buffer> uniform(std::span<const std::byte> bytes);

  // The `slot`-th scratch buffer of a call, of at least `bytes`; calls share them, since dispatches on a queue follow one another.
  // One that has to grow is replaced; calls made before keep the old one.
  Result<wgpu::Buffer> scratch(size_t slot, uint64_t bytes);

  // The packed form of the inputs in `ranges` (by manifest key) for this plan: found, or made now by running its prepack
  // passes. The inputs must hold their final contents in queue order. Keeps references to the inputs.
  Result<std::shared_ptr<const PackedWeights>> packed(const Plan& plan, const ShaderSource& source,
                                                      const std::map<std::string, TensorRange>& ranges);

  // Lets go of everything cached for this buffer: bind groups and packed copies. Call it before freeing a weight buffer, or its
  // memory stays in use. Calls in flight are not disturbed.
  void forget(const wgpu::Buffer& buffer);

  // Frees the memory of a buffer whose contents have been packed: destroys it, and goes on finding the packed copies by its handle, so
  // the caller keeps the handle. Whoever would still read the original gets invalid_argument from record(). Commands that read it must have been
  // submitted, and it must hold nothing else that is used. Returns the bytes freed; 0 when that was done before.
  // Errors: invalid_argument when no packed copy was made from it.
  Result<uint64_t> drop_original(const wgpu::Buffer& buffer);

  // invalid_argument when the buffer was dropped; `reader` and `key` are for the message.
  Result<void> check_original(const wgpu::Buffer& buffer, std::string_view key, std::string_view reader) const;

  RuntimeStats stats() const;

 private:
  friend class PreparedCall;
  explicit Runtime(std::shared_ptr<Device> device);
  struct PackedEntry {
    std::vector<wgpu::Buffer> inputs;
    std::shared_ptr<const PackedWeights> weights;
  };
  struct PackedKey {
    Hash128 key;
    std::vector<RangeKey> ranges;
    auto operator<=>(const PackedKey&) const = default;
  };
  Result<std::shared_ptr<const PackedWeights>> pack(const Plan& plan, const ShaderSource& source,
                                                    const std::map<std::string, TensorRange>& ranges);
  Result<TensorRange> resolve_for_packing(const Plan& plan, const PlanBinding& binding, const PackedWeights& weights,
                                          const std::map<std::string, TensorRange>& ranges);
  std::vector<std::shared_ptr<PreparedCall>> live_calls();  // precondition: mutex_ is held
  void remember(const std::shared_ptr<PreparedCall>& call);
  void count_bind_groups(uint64_t count);

  std::shared_ptr<Device> device_;
  ProgramCache programs_;
  mutable std::mutex mutex_;                      // of what follows; never held while WebGPU works
  std::mutex prepack_mutex_;                      // one prepack at a time, so that equal ones run once
  std::map<std::string, wgpu::Buffer> uniforms_;  // by content
  std::vector<wgpu::Buffer> scratch_;
  std::map<PackedKey, PackedEntry> packed_;
  std::map<WGPUBuffer, wgpu::Buffer> dropped_;
  std::vector<std::weak_ptr<PreparedCall>> calls_;
  RuntimeStats stats_;
};

}  // namespace halfbyte::gpu
