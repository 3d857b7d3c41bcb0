#include "onnx/quantize.hpp"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "onnx/graph.hpp"
#include "onnx/tensor_proto.hpp"
#include "quant/rtn.hpp"

namespace halfbyte {
namespace {

using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using onnx_detail::Constants;

// A node that can be replaced, with all that is read from it before anything changes.
struct Candidate {
  GraphProto* graph = nullptr;
  NodeProto* node = nullptr;
  const TensorProto* weight = nullptr;
  bool transposed = false;  // the weight is [N, K]
  int64_t K = 0, N = 0;
  std::string addend;                 // Gemm's C; empty when there is none
  const TensorProto* bias = nullptr;  // C where it is a constant that fits the bias input
};

// Every name in use anywhere in the model; subgraphs see the names around them, so new names must be new everywhere.
void collect_names(const GraphProto& graph, std::set<std::string>& defined, std::set<std::string>& used) {
  for (const auto& input : graph.input()) defined.insert(input.name());
  for (const auto& tensor : graph.initializer()) defined.insert(tensor.name());
  for (const auto& output : graph.output()) used.insert(output.name());
  for (const auto& node : graph.node()) {
    used.insert(node.input().begin(), node.input().end());
    defined.insert(node.output().begin(), node.output().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) collect_names(attribute.g(), defined, used);
      for (const auto& sub : attribute.graphs()) collect_names(sub, defined, used);
    }
  }
}

double float_attribute(const NodeProto& node, std::string_view key, double fallback) {
  for (const auto& attribute : node.attribute())
    if (attribute.name() == key) return attribute.f();
  return fallback;
}

int64_t int_attribute(const NodeProto& node, std::string_view key, int64_t fallback) {
  for (const auto& attribute : node.attribute())
    if (attribute.name() == key) return attribute.i();
  return fallback;
}

// Can C be the bias input, one value for each column? [N], [1,N], or one value for all columns.
bool fits_bias(const TensorProto& c, const TensorProto& weight, int64_t N) {
  if (c.data_type() != weight.data_type() || c.dims_size() > 2) return false;
  if (c.dims_size() == 2 && c.dims(0) != 1) return false;
  const int64_t columns = c.dims_size() == 0 ? 1 : c.dims(c.dims_size() - 1);
  return columns == N || columns == 1;
}

// Why the node's right operand cannot be quantized; empty when it can.
std::string weight_obstacle(const NodeProto& node, const Constants& constants) {
  const TensorProto* weight = constants.find(node.input(1));
  if (weight == nullptr)
    return constants.find(node.input(0)) ? "its constant is the left operand" : "both its operands are computed";
  if (constants.replaceable(node.input(1))) return "its weight is a graph input too, so a caller may replace it";
  if (weight->dims_size() != 2) return std::format("its weight has rank {}, not 2", weight->dims_size());
  if (weight->data_type() != TensorProto::FLOAT && weight->data_type() != TensorProto::FLOAT16)
    return std::format("its weight is {}, not float32 or float16", onnx_detail::data_type_name(weight->data_type()));
  if (weight->dims(0) < 1 || weight->dims(1) < 1) return "its weight is empty";
  return {};
}

std::string gemm_obstacle(const NodeProto& node) {
  if (int_attribute(node, "transA", 0) != 0) return "transA is 1";
  if (const double alpha = float_attribute(node, "alpha", 1); alpha != 1)
    return std::format("alpha is {}, not 1", alpha);
  const bool has_c = node.input_size() > 2 && !node.input(2).empty();
  if (const double beta = float_attribute(node, "beta", 1); has_c && beta != 1)
    return std::format("beta is {}, not 1", beta);
  return {};
}

std::expected<Candidate, std::string> examine(GraphProto& graph, NodeProto& node, const Constants& constants) {
  const bool gemm = node.op_type() == "Gemm";
  if (node.input_size() < 2 || node.output_size() != 1) return std::unexpected("it has not the inputs of its operator");
  if (gemm)
    if (std::string why = gemm_obstacle(node); !why.empty()) return std::unexpected(std::move(why));
  if (std::string why = weight_obstacle(node, constants); !why.empty()) return std::unexpected(std::move(why));

  Candidate found{&graph, &node, constants.find(node.input(1))};
  found.transposed = gemm && int_attribute(node, "transB", 0) != 0;
  found.K = found.weight->dims(found.transposed ? 1 : 0);
  found.N = found.weight->dims(found.transposed ? 0 : 1);
  if (gemm && node.input_size() > 2) found.addend = node.input(2);
  if (const TensorProto* c = constants.find(found.addend); c != nullptr && !constants.replaceable(found.addend))
    if (fits_bias(*c, *found.weight, found.N)) found.bias = c;
  return found;
}

void find_candidates(GraphProto& graph, const Constants* outer, int64_t ir_version, std::vector<Candidate>& candidates,
                     std::vector<LayerLeft>& left) {
  const Constants constants(graph, outer, ir_version);
  for (auto& node : *graph.mutable_node()) {
    if (onnx_detail::is_onnx_op(node, "MatMul") || onnx_detail::is_onnx_op(node, "Gemm")) {
      if (auto found = examine(graph, node, constants))
        candidates.push_back(std::move(*found));
      else
        left.push_back({onnx_detail::display_name(node), std::move(found).error()});
    }
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) find_candidates(*attribute.mutable_g(), &constants, ir_version, candidates, left);
      for (auto& sub : *attribute.mutable_graphs()) find_candidates(sub, &constants, ir_version, candidates, left);
    }
  }
}

// The initializers that stand for one weight, and what they cost.
struct PackedWeight {
  std::string b, scales, zero_points;
  double error = 0;
  int64_t bytes = 0;
};

class Rewriter {
 public:
  Rewriter(ModelProto& model, const QuantizeOptions& options) : model_(model), options_(options) {
    std::set<std::string> used;
    collect_names(model.graph(), names_, used);
  }

  Result<QuantizedLayer> replace(const Candidate& candidate);
  // Call after the last replace(): new nodes into place, weights that nothing uses any more out.
  void finish();

 private:
  Result<const PackedWeight*> pack(const Candidate& candidate);
  std::string add_initializer(const HostTensor& tensor, const std::string& wish);
  std::string unique(const std::string& wish);
  Result<std::string> bias_input(const Candidate& candidate, DType dtype);
  void drop_unused(GraphProto& graph, const std::set<std::string>& used);

  ModelProto& model_;
  QuantizeOptions options_;
  std::set<std::string> names_, replaced_;
  std::map<std::pair<const TensorProto*, bool>, PackedWeight> packed_;
  std::map<const NodeProto*, NodeProto> behind_;  // the Add that must follow a node
};

std::string Rewriter::unique(const std::string& wish) {
  std::string name = wish;
  for (int i = 1; names_.contains(name); ++i) name = std::format("{}_{}", wish, i);
  names_.insert(name);
  return name;
}

std::string Rewriter::add_initializer(const HostTensor& tensor, const std::string& wish) {
  // The outermost graph: its values are seen from every subgraph.
  const std::string name = unique(wish);
  *model_.mutable_graph()->add_initializer() = onnx_detail::to_proto(tensor, name);
  return name;
}

Result<const PackedWeight*> Rewriter::pack(const Candidate& c) {
  const auto key = std::pair(c.weight, c.transposed);
  if (const auto it = packed_.find(key); it != packed_.end()) return &it->second;
  const std::string& name = c.node->input(1);
  HB_TRY(const HostTensor stored, onnx_detail::to_host(*c.weight, std::format("weight '{}'", name)));
  const std::vector<float> values = stored.to_floats();
  const WeightOrder order = c.transposed ? WeightOrder::n_k : WeightOrder::k_n;
  const RtnMode mode = options_.symmetric ? RtnMode::symmetric : RtnMode::asymmetric;
  auto quantized = quantize_rtn({c.N, c.K, options_.bits, options_.block_size}, values, order, mode, stored.dtype);
  if (!quantized) return fail(quantized.error().code, std::format("weight '{}': {}", name, quantized.error().message));

  PackedWeight packed;
  packed.error = quantization_error(*quantized, values, order).relative_frobenius;
  packed.bytes = static_cast<int64_t>(quantized->b.data.size() + quantized->scales.data.size());
  packed.b = add_initializer(quantized->b, std::format("{}_Q{}", name, options_.bits));
  packed.scales = add_initializer(quantized->scales, name + "_scales");
  if (quantized->zero_points) {
    packed.bytes += static_cast<int64_t>(quantized->zero_points->data.size());
    packed.zero_points = add_initializer(*quantized->zero_points, name + "_zero_points");
  }
  return &packed_.emplace(key, std::move(packed)).first->second;
}

// C as the bias input [N]: as it is when it has that shape, else a copy with one value for each column.
Result<std::string> Rewriter::bias_input(const Candidate& c, DType dtype) {
  if (c.bias == nullptr) return std::string();
  if (c.bias->dims_size() == 1 && c.bias->dims(0) == c.N) return c.addend;
  HB_TRY(const HostTensor given, onnx_detail::to_host(*c.bias, std::format("input C '{}'", c.addend)));
  HostTensor row = HostTensor::zeros(dtype, {c.N});
  const size_t width = byte_size(dtype);
  for (size_t n = 0; n < static_cast<size_t>(c.N); ++n)
    std::copy_n(given.data.begin() + static_cast<ptrdiff_t>(given.size() == 1 ? 0 : n * width), width,
                row.data.begin() + static_cast<ptrdiff_t>(n * width));
  replaced_.insert(c.addend);
  return add_initializer(row, c.addend + "_bias");
}

Result<QuantizedLayer> Rewriter::replace(const Candidate& c) {
  NodeProto& node = *c.node;
  const std::string weight = node.input(1);
  const std::string a = node.input(0);
  const bool shared = packed_.contains({c.weight, c.transposed});
  HB_TRY(const PackedWeight* packed, pack(c));
  const DType dtype = c.weight->data_type() == TensorProto::FLOAT16 ? DType::float16 : DType::float32;
  HB_TRY(const std::string bias, bias_input(c, dtype));
  replaced_.insert(weight);

  QuantizedLayer layer{onnx_detail::display_name(node), weight, c.K, c.N, packed->error};
  if (!shared) {
    layer.bytes_before = c.K * c.N * static_cast<int64_t>(byte_size(dtype));
    layer.bytes_after = packed->bytes;
  }

  node.set_op_type("MatMulNBits");
  node.set_domain("com.microsoft");
  node.clear_attribute();
  const auto set = [&](const char* key, int64_t value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(key);
    attribute->set_type(::onnx::AttributeProto::INT);
    attribute->set_i(value);
  };
  set("K", c.K);
  set("N", c.N);
  set("bits", options_.bits);
  set("block_size", options_.block_size);
  node.clear_input();
  for (const std::string& input : {a, packed->b, packed->scales}) node.add_input(input);
  // Trailing inputs that are not there are left out; a hole before the bias is an empty name.
  if (!packed->zero_points.empty() || !bias.empty()) node.add_input(packed->zero_points);
  if (!bias.empty()) {
    node.add_input("");
    node.add_input(bias);
  }
  if (!c.addend.empty() && bias.empty()) {
    const std::string y = node.output(0);
    node.set_output(0, unique(y + "_before_C"));
    NodeProto add;
    add.set_op_type("Add");
    add.set_name(unique(onnx_detail::display_name(node) + "_C"));
    add.add_input(node.output(0));
    add.add_input(c.addend);
    add.add_output(y);
    behind_[&node] = std::move(add);
  }
  return layer;
}

void insert_behind(GraphProto& graph, const std::map<const NodeProto*, NodeProto>& behind) {
  for (int i = 0; i < graph.node_size(); ++i) {
    for (auto& attribute : *graph.mutable_node(i)->mutable_attribute()) {
      if (attribute.has_g()) insert_behind(*attribute.mutable_g(), behind);
      for (auto& sub : *attribute.mutable_graphs()) insert_behind(sub, behind);
    }
    const auto it = behind.find(&graph.node(i));
    if (it == behind.end()) continue;
    *graph.add_node() = it->second;
    for (int j = graph.node_size() - 1; j > i + 1; --j) graph.mutable_node()->SwapElements(j, j - 1);
  }
}

void Rewriter::drop_unused(GraphProto& graph, const std::set<std::string>& used) {
  const auto gone = [&](const std::string& name) { return replaced_.contains(name) && !used.contains(name); };
  const auto erase_if = [](auto& field, const auto& predicate) {
    for (int i = field.size() - 1; i >= 0; --i)
      if (predicate(field.Get(i))) field.DeleteSubrange(i, 1);
  };
  erase_if(*graph.mutable_initializer(), [&](const TensorProto& t) { return gone(t.name()); });
  // Up to IR version 3 every initializer is listed as an input as well.
  erase_if(*graph.mutable_input(), [&](const auto& input) { return gone(input.name()); });
  erase_if(*graph.mutable_value_info(), [&](const auto& info) { return gone(info.name()); });
  erase_if(*graph.mutable_node(), [&](const NodeProto& node) {
    return onnx_detail::is_onnx_op(node, "Constant") && node.output_size() == 1 && gone(node.output(0));
  });
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) drop_unused(*attribute.mutable_g(), used);
      for (auto& sub : *attribute.mutable_graphs()) drop_unused(sub, used);
    }
}

void Rewriter::finish() {
  insert_behind(*model_.mutable_graph(), behind_);
  std::set<std::string> defined, used;
  collect_names(model_.graph(), defined, used);
  drop_unused(*model_.mutable_graph(), used);
  // Initializers that are not graph inputs exist from IR version 4 on.
  if (model_.ir_version() < 4) model_.set_ir_version(4);
  for (const auto& opset : model_.opset_import())
    if (opset.domain() == "com.microsoft") return;
  auto* opset = model_.add_opset_import();
  opset->set_domain("com.microsoft");
  opset->set_version(1);
}

}  // namespace

Result<QuantizeReport> quantize_model(OnnxModel& model, const QuantizeOptions& options,
                                      const std::function<void(int, int)>& progress) {
  // N and K of 1: the options alone are looked at here, each weight's shape when its turn comes.
  HB_CHECK(check_matmul_nbits_shape({1, 1, options.bits, options.block_size}));
  QuantizeReport report;
  std::vector<Candidate> candidates;
  find_candidates(*model.proto().mutable_graph(), nullptr, model.proto().ir_version(), candidates, report.left);
  if (candidates.empty()) {
    Error error{ErrorCode::not_found, "the model has no MatMul or Gemm with a constant weight to quantize", {}, {}};
    for (const LayerLeft& layer : report.left)
      error.notes.push_back(std::format("node '{}': {}", layer.name, layer.why));
    return fail(std::move(error));
  }
  Rewriter rewriter(model.proto(), options);
  for (const Candidate& candidate : candidates) {
    if (progress) progress(static_cast<int>(report.layers.size()), static_cast<int>(candidates.size()));
    HB_TRY(QuantizedLayer layer, rewriter.replace(candidate));
    report.layers.push_back(std::move(layer));
  }
  rewriter.finish();
  return report;
}

}  // namespace halfbyte
