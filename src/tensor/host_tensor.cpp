#include "tensor/host_tensor.hpp"

#include <algorithm>
#include <utility>

#include "tensor/half.hpp"

namespace halfbyte {

HostTensor HostTensor::zeros(DType dtype, Shape shape) {
  HostTensor t{dtype, std::move(shape), {}};
  t.data.resize(static_cast<size_t>(element_count(t.shape).value_or(0)) * byte_size(dtype));
  return t;
}

HostTensor HostTensor::from_floats(DType dtype, Shape shape, std::span<const float> values) {
  HostTensor t = zeros(dtype, std::move(shape));
  const size_t n = std::min(values.size(), static_cast<size_t>(t.size()));
  if (dtype == DType::float16) {
    auto out = t.as<uint16_t>();
    for (size_t i = 0; i < n; ++i) out[i] = float_to_half(values[i]);
  } else {
    std::copy_n(values.begin(), n, t.as<float>().begin());
  }
  return t;
}

int64_t HostTensor::size() const { return static_cast<int64_t>(data.size() / byte_size(dtype)); }

double HostTensor::at(int64_t i) const {
  const auto n = static_cast<size_t>(i);
  switch (dtype) {
    case DType::float32: return as<float>()[n];
    case DType::float16: return half_to_float(as<uint16_t>()[n]);
    case DType::uint8:
    case DType::bool8: return as<uint8_t>()[n];
    case DType::int8: return as<int8_t>()[n];
    case DType::int32: return as<int32_t>()[n];
    case DType::uint32: return as<uint32_t>()[n];
    case DType::int64: return static_cast<double>(as<int64_t>()[n]);
  }
  return 0;
}

std::vector<float> HostTensor::to_floats() const {
  std::vector<float> out(static_cast<size_t>(size()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(at(static_cast<int64_t>(i)));
  return out;
}

}  // namespace halfbyte
