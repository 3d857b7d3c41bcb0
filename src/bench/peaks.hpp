// What `halfbyte device --measure` runs: the kernels of the package halfbyte.peaks, what each is to be given, how much work that is,
// and what must come out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/device_record.hpp"
#include "select/problem.hpp"
#include "select/profile.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

inline constexpr const char* kPeaksPackage = "halfbyte.peaks";

using Tunables = std::map<std::string, double, std::less<>>;

// One peak to measure: not measured yet (value 0), or `why` says why it cannot be.
struct PeakRequest {
  Peak peak;
  std::string variant;
};

// Every peak there is: multiply-adds in f32 and f16, packed 8-bit dots, each subgroup-matrix configuration of the device, reading,
// copying, a dependent dispatch. In this order.
std::vector<PeakRequest> peak_requests(const DeviceProfile& profile);

// The package's tunables with their defaults; what is measured may set others.
struct PeakSetting {
  Tunables tunables;          // a value for every tunable of the package
  int64_t iterations = 1;     // of an arithmetic kernel's loop
  uint64_t memory_bytes = 0;  // of a buffer that is read or copied; rounded down to whole chunks
};

struct PeakRun {
  Problem problem;
  HostTensor x;  // input of an arithmetic kernel; empty for the others
  uint64_t memory_bytes = 0;
  uint64_t seed = 0;          // of the matrices
  int64_t subgroup_room = 0;  // subgroups of a workgroup that Y has room for
};

// Precondition: the request has no `why`.
PeakRun make_peak_run(const PeakRequest& request, const DeviceProfile& profile, const PeakSetting& setting,
                      uint64_t seed);
// The kernel that writes a buffer for reading and copying, whose words are fill_word(i).
PeakRun make_fill_run(const DeviceProfile& profile, uint64_t memory_bytes);
uint32_t fill_word(uint64_t i);

// Operations (two for a multiply-add) or bytes of one dispatch; 1 for a dispatch itself. `subgroups`: of a workgroup, as the
// kernel said in info[0]; only for matrices.
double peak_work(const PeakRequest& request, const PeakRun& run, double subgroups);

// Did the kernel do all of it? `y`: its output; of a copy, its words from `y_first` on. Errors: internal, with the first wrong word.
// f16 sums of matrices leave the integers that f16 can hold after some iterations; past that only infinities and NaN are found.
Result<void> check_peak(const PeakRequest& request, const PeakRun& run, const HostTensor& y, const HostTensor& info,
                        int64_t dispatches, uint64_t y_first = 0);

}  // namespace halfbyte
