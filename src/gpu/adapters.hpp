// Which adapters there are, and which one is meant.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/dawn_native.hpp"
#include "gpu/device.hpp"

namespace halfbyte::gpu {

struct FoundAdapter {
  wgpu::Adapter adapter;
  AdapterSummary summary;
};

AdapterSummary summarize(const wgpu::Adapter& adapter);

// All real adapters with the default one marked; empty when there are none.
std::vector<FoundAdapter> find_adapters(const wgpu::Instance& instance, wgpu::FeatureLevel level,
                                        const Toggles& toggles);

// The one that `wanted` (OpenOptions::adapter) names; not_found lists what there is.
Result<FoundAdapter> pick_adapter(const wgpu::Instance& instance, wgpu::FeatureLevel level, const Toggles& toggles,
                                  const std::string& wanted);

}  // namespace halfbyte::gpu
