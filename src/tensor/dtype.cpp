#include "tensor/dtype.hpp"

#include <array>
#include <utility>

namespace halfbyte {
namespace {

struct Row {
  std::string_view name;
  size_t bytes;
  std::string_view wgsl;
};

constexpr std::array<Row, 8> kRows{{{"float32", 4, "f32"},
                                    {"float16", 2, "f16"},
                                    {"uint8", 1, "u32"},
                                    {"int8", 1, "u32"},
                                    {"int32", 4, "i32"},
                                    {"uint32", 4, "u32"},
                                    {"int64", 8, "u32"},
                                    {"bool", 1, "u32"}}};

}  // namespace

size_t byte_size(DType dtype) { return kRows[std::to_underlying(dtype)].bytes; }
std::string_view name(DType dtype) { return kRows[std::to_underlying(dtype)].name; }
std::string_view wgsl_scalar(DType dtype) { return kRows[std::to_underlying(dtype)].wgsl; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == text) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace halfbyte
