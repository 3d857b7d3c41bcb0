// WebGPU's error texts as our Errors.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace halfbyte::gpu {

// "what: first line of text"; further lines of the text (source excerpt, call chain) become notes.
inline Error gpu_error(ErrorCode code, std::string_view what, std::string_view text) {
  Error error{code, std::string(what), {}, {}};
  bool first = true;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (first) {
      error.message += ": " + std::string(line);
    } else {
      error.notes.emplace_back(line);
    }
    first = false;
  }
  return error;
}

}  // namespace halfbyte::gpu
