// Making, filling and reading GPU buffers, with Errors that name the tensor and the numbers.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/device.hpp"

namespace halfbyte::gpu {

constexpr uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Tensors are padded to this in buffers of our own, so that a shader may see the end of one as whole vec4<f32>s.
inline constexpr uint64_t kTensorPadding = 16;

inline constexpr wgpu::BufferUsage kTensorUsage =
    wgpu::BufferUsage::Storage | wgpu::BufferUsage::CopySrc | wgpu::BufferUsage::CopyDst;

// Errors: limit (maxBufferSize), out_of_memory, device_lost. `what` names the buffer in messages and labels.
Result<wgpu::Buffer> create_buffer(const Device& device, std::string_view what, uint64_t bytes,
                                   wgpu::BufferUsage usage);

// Made with `bytes` in it (padded with zeros to 4), without a copy on the queue. For small constants.
Result<wgpu::Buffer> create_filled_buffer(const Device& device, std::string_view what, std::span<const std::byte> bytes,
                                          wgpu::BufferUsage usage);

// Queues a write; complete before anything submitted later runs. offset must be a multiple of 4; up to 3 bytes after the data
// are overwritten with zeros when its size is not.
Result<void> write_buffer(const Device& device, std::string_view what, const wgpu::Buffer& buffer, uint64_t offset,
                          std::span<const std::byte> bytes);

// Copies bytes [offset, offset + size) of a buffer with CopySrc to the host, waiting for all that was submitted before.
Result<std::vector<std::byte>> read_buffer(const Device& device, std::string_view what, const wgpu::Buffer& buffer,
                                           uint64_t offset, uint64_t size);

}  // namespace halfbyte::gpu
