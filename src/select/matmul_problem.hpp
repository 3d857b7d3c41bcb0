// A matrix multiplication in plain numbers -> the problem of a package that declares it in `semantics`.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "tensor/dtype.hpp"

namespace halfbyte {

struct MatmulCall {
  int64_t M = 1, K = 0, N = 0;
  int64_t bits = 4, block_size = 32;
  DType dtype = DType::float16;  // of the activations, and of every tensor whose dtype the manifest leaves open
  bool zero_points = false, bias = false;
  std::optional<int64_t> accuracy_level;
  bool constant_weights = true;  // every input but the activations
};

// Attributes go by ONNX's names, those that the manifest has. Errors: unsupported when the package does not say what it computes;
// invalid_argument when K, N, bits or block_size is not positive or a tensor is asked for that the operator does not have.
Result<Problem> matmul_problem(const Package& package, const MatmulCall& call);

// "M128-K4096-N4096-q4b32-f16-zp-bias"
std::string describe(const MatmulCall& call);

}  // namespace halfbyte
