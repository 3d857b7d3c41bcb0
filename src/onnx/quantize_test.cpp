#include "onnx/quantize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/expose.hpp"
#include "onnx/matmul_nbits.hpp"
#include "onnx/test_models.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

OnnxModel model_of(const ModelProto& proto) {
  auto model = OnnxModel::parse(onnx_test::to_bytes(proto), "m.onnx");
  EXPECT_TRUE(model) << model.error().to_string();
  return std::move(*model);
}

// x [rows,K] -> MatMul -> y, the weight an initializer "W" [K,N].
ModelProto matmul_model(int64_t K, int64_t N, std::mt19937_64& random, int type = TensorProto::FLOAT) {
  auto model = onnx_test::empty_model();
  onnx_test::add_input(model, "x", {-1, K}, type);
  onnx_test::add_output(model, "y", {-1, N}, type);
  *model.mutable_graph()->add_initializer() = onnx_test::random_floats("W", {K, N}, random, type);
  onnx_test::add_node(model, "MatMul", "fc", {"x", "W"}, "y");
  return model;
}

// x -> Gemm(W [N,K] with transB, C) -> y
ModelProto gemm_model(int64_t K, int64_t N, const Shape& c_shape, std::mt19937_64& random) {
  auto model = onnx_test::empty_model();
  onnx_test::add_input(model, "x", {-1, K});
  onnx_test::add_output(model, "y", {-1, N});
  *model.mutable_graph()->add_initializer() = onnx_test::random_floats("W", {N, K}, random);
  *model.mutable_graph()->add_initializer() = onnx_test::random_floats("C", c_shape, random);
  auto& node = onnx_test::add_node(model, "Gemm", "fc", {"x", "W", "C"}, "y");
  onnx_test::set_attribute(node, "transB", int64_t{1});
  return model;
}

std::vector<std::string> initializer_names(const OnnxModel& model) {
  std::vector<std::string> names;
  for (const auto& tensor : model.proto().graph().initializer()) names.push_back(tensor.name());
  return names;
}

std::vector<std::string> ops(const OnnxModel& model) {
  std::vector<std::string> list;
  for (const auto& node : model.proto().graph().node()) list.push_back(node.op_type());
  return list;
}

TEST(QuantizeModel, ReplacesAMatMul) {
  std::mt19937_64 random(test_seed());
  for (const int bits : {2, 4, 8})
    for (const bool symmetric : {true, false})
      for (const int64_t K : {20, 64, 120}) {
        OnnxModel model = model_of(matmul_model(K, 12, random));
        const auto report = quantize_model(model, {.bits = bits, .block_size = 32, .symmetric = symmetric});
        ASSERT_TRUE(report) << report.error().to_string();
        ASSERT_EQ(report->layers.size(), 1u);
        const QuantizedLayer& layer = report->layers.front();
        EXPECT_EQ(layer.name, "fc");
        EXPECT_EQ(layer.weight, "W");
        EXPECT_EQ(layer.K, K);
        EXPECT_EQ(layer.N, 12);
        EXPECT_EQ(layer.bytes_before, K * 12 * 4);
        // Uniform steps over normally distributed weights; the loose bounds only tell 2 from 4 from 8 bits.
        EXPECT_LT(layer.error, bits == 2 ? 0.7 : bits == 4 ? 0.15 : 0.01) << bits << " bits";
        EXPECT_GT(layer.error, bits == 2 ? 0.1 : bits == 4 ? 0.01 : 0.0005) << bits << " bits";

        const std::string q = std::format("W_Q{}", bits);
        EXPECT_THAT(ops(model), ElementsAre("MatMulNBits"));
        const NodeProto& node = model.proto().graph().node(0);
        EXPECT_EQ(node.name(), "fc");
        EXPECT_EQ(node.domain(), "com.microsoft");
        EXPECT_EQ(node.output(0), "y");
        if (symmetric) {
          EXPECT_THAT(initializer_names(model), ElementsAre(q, "W_scales"));
        } else {
          EXPECT_THAT(initializer_names(model), ElementsAre(q, "W_scales", "W_zero_points"));
        }
        EXPECT_EQ(model.proto().opset_import_size(), 2);
        EXPECT_EQ(model.proto().opset_import(1).domain(), "com.microsoft");

        const auto nodes = find_matmul_nbits(model);  // checks every shape
        ASSERT_TRUE(nodes) << nodes.error().to_string();
        EXPECT_EQ(nodes->front().constants.contains("zeroPointsT"), !symmetric);
      }
}

TEST(QuantizeModel, HalfPrecisionWeightsGetHalfPrecisionScales) {
  std::mt19937_64 random(test_seed());
  OnnxModel model = model_of(matmul_model(64, 8, random, TensorProto::FLOAT16));
  const auto report = quantize_model(model, {.symmetric = false});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->layers.front().bytes_before, 64 * 8 * 2);
  const auto nodes = find_matmul_nbits(model);
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  EXPECT_EQ(nodes->front().dtype, DType::float16);
  EXPECT_EQ(nodes->front().constants.at("zeroPointsT").dtype, DType::float16);
}

TEST(QuantizeModel, WeightsThatFitTheCodesAreKeptExactly) {
  // Multiples of 1/8 from -1 to 7/8: the sixteen values of one 4-bit block whose largest magnitude is -1.
  auto proto = onnx_test::empty_model();
  onnx_test::add_input(proto, "x", {-1, 16});
  onnx_test::add_output(proto, "y", {-1, 3});
  std::vector<float> values(48);
  for (size_t k = 0; k < 16; ++k)
    for (size_t n = 0; n < 3; ++n) values[k * 3 + n] = (static_cast<float>((k + 5 * n) % 16) - 8) / 8;
  *proto.mutable_graph()->add_initializer() =
      onnx_test::make_tensor("W", TensorProto::FLOAT, {16, 3}, onnx_test::raw_bytes(values));
  onnx_test::add_node(proto, "MatMul", "fc", {"x", "W"}, "y");
  OnnxModel model = model_of(proto);
  const auto report = quantize_model(model, {.block_size = 16});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->layers.front().error, 0);

  // Row n of B is column n of W, low nibble first: code 8 stands for 0.
  const auto nodes = find_matmul_nbits(model);
  ASSERT_TRUE(nodes);
  const auto b = nodes->front().constants.at("bT").as<uint8_t>();
  const auto scales = nodes->front().constants.at("scalesT").to_floats();
  for (size_t n = 0; n < 3; ++n)
    for (size_t k = 0; k < 16; ++k) {
      const int code = (b[n * 8 + k / 2] >> (4 * (k % 2))) & 15;
      EXPECT_EQ(static_cast<float>(code - 8) * scales[n], values[k * 3 + n]) << "n " << n << " k " << k;
    }
}

TEST(QuantizeModel, GemmConstantCBecomesTheBias) {
  std::mt19937_64 random(test_seed());
  for (const Shape& shape : {Shape{8}, Shape{1, 8}, Shape{}, Shape{1}, Shape{1, 1}}) {
    const ModelProto proto = gemm_model(64, 8, shape, random);
    OnnxModel model = model_of(proto);
    const auto report = quantize_model(model, {});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_THAT(ops(model), ElementsAre("MatMulNBits"));
    const auto nodes = find_matmul_nbits(model);
    ASSERT_TRUE(nodes) << nodes.error().to_string();
    const auto bias = nodes->front().constants.at("biasT").to_floats();
    const float* c = reinterpret_cast<const float*>(proto.graph().initializer(1).raw_data().data());
    const bool one = *element_count(shape) == 1;
    for (size_t n = 0; n < 8; ++n) EXPECT_EQ(bias[n], c[one ? 0 : n]);
    EXPECT_THAT(initializer_names(model), Not(Contains("W")));
    EXPECT_EQ(model.proto().graph().initializer_size(), 3);
  }
}

TEST(QuantizeModel, GemmOtherCBecomesAnAdd) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = gemm_model(64, 8, {5, 8}, random);
  onnx_test::add_node(proto, "Relu", "after", {"y"}, "z");
  OnnxModel model = model_of(proto);
  ASSERT_TRUE(quantize_model(model, {}));
  EXPECT_THAT(ops(model), ElementsAre("MatMulNBits", "Add", "Relu"));
  const auto& graph = model.proto().graph();
  EXPECT_EQ(graph.node(0).output(0), "y_before_C");
  EXPECT_THAT(std::vector<std::string>(graph.node(1).input().begin(), graph.node(1).input().end()),
              ElementsAre("y_before_C", "C"));
  EXPECT_EQ(graph.node(1).output(0), "y");
  EXPECT_THAT(initializer_names(model), Contains("C"));
}

TEST(QuantizeModel, GemmComputedCBecomesAnAdd) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = gemm_model(64, 8, {8}, random);
  proto.mutable_graph()->mutable_initializer()->RemoveLast();
  onnx_test::add_input(proto, "C", {8});
  OnnxModel model = model_of(proto);
  ASSERT_TRUE(quantize_model(model, {}));
  EXPECT_THAT(ops(model), ElementsAre("MatMulNBits", "Add"));
}

TEST(QuantizeModel, ASharedWeightIsQuantizedOnce) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = matmul_model(64, 64, random);
  onnx_test::add_node(proto, "MatMul", "again", {"y", "W"}, "y2");
  OnnxModel model = model_of(proto);
  const auto report = quantize_model(model, {});
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_EQ(report->layers.size(), 2u);
  EXPECT_EQ(report->layers[1].bytes_before, 0);
  EXPECT_EQ(report->layers[1].error, report->layers[0].error);
  EXPECT_THAT(initializer_names(model), ElementsAre("W_Q4", "W_scales"));
}

TEST(QuantizeModel, AWeightThatOthersUseStays) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = matmul_model(64, 8, random);
  onnx_test::add_node(proto, "Transpose", "t", {"W"}, "Wt");
  OnnxModel model = model_of(proto);
  ASSERT_TRUE(quantize_model(model, {}));
  EXPECT_THAT(initializer_names(model), ElementsAre("W", "W_Q4", "W_scales"));
}

TEST(QuantizeModel, NamesThatAreTakenAreNotTakenAgain) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = matmul_model(64, 8, random);
  *proto.mutable_graph()->add_initializer() = onnx_test::random_floats("W_scales", {1}, random);
  onnx_test::add_node(proto, "Identity", "i", {"W_scales"}, "W_Q4");
  OnnxModel model = model_of(proto);
  ASSERT_TRUE(quantize_model(model, {}));
  EXPECT_THAT(initializer_names(model), ElementsAre("W_scales", "W_Q4_1", "W_scales_1"));
}

TEST(QuantizeModel, ConstantNodesAreReplacedAndGo) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = matmul_model(64, 8, random);
  auto& graph = *proto.mutable_graph();
  NodeProto constant;
  constant.set_op_type("Constant");
  constant.add_output("W");
  auto* value = constant.add_attribute();
  value->set_name("value");
  value->set_type(::onnx::AttributeProto::TENSOR);
  *value->mutable_t() = graph.initializer(0);
  value->mutable_t()->clear_name();
  graph.clear_initializer();
  *graph.add_node() = constant;
  graph.mutable_node()->SwapElements(0, 1);
  OnnxModel model = model_of(proto);
  const auto report = quantize_model(model, {});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(ops(model), ElementsAre("MatMulNBits"));
  EXPECT_THAT(initializer_names(model), ElementsAre("W_Q4", "W_scales"));
}

TEST(QuantizeModel, OldModelsListWeightsAsInputs) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = matmul_model(64, 8, random);
  proto.set_ir_version(3);
  onnx_test::add_input(proto, "W", {64, 8});
  OnnxModel model = model_of(proto);
  ASSERT_TRUE(quantize_model(model, {}));
  EXPECT_EQ(model.proto().ir_version(), 4);
  EXPECT_EQ(model.proto().graph().input_size(), 1);
}

TEST(QuantizeModel, SubgraphsAreQuantizedToo) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = matmul_model(64, 8, random);
  NodeProto inner = proto.graph().node(0);
  inner.set_name("inner");
  inner.set_output(0, "inner_y");
  auto& branch = onnx_test::add_node(proto, "If", "branch", {"x"}, "unused");
  auto* attribute = branch.add_attribute();
  attribute->set_name("then_branch");
  attribute->set_type(::onnx::AttributeProto::GRAPH);
  *attribute->mutable_g()->add_node() = inner;
  OnnxModel model = model_of(proto);
  const auto report = quantize_model(model, {});
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_EQ(report->layers.size(), 2u);
  EXPECT_THAT(initializer_names(model), ElementsAre("W_Q4", "W_scales"));
  const auto nodes = find_matmul_nbits(model);
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  EXPECT_EQ(nodes->size(), 2u);
}

struct Left {
  const char* name;
  void (*change)(ModelProto&);
  const char* why;
};
NodeProto& first(ModelProto& m) { return *m.mutable_graph()->mutable_node(0); }
const Left kLeft[] = {
    {"TransA", [](ModelProto& m) { onnx_test::set_attribute(first(m), "transA", int64_t{1}); }, "transA is 1"},
    {"Alpha", [](ModelProto& m) { onnx_test::set_attribute(first(m), "alpha", 0.5F); }, "alpha is 0.5, not 1"},
    {"Beta", [](ModelProto& m) { onnx_test::set_attribute(first(m), "beta", 2.0F); }, "beta is 2, not 1"},
    {"Rank3", [](ModelProto& m) { m.mutable_graph()->mutable_initializer(0)->add_dims(1); },
     "its weight has rank 3, not 2"},
    {"Double", [](ModelProto& m) { m.mutable_graph()->mutable_initializer(0)->set_data_type(TensorProto::DOUBLE); },
     "its weight is float64, not float32 or float16"},
    {"Computed", [](ModelProto& m) { m.mutable_graph()->mutable_initializer(0)->set_name("V"); },
     "both its operands are computed"},
    {"LeftOperand", [](ModelProto& m) { first(m).mutable_input()->SwapElements(0, 1); },
     "its constant is the left operand"},
    {"GraphInput", [](ModelProto& m) { onnx_test::add_input(m, "W", {8, 64}); },
     "its weight is a graph input too, so a caller may replace it"},
    {"Empty",
     [](ModelProto& m) {
       m.mutable_graph()->mutable_initializer(0)->set_dims(0, 0);
       m.mutable_graph()->mutable_initializer(0)->clear_raw_data();
     },
     "its weight is empty"},
};

class LeftAsItIs : public ::testing::TestWithParam<Left> {};

TEST_P(LeftAsItIs, WithItsReason) {
  std::mt19937_64 random(1);
  ModelProto proto = gemm_model(64, 8, {8}, random);
  GetParam().change(proto);
  OnnxModel model = model_of(proto);
  const auto before = model.serialize()->model;
  const auto report = quantize_model(model, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::not_found);
  EXPECT_THAT(report.error().message, HasSubstr("no MatMul or Gemm with a constant weight"));
  EXPECT_THAT(report.error().notes, ElementsAre(std::format("node 'fc': {}", GetParam().why)));
  EXPECT_EQ(model.serialize()->model, before);

  // Beside one that can be replaced it is listed, and stays.
  *proto.mutable_graph()->add_initializer() = onnx_test::random_floats("W2", {8, 8}, random);
  onnx_test::add_node(proto, "MatMul", "fc2", {"y", "W2"}, "y2");
  OnnxModel both = model_of(proto);
  const auto second = quantize_model(both, {});
  ASSERT_TRUE(second) << second.error().to_string();
  ASSERT_EQ(second->layers.size(), 1u);
  ASSERT_EQ(second->left.size(), 1u);
  EXPECT_EQ(second->left.front().name, "fc");
  EXPECT_EQ(second->left.front().why, GetParam().why);
  EXPECT_THAT(ops(both), ElementsAre("Gemm", "MatMulNBits"));
}
INSTANTIATE_TEST_SUITE_P(QuantizeModel, LeftAsItIs, ::testing::ValuesIn(kLeft),
                         [](const auto& info) { return info.param.name; });

TEST(QuantizeModel, OptionsAreChecked) {
  std::mt19937_64 random(1);
  for (const QuantizeOptions& options :
       {QuantizeOptions{.bits = 3}, QuantizeOptions{.bits = 0}, QuantizeOptions{.block_size = 24},
        QuantizeOptions{.block_size = 8}, QuantizeOptions{.block_size = -32}}) {
    OnnxModel model = model_of(matmul_model(64, 8, random));
    const auto report = quantize_model(model, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(report.error().message, HasSubstr("must be"));
  }
}

TEST(QuantizeModel, AWeightWithTooFewBytesIsAnError) {
  std::mt19937_64 random(1);
  ModelProto proto = matmul_model(64, 8, random);
  proto.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->resize(100);
  OnnxModel model = model_of(proto);
  const auto report = quantize_model(model, {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("weight 'W' has 100 bytes, but shape [64,8] of float32 needs 512"));
}

TEST(ExposeActivations, AddsWhatIsNotVisibleYet) {
  std::mt19937_64 random(test_seed());
  ModelProto proto = matmul_model(64, 64, random);
  onnx_test::add_node(proto, "Relu", "relu", {"y"}, "r");
  onnx_test::add_node(proto, "MatMul", "fc2", {"r", "W"}, "y2");
  OnnxModel model = model_of(proto);
  ASSERT_TRUE(quantize_model(model, {}));
  const auto nodes = find_matmul_nbits(model);
  ASSERT_TRUE(nodes);
  ASSERT_TRUE(expose_activations(model, *nodes));
  std::vector<std::string> outputs;
  for (const auto& output : model.proto().graph().output()) outputs.push_back(output.name());
  EXPECT_THAT(outputs, ElementsAre("y", "r", "y2"));
}

}  // namespace
}  // namespace halfbyte
