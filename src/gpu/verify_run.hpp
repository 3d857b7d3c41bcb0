// Every case of a package x every variant that can run it on this device, against the reference in double. The core of
// `halfbyte verify`, and of whatever must know first that a variant is right (tests, bench, tune).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/kernel.hpp"
#include "verify/case.hpp"

namespace halfbyte::gpu {

struct VerifyProgress {
  size_t case_index = 0, case_count = 0;
  std::string case_id, variant;
  int passed = 0, failed = 0;
};

struct VerifyOptions {
  std::string variant;    // only this one; empty: every one
  uint64_t run_seed = 0;  // of cases without a seed of their own
  int repeat = 1;         // runs of each pair; all must give the same bits
  // Bytes bound after each tensor: what a kernel reads there is NaN or all ones, what it writes there is a failure. 0: tensors
  // are bound exactly, as record() does.
  uint64_t guard = 64;
  std::function<void(const VerifyProgress&)> progress;  // may be empty; called before each run
};

struct VerifyRow {
  std::string case_id, variant;
  bool pass = false;
  std::string why;  // one sentence when it failed
  Comparison comparison;
  double prepare_seconds = 0;  // planning and compiling, where this pair was the first to need the program
  double run_seconds = 0;      // every run, with poisoning, waiting and comparing
};

// What was not run, and why: a variant no case is eligible for here, or a case that no variant can run here.
struct VerifySkip {
  std::string variant, case_id;  // one of them is empty
  std::string why;               // of the variant: the verdict on the case where it came closest (the last one)
};

struct VerifyReport {
  uint64_t run_seed = 0;
  std::vector<VerifyRow> rows;
  std::vector<VerifySkip> skips;
  int passed() const;
  int failed() const;
  int skipped() const { return static_cast<int>(skips.size()); }
  // The largest error / bound among the passed rows with a bound; 0 when there is none.
  double worst_ratio() const;
};

// A case whose data or reference cannot be made counts as failed. Errors: invalid_argument (unknown variant), device_lost.
Result<VerifyReport> verify_package(Kernel& kernel, std::span<const Case> cases, const VerifyOptions& options);

}  // namespace halfbyte::gpu
