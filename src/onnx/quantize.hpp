// Replaces a model's MatMul and Gemm nodes that have constant weights by com.microsoft.MatMulNBits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "onnx/model.hpp"

namespace halfbyte {

struct QuantizeOptions {
  int bits = 4;             // 2, 4, 8
  int64_t block_size = 32;  // along K; a power of two, 16 and up
  bool symmetric = true;    // one scale for each block; asymmetric: a zero point too
};

struct QuantizedLayer {
  std::string name;    // the node's; its output's where it has none
  std::string weight;  // the initializer or Constant it had
  int64_t K = 0, N = 0;
  double error = 0;                           // |W' - W| / |W|, Frobenius, W' the weight that the codes stand for
  int64_t bytes_before = 0, bytes_after = 0;  // a weight that several nodes share counts at the first
};

struct LayerLeft {
  std::string name;
  std::string why;  // "its weight has rank 3"
};

struct QuantizeReport {
  std::vector<QuantizedLayer> layers;
  std::vector<LayerLeft> left;  // MatMul and Gemm nodes that stay as they are
};

// Changes the model in place; on an error it is to be thrown away. Nodes keep their names and outputs; a weight W
// becomes the initializers W_Q4, W_scales and, asymmetric, W_zero_points (packed uint8), and goes when nothing else
// uses it. A Gemm's constant C becomes the bias input, any other C an Add behind. `progress` is called before each
// layer with (done, of). Errors: invalid_argument (options), not_found (no node to replace; notes say why, one for each
// MatMul and Gemm).
Result<QuantizeReport> quantize_model(OnnxModel& model, const QuantizeOptions& options,
                                      const std::function<void(int, int)>& progress = {});

}  // namespace halfbyte
