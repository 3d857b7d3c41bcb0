// Zero points: ONNX's packed uint8 ones (each row of blocks starts a byte) <-> unpacked ones of a float type, as kernels read.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

// packed: uint8 [N, ceil(blocks*bits/8)], or the same bytes as 1-D (old models) -> dtype [N, blocks].
// Errors (invalid_argument): another dtype or shape, a dtype that is not float32 or float16, bits not 2, 4 or 8.
Result<HostTensor> unpack_zero_points(const HostTensor& packed, int64_t blocks, int bits, DType dtype);

// The way back, always 2-D; the unused bits of a row's last byte are zero. unpacked: any dtype, [N, blocks].
// Errors (invalid_argument): a zero point that is not a whole number from 0 to 2^bits-1 (the message has its place).
Result<HostTensor> pack_zero_points(const HostTensor& unpacked, int bits);

// What a missing input means, written out: 2^(bits-1) everywhere, [N, blocks]. dtype: float32 or float16.
HostTensor default_zero_points(int64_t N, int64_t blocks, int bits, DType dtype);

}  // namespace halfbyte
