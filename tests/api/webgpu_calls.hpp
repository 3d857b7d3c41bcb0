// What this thread has asked of WebGPU and of the heap. The functions of webgpu.h that make objects, and those that record(), are defined
// in this program (webgpu_calls.cpp): they count, and then call the library's own.
#pragma once

#include <cstdint>

namespace halfbyte::testing {

struct Counted {
  uint64_t objects = 0;      // WebGPU objects made
  uint64_t commands = 0;     // SetPipeline, SetBindGroup, DispatchWorkgroups
  uint64_t allocations = 0;  // operator new, outside of WebGPU's functions that are counted here
};
Counted& counted();  // of this thread

}  // namespace halfbyte::testing
