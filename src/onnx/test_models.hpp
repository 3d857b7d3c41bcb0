// Small models made in code, for tests here and in tests/onnx.
#pragma once

#include <onnx/onnx_pb.h>

#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/model.hpp"
#include "tensor/half.hpp"
#include "tensor/shape.hpp"

namespace halfbyte::onnx_test {

inline ::onnx::ModelProto empty_model() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  auto* opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(17);
  model.mutable_graph()->set_name("g");
  return model;
}

inline void add_value(::onnx::ValueInfoProto& value, const std::string& name, int type, const Shape& shape) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  auto* dims = tensor->mutable_shape();
  for (const int64_t d : shape) {
    auto* dim = dims->add_dim();
    if (d < 0)
      dim->set_dim_param("rows");
    else
      dim->set_dim_value(d);
  }
}
inline void add_input(::onnx::ModelProto& model, const std::string& name, const Shape& shape,
                      int type = ::onnx::TensorProto::FLOAT) {
  add_value(*model.mutable_graph()->add_input(), name, type, shape);
}
inline void add_output(::onnx::ModelProto& model, const std::string& name, const Shape& shape,
                       int type = ::onnx::TensorProto::FLOAT) {
  add_value(*model.mutable_graph()->add_output(), name, type, shape);
}

inline ::onnx::TensorProto make_tensor(const std::string& name, int type, const Shape& shape, std::string_view raw) {
  ::onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const int64_t d : shape) tensor.add_dims(d);
  tensor.set_raw_data(std::string(raw));
  return tensor;
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// float32 or float16, normally distributed.
inline ::onnx::TensorProto random_floats(const std::string& name, const Shape& shape, std::mt19937_64& random,
                                         int type = ::onnx::TensorProto::FLOAT) {
  std::normal_distribution<float> values;
  std::vector<float> floats(static_cast<size_t>(*element_count(shape)));
  for (float& value : floats) value = values(random);
  if (type == ::onnx::TensorProto::FLOAT) return make_tensor(name, type, shape, raw_bytes(floats));
  std::vector<uint16_t> halves(floats.size());
  for (size_t i = 0; i < floats.size(); ++i) halves[i] = float_to_half(floats[i]);
  return make_tensor(name, type, shape, raw_bytes(halves));
}

inline ::onnx::TensorProto random_bytes(const std::string& name, const Shape& shape, std::mt19937_64& random) {
  std::vector<uint8_t> bytes(static_cast<size_t>(*element_count(shape)));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return make_tensor(name, ::onnx::TensorProto::UINT8, shape, raw_bytes(bytes));
}

inline ::onnx::NodeProto& add_node(::onnx::ModelProto& model, const std::string& op, const std::string& name,
                                   const std::vector<std::string>& inputs, const std::string& output) {
  auto& node = *model.mutable_graph()->add_node();
  node.set_op_type(op);
  node.set_name(name);
  for (const auto& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

inline void set_attribute(::onnx::NodeProto& node, const std::string& key, int64_t value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(key);
  attribute->set_type(::onnx::AttributeProto::INT);
  attribute->set_i(value);
}
inline void set_attribute(::onnx::NodeProto& node, const std::string& key, float value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(key);
  attribute->set_type(::onnx::AttributeProto::FLOAT);
  attribute->set_f(value);
}

inline std::vector<std::byte> to_bytes(const ::onnx::ModelProto& model) {
  const std::string text = model.SerializeAsString();
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

struct NBitsSpec {
  int64_t K = 64, N = 8, bits = 4, block_size = 32, accuracy_level = 0;
  int type = ::onnx::TensorProto::FLOAT;
  enum { none, packed, floating } zero_points = none;
  bool bias = false;
  bool flat = false;  // 1-D scales and zero points, as old models have them
  Shape a_shape{-1, 64};
};

// One MatMulNBits node "mm" from A to Y, with random contents.
inline ::onnx::ModelProto nbits_model(const NBitsSpec& s, std::mt19937_64& random) {
  auto model = empty_model();
  auto* opset = model.add_opset_import();
  opset->set_domain("com.microsoft");
  opset->set_version(1);
  const int64_t blocks = (s.K + s.block_size - 1) / s.block_size;
  Shape y_shape = s.a_shape;
  y_shape.back() = s.N;
  add_input(model, "A", s.a_shape, s.type);
  add_output(model, "Y", y_shape, s.type);
  auto& graph = *model.mutable_graph();
  *graph.add_initializer() = random_bytes("B", {s.N, blocks, s.block_size * s.bits / 8}, random);
  *graph.add_initializer() = random_floats("S", s.flat ? Shape{s.N * blocks} : Shape{s.N, blocks}, random, s.type);
  std::vector<std::string> inputs{"A", "B", "S"};
  if (s.zero_points == NBitsSpec::packed) {
    const int64_t row = (blocks * s.bits + 7) / 8;
    *graph.add_initializer() = random_bytes("Z", s.flat ? Shape{s.N * row} : Shape{s.N, row}, random);
  }
  if (s.zero_points == NBitsSpec::floating)
    *graph.add_initializer() = random_floats("Z", s.flat ? Shape{s.N * blocks} : Shape{s.N, blocks}, random, s.type);
  if (s.zero_points != NBitsSpec::none) inputs.emplace_back("Z");
  if (s.bias) {
    *graph.add_initializer() = random_floats("bias", {s.N}, random, s.type);
    inputs.resize(5);
    inputs.emplace_back("bias");
  }
  auto& node = add_node(model, "MatMulNBits", "mm", inputs, "Y");
  node.set_domain("com.microsoft");
  set_attribute(node, "K", s.K);
  set_attribute(node, "N", s.N);
  set_attribute(node, "bits", s.bits);
  set_attribute(node, "block_size", s.block_size);
  set_attribute(node, "accuracy_level", s.accuracy_level);
  return model;
}

}  // namespace halfbyte::onnx_test
