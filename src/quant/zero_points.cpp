#include "quant/zero_points.hpp"

#include <cmath>
#include <vector>

#include "quant/codes.hpp"
#include "tensor/half.hpp"

namespace halfbyte {
namespace {

void store(HostTensor& t, int64_t i, float value) {
  const auto n = static_cast<size_t>(i);
  if (t.dtype == DType::float16)
    t.as<uint16_t>()[n] = float_to_half(value);
  else
    t.as<float>()[n] = value;
}

}  // namespace

Result<HostTensor> unpack_zero_points(const HostTensor& packed, int64_t blocks, int bits, DType dtype) {
  if (bits != 2 && bits != 4 && bits != 8)
    return fail(ErrorCode::invalid_argument,
                std::format("zero points of {} bits cannot be unpacked; 2, 4 and 8 can", bits));
  if (dtype != DType::float32 && dtype != DType::float16)
    return fail(ErrorCode::invalid_argument,
                std::format("zero points are unpacked to float32 or float16, not {}", name(dtype)));
  const int64_t row = (blocks * bits + 7) / 8;
  const int64_t N = row > 0 ? packed.size() / row : 0;
  const bool fits = packed.dtype == DType::uint8 && row > 0 && packed.size() % row == 0 &&
                    (packed.shape == Shape{N, row} || packed.shape == Shape{N * row});
  if (!fits)
    return fail(ErrorCode::invalid_argument,
                std::format("packed zero points are {} {}, but {} blocks of {} bits need uint8 [N,{}] or [N*{}]",
                            name(packed.dtype), to_string(packed.shape), blocks, bits, row, row));
  HostTensor out = HostTensor::zeros(dtype, {N, blocks});
  std::vector<uint8_t> values(static_cast<size_t>(blocks));
  for (int64_t n = 0; n < N; ++n) {
    unpack_codes(packed.as<uint8_t>().data() + n * row, blocks, bits, values.data());
    for (int64_t b = 0; b < blocks; ++b) store(out, n * blocks + b, values[static_cast<size_t>(b)]);
  }
  return out;
}

Result<HostTensor> pack_zero_points(const HostTensor& unpacked, int bits) {
  if (unpacked.shape.size() != 2 || (bits != 2 && bits != 4 && bits != 8))
    return fail(ErrorCode::invalid_argument,
                std::format("zero points of shape {} and {} bits cannot be packed; [N,blocks] "
                            "and 2, 4 or 8 bits can",
                            to_string(unpacked.shape), bits));
  const int64_t N = unpacked.shape[0], blocks = unpacked.shape[1], row = (blocks * bits + 7) / 8;
  const int most = (1 << bits) - 1;
  HostTensor out = HostTensor::zeros(DType::uint8, {N, row});
  std::vector<uint8_t> values(static_cast<size_t>(blocks));
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t b = 0; b < blocks; ++b) {
      const double value = unpacked.at(n * blocks + b);
      if (!(value >= 0 && value <= most) || value != std::floor(value))
        return fail(ErrorCode::invalid_argument,
                    std::format("zero point [{},{}] is {} but packed ones of {} bits are whole "
                                "numbers from 0 to {}",
                                n, b, value, bits, most));
      values[static_cast<size_t>(b)] = static_cast<uint8_t>(value);
    }
    pack_codes(values.data(), blocks, bits, out.as<uint8_t>().data() + n * row);
  }
  return out;
}

HostTensor default_zero_points(int64_t N, int64_t blocks, int bits, DType dtype) {
  HostTensor out = HostTensor::zeros(dtype, {N, blocks});
  for (int64_t i = 0; i < out.size(); ++i) store(out, i, static_cast<float>(1 << (bits - 1)));
  return out;
}

}  // namespace halfbyte
