#include "tensor/shape.hpp"

namespace halfbyte {

std::optional<int64_t> element_count(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool zero = false;
  for (const int64_t d : shape) {
    if (d < 0) return std::nullopt;
    if (d == 0) {
      zero = true;
      continue;
    }
    if (__builtin_mul_overflow(count, d, &count)) return std::nullopt;
  }
  return zero ? 0 : count;
}

std::string to_string(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace halfbyte
