// A part of a file, for formats whose tensors lie somewhere in a large one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace halfbyte {

// `length` bytes from `offset`, or all that follow when it is empty. A file that ends earlier is an error (io) that has
// the numbers; nothing is allocated before the file's size is known.
Result<std::vector<std::byte>> read_byte_range(const std::string& path, uint64_t offset,
                                               std::optional<uint64_t> length);

}  // namespace halfbyte
