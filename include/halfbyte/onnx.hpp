// Layers of ONNX models, ready for halfbyte.hpp. A component of its own: find_package(halfbyte COMPONENTS onnx), halfbyte::onnx.
#pragma once

#include <string>
#include <vector>

#include "halfbyte/halfbyte.hpp"

namespace halfbyte {

// A com.microsoft.MatMulNBits node. The constants are in the kernels' form, whatever form the model has them in.
struct OnnxLayer {
  std::string name;  // the node's; its output's where it has none
  std::string a, y;  // names of the values that it reads and writes
  std::map<std::string, AttrValue, std::less<>> attributes;
  HostTensors constants;         // bT, scalesT, zeroPointsT, biasT: those that are given
  DType dtype = DType::float32;  // of aT and yT

  // The call for activations of this shape [..., M, K]; all constants are marked constant.
  Problem problem(const Shape& a_shape) const;
};

// Every MatMulNBits node of the model at `path`, in graph order; weights in files beside it are read too.
// Errors: not_found, io, parse; invalid_argument and unsupported name the node, the input and what was expected.
Result<std::vector<OnnxLayer>> load_onnx_layers(const std::string& path);

}  // namespace halfbyte
