// Where the kernel packages lie, for a program that was not told.
#pragma once

#include <string>

#include "base/error.hpp"

namespace halfbyte {

// The folder of a package ("com.microsoft.MatMulNBits"). Tried in this order, the first with a manifest.json wins: the
// folder in the environment variable HALFBYTE_KERNELS (when it is set, nothing else is tried); kernels, ../kernels and
// ../../kernels seen from the running program's own folder; kernels in the current folder. Errors: not_found; the notes
// list the places.
Result<std::string> find_package(const std::string& package);

}  // namespace halfbyte
