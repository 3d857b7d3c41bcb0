#include "webgpu_calls.hpp"

#include <dlfcn.h>
#include <webgpu/webgpu.h>

#include <cstdlib>
#include <new>

namespace halfbyte::testing {
namespace {
thread_local Counted counts;
thread_local int inside = 0;  // of one of WebGPU's functions
}  // namespace

Counted& counted() { return counts; }

namespace {

void* allocate(std::size_t size) {
  if (inside == 0) ++counts.allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <class Function, class... Arguments>
auto call(Function* function, Arguments... arguments) {
  struct Depth {
    Depth() { ++inside; }
    ~Depth() { --inside; }
  } const depth;
  return function(arguments...);
}

}  // namespace
}  // namespace halfbyte::testing

void* operator new(std::size_t size) { return halfbyte::testing::allocate(size); }
void* operator new[](std::size_t size) { return halfbyte::testing::allocate(size); }
// A sanitizer's would not fit our delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

#define HB_COUNTED(counter, returns, name, parameters, arguments)                \
  extern "C" returns name parameters {                                           \
    static auto* const own = halfbyte::testing::next<returns parameters>(#name); \
    ++halfbyte::testing::counted().counter;                                      \
    return halfbyte::testing::call arguments;                                    \
  }

HB_COUNTED(objects, WGPUBindGroup, wgpuDeviceCreateBindGroup, (WGPUDevice d, WGPUBindGroupDescriptor const* x),
           (own, d, x))
HB_COUNTED(objects, WGPUBindGroupLayout, wgpuDeviceCreateBindGroupLayout,
           (WGPUDevice d, WGPUBindGroupLayoutDescriptor const* x), (own, d, x))
HB_COUNTED(objects, WGPUBuffer, wgpuDeviceCreateBuffer, (WGPUDevice d, WGPUBufferDescriptor const* x), (own, d, x))
HB_COUNTED(objects, WGPUCommandEncoder, wgpuDeviceCreateCommandEncoder,
           (WGPUDevice d, WGPUCommandEncoderDescriptor const* x), (own, d, x))
HB_COUNTED(objects, WGPUComputePipeline, wgpuDeviceCreateComputePipeline,
           (WGPUDevice d, WGPUComputePipelineDescriptor const* x), (own, d, x))
HB_COUNTED(objects, WGPUFuture, wgpuDeviceCreateComputePipelineAsync,
           (WGPUDevice d, WGPUComputePipelineDescriptor const* x, WGPUCreateComputePipelineAsyncCallbackInfo c),
           (own, d, x, c))
HB_COUNTED(objects, WGPUPipelineLayout, wgpuDeviceCreatePipelineLayout,
           (WGPUDevice d, WGPUPipelineLayoutDescriptor const* x), (own, d, x))
HB_COUNTED(objects, WGPUShaderModule, wgpuDeviceCreateShaderModule, (WGPUDevice d, WGPUShaderModuleDescriptor const* x),
           (own, d, x))
HB_COUNTED(objects, WGPUQuerySet, wgpuDeviceCreateQuerySet, (WGPUDevice d, WGPUQuerySetDescriptor const* x),
           (own, d, x))
HB_COUNTED(objects, WGPUQueue, wgpuDeviceGetQueue, (WGPUDevice d), (own, d))
HB_COUNTED(commands, void, wgpuComputePassEncoderSetPipeline, (WGPUComputePassEncoder e, WGPUComputePipeline p),
           (own, e, p))
HB_COUNTED(commands, void, wgpuComputePassEncoderSetBindGroup,
           (WGPUComputePassEncoder e, uint32_t i, WGPUBindGroup g, size_t n, uint32_t const* o), (own, e, i, g, n, o))
HB_COUNTED(commands, void, wgpuComputePassEncoderDispatchWorkgroups,
           (WGPUComputePassEncoder e, uint32_t x, uint32_t y, uint32_t z), (own, e, x, y, z))
