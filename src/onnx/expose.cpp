#include "onnx/expose.hpp"

#include <onnx/onnx_pb.h>

#include <set>

#include "onnx/tensor_proto.hpp"

namespace halfbyte {

Result<void> expose_activations(OnnxModel& model, const std::vector<MatMulNBitsNode>& nodes) {
  auto& graph = *model.proto().mutable_graph();
  std::set<std::string> defined, visible;
  for (const auto& node : graph.node()) defined.insert(node.output().begin(), node.output().end());
  for (const auto& tensor : graph.initializer()) defined.insert(tensor.name());
  for (const auto& input : graph.input()) visible.insert(input.name());
  for (const auto& output : graph.output()) visible.insert(output.name());
  for (const MatMulNBitsNode& node : nodes)
    for (const std::string& value : {node.a, node.y}) {
      if (visible.contains(value)) continue;
      if (!defined.contains(value))
        return fail(
            ErrorCode::unsupported,
            std::format("node '{}' is in a subgraph: its value '{}' cannot become a graph output", node.name, value));
      auto& output = *graph.add_output();
      output.set_name(value);
      // The type without a shape: the runtime's own shape inference has the last word.
      output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx_detail::data_type_of(node.dtype));
      visible.insert(value);
    }
  return {};
}

}  // namespace halfbyte
