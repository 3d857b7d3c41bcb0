// What a device can do, as a value: the only thing selection and planning know of a device. Format: compat/profiles
// (kept in profiles/). Written by `halfbyte device --json` and by the browser page; read by explain, plan and lint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace halfbyte {

// One shape of subgroup matrices: left is M x K, right is K x N, both of component_type.
struct SubgroupMatrixConfig {
  std::string component_type;         // "f16", "f32", "i8", "u8"
  std::string result_component_type;  // "f16", "f32", "i32", "u32"
  int M = 0, N = 0, K = 0;
  bool operator==(const SubgroupMatrixConfig&) const = default;
};

struct AdapterInfo {
  std::string vendor, architecture, device, description;
  // Guaranteed bounds of the subgroup size; empty where the adapter hides them. Devices that report 0 are kept as 0.
  std::optional<int> subgroup_min_size, subgroup_max_size;
};

struct DeviceProfile {
  std::string name;    // short, for file names and messages
  std::string source;  // where the figures come from
  AdapterInfo adapter;
  std::vector<std::string> features;                  // WebGPU feature names, sorted
  std::vector<std::string> wgsl_language_features;    // sorted
  std::map<std::string, double, std::less<>> limits;  // WebGPU limit names
  std::vector<SubgroupMatrixConfig> subgroup_matrix_configs;

  bool has_feature(std::string_view feature) const;
  std::optional<double> limit(std::string_view limit_name) const;
};

// `file` is for error messages only. Unknown keys are errors.
Result<DeviceProfile> parse_profile(std::string_view json_text, const std::string& file);
std::string to_json_text(const DeviceProfile& profile);  // pretty, round-trips through parse_profile

}  // namespace halfbyte
