#include "bench/device_record.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

namespace halfbyte {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kDeviceSchema = "halfbyte.device/1";
constexpr std::array kAllKinds{PeakKind::fma,  PeakKind::dot,  PeakKind::matrix,
                               PeakKind::read, PeakKind::copy, PeakKind::dispatch};

std::optional<PeakKind> parse_kind(std::string_view text) {
  for (const PeakKind kind : kAllKinds) {
    if (text == name(kind)) return kind;
  }
  return std::nullopt;
}

ordered_json peak_json(const Peak& peak) {
  ordered_json out{{"id", peak.id}, {"kind", name(peak.kind)}};
  if (!peak.component.empty()) out["component"] = peak.component;
  if (!peak.result.empty()) out["result"] = peak.result;
  out["value"] = peak.value;
  out["spread"] = peak.spread;
  out["settings"] = peak.settings;
  out["checked"] = peak.checked;
  if (!peak.why.empty()) out["why"] = peak.why;
  return out;
}

// Throws json::exception on a value of the wrong type.
Result<Peak> read_peak(const json& in, const std::string& file) {
  const auto kind = parse_kind(in.at("kind").get<std::string>());
  if (!kind)
    return fail(ErrorCode::parse, std::format("peak kind \"{}\" is unknown", in.at("kind").get<std::string>()), {file});
  Peak peak;
  peak.id = in.at("id");
  peak.kind = *kind;
  peak.component = in.value("component", "");
  peak.result = in.value("result", "");
  peak.value = in.at("value");
  peak.spread = in.value("spread", 0.0);
  peak.settings = in.value("settings", std::map<std::string, double>{});
  peak.checked = in.value("checked", false);
  peak.why = in.value("why", "");
  return peak;
}

Result<DeviceRecord> read_record(const json& in, const std::string& file) {
  if (in.value("schema", "") != kDeviceSchema)
    return fail(ErrorCode::parse, std::format("not a device record: \"schema\" must be \"{}\"", kDeviceSchema), {file});
  DeviceRecord record;
  const json& key = in.at("device");
  record.key = {key.value("adapter", ""), key.value("vendor", ""), key.value("architecture", ""),
                key.value("backend", ""), key.value("driver", ""), key.value("webgpu", "")};
  const std::string hash = in.value("package", "");
  if (hash.size() == 32) {
    record.package = {std::stoull(hash.substr(0, 16), nullptr, 16), std::stoull(hash.substr(16), nullptr, 16)};
  }
  record.clock = in.value("clock", "");
  record.remarks = in.value("remarks", std::vector<std::string>{});
  for (const json& item : in.at("peaks")) {
    HB_TRY(Peak peak, read_peak(item, file));
    record.peaks.push_back(std::move(peak));
  }
  return record;
}

}  // namespace

Hash128 DeviceKey::hash() const {
  return Hasher().add(adapter).add(vendor).add(architecture).add(backend).add(driver).add(webgpu).finish();
}

DeviceKey device_key(const AdapterInfo& adapter, std::string backend, std::string webgpu) {
  return {adapter.device,     adapter.vendor,      adapter.architecture,
          std::move(backend), adapter.description, std::move(webgpu)};
}

std::string_view name(PeakKind kind) {
  switch (kind) {
    case PeakKind::fma: return "fma";
    case PeakKind::dot: return "dot";
    case PeakKind::matrix: return "matrix";
    case PeakKind::read: return "read";
    case PeakKind::copy: return "copy";
    case PeakKind::dispatch: return "dispatch";
  }
  return "";
}

const Peak* DeviceRecord::find(std::string_view id) const {
  for (const Peak& peak : peaks) {
    if (peak.id == id && peak.value > 0) return &peak;
  }
  return nullptr;
}

std::string to_json_text(const DeviceRecord& record) {
  ordered_json out{{"schema", kDeviceSchema}};
  out["device"] = {
      {"adapter", record.key.adapter}, {"vendor", record.key.vendor}, {"architecture", record.key.architecture},
      {"backend", record.key.backend}, {"driver", record.key.driver}, {"webgpu", record.key.webgpu}};
  out["package"] = record.package.hex();
  out["clock"] = record.clock;
  out["peaks"] = ordered_json::array();
  for (const Peak& peak : record.peaks) out["peaks"].push_back(peak_json(peak));
  out["remarks"] = record.remarks;
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<DeviceRecord> parse_device_record(std::string_view json_text, const std::string& file) {
  try {
    return read_record(json::parse(json_text), file);
  } catch (const std::exception& error) {
    return fail(ErrorCode::parse, std::format("not a device record: {}", error.what()), {file});
  }
}

}  // namespace halfbyte
