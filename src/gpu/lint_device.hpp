// Checks WGSL without a GPU: Dawn's Null backend accepts every feature and computes nothing.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "gpu/device.hpp"

namespace halfbyte::gpu {

// Thread-safe.
class LintDevice {
 public:
  static Result<LintDevice> open();

  // Parses and type-checks a shader, every feature enabled that we know. What depends on a device (workgroup size and storage, which
  // subgroup-matrix shapes there are) is not looked at. Errors: gpu, the message with line and column, notes with the line.
  Result<void> compile_check(std::string_view wgsl, std::string_view label) const;

 private:
  explicit LintDevice(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  std::shared_ptr<Device> device_;
};

}  // namespace halfbyte::gpu
