#include "halfbyte/onnx.hpp"

#include <tuple>

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
    layers.push_back({node.name, node.a, node.y, std::move(problem.attrs), std::move(node.constants), node.dtype, {}});
  }
  return layers;
}

Result<std::vector<OnnxLayer>> join_layers(const Kernel& kernel, std::vector<OnnxLayer> layers) {
  using Kind = std::tuple<std::string, DType, std::map<std::string, AttrValue, std::less<>>>;
  std::map<Kind, size_t> group_of;
  std::vector<std::vector<OnnxLayer>> groups;
  for (OnnxLayer& layer : layers) {
    auto attributes = layer.attributes;
    attributes.erase("N");
    const auto [it, first] = group_of.try_emplace({layer.a, layer.dtype, std::move(attributes)}, groups.size());
    if (first) groups.emplace_back();
    groups[it->second].push_back(std::move(layer));
  }
  std::vector<OnnxLayer> joined;
  for (std::vector<OnnxLayer>& group : groups) {
    if (group.size() == 1) {
      joined.push_back(std::move(group.front()));
      continue;
    }
    std::vector<Weights> weights;
    for (OnnxLayer& layer : group) weights.push_back({layer.attributes, std::move(layer.constants)});
    const auto K = static_cast<int64_t>(std::get<double>(group.front().attributes.at("K")));
    HB_TRY(JoinedWeights all, kernel.join({group.front().dtype, {1, K}}, weights));
    OnnxLayer layer{.name = {},
                    .a = group.front().a,
                    .y = {},
                    .attributes = std::move(all.weights.attributes),
                    .constants = std::move(all.weights.tensors),
                    .dtype = group.front().dtype,
                    .parts = {}};
    for (size_t i = 0; i < group.size(); ++i) {
      layer.name += (i == 0 ? "" : "+") + group[i].name;
      layer.parts.push_back({group[i].name, group[i].y, all.first[i], all.first[i + 1] - all.first[i]});
    }
    joined.push_back(std::move(layer));
  }
  return joined;
}

}  // namespace halfbyte
