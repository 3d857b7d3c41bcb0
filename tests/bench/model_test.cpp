// A model's layers added up.
#include <random>

#include "onnx/test_models.hpp"
#include "space.hpp"

namespace halfbyte::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Two layers, one after the other: 64 -> 96 -> 64.
std::string two_layers() {
  std::mt19937_64 random(11);
  auto model = onnx_test::empty_model();
  onnx_test::add_input(model, "x", {-1, 64});
  onnx_test::add_output(model, "y", {-1, 64});
  *model.mutable_graph()->add_initializer() = onnx_test::random_floats("W1", {64, 96}, random);
  *model.mutable_graph()->add_initializer() = onnx_test::random_floats("W2", {96, 64}, random);
  onnx_test::add_node(model, "MatMul", "up", {"x", "W1"}, "h");
  onnx_test::add_node(model, "MatMul", "down", {"h", "W2"}, "y");
  return model.SerializeAsString();
}

using Model = Bench;

TEST_F(Model, LayersAddUp) {
  space().write("plain.onnx", two_layers());
  ASSERT_EQ(space().halfbyte({"quantize", "plain.onnx", "q4.onnx", "--symmetric"}).exit_code, 0);
  const Outcome outcome =
      space().halfbyte({"model", "q4.onnx", "--package", few(), "-M", "1,5", "--verify", "--json", "model.json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("all layers"));
  EXPECT_THAT(outcome.out, HasSubstr("tokens/s"));
  const json report = read_json("model.json");
  ASSERT_EQ(report.at("layers").size(), 4u);
  ASSERT_EQ(report.at("totals").size(), 2u);
  for (const json& total : report.at("totals")) {
    SCOPED_TRACE(total.dump());
    double seconds = 0, limit = 0;
    for (const json& layer : report.at("layers")) {
      if (layer.at("M") != total.at("M")) continue;
      seconds += layer.at("seconds").get<double>();
      limit += layer.at("limit").at("seconds").get<double>();
    }
    EXPECT_EQ(total.at("layers"), 2);
    EXPECT_NEAR(total.at("seconds").get<double>(), seconds, 1e-9 * seconds);
    EXPECT_NEAR(total.at("tokens_per_second").get<double>(), total.at("M").get<double>() / seconds, 1e-6 / seconds);
    EXPECT_NEAR(total.at("share").get<double>(), limit / seconds, 1e-9);
    // 4-bit codes and one float for 32 of them, in two layers of 64 x 96.
    EXPECT_EQ(total.at("weight_bytes"), 2 * 64 * 96 / 2 + 2 * (64 * 96 / 32) * 4);
  }
  EXPECT_EQ(report.at("totals")[0].at("M"), 1);
  EXPECT_EQ(report.at("totals")[1].at("M"), 5);
}

}  // namespace
}  // namespace halfbyte::cli_test
