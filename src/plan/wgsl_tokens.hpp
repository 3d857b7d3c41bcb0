// Internal to src/plan: WGSL's tokens as far as looking for words needs them.
#pragma once

#include <string_view>
#include <vector>

namespace halfbyte {

// Identifiers, numbers with their suffix, single characters; comments left out. Views into `text`.
std::vector<std::string_view> wgsl_tokens(std::string_view text);

}  // namespace halfbyte
