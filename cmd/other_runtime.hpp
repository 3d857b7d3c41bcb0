// Times of another runtime, by running its script (bench/ort).
#pragma once

#include <span>
#include <string>

#include "base/error.hpp"
#include "bench/cases.hpp"
#include "command.hpp"
#include "manifest/package.hpp"

namespace halfbyte::cmd {

// Runs bench/ort on the cases' shapes and returns what it writes (schema halfbyte.other/1). The script is found in the folder of the
// environment variable HALFBYTE_ORT, in bench/ort beside the program or the current folder; node in that folder or on the path.
// Errors: not_found (which of them), gpu (the script failed; its last words).
Result<std::string> run_onnxruntime(const Package& package, std::span<const BenchCase> cases, const Globals& globals);

}  // namespace halfbyte::cmd
