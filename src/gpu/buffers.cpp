#include "gpu/buffers.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "gpu/gpu_error.hpp"

namespace halfbyte::gpu {
namespace {

// Dawn stages each write in one piece; smaller pieces keep a large upload from doubling the peak of host memory.
constexpr uint64_t kWritePiece = uint64_t{32} << 20;

Result<void> check_size(const Device& device, std::string_view what, uint64_t bytes) {
  const uint64_t most = device.limit("maxBufferSize");
  if (bytes <= most) return {};
  return fail(ErrorCode::limit, std::format("{} needs a buffer of {} bytes, maxBufferSize is {}", what, bytes, most));
}

// Two sides of the same tensor: from `from` on, into the mapped staging buffer and out to the host.
Result<std::vector<std::byte>> map_and_copy(const Device& device, std::string_view what, const wgpu::Buffer& staging,
                                            uint64_t skip, uint64_t size) {
  // The callback owns what it writes: after a timeout or a lost device it comes when this function has long returned.
  struct Answer {
    bool mapped = false;
    std::string message;
  };
  const auto answer = std::make_shared<Answer>();
  wgpu::Future future;
  if (device.faulty(FaultPoint::map, what)) staging.Destroy();
  HB_CHECK(device.scoped(std::format("reading {} back", what), [&] {
    future = staging.MapAsync(wgpu::MapMode::Read, 0, wgpu::kWholeMapSize, wgpu::CallbackMode::WaitAnyOnly,
                              [answer](wgpu::MapAsyncStatus status, wgpu::StringView text) {
                                answer->mapped = status == wgpu::MapAsyncStatus::Success;
                                answer->message = std::string_view(text);
                              });
  }));
  HB_CHECK(device.wait(future, std::format("reading {} back", what)));
  if (!answer->mapped)
    return fail(gpu_error(ErrorCode::gpu, std::format("{} could not be mapped", what), answer->message));
  const auto* data = static_cast<const std::byte*>(staging.GetConstMappedRange());
  if (data == nullptr) return fail(ErrorCode::gpu, std::format("{} was mapped but has no memory", what));
  std::vector<std::byte> result(data + skip, data + skip + size);
  staging.Unmap();
  return result;
}

}  // namespace

Result<wgpu::Buffer> create_buffer(const Device& device, std::string_view what, uint64_t bytes,
                                   wgpu::BufferUsage usage) {
  HB_CHECK(check_size(device, what, bytes));
  wgpu::BufferDescriptor descriptor;
  descriptor.label = what;
  descriptor.size = std::max<uint64_t>(round_up(bytes, 4), 4);
  descriptor.usage = usage;
  wgpu::Buffer buffer;
  HB_CHECK(device.scoped(std::format("a buffer of {} bytes for {}", bytes, what), [&] {
    buffer = device.wgpu().CreateBuffer(&descriptor);
    (void)device.faulty(FaultPoint::buffer, what);
  }));
  return buffer;
}

Result<wgpu::Buffer> create_filled_buffer(const Device& device, std::string_view what, std::span<const std::byte> bytes,
                                          wgpu::BufferUsage usage) {
  HB_CHECK(check_size(device, what, bytes.size()));
  wgpu::BufferDescriptor descriptor;
  descriptor.label = what;
  descriptor.size = std::max<uint64_t>(round_up(bytes.size(), 4), 4);
  descriptor.usage = usage;
  descriptor.mappedAtCreation = true;
  wgpu::Buffer buffer;
  bool written = false;
  HB_CHECK(device.scoped(std::format("a buffer of {} bytes for {}", bytes.size(), what), [&] {
    buffer = device.wgpu().CreateBuffer(&descriptor);
    (void)device.faulty(FaultPoint::buffer, what);
    void* data = buffer ? buffer.GetMappedRange() : nullptr;
    if (data == nullptr) return;
    std::memcpy(data, bytes.data(), bytes.size());
    buffer.Unmap();
    written = true;
  }));
  if (!written)
    return fail(ErrorCode::out_of_memory, std::format("no memory to fill {} ({} bytes)", what, bytes.size()));
  return buffer;
}

Result<void> write_buffer(const Device& device, std::string_view what, const wgpu::Buffer& buffer, uint64_t offset,
                          std::span<const std::byte> bytes) {
  if (offset % 4 != 0) {
    return fail(ErrorCode::invalid_argument,
                std::format("{} cannot be written at offset {}: it must be a multiple of 4", what, offset));
  }
  return device.scoped(std::format("writing {} bytes to {}", bytes.size(), what), [&] {
    const uint64_t whole = bytes.size() / 4 * 4;
    for (uint64_t at = 0; at < whole; at += kWritePiece) {
      device.queue().WriteBuffer(buffer, offset + at, bytes.data() + at, std::min(kWritePiece, whole - at));
    }
    if (whole == bytes.size()) return;
    std::byte tail[4] = {};
    std::memcpy(tail, bytes.data() + whole, bytes.size() - whole);
    device.queue().WriteBuffer(buffer, offset + whole, tail, sizeof tail);
  });
}

Result<std::vector<std::byte>> read_buffer(const Device& device, std::string_view what, const wgpu::Buffer& buffer,
                                           uint64_t offset, uint64_t size) {
  if (size == 0) return std::vector<std::byte>{};
  const uint64_t begin = offset / 4 * 4;
  const uint64_t bytes = round_up(offset + size, 4) - begin;
  HB_TRY(const wgpu::Buffer staging, create_buffer(device, std::format("{} (read back)", what), bytes,
                                                   wgpu::BufferUsage::MapRead | wgpu::BufferUsage::CopyDst));
  HB_CHECK(device.scoped(std::format("reading {} back", what), [&] {
    const wgpu::CommandEncoder encoder = device.wgpu().CreateCommandEncoder();
    encoder.CopyBufferToBuffer(buffer, begin, staging, 0, bytes);
    const wgpu::CommandBuffer commands = encoder.Finish();
    device.submit(commands, what);
  }));
  return map_and_copy(device, what, staging, offset - begin, size);
}

}  // namespace halfbyte::gpu
