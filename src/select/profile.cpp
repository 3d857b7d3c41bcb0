#include "select/profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manifest/json.hpp"

namespace halfbyte {
namespace {

using Kind = JsonValue::Kind;

Result<void> read_text(const JsonDocument& doc, const JsonValue& object, std::string_view key, std::string& target) {
  const JsonValue* value = object.find(key);
  if (!value) return {};
  HB_CHECK(doc.expect(*value, Kind::string, std::format("\"{}\"", key)));
  target = value->text;
  return {};
}

Result<void> read_size(const JsonDocument& doc, const JsonValue& object, std::string_view key,
                       std::optional<int>& target) {
  const JsonValue* value = object.find(key);
  if (!value || value->is(Kind::null)) return {};
  HB_CHECK(doc.expect(*value, Kind::number, std::format("\"{}\"", key)));
  if (!(value->number >= 0 && value->number <= 65536 && value->number == static_cast<int>(value->number)))
    return doc.error(*value, std::format("\"{}\" must be an integer from 0 to 65536", key));
  target = static_cast<int>(value->number);
  return {};
}

Result<AdapterInfo> read_adapter(const JsonDocument& doc, const JsonValue& object) {
  AdapterInfo info;
  HB_CHECK(doc.expect_keys(object, "\"adapterInfo\"",
                           {"vendor", "architecture", "device", "description", "subgroupMinSize", "subgroupMaxSize"}));
  HB_CHECK(read_text(doc, object, "vendor", info.vendor));
  HB_CHECK(read_text(doc, object, "architecture", info.architecture));
  HB_CHECK(read_text(doc, object, "device", info.device));
  HB_CHECK(read_text(doc, object, "description", info.description));
  HB_CHECK(read_size(doc, object, "subgroupMinSize", info.subgroup_min_size));
  HB_CHECK(read_size(doc, object, "subgroupMaxSize", info.subgroup_max_size));
  return info;
}

Result<SubgroupMatrixConfig> read_config(const JsonDocument& doc, const JsonValue& object) {
  SubgroupMatrixConfig config;
  const std::string_view what = "a subgroup matrix configuration";
  HB_CHECK(doc.expect_keys(object, what, {"componentType", "resultComponentType", "M", "N", "K"}));
  HB_CHECK(read_text(doc, object, "componentType", config.component_type));
  HB_CHECK(read_text(doc, object, "resultComponentType", config.result_component_type));
  for (const auto& [key, target] :
       {std::pair<std::string_view, int*>{"M", &config.M}, {"N", &config.N}, {"K", &config.K}}) {
    HB_TRY(const JsonValue* value, doc.need(object, key, what));
    HB_CHECK(doc.expect(*value, Kind::number, std::format("\"{}\"", key)));
    if (!(value->number >= 1 && value->number <= 65536))
      return doc.error(*value, std::format("\"{}\" must be 1 to 65536", key));
    *target = static_cast<int>(value->number);
  }
  return config;
}

}  // namespace

bool DeviceProfile::has_feature(std::string_view feature) const {
  return std::ranges::find(features, feature) != features.end();
}

std::optional<double> DeviceProfile::limit(std::string_view limit_name) const {
  const auto it = limits.find(limit_name);
  return it == limits.end() ? std::nullopt : std::optional(it->second);
}

Result<DeviceProfile> parse_profile(std::string_view json_text, const std::string& file) {
  HB_TRY(const JsonDocument doc, JsonDocument::parse(json_text, file));
  const JsonValue& root = doc.root();
  HB_CHECK(doc.expect_keys(
      root, "a device profile",
      {"name", "source", "adapterInfo", "features", "wgslLanguageFeatures", "limits", "subgroupMatrixConfigs"}));
  DeviceProfile profile;
  HB_CHECK(read_text(doc, root, "name", profile.name));
  HB_CHECK(read_text(doc, root, "source", profile.source));
  HB_TRY(const JsonValue* adapter, doc.need(root, "adapterInfo", "a device profile"));
  HB_TRY(profile.adapter, read_adapter(doc, *adapter));
  HB_TRY(const JsonValue* features, doc.need(root, "features", "a device profile"));
  HB_TRY(profile.features, doc.strings(*features, "\"features\""));
  std::ranges::sort(profile.features);
  if (const JsonValue* language = root.find("wgslLanguageFeatures")) {
    HB_TRY(profile.wgsl_language_features, doc.strings(*language, "\"wgslLanguageFeatures\""));
    std::ranges::sort(profile.wgsl_language_features);
  }
  HB_TRY(const JsonValue* limits, doc.need(root, "limits", "a device profile"));
  HB_CHECK(doc.expect(*limits, Kind::object, "\"limits\""));
  for (const JsonMember& member : limits->members) {
    HB_CHECK(doc.expect(member.value, Kind::number, std::format("the limit {}", member.key)));
    profile.limits[member.key] = member.value.number;
  }
  if (const JsonValue* configs = root.find("subgroupMatrixConfigs")) {
    HB_CHECK(doc.expect(*configs, Kind::array, "\"subgroupMatrixConfigs\""));
    for (const JsonValue& item : configs->items) {
      HB_TRY(SubgroupMatrixConfig config, read_config(doc, item));
      profile.subgroup_matrix_configs.push_back(std::move(config));
    }
  }
  return profile;
}

std::string to_json_text(const DeviceProfile& profile) {
  nlohmann::ordered_json json;
  json["name"] = profile.name;
  json["source"] = profile.source;
  auto& adapter = json["adapterInfo"];
  adapter["vendor"] = profile.adapter.vendor;
  adapter["architecture"] = profile.adapter.architecture;
  adapter["device"] = profile.adapter.device;
  adapter["description"] = profile.adapter.description;
  if (profile.adapter.subgroup_min_size) adapter["subgroupMinSize"] = *profile.adapter.subgroup_min_size;
  if (profile.adapter.subgroup_max_size) adapter["subgroupMaxSize"] = *profile.adapter.subgroup_max_size;
  json["features"] = profile.features;
  json["wgslLanguageFeatures"] = profile.wgsl_language_features;
  json["limits"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : profile.limits) {
    // Limits are integers; as such they stay readable and exact.
    if (value >= 0 && value < 1.8e19 && value == static_cast<double>(static_cast<uint64_t>(value))) {
      json["limits"][name] = static_cast<uint64_t>(value);
    } else {
      json["limits"][name] = value;
    }
  }
  json["subgroupMatrixConfigs"] = nlohmann::ordered_json::array();
  for (const SubgroupMatrixConfig& c : profile.subgroup_matrix_configs)
    json["subgroupMatrixConfigs"].push_back({{"componentType", c.component_type},
                                             {"resultComponentType", c.result_component_type},
                                             {"M", c.M},
                                             {"N", c.N},
                                             {"K", c.K}});
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace halfbyte
