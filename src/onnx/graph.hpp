// Looking through ONNX graphs: which values are constant, who uses them. Internal to src/onnx.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace halfbyte::onnx_detail {

// The constants that a graph's nodes can see: its own initializers and Constant nodes, then those of the graphs around
// it. Holds pointers into the model: invalid after the model's initializers or nodes change.
class Constants {
 public:
  Constants(const ::onnx::GraphProto& graph, const Constants* outer, int64_t ir_version);
  const ::onnx::TensorProto* find(std::string_view name) const;  // null when not a constant
  // An initializer that is a graph input too: from IR version 4 on a default that the caller of the model may replace;
  // before, every initializer is listed like that.
  bool replaceable(std::string_view name) const;

 private:
  const Constants* outer_;
  std::map<std::string, const ::onnx::TensorProto*, std::less<>> tensors_;
  std::set<std::string, std::less<>> inputs_;
};

// The node's name, or where it has none its first output's.
std::string display_name(const ::onnx::NodeProto& node);

// Is the node `op_type` of ONNX's own domain / of com.microsoft?
bool is_onnx_op(const ::onnx::NodeProto& node, std::string_view op_type);
bool is_microsoft_op(const ::onnx::NodeProto& node, std::string_view op_type);

// Element type (an ONNX number) that the graph declares for a value; 0 when it does not say.
int declared_type(const ::onnx::GraphProto& graph, std::string_view value);

// visit(graph, constants) for the model's graph and its subgraphs, the outer one first.
Result<void> each_graph(const ::onnx::ModelProto& model,
                        const std::function<Result<void>(const ::onnx::GraphProto&, const Constants&)>& visit);

}  // namespace halfbyte::onnx_detail
