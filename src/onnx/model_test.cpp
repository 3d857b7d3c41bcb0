#include "onnx/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "onnx/test_models.hpp"
#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

using onnx_test::NBitsSpec;
using ::testing::HasSubstr;

::onnx::ModelProto sample(uint64_t seed) {
  std::mt19937_64 random(seed);
  return onnx_test::nbits_model({.K = 64, .N = 64}, random);
}

TEST(OnnxModel, ComesBackAsItWasWritten) {
  const auto bytes = onnx_test::to_bytes(sample(1));
  const auto model = OnnxModel::parse(bytes, "m.onnx");
  ASSERT_TRUE(model) << model.error().to_string();
  EXPECT_EQ(model->byte_size(), bytes.size());
  const auto written = model->serialize();
  ASSERT_TRUE(written) << written.error().to_string();
  EXPECT_EQ(written->model, bytes);
  EXPECT_TRUE(written->external.empty());
}

// Every way to cut the file: an error or, where the cut takes only what no one needs, a model; never a crash. The graph
// comes before the operator sets, so a cut model has none.
TEST(OnnxModel, EveryTruncationIsAnError) {
  const auto bytes = onnx_test::to_bytes(sample(2));
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto model = OnnxModel::parse(std::span(bytes).first(length), "cut.onnx");
    ASSERT_FALSE(model) << "a cut at byte " << length << " of " << bytes.size() << " was taken for a model";
    EXPECT_EQ(model.error().code, ErrorCode::parse);
    EXPECT_EQ(model.error().where.file, "cut.onnx");
  }
}

TEST(OnnxModel, NotAModel) {
  const std::string text = "{\"not\": \"a model\"}";
  const auto model = OnnxModel::parse(std::as_bytes(std::span(text)), "x.json");
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().to_string(), HasSubstr("x.json: not an ONNX model, or a truncated one"));
}

TEST(OnnxModel, GarbledBytesNeverCrash) {
  const auto bytes = onnx_test::to_bytes(sample(3));
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 2000; ++round) {
    auto copy = bytes;
    for (int i = 0; i < 4; ++i) copy[random() % std::min<size_t>(copy.size(), 300)] = static_cast<std::byte>(random());
    (void)OnnxModel::parse(copy, "garbled.onnx");
  }
}

TEST(OnnxModel, WeightsOutsideComeBack) {
  const auto bytes = onnx_test::to_bytes(sample(4));
  const auto model = OnnxModel::parse(bytes, "m.onnx");
  ASSERT_TRUE(model);
  const auto split = model->serialize("m.onnx.data");
  ASSERT_TRUE(split) << split.error().to_string();
  EXPECT_LT(split->model.size(), bytes.size() / 2);
  EXPECT_GE(split->external.size(), 64u * 2 * 16);

  int reads = 0;
  const auto again = OnnxModel::parse(split->model, "m.onnx",
                                      [&](const std::string& location, uint64_t offset,
                                          std::optional<uint64_t> length) -> Result<std::vector<std::byte>> {
                                        ++reads;
                                        EXPECT_EQ(location, "m.onnx.data");
                                        const auto part = std::span(split->external).subspan(offset, length.value());
                                        return std::vector<std::byte>(part.begin(), part.end());
                                      });
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_GT(reads, 0);
  EXPECT_EQ(again->serialize()->model, bytes);
}

TEST(OnnxModel, WeightsOutsideWithoutAReader) {
  const auto split = OnnxModel::parse(onnx_test::to_bytes(sample(5)), "m.onnx")->serialize("m.data");
  const auto model = OnnxModel::parse(split->model, "m.onnx");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::unsupported);
  EXPECT_THAT(model.error().message, HasSubstr("tensor 'B' is kept outside the model, in \"m.data\""));
}

TEST(OnnxModel, WeightsOutsideMustStayInTheFolder) {
  for (const char* location : {"../secret", "/etc/passwd", "a/../../b", "", "c:\\x", "..", "a/.."}) {
    auto proto = sample(6);
    auto& tensor = *proto.mutable_graph()->mutable_initializer(0);
    tensor.clear_raw_data();
    tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
    auto* entry = tensor.add_external_data();
    entry->set_key("location");
    entry->set_value(location);
    const auto model =
        OnnxModel::parse(onnx_test::to_bytes(proto), "m.onnx",
                         [&](const std::string&, uint64_t, std::optional<uint64_t>) -> Result<std::vector<std::byte>> {
                           ADD_FAILURE() << "read " << location;
                           return std::vector<std::byte>{};
                         });
    ASSERT_FALSE(model) << location;
    EXPECT_EQ(model.error().code, ErrorCode::unsupported) << location;
    EXPECT_THAT(model.error().message, HasSubstr("only a path inside the model's folder"));
  }
}

TEST(OnnxModel, WeightsOutsideWithABadLength) {
  auto proto = sample(7);
  auto& tensor = *proto.mutable_graph()->mutable_initializer(0);
  tensor.clear_raw_data();
  tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair{"location", "w"}, {"length", "12 apples"}}) {
    auto* entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  const auto model = OnnxModel::parse(onnx_test::to_bytes(proto), "m.onnx", {});
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message, HasSubstr("external data length of tensor 'B' is \"12 apples\""));
}

}  // namespace
}  // namespace halfbyte
