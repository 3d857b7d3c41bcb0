#include "gpu/features.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace halfbyte::gpu {
namespace {

using enum wgpu::FeatureName;

constexpr KnownFeature kFeatures[] = {
    {CoreFeaturesAndLimits, "core-features-and-limits", false, true},
    {ShaderF16, "shader-f16", false, true},
    {Subgroups, "subgroups", false, true},
    {SubgroupSizeControl, "subgroup-size-control", false, true},
    {TimestampQuery, "timestamp-query", false, true},
    {ChromiumExperimentalSubgroupMatrix, "chromium-experimental-subgroup-matrix", true, true},
    {ImplicitDeviceSynchronization, "implicit-device-synchronization", false, false},
};

constexpr std::pair<FeatureGroup, std::string_view> kGroups[] = {
    {FeatureGroup::subgroups, "subgroups"}, {FeatureGroup::matrix, "matrix"},         {FeatureGroup::f16, "f16"},
    {FeatureGroup::int_dot, "int-dot"},     {FeatureGroup::timestamps, "timestamps"},
};

template <auto Member>
constexpr KnownLimit limit(std::string_view name, double core_default, bool is_alignment = false) {
  return {name, is_alignment, core_default, [](const wgpu::Limits& l) { return static_cast<double>(l.*Member); },
          [](wgpu::Limits& l, double v) { l.*Member = static_cast<std::remove_reference_t<decltype(l.*Member)>>(v); }};
}

constexpr double kMiB = 1024.0 * 1024.0;

// Defaults: https://www.w3.org/TR/webgpu/#limits
constexpr KnownLimit kLimits[] = {
    limit<&wgpu::Limits::maxComputeInvocationsPerWorkgroup>("maxComputeInvocationsPerWorkgroup", 256),
    limit<&wgpu::Limits::maxComputeWorkgroupSizeX>("maxComputeWorkgroupSizeX", 256),
    limit<&wgpu::Limits::maxComputeWorkgroupSizeY>("maxComputeWorkgroupSizeY", 256),
    limit<&wgpu::Limits::maxComputeWorkgroupSizeZ>("maxComputeWorkgroupSizeZ", 64),
    limit<&wgpu::Limits::maxComputeWorkgroupStorageSize>("maxComputeWorkgroupStorageSize", 16384),
    limit<&wgpu::Limits::maxComputeWorkgroupsPerDimension>("maxComputeWorkgroupsPerDimension", 65535),
    limit<&wgpu::Limits::maxStorageBufferBindingSize>("maxStorageBufferBindingSize", 128 * kMiB),
    limit<&wgpu::Limits::maxBufferSize>("maxBufferSize", 256 * kMiB),
    limit<&wgpu::Limits::maxStorageBuffersPerShaderStage>("maxStorageBuffersPerShaderStage", 8),
    limit<&wgpu::Limits::maxUniformBuffersPerShaderStage>("maxUniformBuffersPerShaderStage", 12),
    limit<&wgpu::Limits::maxUniformBufferBindingSize>("maxUniformBufferBindingSize", 65536),
    limit<&wgpu::Limits::minStorageBufferOffsetAlignment>("minStorageBufferOffsetAlignment", 256, true),
    limit<&wgpu::Limits::minUniformBufferOffsetAlignment>("minUniformBufferOffsetAlignment", 256, true),
    limit<&wgpu::Limits::maxBindGroups>("maxBindGroups", 4),
    limit<&wgpu::Limits::maxBindingsPerBindGroup>("maxBindingsPerBindGroup", 1000),
};

constexpr std::pair<wgpu::BackendType, std::string_view> kBackends[] = {
    {wgpu::BackendType::Vulkan, "vulkan"}, {wgpu::BackendType::D3D12, "d3d12"},
    {wgpu::BackendType::Metal, "metal"},   {wgpu::BackendType::D3D11, "d3d11"},
    {wgpu::BackendType::OpenGL, "opengl"}, {wgpu::BackendType::OpenGLES, "opengles"},
    {wgpu::BackendType::Null, "null"},     {wgpu::BackendType::WebGPU, "webgpu"},
};

}  // namespace

Result<FeatureGroup> parse_feature_group(std::string_view text) {
  std::string all;
  for (const auto& [group, group_name] : kGroups) {
    if (group_name == text) return group;
    all += (all.empty() ? "" : ", ") + std::string(group_name);
  }
  return fail(ErrorCode::invalid_argument,
              std::format("'{}' is not a feature that can be disabled; use one of {}", text, all));
}

std::string_view name(FeatureGroup group) {
  return std::ranges::find(kGroups, group, &std::pair<FeatureGroup, std::string_view>::first)->second;
}

std::span<const KnownFeature> known_features() { return kFeatures; }

bool hidden(const KnownFeature& feature, const FeatureGroups& groups) {
  switch (feature.id) {
    case ShaderF16: return groups.contains(FeatureGroup::f16);
    case Subgroups:
    case SubgroupSizeControl: return groups.contains(FeatureGroup::subgroups);
    // Subgroup matrices build on subgroups, so a device without those has none.
    case ChromiumExperimentalSubgroupMatrix:
      return groups.contains(FeatureGroup::matrix) || groups.contains(FeatureGroup::subgroups);
    case TimestampQuery: return groups.contains(FeatureGroup::timestamps);
    default: return false;
  }
}

std::string_view name(wgpu::WGSLLanguageFeatureName feature) {
  using enum wgpu::WGSLLanguageFeatureName;
  switch (feature) {
    case ReadonlyAndReadwriteStorageTextures: return "readonly_and_readwrite_storage_textures";
    case Packed4x8IntegerDotProduct: return kIntDotLanguageFeature;
    case UnrestrictedPointerParameters: return "unrestricted_pointer_parameters";
    case PointerCompositeAccess: return "pointer_composite_access";
    case UniformBufferStandardLayout: return "uniform_buffer_standard_layout";
    case SubgroupId: return "subgroup_id";
    case TextureAndSamplerLet: return "texture_and_sampler_let";
    case SubgroupUniformity: return "subgroup_uniformity";
    case LinearIndexing: return "linear_indexing";
    case ImmediateAddressSpace: return "immediate_address_space";
    case BufferView: return "buffer_view";
    case SwizzleAssignment: return "swizzle_assignment";
    case SizedBindingArray: return "sized_binding_array";
    default: return {};  // textures, fragment shaders, Chromium's tests
  }
}

std::span<const KnownLimit> known_limits() { return kLimits; }

const KnownLimit* find_limit(std::string_view text) {
  const auto found = std::ranges::find(kLimits, text, &KnownLimit::name);
  return found == std::end(kLimits) ? nullptr : &*found;
}

Result<void> check_limit_overrides(const std::map<std::string, double>& overrides) {
  for (const auto& [limit_name, value] : overrides) {
    if (find_limit(limit_name) == nullptr) {
      std::string all;
      for (const KnownLimit& known : kLimits) all += (all.empty() ? "" : ", ") + std::string(known.name);
      return fail(ErrorCode::invalid_argument, std::format("'{}' is not a limit; use one of {}", limit_name, all));
    }
    if (!(value >= 1) || value != static_cast<double>(static_cast<uint64_t>(value))) {
      return fail(ErrorCode::invalid_argument,
                  std::format("limit {} must be a whole number of at least 1, not {}", limit_name, value));
    }
  }
  return {};
}

std::string_view name(wgpu::BackendType backend) {
  const auto found = std::ranges::find(kBackends, backend, &std::pair<wgpu::BackendType, std::string_view>::first);
  return found == std::end(kBackends) ? "unknown" : found->second;
}

std::string_view name(wgpu::AdapterType type) {
  switch (type) {
    case wgpu::AdapterType::DiscreteGPU: return "discrete GPU";
    case wgpu::AdapterType::IntegratedGPU: return "integrated GPU";
    case wgpu::AdapterType::CPU: return "CPU";
    default: return "virtual or unknown GPU";
  }
}

std::optional<wgpu::BackendType> parse_backend(std::string_view text) {
  const auto found = std::ranges::find(kBackends, text, &std::pair<wgpu::BackendType, std::string_view>::second);
  if (found == std::end(kBackends)) return std::nullopt;
  return found->first;
}

}  // namespace halfbyte::gpu
