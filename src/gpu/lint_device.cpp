#include "gpu/lint_device.hpp"

namespace halfbyte::gpu {

Result<LintDevice> LintDevice::open() {
  OpenOptions options;
  options.adapter = "null";
  HB_TRY(std::shared_ptr<Device> device, Device::open(options));
  return LintDevice(std::move(device));
}

Result<void> LintDevice::compile_check(std::string_view wgsl, std::string_view label) const {
  wgpu::ShaderSourceWGSL text;
  text.code = wgsl;
  wgpu::ShaderModuleDescriptor descriptor;
  descriptor.nextInChain = &text;
  descriptor.label = label;
  return device_->scoped(std::format("shader {}", label),
                         [&] { (void)device_->wgpu().CreateShaderModule(&descriptor); });
}

}  // namespace halfbyte::gpu
