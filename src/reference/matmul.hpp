// The truth that kernels are held to: Y[m,n] = bias[n] + sum_k A[m,k] * (code[n,k] - zp[n,k/block]) * scale[n,k/block],
// in double, from the values as they are stored (a float16 scale is the rounded one). See docs/numerics.md.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "quant/block_shape.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

// One quantized matrix product. The tensors are the caller's and must outlive the view.
struct MatMulView {
  BlockShape shape;
  const HostTensor* a = nullptr;      // float32 or float16, [..., K]; all but the last dimension fold into M
  const HostTensor* codes = nullptr;  // uint8
  CodeLayout code_layout = CodeLayout::onnx;
  const HostTensor* scales = nullptr;  // float32 or float16; n_block may also be 1-D (old models)
  BlockLayout scales_layout = BlockLayout::n_block;
  // float32 or float16 in zero_points_layout, or uint8: packed as ONNX does, [N][ceil(blocks*bits/8)]. Null: 2^(bits-1).
  const HostTensor* zero_points = nullptr;
  BlockLayout zero_points_layout = BlockLayout::n_block;
  const HostTensor* bias = nullptr;  // float, [N]

  int64_t M() const { return shape.K > 0 ? a->size() / shape.K : 0; }
};

// The weights behind a view, row by row. Thread-safe; refers to the view's tensors.
class WeightReader {
 public:
  // Errors (invalid_argument): a tensor whose dtype or number of elements does not fit the view's shape.
  static Result<WeightReader> make(const MatMulView& view);

  void codes(int64_t n, uint8_t* row) const;      // K codes
  void dequantize(int64_t n, double* row) const;  // K weights
  double scale(int64_t n, int64_t block) const;
  double zero_point(int64_t n, int64_t block) const;

 private:
  MatMulView view_;
  int64_t scales_stride_ = 0, zero_points_stride_ = 0;  // of a block_n tensor: padded N
};

struct ReferenceOptions {
  bool magnitude = true;  // also sum_k |a| |w|; doubles the time
  int threads = 0;        // 0: as many as the machine has, 8 at most; small problems use the calling thread only
};

struct ReferenceResult {
  std::vector<double> y;          // [M][N]
  std::vector<double> magnitude;  // [M][N]: sum_k |a| |w|, without bias; empty unless asked for
};

// Errors: those of WeightReader::make, and an A or bias that does not fit.
Result<ReferenceResult> reference_matmul(const MatMulView& view, const ReferenceOptions& options = {});

}  // namespace halfbyte
