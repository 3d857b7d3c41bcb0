// Which variant runs a problem on a device, and why not every other one: what `halfbyte explain` and the browser page show.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plan/plan.hpp"

namespace halfbyte {

struct Explanation {
  std::vector<VariantVerdict> verdicts;  // the winner first, then in manifest order
  std::optional<Plan> plan;              // of the winner
  std::string why_not;                   // one sentence when nothing runs
};

// A variant whose plan exceeds a limit of the device is passed over, as plan_problem() does, and its sentence becomes the reason.
// `variant`: force this one; empty: choose. `failed`: variants that a self check found wrong on the device, and why; they are passed over
// unless forced. Errors: those of explain() and make_plan().
Result<Explanation> explain_problem(const Package& package, const DeviceProfile& profile, const Problem& problem,
                                    const std::string& variant = "",
                                    const std::map<std::string, std::string>& failed = {});

using Shaders = std::vector<std::pair<std::string, std::string>>;  // pass label, WGSL

// The WGSL of every pass, prepacking ones first. Errors: those of render().
Result<Shaders> render_all(const Package& package, const Plan& plan);

const char* name(Verdict verdict);  // "chosen", "eligible", "demoted", "rejected"

// What the variant may round (docs/numerics.md), in words: "activations as given, sums in f32".
std::string numerics_of(const Plan& plan);

// What `halfbyte explain --json` prints. `tuned`: what tuning records say, as JSON.
std::string explanation_json(const Package& package, const DeviceProfile& profile, const Problem& problem,
                             const Explanation& explanation, const Shaders& shaders, const std::string& tuned = "null");

}  // namespace halfbyte
