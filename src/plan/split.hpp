// Internal to src/plan: weights that exceed one binding, computed in parts.
#pragma once

#include "plan/plan.hpp"

namespace halfbyte {

// Of the host's own pass below, as PassPlan::shader; no template of a package can have this name.
inline constexpr std::string_view kPlaceColumns = ":place-columns";

// The WGSL body of that pass: columns [first, first + columns) of Y's rows from a part of its own. Reads the element types of the
// bindings "part" and "y" ("f32", "f16", or "u32" for two f16 a word).
std::string place_columns(const PassPlan& pass);

// The problem in parts of N, each with its own slices of the codes, scales, zero points and bias, all by one variant. One row
// of Y is written in place; of more rows each part is computed into scratch memory and its columns then placed. Where the parts begin depends on
// the weights only, so every M shares packed weights.
// Errors: limit or not_eligible when no variant can do it in parts (the message says why); unsupported when the package does
// not say what it computes, or has weights that are not laid out row of N by row of N.
Result<Plan> split_plan(const Package& package, const DeviceProfile& profile, const Problem& problem,
                        const SelectOptions& options);

// Is one of the weights of this problem larger than one binding?
bool exceeds_binding(const Package& package, const DeviceProfile& profile, const Problem& problem);

}  // namespace halfbyte
