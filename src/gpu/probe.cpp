#include "gpu/probe.hpp"

#include <algorithm>
#include <cctype>

namespace halfbyte::gpu {
namespace {

const char* component_name(wgpu::SubgroupMatrixComponentType type) {
  switch (type) {
    case wgpu::SubgroupMatrixComponentType::F32: return "f32";
    case wgpu::SubgroupMatrixComponentType::F16: return "f16";
    case wgpu::SubgroupMatrixComponentType::U32: return "u32";
    case wgpu::SubgroupMatrixComponentType::I32: return "i32";
    case wgpu::SubgroupMatrixComponentType::U8: return "u8";
    case wgpu::SubgroupMatrixComponentType::I8: return "i8";
  }
  return "";
}

void read_info(const wgpu::Device& device, bool subgroups, bool matrices, DeviceProfile& profile) {
  wgpu::AdapterPropertiesSubgroupMatrixConfigs configs;
  wgpu::AdapterInfo info;
  if (matrices) info.nextInChain = &configs;
  device.GetAdapterInfo(&info);
  profile.adapter.vendor = std::string_view(info.vendor);
  profile.adapter.architecture = std::string_view(info.architecture);
  profile.adapter.device = std::string_view(info.device);
  profile.adapter.description = std::string_view(info.description);
  // Without subgroups WebGPU reports 4 and 128, which say nothing; a manifest must see that nothing is known.
  if (subgroups) {
    profile.adapter.subgroup_min_size = static_cast<int>(info.subgroupMinSize);
    profile.adapter.subgroup_max_size = static_cast<int>(info.subgroupMaxSize);
  }
  for (size_t i = 0; i < configs.configCount; ++i) {
    const wgpu::SubgroupMatrixConfig& c = configs.configs[i];
    profile.subgroup_matrix_configs.push_back({component_name(c.componentType), component_name(c.resultComponentType),
                                               static_cast<int>(c.M), static_cast<int>(c.N), static_cast<int>(c.K)});
  }
}

// "llvmpipe (LLVM 21.1.8, 256 bits)" -> "llvmpipe-llvm-21-1-8-256-bits"
std::string short_name(const AdapterInfo& info) {
  std::string result;
  for (const unsigned char c : info.device.empty() ? info.vendor + " " + info.architecture : info.device) {
    if (std::isalnum(c) != 0) {
      result += static_cast<char>(std::tolower(c));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "unnamed" : result;
}

}  // namespace

DeviceProfile probe_profile(const wgpu::Instance& instance, const wgpu::Device& device, const FeatureGroups& disabled,
                            const std::map<std::string, double>& overrides) {
  DeviceProfile profile;
  for (const KnownFeature& feature : known_features()) {
    if (feature.in_profile && device.HasFeature(feature.id) && !hidden(feature, disabled)) {
      profile.features.emplace_back(feature.name);
    }
  }
  std::ranges::sort(profile.features);
  const auto has = [&](std::string_view feature) { return std::ranges::contains(profile.features, feature); };
  read_info(device, has("subgroups"), has("chromium-experimental-subgroup-matrix"), profile);
  if (!has("shader-f16")) {
    std::erase_if(profile.subgroup_matrix_configs,
                  [](const auto& c) { return c.component_type == "f16" || c.result_component_type == "f16"; });
  }

  wgpu::SupportedWGSLLanguageFeatures language;
  instance.GetWGSLLanguageFeatures(&language);
  for (size_t i = 0; i < language.featureCount; ++i) {
    const std::string_view feature = name(language.features[i]);
    if (feature.empty() || (feature == kIntDotLanguageFeature && disabled.contains(FeatureGroup::int_dot))) continue;
    profile.wgsl_language_features.emplace_back(feature);
  }
  std::ranges::sort(profile.wgsl_language_features);

  wgpu::Limits limits;
  device.GetLimits(&limits);
  for (const KnownLimit& limit : known_limits()) {
    double value = limit.get(limits);
    if (const auto given = overrides.find(std::string(limit.name)); given != overrides.end()) {
      value = limit.is_alignment ? std::max(value, given->second) : std::min(value, given->second);
    }
    profile.limits[std::string(limit.name)] = value;
  }
  profile.name = short_name(profile.adapter);
  profile.source = "read off the device by halfbyte";
  return profile;
}

}  // namespace halfbyte::gpu
