// Failures on purpose, for tests: the seam at every place where WebGPU is asked for something that can fail.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace halfbyte::gpu {

enum class FaultPoint : uint8_t {
  buffer,     // a buffer is created
  pipeline,   // a pipeline's compilation has started
  submit,     // commands are about to be submitted
  submitted,  // they have been
  map,        // a buffer is about to be mapped
  wait        // the GPU's answer is waited for
};

enum class Fault : uint8_t {
  none,
  out_of_memory,  // WebGPU reports that it ran out of memory
  validation,     // WebGPU reports that it was used wrongly
  lose_device,    // the device goes
  refuse,         // pipeline: it is not made; map: the buffer is not mapped
  never           // wait: the answer does not come
};

// Called from any thread. `what` names the thing: a buffer's label, a program's label, what is waited for.
using FaultHook = std::function<Fault(FaultPoint point, std::string_view what)>;

}  // namespace halfbyte::gpu
