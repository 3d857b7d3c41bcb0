// What was measured of one device: its peaks. Written by `halfbyte device --measure`, read by bench and model as the limits to
// compare with. JSON schema: docs/benchmarks.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "select/profile.hpp"

namespace halfbyte {

// Figures hold for one device under one driver and one WebGPU implementation.
struct DeviceKey {
  std::string adapter;  // "NVIDIA H200"
  std::string vendor, architecture;
  std::string backend;  // "vulkan"
  std::string driver;   // as the adapter describes it: "NVIDIA: 580.159.04"
  std::string webgpu;   // which build of the WebGPU implementation
  auto operator<=>(const DeviceKey&) const = default;
  Hash128 hash() const;
};

DeviceKey device_key(const AdapterInfo& adapter, std::string backend, std::string webgpu);

enum class PeakKind { fma, dot, matrix, read, copy, dispatch };
std::string_view name(PeakKind kind);  // "fma"

struct Peak {
  std::string id;  // "fma_f32", "matrix_f16_f32_16x16x16", "read", "dispatch"
  PeakKind kind = PeakKind::fma;
  std::string component, result;           // "f16", "f32"; of fma and dot: what is multiplied and what is summed
  double value = 0;                        // operations/s (2 for a multiply-add), bytes/s, or seconds of one dispatch
  double spread = 0;                       // share of the value
  std::map<std::string, double> settings;  // of the best kernel: workgroups, tunables
  bool checked = false;                    // every result was as computed on the host
  std::string why;                         // not measured, or not to be trusted: one sentence; value is 0 then
};

struct DeviceRecord {
  DeviceKey key;
  Hash128 package;    // of halfbyte.peaks
  std::string clock;  // "timestamp-query, steps of 32 ns"
  std::vector<Peak> peaks;
  std::vector<std::string> remarks;

  const Peak* find(std::string_view id) const;  // a measured one
};

std::string to_json_text(const DeviceRecord& record);
Result<DeviceRecord> parse_device_record(std::string_view json_text, const std::string& file);

}  // namespace halfbyte
