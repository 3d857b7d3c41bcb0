#include "onnx/tensor_proto.hpp"

#include <onnx/onnx_pb.h>

#include <cstring>

namespace halfbyte::onnx_detail {
namespace {

using ::onnx::TensorProto;

// Elements of a typed field, each narrowed to T. ONNX keeps float16 as its bits and small integers in int32_data.
template <class T, class Field>
void narrow(const Field& field, std::vector<std::byte>& out) {
  out.resize(static_cast<size_t>(field.size()) * sizeof(T));
  for (int i = 0; i < field.size(); ++i) {
    const T value = static_cast<T>(field[i]);
    std::memcpy(out.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
  }
}

std::vector<std::byte> contents(const TensorProto& t, DType dtype) {
  std::vector<std::byte> out;
  if (t.has_raw_data()) {
    out.resize(t.raw_data().size());
    if (!out.empty()) std::memcpy(out.data(), t.raw_data().data(), out.size());
    return out;
  }
  switch (dtype) {
    case DType::float32: narrow<float>(t.float_data(), out); break;
    case DType::float16: narrow<uint16_t>(t.int32_data(), out); break;
    case DType::uint8:
    case DType::bool8: narrow<uint8_t>(t.int32_data(), out); break;
    case DType::int8: narrow<int8_t>(t.int32_data(), out); break;
    case DType::int32: narrow<int32_t>(t.int32_data(), out); break;
    case DType::uint32: narrow<uint32_t>(t.uint64_data(), out); break;
    case DType::int64: narrow<int64_t>(t.int64_data(), out); break;
  }
  return out;
}

}  // namespace

std::string data_type_name(int data_type) {
  switch (data_type) {
    case TensorProto::UNDEFINED: return "undefined";
    case TensorProto::FLOAT: return "float32";
    case TensorProto::UINT8: return "uint8";
    case TensorProto::INT8: return "int8";
    case TensorProto::UINT16: return "uint16";
    case TensorProto::INT16: return "int16";
    case TensorProto::INT32: return "int32";
    case TensorProto::INT64: return "int64";
    case TensorProto::STRING: return "string";
    case TensorProto::BOOL: return "bool";
    case TensorProto::FLOAT16: return "float16";
    case TensorProto::DOUBLE: return "float64";
    case TensorProto::UINT32: return "uint32";
    case TensorProto::UINT64: return "uint64";
    case TensorProto::BFLOAT16: return "bfloat16";
    default: return std::format("ONNX data type {}", data_type);
  }
}

std::optional<DType> dtype_of(int data_type) {
  switch (data_type) {
    case TensorProto::FLOAT: return DType::float32;
    case TensorProto::FLOAT16: return DType::float16;
    case TensorProto::UINT8: return DType::uint8;
    case TensorProto::INT8: return DType::int8;
    case TensorProto::INT32: return DType::int32;
    case TensorProto::UINT32: return DType::uint32;
    case TensorProto::INT64: return DType::int64;
    case TensorProto::BOOL: return DType::bool8;
    default: return std::nullopt;
  }
}

int data_type_of(DType dtype) {
  switch (dtype) {
    case DType::float32: return TensorProto::FLOAT;
    case DType::float16: return TensorProto::FLOAT16;
    case DType::uint8: return TensorProto::UINT8;
    case DType::int8: return TensorProto::INT8;
    case DType::int32: return TensorProto::INT32;
    case DType::uint32: return TensorProto::UINT32;
    case DType::int64: return TensorProto::INT64;
    case DType::bool8: return TensorProto::BOOL;
  }
  return TensorProto::UNDEFINED;
}

Shape shape_of(const TensorProto& tensor) { return {tensor.dims().begin(), tensor.dims().end()}; }

Result<HostTensor> to_host(const TensorProto& tensor, const std::string& what) {
  const auto dtype = dtype_of(tensor.data_type());
  if (!dtype)
    return fail(ErrorCode::unsupported, std::format("{} has element type {}, which is not read here", what,
                                                    data_type_name(tensor.data_type())));
  HostTensor host{*dtype, shape_of(tensor), {}};
  const auto count = element_count(host.shape);
  if (!count) return fail(ErrorCode::parse, std::format("{} has the impossible shape {}", what, to_string(host.shape)));
  // Divide rather than multiply: a hostile count times the element size could wrap around.
  host.data = contents(tensor, *dtype);
  const size_t size = byte_size(*dtype);
  if (host.data.size() % size != 0 || host.data.size() / size != static_cast<uint64_t>(*count))
    return fail(ErrorCode::parse, std::format("{} has {} bytes, but shape {} of {} needs {} elements of {} bytes", what,
                                              host.data.size(), to_string(host.shape), name(*dtype), *count, size));
  return host;
}

TensorProto to_proto(const HostTensor& tensor, const std::string& name) {
  TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(data_type_of(tensor.dtype));
  for (const int64_t d : tensor.shape) proto.add_dims(d);
  proto.set_raw_data(tensor.data.data(), tensor.data.size());
  return proto;
}

}  // namespace halfbyte::onnx_detail
