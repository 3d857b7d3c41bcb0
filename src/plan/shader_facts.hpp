// What a WGSL text asks of a device in workgroup size and workgroup memory, read off the text: WebGPU tells only when a pipeline is
// made on the device itself, and a modelled profile has no device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "select/profile.hpp"

namespace halfbyte {

struct ShaderFacts {
  std::optional<std::array<uint64_t, 3>> workgroup_size;  // none: not made of literals and module constants
  std::optional<uint64_t>
      workgroup_bytes;  // sum over var<workgroup>, each rounded up to 16 as WebGPU counts; none: a type we cannot size
};

// Understands scalars, vectors, atomics, arrays and aliases of them, integer constants and + - * / %. A text with one entry point.
ShaderFacts shader_facts(std::string_view wgsl);

// Errors: limit, with both numbers. What is unknown passes.
Result<void> check_shader(const ShaderFacts& facts, const DeviceProfile& profile);

}  // namespace halfbyte
