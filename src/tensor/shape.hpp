#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halfbyte {

using Shape = std::vector<int64_t>;  // outermost dimension first; rank 0 is a scalar

// Product of the dimensions; empty when a dimension is negative or the product leaves 63 bits.
std::optional<int64_t> element_count(std::span<const int64_t> shape);

std::string to_string(std::span<const int64_t> shape);  // "[2,64,768]"

}  // namespace halfbyte
