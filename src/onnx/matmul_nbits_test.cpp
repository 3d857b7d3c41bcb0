#include "onnx/matmul_nbits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/test_models.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

using ::onnx::ModelProto;
using ::onnx::TensorProto;
using onnx_test::NBitsSpec;
using ::testing::HasSubstr;

Result<std::vector<MatMulNBitsNode>> find(const ModelProto& proto) {
  const auto model = OnnxModel::parse(onnx_test::to_bytes(proto), "m.onnx");
  if (!model) return std::unexpected(model.error());
  return find_matmul_nbits(*model);
}

TensorProto* initializer(ModelProto& model, const std::string& name) {
  for (auto& tensor : *model.mutable_graph()->mutable_initializer())
    if (tensor.name() == name) return &tensor;
  return nullptr;
}

TEST(FindMatMulNBits, ReadsEveryForm) {
  std::mt19937_64 random(test_seed());
  int read = 0;
  for (const int64_t bits : {2, 4, 8})
    for (const int64_t K : {17, 64, 96})
      for (const auto zero_points : {NBitsSpec::none, NBitsSpec::packed, NBitsSpec::floating})
        for (const int type : {int{TensorProto::FLOAT}, int{TensorProto::FLOAT16}})
          for (const bool flat : {false, true}) {
            NBitsSpec spec{
                .K = K, .N = 5, .bits = bits, .block_size = 16, .accuracy_level = 4, .type = type, .bias = flat};
            spec.zero_points = zero_points;
            spec.flat = flat;
            spec.a_shape = {-1, K};
            const auto nodes = find(onnx_test::nbits_model(spec, random));
            ASSERT_TRUE(nodes) << nodes.error().to_string();
            ASSERT_EQ(nodes->size(), 1u);
            const MatMulNBitsNode& node = nodes->front();
            const int64_t blocks = (K + 15) / 16;
            const DType dtype = type == TensorProto::FLOAT ? DType::float32 : DType::float16;
            EXPECT_EQ(node.name, "mm");
            EXPECT_EQ(node.a, "A");
            EXPECT_EQ(node.y, "Y");
            EXPECT_EQ(node.accuracy_level, 4);
            EXPECT_EQ(node.constants.at("bT").desc(), (TensorDesc{DType::uint8, {5, blocks, 2 * bits}}));
            EXPECT_EQ(node.constants.at("scalesT").desc(), (TensorDesc{dtype, {5, blocks}}));
            EXPECT_EQ(node.constants.contains("zeroPointsT"), zero_points != NBitsSpec::none);
            if (zero_points != NBitsSpec::none) {
              EXPECT_EQ(node.constants.at("zeroPointsT").desc(), (TensorDesc{dtype, {5, blocks}}));
            }
            EXPECT_EQ(node.constants.contains("biasT"), flat);
            ++read;
          }
  EXPECT_EQ(read, 3 * 3 * 3 * 2 * 2);
}

// Three blocks of 4-bit zero points are two bytes a row: the fourth nibble belongs to nobody (field case C10).
TEST(FindMatMulNBits, PackedZeroPointsArePaddedPerRow) {
  std::mt19937_64 random(1);
  NBitsSpec spec{.K = 96, .N = 2, .block_size = 32};
  spec.zero_points = NBitsSpec::packed;
  spec.a_shape = {1, 96};
  ModelProto model = onnx_test::nbits_model(spec, random);
  initializer(model, "Z")->set_raw_data(std::string("\x21\xF3\x54\xF6", 4));
  const auto nodes = find(model);
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  EXPECT_THAT(nodes->front().constants.at("zeroPointsT").to_floats(), ::testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(FindMatMulNBits, TypedFieldsAreReadToo) {
  std::mt19937_64 random(1);
  ModelProto model = onnx_test::nbits_model({.K = 32, .N = 2, .a_shape = {1, 32}}, random);
  auto* scales = initializer(model, "S");
  scales->clear_raw_data();
  scales->add_float_data(0.5F);
  scales->add_float_data(-2.0F);
  const auto nodes = find(model);
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  EXPECT_THAT(nodes->front().constants.at("scalesT").to_floats(), ::testing::ElementsAre(0.5F, -2.0F));
}

TEST(FindMatMulNBits, ConstantNodesAreConstants) {
  std::mt19937_64 random(test_seed());
  ModelProto model = onnx_test::nbits_model({}, random);
  auto& graph = *model.mutable_graph();
  for (const auto& tensor : graph.initializer()) {
    auto& node = *graph.add_node();
    node.set_op_type("Constant");
    node.add_output(tensor.name());
    auto* value = node.add_attribute();
    value->set_name("value");
    value->set_type(::onnx::AttributeProto::TENSOR);
    *value->mutable_t() = tensor;
  }
  graph.clear_initializer();
  const auto nodes = find(model);
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  EXPECT_EQ(nodes->size(), 1u);
}

TEST(FindMatMulNBits, NodesOfSubgraphsAreFoundWithTheConstantsAround) {
  std::mt19937_64 random(test_seed());
  ModelProto model = onnx_test::nbits_model({}, random);
  auto& graph = *model.mutable_graph();
  ::onnx::NodeProto inner = graph.node(0);
  inner.set_name("inner");
  auto& branch = onnx_test::add_node(model, "If", "branch", {"A"}, "unused");
  auto* attribute = branch.add_attribute();
  attribute->set_name("then_branch");
  attribute->set_type(::onnx::AttributeProto::GRAPH);
  *attribute->mutable_g()->add_node() = inner;
  const auto nodes = find(model);
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  ASSERT_EQ(nodes->size(), 2u);
  EXPECT_EQ(nodes->back().name, "inner");
}

TEST(FindMatMulNBits, OtherNodesAreLeftAlone) {
  std::mt19937_64 random(1);
  ModelProto model = onnx_test::nbits_model({}, random);
  model.mutable_graph()->mutable_node(0)->set_domain("com.example");
  model.mutable_opset_import(1)->set_domain("com.example");
  EXPECT_TRUE(find(model)->empty());
}

TEST(FindMatMulNBits, IdentityGroupIndicesAreAccepted) {
  std::mt19937_64 random(1);
  for (const int64_t length : {50, 64}) {  // of K, and of the padded K
    ModelProto model = onnx_test::nbits_model({.K = 50, .a_shape = {1, 50}}, random);
    std::vector<int32_t> groups(static_cast<size_t>(length));
    for (size_t k = 0; k < groups.size(); ++k) groups[k] = static_cast<int32_t>(k / 32);
    *model.mutable_graph()->add_initializer() =
        onnx_test::make_tensor("G", TensorProto::INT32, {length}, onnx_test::raw_bytes(groups));
    auto& node = *model.mutable_graph()->mutable_node(0);
    node.add_input("");
    node.add_input("G");
    const auto nodes = find(model);
    ASSERT_TRUE(nodes) << nodes.error().to_string();
  }
}

// What is wrong, and the sentence that says so.
struct BadCase {
  const char* name;
  void (*spoil)(ModelProto&);
  ErrorCode code;
  const char* message;
};

::onnx::NodeProto& node(ModelProto& model) { return *model.mutable_graph()->mutable_node(0); }

void set(ModelProto& model, const std::string& key, int64_t value) {
  for (auto& attribute : *node(model).mutable_attribute())
    if (attribute.name() == key) return attribute.set_i(value);
  onnx_test::set_attribute(node(model), key, value);
}

void reshape(ModelProto& model, const std::string& name, const Shape& shape) {
  auto* tensor = initializer(model, name);
  tensor->clear_dims();
  for (const int64_t d : shape) tensor->add_dims(d);
  const size_t width = name == "B" || name == "Z" ? 1 : 4;
  tensor->set_raw_data(std::string(static_cast<size_t>(*element_count(shape)) * width, '\0'));
}

// The sound model: K=96, N=16, 4 bits, blocks of 32 (3 of them), packed zero points, bias.
const BadCase kBadCases[] = {
    {"NDoubled", [](ModelProto& m) { set(m, "N", 32); }, ErrorCode::invalid_argument,
     "input B has shape [16,3,16] but N=32, K=96 and block_size 32 (3 blocks) at 4 bits needs [32,3,16]"},
    {"KPlusOne", [](ModelProto& m) { set(m, "K", 97); }, ErrorCode::invalid_argument,
     "input B has shape [16,3,16] but N=16, K=97 and block_size 32 (4 blocks) at 4 bits needs [16,4,16]"},
    {"BOneByteShort",
     [](ModelProto& m) {
       auto* b = initializer(m, "B");
       b->mutable_raw_data()->pop_back();
     },
     ErrorCode::parse, "input B 'B' has 767 bytes, but shape [16,3,16] of uint8 needs 768 elements of 1 bytes"},
    {"BFlat", [](ModelProto& m) { reshape(m, "B", {16, 48}); }, ErrorCode::invalid_argument,
     "input B has shape [16,48] but"},
    {"ScalesTransposed", [](ModelProto& m) { reshape(m, "S", {3, 16}); }, ErrorCode::invalid_argument,
     "input scales has shape [3,16] but N=16, K=96 and block_size 32 (3 blocks) needs [16,3] or [48]"},
    {"ZeroPointsUnpackedBytes", [](ModelProto& m) { reshape(m, "Z", {16, 3}); }, ErrorCode::invalid_argument,
     "input zero_points has shape [16,3] but N=16, K=96 and block_size 32 (3 blocks) with 4-bit zero points packed row "
     "by row needs [16,2] or [32]"},
    {"ZeroPointsPackedAcrossRows", [](ModelProto& m) { reshape(m, "Z", {24}); }, ErrorCode::invalid_argument,
     "has shape [24] but N=16, K=96 and block_size 32 (3 blocks) with 4-bit zero points packed row by row needs [16,2] "
     "or [32]"},
    {"BiasShort", [](ModelProto& m) { reshape(m, "bias", {15}); }, ErrorCode::invalid_argument,
     "input bias has shape [15] but N=16 needs [16]"},
    {"Bits3", [](ModelProto& m) { set(m, "bits", 3); }, ErrorCode::invalid_argument,
     "attribute bits is 3 but must be 2, 4 or 8"},
    {"KZero", [](ModelProto& m) { set(m, "K", 0); }, ErrorCode::invalid_argument, "K"},
    {"NZero", [](ModelProto& m) { set(m, "N", 0); }, ErrorCode::invalid_argument, "N"},
    {"KNegative", [](ModelProto& m) { set(m, "K", -64); }, ErrorCode::invalid_argument, "K"},
    {"NHuge", [](ModelProto& m) { set(m, "N", int64_t{1} << 31); }, ErrorCode::invalid_argument, "N"},
    {"KHuge", [](ModelProto& m) { set(m, "K", INT64_MAX); }, ErrorCode::invalid_argument, "K"},
    {"Block8", [](ModelProto& m) { set(m, "block_size", 8); }, ErrorCode::invalid_argument, "block_size"},
    {"Block24", [](ModelProto& m) { set(m, "block_size", 24); }, ErrorCode::invalid_argument, "block_size"},
    {"Block0", [](ModelProto& m) { set(m, "block_size", 0); }, ErrorCode::invalid_argument, "block_size"},
    {"BlockNegative", [](ModelProto& m) { set(m, "block_size", -32); }, ErrorCode::invalid_argument, "block_size"},
    {"BlockHuge", [](ModelProto& m) { set(m, "block_size", int64_t{1} << 62); }, ErrorCode::invalid_argument,
     "block_size"},
    {"AccuracyLevel5", [](ModelProto& m) { set(m, "accuracy_level", 5); }, ErrorCode::invalid_argument,
     "attribute accuracy_level is 5, allowed: 0 to 4"},
    {"Prepacked", [](ModelProto& m) { set(m, "weight_prepacked", 1); }, ErrorCode::unsupported,
     "weight_prepacked is 1, but only weights in the operator's own layout (0) are read"},
    {"UnknownAttribute", [](ModelProto& m) { set(m, "sparsity", 1); }, ErrorCode::unsupported,
     "attribute sparsity is unknown; known: K, N, bits, block_size, accuracy_level, weight_prepacked=0"},
    {"NoBlockSize",
     [](ModelProto& m) {
       auto& attributes = *node(m).mutable_attribute();
       for (int i = 0; i < attributes.size(); ++i)
         if (attributes[i].name() == "block_size") attributes.DeleteSubrange(i--, 1);
     },
     ErrorCode::invalid_argument, "attribute block_size is missing"},
    {"KAsFloat",
     [](ModelProto& m) {
       for (auto& attribute : *node(m).mutable_attribute())
         if (attribute.name() == "K") attribute.set_type(::onnx::AttributeProto::FLOAT);
     },
     ErrorCode::invalid_argument, "attribute K is not an integer"},
    {"GroupIndices",
     [](ModelProto& m) {
       const std::vector<int32_t> groups(96, 1);
       *m.mutable_graph()->add_initializer() =
           onnx_test::make_tensor("G", TensorProto::INT32, {96}, onnx_test::raw_bytes(groups));
       node(m).set_input(4, "G");
     },
     ErrorCode::unsupported,
     "input g_idx 'G' puts k=0 into group 1; only weights in their own order (group k / block_size, here 0) are read"},
    {"GroupIndicesShape",
     [](ModelProto& m) {
       const std::vector<int32_t> groups(95);
       *m.mutable_graph()->add_initializer() =
           onnx_test::make_tensor("G", TensorProto::INT32, {95}, onnx_test::raw_bytes(groups));
       node(m).set_input(4, "G");
     },
     ErrorCode::invalid_argument, "input g_idx 'G' has shape [95], but"},
    {"BFloat16",
     [](ModelProto& m) {
       auto* scales = initializer(m, "S");
       scales->set_data_type(TensorProto::BFLOAT16);
       scales->mutable_raw_data()->resize(96);
     },
     ErrorCode::unsupported, "input scales 'S' has element type bfloat16, allowed: float32, float16"},
    {"BAsInt8", [](ModelProto& m) { initializer(m, "B")->set_data_type(TensorProto::INT8); }, ErrorCode::unsupported,
     "input B 'B' has element type int8, allowed: uint8"},
    {"AOfAnotherType",
     [](ModelProto& m) {
       m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT16);
     },
     ErrorCode::unsupported,
     "input A 'A' is float16 and scales are float32, but both must have one type, float32 or float16"},
    {"BiasOfAnotherType",
     [](ModelProto& m) {
       auto* bias = initializer(m, "bias");
       bias->set_data_type(TensorProto::FLOAT16);
       bias->mutable_raw_data()->resize(32);
     },
     ErrorCode::invalid_argument, "input bias is float16 but must be float32"},
    {"ZeroPointsOfAnotherType",
     [](ModelProto& m) {
       auto* z = initializer(m, "Z");
       z->set_data_type(TensorProto::FLOAT16);
       z->set_raw_data(std::string(96, '\0'));
       z->set_dims(1, 3);
     },
     ErrorCode::invalid_argument,
     "input zero_points is float16 but must be float32, as A and scales are, or uint8, packed"},
    {"ComputedWeights", [](ModelProto& m) { initializer(m, "B")->set_name("other"); }, ErrorCode::unsupported,
     "input B 'B' is computed by the model, but must be an initializer or a Constant"},
    {"NoScales", [](ModelProto& m) { node(m).set_input(2, ""); }, ErrorCode::invalid_argument,
     "input scales is missing"},
    {"TooManyInputs", [](ModelProto& m) { node(m).add_input("more"); }, ErrorCode::unsupported,
     "there are 7 inputs, but only A, B, scales, zero_points, g_idx and bias are known"},
    {"TwoOutputs", [](ModelProto& m) { node(m).add_output("Y2"); }, ErrorCode::invalid_argument,
     "there must be one output, not 2"},
    {"HostileDims",
     [](ModelProto& m) {
       auto* b = initializer(m, "B");
       b->set_dims(0, INT64_MAX);
       b->set_dims(1, INT64_MAX);
     },
     ErrorCode::parse, "impossible shape"},
};

class BadNode : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadNode, IsRefusedWithASentence) {
  std::mt19937_64 random(1);
  NBitsSpec spec{.K = 96, .N = 16, .bias = true};
  spec.zero_points = NBitsSpec::packed;
  spec.a_shape = {-1, 96};
  ModelProto model = onnx_test::nbits_model(spec, random);
  ASSERT_TRUE(find(model)) << find(model).error().to_string();
  GetParam().spoil(model);
  const auto nodes = find(model);
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().code, GetParam().code) << nodes.error().to_string();
  EXPECT_THAT(nodes.error().message, HasSubstr("node 'mm'"));
  EXPECT_THAT(nodes.error().message, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(FindMatMulNBits, BadNode, ::testing::ValuesIn(kBadCases),
                         [](const auto& info) { return info.param.name; });

TEST(MakeProblem, HasShapesAndMarksConstants) {
  std::mt19937_64 random(1);
  NBitsSpec spec{.K = 64, .N = 8, .bias = true};
  spec.zero_points = NBitsSpec::packed;
  const auto nodes = find(onnx_test::nbits_model(spec, random));
  ASSERT_TRUE(nodes);
  const Problem problem = make_problem(nodes->front(), {2, 3, 64});
  EXPECT_EQ(problem.id, "mm");
  EXPECT_EQ(std::get<double>(problem.attrs.at("block_size")), 32);
  EXPECT_EQ(problem.inputs.at("aT"), (TensorDesc{DType::float32, {2, 3, 64}}));
  EXPECT_EQ(problem.inputs.at("zeroPointsT"), (TensorDesc{DType::float32, {8, 2}}));
  EXPECT_THAT(problem.constant, ::testing::ElementsAre("bT", "biasT", "scalesT", "zeroPointsT"));
}

}  // namespace
}  // namespace halfbyte
