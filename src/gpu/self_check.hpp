// Is this machine's driver right? The variants that would be chosen for some problems, each run once against the reference in double; those that fail
// are left out by name from then on. The core of `halfbyte verify --quick`, and for an engine's start-up.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "bench/device_record.hpp"
#include "gpu/kernel.hpp"
#include "verify/case.hpp"

namespace halfbyte::gpu {

struct SelfCheckRow {
  std::string case_id, variant;  // variant empty: none is left that can run it
  bool pass = false;
  std::string why;  // when it failed
};

struct SelfCheckReport {
  uint64_t seed = 0;
  std::vector<SelfCheckRow> rows;
  std::map<std::string, std::string> disabled;  // variant -> why: "case M16-K512...: the relative error is ..."
  std::vector<std::string> unsupported;  // cases that no variant can run on this device, which is no fault of a variant
  double seconds = 0;
};

// For each case the variant that would be chosen; when it fails, the next one, until one is right. A variant whose programs have all been right
// already is not run again. A wrong result disables the variant; programs that do not compile only when no case could use it. Ends with kernel.disable(report.disabled).
// Errors: device_lost; those of making a case's data.
Result<SelfCheckReport> self_check(Kernel& kernel, std::span<const Case> cases, uint64_t seed);

// What an engine is likely to ask for, small enough for a second together: M of a token, a few and a prompt; f16 and f32; zero points; int8 activations
// where the package has accuracy levels. Errors: unsupported (the package does not say what it computes).
Result<std::vector<Case>> self_check_cases(const Package& package, const DeviceProfile& profile);

// ---- kept between runs, for one device, driver, WebGPU implementation and package

struct SelfCheckRecord {
  DeviceKey device;
  std::string package;
  Hash128 package_hash;
  uint64_t seed = 0;
  size_t cases = 0;
  std::map<std::string, std::string> disabled;
};

std::string to_json_text(const SelfCheckRecord& record);
Result<SelfCheckRecord> parse_self_check(std::string_view json_text, const std::string& file);

// $XDG_CACHE_HOME/halfbyte/self-check/HASH.json; empty where there is no such folder.
std::string self_check_path(const DeviceKey& device, const Package& package);
// What the record of this device and package disables; empty when there is none. A record that cannot be read, or is of another device or
// package, counts as none.
std::map<std::string, std::string> recorded_failures(const Device& device, const Package& package);

}  // namespace halfbyte::gpu
