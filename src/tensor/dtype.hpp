// Element types of tensors, under ONNX's names in JSON ("float32") and WGSL's in shaders ("f32").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace halfbyte {

enum class DType : uint8_t { float32, float16, uint8, int8, int32, uint32, int64, bool8 };

size_t byte_size(DType dtype);
std::string_view name(DType dtype);                       // "float16"
std::optional<DType> parse_dtype(std::string_view name);  // inverse of name()

// The WGSL storage type of one element; uint8 and int8 buffers are seen as packed u32 words.
std::string_view wgsl_scalar(DType dtype);

}  // namespace halfbyte
