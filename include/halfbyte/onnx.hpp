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
  // Of a layer that join_layers() made: what it was made of. `y` is then empty, and columns [first, first + columns) of yT are this part's.
  struct Part {
    std::string name, y;
    int64_t first = 0, columns = 0;
  };
  std::vector<Part> parts;

  // The call for activations of this shape [..., M, K]; all constants are marked constant.
  Problem problem(const Shape& a_shape) const;
};

// Every MatMulNBits node of the model at `path`, in graph order; weights in files beside it are read too.
// Errors: not_found, io, parse; invalid_argument and unsupported name the node, the input and what was expected.
Result<std::vector<OnnxLayer>> load_onnx_layers(const std::string& path);

// Layers that read the same value, and differ in nothing but N and their constants, as one layer each (Kernel::join) in the place of the first of
// them; the others stay as they are. `kernel`: of com.microsoft.MatMulNBits. Errors: out of range sizes (invalid_argument).
Result<std::vector<OnnxLayer>> join_layers(const Kernel& kernel, std::vector<OnnxLayer> layers);

}  // namespace halfbyte
