#include "plan/wgsl_tokens.hpp"

#include <algorithm>
#include <cctype>

namespace halfbyte {

std::vector<std::string_view> wgsl_tokens(std::string_view text) {
  std::vector<std::string_view> list;
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      int depth = 0;  // block comments nest in WGSL
      do {
        if (text.substr(i, 2) == "/*") {
          ++depth;
          i += 2;
        } else if (text.substr(i, 2) == "*/") {
          --depth;
          i += 2;
        } else {
          ++i;
        }
      } while (depth > 0 && i < text.size());
    } else if (word(c)) {
      const size_t begin = i;
      const bool number = std::isdigit(static_cast<unsigned char>(c));
      while (i < text.size() && (word(text[i]) || (number && text[i] == '.'))) ++i;
      list.push_back(text.substr(begin, i - begin));
    } else {
      list.push_back(text.substr(i, 1));
      ++i;
    }
  }
  return list;
}

}  // namespace halfbyte
