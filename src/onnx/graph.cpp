#include "onnx/graph.hpp"

#include <onnx/onnx_pb.h>

namespace halfbyte::onnx_detail {
namespace {

using Visit = std::function<Result<void>(const ::onnx::GraphProto&, const Constants&)>;

Result<void> visit_graph(const ::onnx::GraphProto& graph, const Constants* outer, int64_t ir_version,
                         const Visit& visit) {
  const Constants constants(graph, outer, ir_version);
  HB_CHECK(visit(graph, constants));
  for (const auto& node : graph.node())
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) HB_CHECK(visit_graph(attribute.g(), &constants, ir_version, visit));
      for (const auto& sub : attribute.graphs()) HB_CHECK(visit_graph(sub, &constants, ir_version, visit));
    }
  return {};
}

}  // namespace

Constants::Constants(const ::onnx::GraphProto& graph, const Constants* outer, int64_t ir_version) : outer_(outer) {
  for (const auto& tensor : graph.initializer()) tensors_[tensor.name()] = &tensor;
  for (const auto& node : graph.node()) {
    if (!is_onnx_op(node, "Constant") || node.output_size() != 1) continue;
    for (const auto& attribute : node.attribute())
      if (attribute.name() == "value" && attribute.has_t()) tensors_[node.output(0)] = &attribute.t();
  }
  if (ir_version >= 4)
    for (const auto& input : graph.input()) inputs_.insert(input.name());
}

const ::onnx::TensorProto* Constants::find(std::string_view name) const {
  for (const Constants* scope = this; scope != nullptr; scope = scope->outer_)
    if (const auto it = scope->tensors_.find(name); it != scope->tensors_.end()) return it->second;
  return nullptr;
}

bool Constants::replaceable(std::string_view name) const {
  for (const Constants* scope = this; scope != nullptr; scope = scope->outer_)
    if (scope->tensors_.contains(name)) return scope->inputs_.contains(name);
  return false;
}

std::string display_name(const ::onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.output_size() > 0 ? node.output(0) : std::string("(unnamed)");
}

bool is_onnx_op(const ::onnx::NodeProto& node, std::string_view op_type) {
  return node.op_type() == op_type && (node.domain().empty() || node.domain() == "ai.onnx");
}

bool is_microsoft_op(const ::onnx::NodeProto& node, std::string_view op_type) {
  return node.op_type() == op_type && node.domain() == "com.microsoft";
}

int declared_type(const ::onnx::GraphProto& graph, std::string_view value) {
  for (const auto* infos : {&graph.input(), &graph.value_info(), &graph.output()})
    for (const auto& info : *infos)
      if (info.name() == value) return info.type().tensor_type().elem_type();
  return 0;
}

Result<void> each_graph(const ::onnx::ModelProto& model, const Visit& visit) {
  return visit_graph(model.graph(), nullptr, model.ir_version(), visit);
}

}  // namespace halfbyte::onnx_detail
