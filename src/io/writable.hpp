// Asking before the work whether its result can be written after it.
#pragma once

#include <string>

#include "base/error.hpp"

namespace halfbyte {

// Errors: io, when the path is a folder, its folder is not there, or either must not be written. Says nothing of a full
// disk.
Result<void> check_writable(const std::string& path);

}  // namespace halfbyte
