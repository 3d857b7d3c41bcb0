// The peaks of a device, by the kernels of the package halfbyte.peaks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "bench/device_record.hpp"
#include "gpu/kernel.hpp"
#include "gpu/measure.hpp"

namespace halfbyte::gpu {

struct PeakOptions {
  uint64_t memory_bytes = uint64_t{1} << 30;  // of a buffer that is read or copied; halved until it fits the device
  bool thorough = true;                       // every value of the package's tunables; else the smallest alone
  double dispatch_seconds = 1e-3;             // length of an arithmetic kernel's dispatch
  MeasureOptions measure;
  uint64_t seed = 0;
  std::function<void(const std::string&)> progress;  // what is measured now; may be empty
};

// Options for this device: small ones for one that runs on the CPU.
PeakOptions peak_options(const Device& device);

// `kernel`: of halfbyte.peaks. A peak that cannot be measured, or whose result is wrong, has value 0 and says why; the others
// are measured all the same. Errors: device_lost.
Result<DeviceRecord> measure_peaks(Kernel& kernel, const PeakOptions& options);

// The key that figures of this device are kept under.
DeviceKey device_key(const Device& device);

}  // namespace halfbyte::gpu
