#include "quant/block_shape.hpp"

namespace halfbyte {

Result<void> check_matmul_nbits_shape(const BlockShape& s) {
  constexpr int64_t kMax = (int64_t{1} << 31) - 1;
  if (s.bits != 2 && s.bits != 4 && s.bits != 8)
    return fail(ErrorCode::invalid_argument, std::format("attribute bits is {} but must be 2, 4 or 8", s.bits));
  if (s.block_size < 16 || s.block_size > (int64_t{1} << 30) || (s.block_size & (s.block_size - 1)) != 0)
    return fail(ErrorCode::invalid_argument,
                std::format("attribute block_size is {} but must be a power of two, at least 16", s.block_size));
  if (s.K < 1 || s.K > kMax)
    return fail(ErrorCode::invalid_argument, std::format("attribute K is {} but must be from 1 to {}", s.K, kMax));
  if (s.N < 1 || s.N > kMax)
    return fail(ErrorCode::invalid_argument, std::format("attribute N is {} but must be from 1 to {}", s.N, kMax));
  // N and a row's bytes are both below 2^32 here, so only their product can leave 63 bits.
  int64_t bytes = 0;
  if (__builtin_mul_overflow(s.N, s.row_bytes(CodeLayout::onnx), &bytes))
    return fail(
        ErrorCode::invalid_argument,
        std::format("a weight of N={} times K={} at block_size {} is too large to address", s.N, s.K, s.block_size));
  return {};
}

}  // namespace halfbyte
