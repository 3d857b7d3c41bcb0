// Layers of a model that read the same value become one, the others stay what they are.
#include <gmock/gmock.h>

#include "halfbyte/onnx.hpp"
#include "problems.hpp"

namespace halfbyte::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

OnnxLayer layer_of(const RandomProblem& random, const std::string& name, const std::string& a) {
  OnnxLayer layer{.name = name,
                  .a = a,
                  .y = name + "_out",
                  .attributes = random.problem().attrs,
                  .constants = random.data.inputs,
                  .dtype = DType::float32,
                  .parts = {}};
  layer.constants.erase("aT");
  return layer;
}

TEST(JoinLayers, ThoseOfOneInputInThePlaceOfTheFirst) {
  const Kernel kernel = value(Kernel::load(shared_device(), kMatMulNBits));
  RandomProblem q({.M = 2, .K = 64, .N = 48, .dtype = DType::float32}),
      k({.M = 2, .K = 64, .N = 16, .dtype = DType::float32, .bias = true});
  const RandomProblem other({.M = 2, .K = 64, .N = 32, .dtype = DType::float32}),
      wide({.M = 2, .K = 64, .N = 32, .bits = 8, .dtype = DType::float32});
  k.activate(q.data.inputs.at("aT"));
  // "wide" reads the same value, in 8 bits.
  const auto layers = value(join_layers(
      kernel, {layer_of(other, "o", "h"), layer_of(q, "q", "x"), layer_of(wide, "w", "x"), layer_of(k, "k", "x")}));
  ASSERT_THAT(layers, SizeIs(3));
  EXPECT_EQ(layers[0].name, "o");
  EXPECT_EQ(layers[0].y, "o_out");
  EXPECT_THAT(layers[0].parts, IsEmpty());
  EXPECT_EQ(layers[0].constants.at("bT").data, other.data.inputs.at("bT").data);
  EXPECT_EQ(layers[2].name, "w");
  const OnnxLayer& joined = layers[1];
  EXPECT_EQ(joined.name, "q+k");
  EXPECT_EQ(joined.a, "x");
  ASSERT_THAT(joined.parts, SizeIs(2));
  EXPECT_EQ(joined.parts[1].name, "k");
  EXPECT_EQ(joined.parts[1].y, "k_out");
  EXPECT_EQ(joined.parts[1].first, 48);
  EXPECT_EQ(joined.parts[1].columns, 16);
  HostTensors inputs = joined.constants;
  inputs["aT"] = q.data.inputs.at("aT");
  const HostTensor y = value(value(kernel.prepare(joined.problem({2, 64}))).run(inputs)).at("yT");
  EXPECT_EQ(q.why_wrong(columns_of(y, 0, 48)), "");
  EXPECT_EQ(k.why_wrong(columns_of(y, 48, 16)), "");
}

}  // namespace
}  // namespace halfbyte::testing
