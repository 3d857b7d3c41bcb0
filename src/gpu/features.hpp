// What we know of WebGPU's optional features, WGSL language features and limits: the tables that opening a device, probing
// its profile and `--disable-feature` share. Names are WebGPU's, as profiles and manifests write them.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace halfbyte::gpu {

// What `--disable-feature` takes. Each hides one capability wholly, as on a device that lacks it: the device is opened without it,
// so a shader that uses it is refused. int-dot alone is only left out of the profile, since WGSL language features are part of
// every device (Dawn's blocklist takes experimental ones only).
enum class FeatureGroup { subgroups, matrix, f16, int_dot, timestamps };
using FeatureGroups = std::set<FeatureGroup>;

// "subgroups", "matrix", "f16", "int-dot", "timestamps". An unknown name is an invalid_argument error that lists them.
Result<FeatureGroup> parse_feature_group(std::string_view name);
std::string_view name(FeatureGroup group);

struct KnownFeature {
  wgpu::FeatureName id;
  std::string_view name;
  bool experimental;  // a device may fail to be created because of it; opening then tries again without
  bool in_profile;    // kernels can depend on it (the others serve the runtime)
};

// Every optional feature that a kernel or the runtime can use.
std::span<const KnownFeature> known_features();
// Does hiding `groups` hide this feature?
bool hidden(const KnownFeature& feature, const FeatureGroups& groups);

// WebGPU's name of a WGSL language feature; empty for one we do not know.
std::string_view name(wgpu::WGSLLanguageFeatureName feature);
inline constexpr std::string_view kIntDotLanguageFeature = "packed_4x8_integer_dot_product";

struct KnownLimit {
  std::string_view name;
  bool is_alignment;  // smaller is better
  double core_default;
  double (*get)(const wgpu::Limits&);
  void (*set)(wgpu::Limits&, double);
};

// The limits that matter to compute work.
std::span<const KnownLimit> known_limits();
const KnownLimit* find_limit(std::string_view name);

// Checks names and values ("lower" means further away from better) of limits given by hand; the message lists the names.
Result<void> check_limit_overrides(const std::map<std::string, double>& overrides);

std::string_view name(wgpu::BackendType backend);  // "vulkan", "d3d12", ..., "null"
std::string_view name(wgpu::AdapterType type);     // "discrete GPU", "integrated GPU", "CPU", "virtual or unknown"
std::optional<wgpu::BackendType> parse_backend(std::string_view name);

}  // namespace halfbyte::gpu
