// A tensor in host memory: dtype, shape and its bytes, row-major, little-endian, no padding. A value: copies are deep.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace halfbyte {

struct TensorDesc {
  DType dtype = DType::float32;
  Shape shape;
  bool operator==(const TensorDesc&) const = default;
};

struct HostTensor {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<std::byte> data;

  // Zero-filled. Precondition: the shape's byte size fits memory (check element_count first for untrusted shapes).
  static HostTensor zeros(DType dtype, Shape shape);
  static HostTensor from_floats(DType dtype, Shape shape,
                                std::span<const float> values);  // float32 or float16 (rounds)

  int64_t size() const;  // elements
  TensorDesc desc() const { return {dtype, shape}; }
  // Element i as a double, any dtype.
  double at(int64_t i) const;
  std::vector<float> to_floats() const;

  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

}  // namespace halfbyte
