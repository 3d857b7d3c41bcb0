// The only file access of the library. Paths are the caller's; nothing is created except by write_file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

Result<std::string> read_text(const std::string& path);  // not_found / io errors name the path and the reason
Result<std::vector<std::byte>> read_bytes(const std::string& path);
// Writes beside the target and renames, so a reader never sees half a file and a failure leaves the old one.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);
Result<void> write_file(const std::string& path, std::string_view text);

// A package from a folder (or the path of its manifest.json): manifest, its templates and those of the sibling packages it `uses`.
// With `template_folder` the templates come from there instead (a public manifest on our templates).
Result<Package> load_package(const std::string& path, const std::string& template_folder = "");

}  // namespace halfbyte
