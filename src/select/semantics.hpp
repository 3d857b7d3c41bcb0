// What a problem of a package with `semantics` computes, in plain numbers, for the reference, the command line and for checking
// shapes before any variant is looked at.
#pragma once

#include <string>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

class Evaluation;

// Y[m,n] = bias[n] + sum_k A[m,k] * (code[n,k] - zp[n,k/block_size]) * scale[n,k/block_size]
struct MatmulSemantics {
  // Manifest keys; empty: the operator has no such tensor. Whether an optional one is given is the problem's matter.
  std::string a, y, bias, codes, scales, zero_points;
  std::string codes_layout = "onnx";      // or "rows"
  std::string scales_layout = "n_block";  // or "block_n"
  std::string zero_points_layout = "n_block";
  int64_t K = 0, N = 0, bits = 0, block_size = 0;
  int64_t blocks() const { return (K + block_size - 1) / block_size; }
};

// Errors: unsupported when the package declares no semantics, invalid_argument when a value is not a positive integer.
Result<MatmulSemantics> matmul_semantics(const Package& package, const Problem& problem);

// Makes `problem`, whose weights' shapes say `to` columns already, a problem of `to` columns: sets the attribute that says what N is, where one does.
// `from`: what it says now. Errors: unsupported (no attribute does).
Result<void> set_columns(const Package& package, Problem& problem, int64_t from, int64_t to);

// The outputs' descriptions by manifest key, without a device. Errors as select().
Result<std::vector<std::pair<std::string, TensorDesc>>> output_descs(const Package& package, const Problem& problem);

// The numbers, and every present input's shape against them; names the input, the shape it has and the one it must have. Nothing to check
// when the package declares no semantics.
Result<void> check_semantics(Evaluation& evaluation);

}  // namespace halfbyte
