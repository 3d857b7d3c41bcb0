// halfbyte, start here: N-bit block-quantized matrix multiplication on any WebGPU device.
//
//   Device   a WebGPU device, opened here or yours
//   Kernel   a kernel package (an operator with its variants) on a device
//   Call     one problem (attributes, shapes) planned and compiled, recorded into your compute pass any number of times
//
// All three are handles: cheap to copy, safe to destroy in any order, the last one frees. A handle moved from is empty: only destroy or assign
// it. All functions may be called from any thread on a device that we opened; on one of yours without Dawn's implicit
// synchronization, from one thread at a time.
// Everything that can fail returns Result<T> (std::expected<T, Error>); nothing throws, prints or aborts, except that running out of
// host memory may throw std::bad_alloc. When the device is lost, every call fails with ErrorCode::device_lost and one message.
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
#include <utility>
#include <vector>

#include "base/error.hpp"          // Error, Result
#include "gpu/tensor_binding.hpp"  // gpu::TensorBinding, gpu::CallTensor
#include "halfbyte/version.h"
#include "manifest/package.hpp"    // Package, for packages from memory
#include "select/join.hpp"         // Weights, JoinedWeights
#include "select/problem.hpp"      // Problem
#include "tensor/host_tensor.hpp"  // HostTensor, DType, Shape

namespace halfbyte {

namespace gpu {
class Kernel;
class PreparedCall;
class Runtime;
class WarmUp;
}  // namespace gpu

using TensorBinding = gpu::TensorBinding;                            // key, buffer, offset, size
using CallTensor = gpu::CallTensor;                                  // key, desc, bytes, output
using HostTensors = std::map<std::string, HostTensor, std::less<>>;  // by manifest key

// HALFBYTE_VERSION_NUMBER of the library that was linked.
uint32_t version();

struct DeviceOptions {
  std::string adapter;        // part of its name, its index, or a backend ("vulkan"); empty: the best one
  bool program_cache = true;  // keep compiled programs on disk for the next start
  std::string cache_folder;   // where; empty: $XDG_CACHE_HOME/halfbyte/programs, or $HOME/.cache/halfbyte/programs
  bool robustness = true;     // bounds checks in shaders
  // WebGPU limits lowered to these numbers ({"maxStorageBufferBindingSize", 1 << 27}); beyond the adapter's: invalid_argument.
  std::map<std::string, double> limits;
};

struct Statistics {
  uint64_t programs_compiled = 0, program_hits = 0;  // compiled here; found among those, instead
  double compile_seconds = 0;                        // summed over programs
  uint64_t cache_hits = 0, cache_misses = 0;         // of the cache on disk: blobs found, and not
  uint64_t cache_bytes_read = 0, cache_bytes_written = 0;
  uint64_t bind_groups = 0, uniform_buffers = 0;  // made so far
  uint64_t scratch_bytes = 0;                     // scratch memory that calls share
  uint64_t prepack_runs = 0;                      // times that weights were packed
  uint64_t packed_weights = 0, packed_bytes = 0;  // packed copies held
  uint64_t dropped_bytes = 0;                     // of originals freed by drop_original()
};

class Device {
 public:
  // Asks for every optional feature that the adapter has and requires none; takes the adapter's real limits.
  // Errors: not_found (no such adapter; notes list those there are), invalid_argument (limits), gpu.
  static Result<Device> open(const DeviceOptions& options = {});
  // Takes your device as it is, with whatever features and limits it has. Its error callbacks are left alone (our errors come
  // back from our calls), and it lives on when we are gone. Errors: invalid_argument (null), device_lost.
  static Result<Device> adopt(const wgpu::Device& device);

  const wgpu::Device& webgpu() const;
  std::string name() const;          // "NVIDIA H200 (vulkan, discrete GPU)"
  std::string profile_json() const;  // what the kernels are chosen by; `halfbyte explain --profile` reads it
  Statistics statistics() const;

  // Lets go of everything kept for this buffer (bind groups, packed copies). Call it before you drop a buffer that was
  // recorded: else its memory stays in use until newer buffers displace it.
  void forget(const wgpu::Buffer& buffer) const;

  // Frees the memory of a constant input that has been packed (its key is in Call::packed_inputs(), and a call of that variant has been
  // recorded with it): destroys the buffer, and returns the bytes freed, 0 when that was done before. Keep your handle: calls find the packed copy by
  // it, and forget() frees that too. The buffer must hold nothing else, and commands that read it must have been submitted.
  // Prepare further calls with PrepareOptions::dropped; a call that would read the original fails in record() (invalid_argument).
  // Errors: invalid_argument (nothing was packed from this buffer), device_lost.
  Result<uint64_t> drop_original(const wgpu::Buffer& buffer) const;

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
  // Constant inputs that are read once, to be packed, and not again: see Device::drop_original().
  std::span<const std::string> packed_inputs() const;
  // 1, or in how many parts of N it is computed since the weights exceed maxStorageBufferBindingSize.
  uint64_t parts() const;

  // Compiling goes on in the background after prepare(); record() waits for it. Errors: those of compilation.
  bool ready() const;
  Result<void> wait() const;

  // Encodes the call into your pass. Every tensor of tensors() must be given; offsets are multiples of 256; a buffer that is written
  // may not hold an input of the same call. Inputs must hold their contents in queue order; constant ones already when first given
  // (packing them is a submit of its own). With buffers seen before: no heap allocation, no WebGPU object. On an error, and
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

// How far Kernel::warm_up() is. Letting go of it stops nothing.
class WarmUp {
 public:
  size_t total() const;  // problems
  size_t done() const;
  // Waits for the end. The first error, with the problem's id or number; the other problems are warmed up all the same.
  Result<void> wait() const;

 private:
  friend class Kernel;
  WarmUp(std::shared_ptr<gpu::Kernel> kernel, std::shared_ptr<gpu::WarmUp> progress)
      : kernel_(std::move(kernel)), progress_(std::move(progress)) {}
  std::shared_ptr<gpu::Kernel> kernel_;
  std::shared_ptr<gpu::WarmUp> progress_;
};

struct PrepareOptions {
  std::string variant;                         // this one and no other (`halfbyte explain` lists them); empty: the best
  std::set<std::string, std::less<>> dropped;  // inputs whose originals are gone (Device::drop_original)
};

class Kernel {
 public:
  // `package`: a folder with a manifest.json, or a package's name ("com.microsoft.MatMulNBits"). A name is looked for in the folder
  // $HALFBYTE_KERNELS when that is set, else among the packages built into the library. Errors: not_found, parse (file, line and column).
  static Result<Kernel> load(const Device& device, const std::string& package);
  // From memory: see Package::load.
  static Kernel create(const Device& device, const Package& package);
  static std::vector<std::string> built_in();  // names of the packages built into the library

  // Chooses a variant, plans it, and starts compiling what is not compiled yet. Equal problems get the same call. Any M at any
  // time: where one variant cannot, the next that can is taken; weights larger than one binding are computed in parts.
  // Errors: invalid_argument (a wrong shape, dtype or attribute: names the input, what it is and what it must be), not_eligible (notes
  // say for each variant why not), limit (names the tensor, the limit and the numbers), gpu, out_of_memory, device_lost.
  Result<Call> prepare(const Problem& problem, const PrepareOptions& options = {}) const;

  // Prepares many on a thread of its own, their programs compiling side by side; returns at once (on a device that may only be used from one
  // thread, at the end). Their calls stay cached, so that prepare() finds them. Stops with the last handle of this kernel.
  WarmUp warm_up(std::vector<Problem> problems) const;
  WarmUp warm_up(std::vector<std::pair<Problem, PrepareOptions>> problems) const;

  // The weights of several products of the same activations (q, k and v; gate and up) as those of one: one dispatch instead of several. Its Y has the
  // columns of all parts, row by row, and JoinedWeights::first says where each part's begin; with one row a part is a range of bytes. See
  // join_weights() in select/join.hpp for what must be equal, and for the errors. `activations`: their dtype and [1, K].
  Result<JoinedWeights> join(const TensorDesc& activations, std::span<const Weights> parts) const;

  // The simplest way: prepare() for these inputs' shapes, then Call::run().
  Result<HostTensors> run(const std::map<std::string, AttrValue, std::less<>>& attributes,
                          const HostTensors& inputs) const;

 private:
  explicit Kernel(std::shared_ptr<gpu::Kernel> kernel) : kernel_(std::move(kernel)) {}
  std::shared_ptr<gpu::Kernel> kernel_;
};

}  // namespace halfbyte
