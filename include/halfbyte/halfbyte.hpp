// halfbyte, start here: N-bit block-quantized matrix multiplication on any WebGPU device.
//
//   Device   a WebGPU device, opened here or yours
//   Kernel   a kernel package (an operator with its variants) on a device
//   Call     one problem (attributes, shapes) planned and compiled, recorded into your compute pass any number of times
//
// All three are handles: cheap to copy, safe to destroy in any order, the last one frees. All functions may be called from any
// thread on a device that we opened; on one of yours without Dawn's implicit synchronization, from one thread at a time.
// Everything that can fail returns Result<T> (std::expected<T, Error>); nothing throws, prints or aborts. When the device is lost,
// every call fails with ErrorCode::device_lost.
//
// Tensors go by the manifest's keys. MatMulNBits (com.microsoft) has
//   aT           [..., M, K] float32 or float16, the activations
//   bT           [N, ceil(K / block_size), block_size * bits / 8] uint8, the codes, low bits first
//   scalesT      [N, ceil(K / block_size)], like A
//   zeroPointsT  [N, ceil(K / block_size)], like A; optional, 2^(bits - 1) when absent
//   biasT        [N], like A; optional
//   yT           [..., M, N], like A: Y[m,n] = bias[n] + sum over k of A[m,k] * (code[n,k] - zero_point[n,k/block_size]) * scale[n,k/block_size]
// and the attributes K, N, bits (2, 4, 8; default 4), block_size (a power of two from 16), accuracy_level (default 0).
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"          // Error, Result
#include "gpu/tensor_binding.hpp"  // gpu::TensorBinding, gpu::CallTensor
#include "manifest/package.hpp"    // Package, for packages from memory
#include "select/problem.hpp"      // Problem
#include "tensor/host_tensor.hpp"  // HostTensor, DType, Shape

namespace halfbyte {

namespace gpu {
class Kernel;
class PreparedCall;
class Runtime;
}  // namespace gpu

using TensorBinding = gpu::TensorBinding;                            // key, buffer, offset, size
using CallTensor = gpu::CallTensor;                                  // key, desc, bytes, output
using HostTensors = std::map<std::string, HostTensor, std::less<>>;  // by manifest key

struct DeviceOptions {
  std::string adapter;        // part of its name, its index, or a backend ("vulkan"); empty: the best one
  bool program_cache = true;  // keep compiled programs in the user's cache folder ($XDG_CACHE_HOME/halfbyte/programs)
  bool robustness = true;     // bounds checks in shaders
};

struct Statistics {
  uint64_t programs_compiled = 0, program_hits = 0;
  double compile_seconds = 0;                     // summed over programs
  uint64_t bind_groups = 0;                       // made so far
  uint64_t scratch_bytes = 0;                     // scratch memory that calls share
  uint64_t packed_weights = 0, packed_bytes = 0;  // prepacked copies held
};

class Device {
 public:
  // Asks for every optional feature that the adapter has and requires none; takes the adapter's real limits.
  static Result<Device> open(const DeviceOptions& options = {});
  // Takes your device as it is, with whatever features and limits it has. Its error callbacks are left alone (our errors come
  // back from our calls), and it lives on when we are gone.
  static Result<Device> adopt(const wgpu::Device& device);

  const wgpu::Device& webgpu() const;
  std::string name() const;          // "NVIDIA H200 (vulkan, discrete GPU)"
  std::string profile_json() const;  // what the kernels are chosen by; `halfbyte explain --profile` reads it
  Statistics statistics() const;

  // Lets go of everything kept for this buffer (bind groups, prepacked copies). Call it before you drop a buffer that was
  // recorded: else its memory stays in use until newer buffers displace it.
  void forget(const wgpu::Buffer& buffer) const;

 private:
  friend class Kernel;
  explicit Device(std::shared_ptr<gpu::Runtime> runtime) : runtime_(std::move(runtime)) {}
  std::shared_ptr<gpu::Runtime> runtime_;
};

class Call {
 public:
  // Inputs, then outputs, each with its shape and bytes: what record() wants, in the order that is fastest.
  std::span<const CallTensor> tensors() const;
  const std::string& variant() const;  // which one was chosen

  // Compiling goes on in the background after prepare(); record() waits for it. Errors: those of compilation.
  bool ready() const;
  Result<void> wait() const;

  // Encodes the call into your pass. Every tensor of tensors() must be given; offsets are multiples of 256; a buffer that is written
  // may not hold an input of the same call. Inputs must hold their contents in queue order; constant ones already when first given
  // (prepacking them is a submit of its own). With buffers seen before: no heap allocation, no WebGPU object. On an error, and
  // when an output has no elements, nothing is encoded.
  // Errors: invalid_argument (names the tensor), limit (name and numbers), gpu, out_of_memory, device_lost.
  Result<void> record(const wgpu::ComputePassEncoder& pass, std::span<const TensorBinding> tensors) const;

  // The simple way: uploads, computes, waits, reads back. Inputs by key, of the shapes that were prepared.
  Result<HostTensors> run(const HostTensors& inputs) const;

 private:
  friend class Kernel;
  explicit Call(std::shared_ptr<gpu::PreparedCall> call) : call_(std::move(call)) {}
  std::shared_ptr<gpu::PreparedCall> call_;
};

class Kernel {
 public:
  // `package`: a folder with a manifest.json, or a package's name ("com.microsoft.MatMulNBits"), looked for in $HALFBYTE_KERNELS and
  // beside the program. Errors: not_found, parse (file, line and column).
  static Result<Kernel> load(const Device& device, const std::string& package);
  static Kernel create(const Device& device, const Package& package);

  // Chooses a variant, plans it, and starts compiling what is not compiled yet. Equal problems get the same call. Any M at any
  // time: where one variant cannot, the next that can is taken.
  // Errors: invalid_argument (a wrong shape, dtype or attribute: names the input, what it is and what it must be), not_eligible (notes
  // say for each variant why not), limit, gpu.
  Result<Call> prepare(const Problem& problem) const;

  // Prepares many, so that their programs compile side by side in the background. Their calls stay cached.
  Result<void> warm_up(std::span<const Problem> problems) const;

  // The simplest way: prepare() for these inputs' shapes, then Call::run().
  Result<HostTensors> run(const std::map<std::string, AttrValue, std::less<>>& attributes,
                          const HostTensors& inputs) const;

 private:
  explicit Kernel(std::shared_ptr<gpu::Kernel> kernel) : kernel_(std::move(kernel)) {}
  std::shared_ptr<gpu::Kernel> kernel_;
};

}  // namespace halfbyte
