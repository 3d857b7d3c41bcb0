#include "onnx/matmul_nbits.hpp"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "onnx/graph.hpp"
#include "onnx/tensor_proto.hpp"
#include "quant/matmul_nbits.hpp"

namespace halfbyte {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using onnx_detail::Constants;

enum Input { kA, kB, kScales, kZeroPoints, kGIdx, kBias, kInputs };
constexpr std::array<std::string_view, kInputs> kInputNames{"A", "B", "scales", "zero_points", "g_idx", "bias"};

// Everything needed to read one node and to say what is wrong with it.
class Reader {
 public:
  Reader(const NodeProto& node, const GraphProto& graph, const Constants& constants)
      : proto_(node), graph_(graph), constants_(constants) {
    out_.name = onnx_detail::display_name(node);
  }

  Result<MatMulNBitsNode> read() {
    HB_CHECK(attributes());
    HB_CHECK(inputs_present());
    HB_CHECK(tensors());
    HB_CHECK(a_type());
    HB_CHECK(g_idx());
    return std::move(out_);
  }

 private:
  template <class... Args>
  std::unexpected<Error> error(ErrorCode code, std::format_string<Args...> format, Args&&... args) const {
    return fail(code, std::format("node '{}': {}", out_.name, std::format(format, std::forward<Args>(args)...)));
  }

  std::string value(Input input) const { return proto_.input_size() > input ? proto_.input(input) : std::string(); }
  bool present(Input input) const { return !value(input).empty(); }
  std::string label(Input input) const { return std::format("input {} '{}'", kInputNames[input], value(input)); }

  Result<void> attributes();
  Result<void> inputs_present() const;
  Result<HostTensor> constant(Input input) const;
  Result<std::optional<HostTensor>> optional_constant(Input input) const;
  Result<void> tensors();
  Result<void> a_type() const;
  Result<void> g_idx() const;

  // An attribute that does not fit an int is out of range all the same; clamped, the message still has a number.
  BlockShape shape() const {
    return {out_.N, out_.K, static_cast<int>(std::clamp<int64_t>(out_.bits, INT32_MIN, INT32_MAX)), out_.block_size};
  }

  const NodeProto& proto_;
  const GraphProto& graph_;
  const Constants& constants_;
  MatMulNBitsNode out_;
};

Result<void> Reader::attributes() {
  bool has_k = false, has_n = false, has_block = false;
  for (const AttributeProto& attribute : proto_.attribute()) {
    const std::string& key = attribute.name();
    const int64_t number = attribute.i();
    if (key == "K" || key == "N" || key == "bits" || key == "block_size" || key == "accuracy_level" ||
        key == "weight_prepacked") {
      if (attribute.type() != AttributeProto::INT)
        return error(ErrorCode::invalid_argument, "attribute {} is not an integer", key);
    }
    if (key == "K") {
      out_.K = number;
      has_k = true;
    } else if (key == "N") {
      out_.N = number;
      has_n = true;
    } else if (key == "block_size") {
      out_.block_size = number;
      has_block = true;
    } else if (key == "bits") {
      out_.bits = number;
    } else if (key == "accuracy_level") {
      out_.accuracy_level = number;
    } else if (key == "weight_prepacked") {
      if (number != 0)
        return error(ErrorCode::unsupported,
                     "weight_prepacked is {}, but only weights in the operator's own layout (0) are read", number);
    } else {
      return error(ErrorCode::unsupported,
                   "attribute {} is unknown; known: K, N, bits, block_size, accuracy_level, weight_prepacked=0", key);
    }
  }
  if (!has_k || !has_n || !has_block)
    return error(ErrorCode::invalid_argument, "attribute {} is missing", !has_k ? "K" : !has_n ? "N" : "block_size");
  if (auto allowed = check_matmul_nbits_shape(shape()); !allowed)
    return error(allowed.error().code, "{}", allowed.error().message);
  if (out_.accuracy_level < 0 || out_.accuracy_level > 4)
    return error(ErrorCode::invalid_argument, "attribute accuracy_level is {}, allowed: 0 to 4", out_.accuracy_level);
  return {};
}

Result<void> Reader::inputs_present() const {
  if (proto_.input_size() > kInputs)
    return error(ErrorCode::unsupported,
                 "there are {} inputs, but only A, B, scales, zero_points, g_idx and bias are known",
                 proto_.input_size());
  for (const Input input : {kA, kB, kScales})
    if (!present(input)) return error(ErrorCode::invalid_argument, "input {} is missing", kInputNames[input]);
  if (proto_.output_size() != 1 || proto_.output(0).empty())
    return error(ErrorCode::invalid_argument, "there must be one output, not {}", proto_.output_size());
  return {};
}

Result<HostTensor> Reader::constant(Input input) const {
  const TensorProto* tensor = constants_.find(value(input));
  if (tensor == nullptr)
    return error(ErrorCode::unsupported, "{} is computed by the model, but must be an initializer or a Constant",
                 label(input));
  // Before to_host, for a message that says what this input may be.
  const int type = tensor->data_type();
  const bool is_float = type == TensorProto::FLOAT || type == TensorProto::FLOAT16;
  const auto refuse = [&](std::string_view allowed) {
    return error(ErrorCode::unsupported, "{} has element type {}, allowed: {}", label(input),
                 onnx_detail::data_type_name(type), allowed);
  };
  if (input == kB && type != TensorProto::UINT8) return refuse("uint8");
  if (input == kScales && !is_float) return refuse("float32, float16");
  if (input == kZeroPoints && !is_float && type != TensorProto::UINT8) return refuse("uint8, or the type of scales");
  if (input == kGIdx && type != TensorProto::INT32) return refuse("int32");
  if (input == kBias && !is_float) return refuse("the type of scales");
  return onnx_detail::to_host(*tensor, std::format("node '{}': {}", out_.name, label(input)));
}

Result<std::optional<HostTensor>> Reader::optional_constant(Input input) const {
  if (!present(input)) return std::nullopt;
  HB_TRY(HostTensor tensor, constant(input));
  return tensor;
}

Result<void> Reader::tensors() {
  HB_TRY(HostTensor b, constant(kB));
  HB_TRY(HostTensor scales, constant(kScales));
  HB_TRY(std::optional<HostTensor> zero_points, optional_constant(kZeroPoints));
  HB_TRY(std::optional<HostTensor> bias, optional_constant(kBias));
  out_.dtype = scales.dtype;
  auto kernel = to_kernel_tensors(shape(), out_.dtype,
                                  {&b, &scales, zero_points ? &*zero_points : nullptr, bias ? &*bias : nullptr});
  if (!kernel) return error(kernel.error().code, "{}", kernel.error().message);
  out_.constants.emplace("bT", std::move(b));
  out_.constants.emplace("scalesT", std::move(kernel->scales));
  if (kernel->zero_points) out_.constants.emplace("zeroPointsT", std::move(*kernel->zero_points));
  if (bias) out_.constants.emplace("biasT", std::move(*bias));
  return {};
}

Result<void> Reader::a_type() const {
  const int declared = onnx_detail::declared_type(graph_, value(kA));
  if (declared == 0 || declared == onnx_detail::data_type_of(out_.dtype)) return {};
  return error(ErrorCode::unsupported, "{} is {} and scales are {}, but both must have one type, float32 or float16",
               label(kA), onnx_detail::data_type_name(declared), name(out_.dtype));
}

Result<void> Reader::g_idx() const {
  if (!present(kGIdx)) return {};
  HB_TRY(const HostTensor given, constant(kGIdx));
  const int64_t padded = out_.k_blocks() * out_.block_size;
  if (given.shape != Shape{out_.K} && given.shape != Shape{padded})
    return error(ErrorCode::invalid_argument, "{} has shape {}, but K={} with block_size {} needs [{}] or [{}]",
                 label(kGIdx), to_string(given.shape), out_.K, out_.block_size, out_.K, padded);
  for (int64_t k = 0; k < out_.K; ++k)
    if (const int64_t group = given.as<int32_t>()[static_cast<size_t>(k)]; group != k / out_.block_size)
      return error(
          ErrorCode::unsupported,
          "{} puts k={} into group {}; only weights in their own order (group k / block_size, here {}) are read",
          label(kGIdx), k, group, k / out_.block_size);
  return {};
}

}  // namespace

Result<std::vector<MatMulNBitsNode>> find_matmul_nbits(const OnnxModel& model) {
  // A small model can name one large initializer in thousands of nodes, and each node gets a copy.
  const uint64_t most = std::max(uint64_t{1} << 30, 8 * model.byte_size());
  uint64_t bytes = 0;
  std::vector<MatMulNBitsNode> nodes;
  HB_CHECK(
      onnx_detail::each_graph(model.proto(), [&](const GraphProto& graph, const Constants& constants) -> Result<void> {
        for (const NodeProto& node : graph.node()) {
          if (!onnx_detail::is_microsoft_op(node, "MatMulNBits")) continue;
          HB_TRY(MatMulNBitsNode read, Reader(node, graph, constants).read());
          read.a = node.input(kA);
          read.y = node.output(0);
          for (const auto& [key, tensor] : read.constants) bytes += tensor.data.size();
          if (bytes > most)
            return fail(ErrorCode::limit,
                        std::format("the weights of the first {} nodes take {} bytes, far more than the model has",
                                    nodes.size() + 1, bytes));
          nodes.push_back(std::move(read));
        }
        return {};
      }));
  return nodes;
}

Problem make_problem(const MatMulNBitsNode& node, const Shape& a_shape) {
  Problem problem;
  problem.id = node.name;
  problem.attrs = {{"K", static_cast<double>(node.K)},
                   {"N", static_cast<double>(node.N)},
                   {"bits", static_cast<double>(node.bits)},
                   {"block_size", static_cast<double>(node.block_size)},
                   {"accuracy_level", static_cast<double>(node.accuracy_level)}};
  problem.inputs["aT"] = {node.dtype, a_shape};
  for (const auto& [key, tensor] : node.constants) {
    problem.inputs[key] = tensor.desc();
    problem.constant.insert(key);
  }
  return problem;
}

}  // namespace halfbyte
