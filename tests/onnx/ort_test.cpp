// ONNX Runtime's own MatMulNBits (CPU provider, through node) against our double reference: the two must mean the same
// by every attribute, layout and default. Skipped, with the reason, where node or onnxruntime-node is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <format>
#include <nlohmann/json.hpp>
#include <random>

#include "io/files.hpp"
#include "onnx/expose.hpp"
#include "onnx/matmul_nbits.hpp"
#include "onnx/quantize.hpp"
#include "onnx/test_models.hpp"
#include "tensor/npy.hpp"
#include "tensor/test_seed.hpp"
#include "verify/case.hpp"

namespace halfbyte {
namespace {

namespace fs = std::filesystem;
using ::onnx::ModelProto;
using ::onnx::TensorProto;
using onnx_test::NBitsSpec;

// A folder that goes with the test.
struct Folder {
  fs::path path;
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "halfbyte-ort-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
};

using Tensors = std::map<std::string, HostTensor>;

// What ONNX Runtime makes of the model: every input and output. Empty with `skip` set when it is not there.
Result<Tensors> run_onnx_runtime(const OnnxModel& model, std::string& skip) {
  const Folder folder;
  HB_TRY(const ModelBytes bytes, model.serialize());
  const std::string file = (folder.path / "model.onnx").string(), out = (folder.path / "out").string();
  const std::string log = (folder.path / "log").string();
  HB_CHECK(write_file(file, bytes.model));
  const std::string command =
      std::format("node '{}/tools/ort_oracle.mjs' '{}' '{}' > '{}' 2>&1", HALFBYTE_SOURCE_DIR, file, out, log);
  const int status = std::system(command.c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 127) skip = "node is not installed";
  if (code == 3) skip = "onnxruntime-node is not installed (npm install, or NODE_PATH)";
  if (!skip.empty()) return Tensors{};
  if (code != 0)
    return fail(ErrorCode::internal, std::format("ort_oracle ended with {}: {}", code, read_text(log).value_or("")));

  HB_TRY(const std::string index, read_text(out + "/index.json"));
  Tensors tensors;
  for (const auto& entry : nlohmann::json::parse(index).at("tensors")) {
    const std::string path = out + "/" + entry.at("file").get<std::string>();
    HB_TRY(const auto npy, read_bytes(path));
    HB_TRY(tensors[entry.at("name")], decode_npy(npy, path));
  }
  return tensors;
}

// Y of every node against the reference on the A that ONNX Runtime says it had.
void check_nodes(const std::vector<MatMulNBitsNode>& nodes, const Tensors& tensors) {
  for (const MatMulNBitsNode& node : nodes) {
    ASSERT_TRUE(tensors.contains(node.a)) << node.name;
    ASSERT_TRUE(tensors.contains(node.y)) << node.name;
    auto inputs = node.constants;
    inputs["aT"] = tensors.at(node.a);
    const Problem problem = make_problem(node, inputs["aT"].shape);
    const BlockShape shape{node.N, node.K, static_cast<int>(node.bits), node.block_size};
    const auto data = case_data_from_inputs(Semantics{}, shape, problem, std::move(inputs));
    ASSERT_TRUE(data) << data.error().to_string();
    const HostTensor& y = tensors.at(node.y);
    ASSERT_EQ(y.desc(), data->output) << node.name;
    const Comparison c = compare({.problem = problem}, *data, y, Numerics{});
    EXPECT_TRUE(c.pass) << node.name << ": " << c.why;
    EXPECT_GT(c.bound, 0) << node.name;
  }
}

// All nodes in one model, each with its own A and Y: one start of node for all.
void append(ModelProto& all, ModelProto one, const std::string& prefix) {
  const auto rename = [&](std::string* name) {
    if (!name->empty()) *name = prefix + *name;
  };
  auto& graph = *one.mutable_graph();
  for (auto& input : *graph.mutable_input()) rename(input.mutable_name());
  for (auto& output : *graph.mutable_output()) rename(output.mutable_name());
  for (auto& tensor : *graph.mutable_initializer()) rename(tensor.mutable_name());
  for (auto& node : *graph.mutable_node()) {
    rename(node.mutable_name());
    for (auto& name : *node.mutable_input()) rename(&name);
    for (auto& name : *node.mutable_output()) rename(&name);
  }
  if (all.graph().node().empty()) {
    all = std::move(one);
    return;
  }
  all.mutable_graph()->MergeFrom(graph);
}

TEST(OnnxRuntime, AgreesWithTheReferenceOnEveryForm) {
  std::mt19937_64 random(test_seed());
  ModelProto all;
  int count = 0;
  for (const int64_t bits : {2, 4, 8})
    for (const int64_t block_size : {16, 32, 128})
      for (const int64_t K : {128, 90, 17})
        for (const auto zero_points : {NBitsSpec::none, NBitsSpec::packed, NBitsSpec::floating})
          for (const int type : {int{TensorProto::FLOAT}, int{TensorProto::FLOAT16}}) {
            // ONNX Runtime's CPU provider refuses float zero points at 8 bits.
            if (bits == 8 && zero_points == NBitsSpec::floating) continue;
            NBitsSpec spec{.K = K, .N = 9, .bits = bits, .block_size = block_size, .type = type};
            spec.zero_points = zero_points;
            spec.bias = count % 2 == 1;
            spec.a_shape = {3, K};
            const char* form = zero_points == NBitsSpec::none     ? "none"
                               : zero_points == NBitsSpec::packed ? "packed"
                                                                  : "float";
            append(all, onnx_test::nbits_model(spec, random),
                   std::format("{}bit_block{}_K{}_{}_{}{}_", bits, block_size, K, form,
                               type == TensorProto::FLOAT ? "f32" : "f16", spec.bias ? "_bias" : ""));
            ++count;
          }
  const OnnxModel model{std::move(all)};
  const auto nodes = find_matmul_nbits(model);
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  ASSERT_EQ(nodes->size(), static_cast<size_t>(count));
  std::string skip;
  const auto tensors = run_onnx_runtime(model, skip);
  if (!skip.empty()) GTEST_SKIP() << skip;
  ASSERT_TRUE(tensors) << tensors.error().to_string();
  check_nodes(*nodes, *tensors);
  std::printf("%d forms compared\n", count);
}

// x -> Gemm (bias) -> Relu -> MatMul -> Gemm (C per row: an Add) -> y, as a model would have them.
ModelProto small_network(std::mt19937_64& random) {
  auto model = onnx_test::empty_model();
  onnx_test::add_input(model, "x", {6, 50});
  onnx_test::add_output(model, "y", {6, 7});
  auto& graph = *model.mutable_graph();
  *graph.add_initializer() = onnx_test::random_floats("W1", {40, 50}, random);
  *graph.add_initializer() = onnx_test::random_floats("C1", {1, 40}, random);
  *graph.add_initializer() = onnx_test::random_floats("W2", {40, 33}, random);
  *graph.add_initializer() = onnx_test::random_floats("W3", {33, 7}, random);
  *graph.add_initializer() = onnx_test::random_floats("C3", {6, 1}, random);
  onnx_test::set_attribute(onnx_test::add_node(model, "Gemm", "fc1", {"x", "W1", "C1"}, "h1"), "transB", int64_t{1});
  onnx_test::add_node(model, "Relu", "relu", {"h1"}, "h2");
  onnx_test::add_node(model, "MatMul", "fc2", {"h2", "W2"}, "h3");
  onnx_test::add_node(model, "Gemm", "fc3", {"h3", "W3", "C3"}, "y");
  return model;
}

TEST(OnnxRuntime, RunsQuantizedModels) {
  std::mt19937_64 random(test_seed());
  const ModelProto network = small_network(random);
  for (const int bits : {2, 4, 8})
    for (const bool symmetric : {true, false}) {
      OnnxModel model{network};
      const auto report = quantize_model(model, {.bits = bits, .block_size = 16, .symmetric = symmetric});
      ASSERT_TRUE(report) << report.error().to_string();
      EXPECT_EQ(report->layers.size(), 3u);
      const auto nodes = find_matmul_nbits(model);
      ASSERT_TRUE(nodes) << nodes.error().to_string();
      ASSERT_TRUE(expose_activations(model, *nodes));
      std::string skip;
      const auto tensors = run_onnx_runtime(model, skip);
      if (!skip.empty()) GTEST_SKIP() << skip;
      ASSERT_TRUE(tensors) << tensors.error().to_string();
      check_nodes(*nodes, *tensors);
    }
}

}  // namespace
}  // namespace halfbyte
