// The kernel packages that were compiled into the library: kernels/ as it was when it was built (cmake/embed_kernels.cmake).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"

namespace halfbyte {

struct BuiltInFile {
  std::string_view package, name, text;  // "com.microsoft.MatMulNBits", "manifest.json"
};
std::span<const BuiltInFile> built_in_files();  // the generated part

std::vector<std::string> built_in_packages();
// Errors: not_found (notes list those there are).
Result<Package> built_in_package(const std::string& package);

}  // namespace halfbyte
