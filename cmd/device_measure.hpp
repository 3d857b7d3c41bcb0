// The peaks of the device in use: measured, kept in the cache folder, printed.
#pragma once

#ifdef HALFBYTE_HAS_GPU
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "bench/device_record.hpp"
#include "command.hpp"
#include "gpu/runtime.hpp"

namespace halfbyte::cmd {

// Where the record of this device is kept: devices/HASH.json in the cache folder; empty when there is no such place.
std::string device_record_path(const DeviceKey& key);

// Measures with the package halfbyte.peaks, where kernels lie, and keeps the record. A place that cannot be written to is only
// remarked on. Errors: not_found (the package), those of measure_peaks.
Result<DeviceRecord> measure_device(const std::shared_ptr<gpu::Runtime>& runtime, const Globals& globals);

// The kept record for this device, driver, WebGPU build and package, if there is one.
std::optional<DeviceRecord> kept_device(const std::shared_ptr<gpu::Runtime>& runtime);

// The kept record, or a new one.
Result<DeviceRecord> known_device(const std::shared_ptr<gpu::Runtime>& runtime, const Globals& globals);

void print_peaks(const DeviceRecord& record);

}  // namespace halfbyte::cmd
#endif
