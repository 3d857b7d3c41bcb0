// Finds a model's com.microsoft.MatMulNBits nodes and turns them into our problems.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "onnx/model.hpp"
#include "select/problem.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

struct MatMulNBitsNode {
  std::string name;  // the node's; its output's where it has none
  std::string a, y;  // names of the values it reads and writes
  int64_t K = 0, N = 0, bits = 4, block_size = 0, accuracy_level = 0;
  DType dtype = DType::float32;  // of A, scales, zero points, bias and Y

  // By the manifest's input keys, in the kernels' form whatever form the model has them in; with k_blocks =
  // ceil(K / block_size):
  //   bT uint8 [N, k_blocks, block_size * bits / 8], scalesT dtype [N, k_blocks],
  //   zeroPointsT dtype [N, k_blocks] (when given), biasT dtype [N] (when given)
  std::map<std::string, HostTensor, std::less<>> constants;

  int64_t k_blocks() const { return K / block_size + (K % block_size != 0); }
};

// In graph order, those of subgraphs after the graph around them. Every attribute and shape is checked: an error names
// the node and the input, what was expected and what was found. Errors: invalid_argument (a value or shape that the
// operator's definition does not allow), unsupported (a g_idx that reorders, prepacked weights, bfloat16, weights that
// are not constant, an attribute or input we do not know).
Result<std::vector<MatMulNBitsNode>> find_matmul_nbits(const OnnxModel& model);

// The call of `node` for an A of this shape [..., K]; B, scales, zero points and bias are marked constant.
Problem make_problem(const MatMulNBitsNode& node, const Shape& a_shape);

}  // namespace halfbyte
