// What the tuner may choose between for one problem on one device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "select/profile.hpp"

namespace halfbyte {

struct Candidate {
  std::string variant;
  std::map<std::string, double, std::less<>> tunables;  // those that differ from the manifest's defaults
  bool operator==(const Candidate&) const = default;
  std::string label() const;  // "gemv GEMV_N_COLS=8"
};

// Every eligible variant, each with every combination of its tunables' `values` that makes another plan of it. The manifest's
// own choice comes first, then each variant with its defaults in the manifest's order, then the others. Demoted variants are candidates
// too. A variant with more than `most_per_variant` combinations is tried with each tunable changed alone, then with random
// combinations (the same ones every time) up to that number. Tunables that the problem gives itself stay as they are.
// Errors: those of plan_problem.
Result<std::vector<Candidate>> find_candidates(const Package& package, const DeviceProfile& profile,
                                               const Problem& problem, size_t most_per_variant = 64);

// The problem with the candidate's tunables, where the problem gives none itself.
Problem with_tunables(Problem problem, const Candidate& candidate);

}  // namespace halfbyte
