// ONNX tensors <-> host tensors. Internal to src/onnx.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "tensor/host_tensor.hpp"

namespace onnx {
class TensorProto;
}

namespace halfbyte::onnx_detail {

// "bfloat16", "float8e4m3fn", ... for messages; ONNX's own names in lower case.
std::string data_type_name(int data_type);
std::optional<DType> dtype_of(int data_type);
int data_type_of(DType dtype);

Shape shape_of(const ::onnx::TensorProto& tensor);

// Copies the contents, from raw_data or the typed field. `what` names the tensor in messages ("node fc1: input B 'w'").
// Errors: unsupported (an element type we have no DType for), parse (bytes do not match the shape).
Result<HostTensor> to_host(const ::onnx::TensorProto& tensor, const std::string& what);

::onnx::TensorProto to_proto(const HostTensor& tensor, const std::string& name);

}  // namespace halfbyte::onnx_detail
