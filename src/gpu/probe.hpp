// Reads a device's profile off it.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <map>
#include <string>

#include "gpu/features.hpp"
#include "select/profile.hpp"

namespace halfbyte::gpu {

// `instance` decides the WGSL language features. Features and limits are the device's, less `disabled` and with `limits`
// lowered; subgroup-matrix configurations only when the device has that feature, and those of f16 only with shader-f16.
DeviceProfile probe_profile(const wgpu::Instance& instance, const wgpu::Device& device, const FeatureGroups& disabled,
                            const std::map<std::string, double>& limits);

}  // namespace halfbyte::gpu
