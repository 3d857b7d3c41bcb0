// Tuning records on disk: the file of --tuning, or tuning.json in the cache folder.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "command.hpp"
#include "tune/records.hpp"

namespace halfbyte::cmd {

// --tuning, or the default place; empty when there is none.
std::string tuning_path(const Globals& globals);

// Empty records when the default file is not there; a file named with --tuning must be. Errors: not_found, io, parse.
Result<TuningRecords> load_tuning(const Globals& globals);

}  // namespace halfbyte::cmd
