// Package + DeviceProfile + Problem -> Choice. Pure: no GPU, no clock, no files. Tens of microseconds.
//
// Semantics (compat/select_oracle.py): a variant is eligible when its `requires` holds on the device and every `when` is true;
// demoted when any `demoteWhen` is true; the winner is the first of (not demoted, highest priority, manifest order).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "select/profile.hpp"

namespace halfbyte {

enum class Verdict {
  chosen,
  eligible,
  demoted,
  rejected
};  // eligible/demoted: could run, but another one is preferred

struct VariantVerdict {
  std::string variant;
  Verdict verdict = Verdict::rejected;
  double priority = 0;
  // One sentence with numbers: "needs maxComputeWorkgroupStorageSize 32768, the device has 16384";
  // "aRows >= 32 is false: aRows is 4"; "priority 13 is below 20 of the chosen one".
  std::string why;
};

struct SelectOptions {
  std::string variant;  // force this one; not_eligible error with the failed conditions when it cannot run
  std::vector<std::string>
      prefer;  // measured winners, best first: the first eligible one wins over the manifest's order
  std::vector<std::string>
      exclude;  // taken as not eligible, e.g. since their plan exceeds a limit or they failed a self test here
};

class Evaluation;  // memoised values of this problem on this device; src/select/evaluation.hpp, for src/plan

struct Choice {
  int variant = -1;  // index into Package::variant_ids()
  bool demoted = false;
  std::shared_ptr<Evaluation> evaluation;
};

// Errors: invalid_argument (attribute missing or out of range, input missing, wrong dtype or rank; names the input, says what
// would be right), not_eligible (notes: one sentence for each variant).
Result<Choice> select(const Package& package, const DeviceProfile& profile, const Problem& problem,
                      const SelectOptions& options = {});

// Every variant in manifest order with its verdict. Errors: invalid_argument only.
Result<std::vector<VariantVerdict>> explain(const Package& package, const DeviceProfile& profile,
                                            const Problem& problem, const SelectOptions& options = {});

}  // namespace halfbyte
