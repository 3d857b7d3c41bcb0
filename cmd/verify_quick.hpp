// halfbyte verify --quick, and what it leaves for the other commands.
#pragma once

#ifdef HALFBYTE_HAS_GPU
#include <span>
#include <string>

#include "command.hpp"
#include "gpu/kernel.hpp"
#include "verify/case.hpp"

namespace halfbyte::cmd {

// Checks the variants that would be chosen for `cases` (empty: the built-in ones), prints and records what failed, and writes the record to
// `json` as well when given. Returns the exit code: 1 when a variant failed.
Result<int> verify_quick(gpu::Kernel& kernel, std::span<const Case> cases, const std::string& json,
                         const Globals& globals);

// Takes what an earlier verify --quick found on this device out of the choice; says so on stderr, unless --quiet.
void leave_out_failed(gpu::Kernel& kernel, const Globals& globals);

}  // namespace halfbyte::cmd
#endif
