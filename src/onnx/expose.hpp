// Makes what goes on inside a model visible: the values around its MatMulNBits nodes become outputs of the model.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "onnx/matmul_nbits.hpp"
#include "onnx/model.hpp"

namespace halfbyte {

// Adds A and Y of every node as graph outputs (those that are graph inputs or outputs already stay as they are), so
// that any runtime that runs the model hands them out. Errors: unsupported (a node in a subgraph: its values cannot
// leave it).
Result<void> expose_activations(OnnxModel& model, const std::vector<MatMulNBitsNode>& nodes);

}  // namespace halfbyte
