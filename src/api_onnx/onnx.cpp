#include "halfbyte/onnx.hpp"

#include "io/byte_range.hpp"
#include "io/files.hpp"
#include "onnx/matmul_nbits.hpp"
#include "onnx/model.hpp"

namespace halfbyte {

Problem OnnxLayer::problem(const Shape& a_shape) const {
  Problem problem;
  problem.id = name;
  problem.attrs = attributes;
  problem.inputs["aT"] = {dtype, a_shape};
  for (const auto& [key, tensor] : constants) {
    problem.inputs[key] = tensor.desc();
    problem.constant.insert(key);
  }
  return problem;
}

Result<std::vector<OnnxLayer>> load_onnx_layers(const std::string& path) {
  HB_TRY(const auto bytes, read_bytes(path));
  const std::string folder = path.substr(0, path.rfind('/') + 1);  // with its '/', or empty
  const auto external = [&](const std::string& location, uint64_t offset, std::optional<uint64_t> length) {
    return read_byte_range(folder + location, offset, length);
  };
  HB_TRY(const OnnxModel model, OnnxModel::parse(bytes, path, external));
  HB_TRY(std::vector<MatMulNBitsNode> nodes, find_matmul_nbits(model));
  std::vector<OnnxLayer> layers;
  for (MatMulNBitsNode& node : nodes) {
    // Any shape will do for the attributes.
    Problem problem = make_problem(node, {1, node.K});
    layers.push_back({node.name, node.a, node.y, std::move(problem.attrs), std::move(node.constants), node.dtype});
  }
  return layers;
}

}  // namespace halfbyte
