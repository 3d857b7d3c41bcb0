// ONNX bytes <-> a model in memory, whole: weights kept outside the file (external data) are read through a callback,
// so that no later stage has to think of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace onnx {
class ModelProto;
}

namespace halfbyte {

// Reads `length` bytes (to the end when empty) at `offset` of the file at `location`, a path relative to the model's
// folder that has been checked: not absolute, no "..".
using ExternalReader = std::function<Result<std::vector<std::byte>>(const std::string& location, uint64_t offset,
                                                                    std::optional<uint64_t> length)>;

// A model file. `external` is empty unless weights were asked to be kept outside the model.
struct ModelBytes {
  std::vector<std::byte> model, external;
};

// Owns an onnx::ModelProto (include <onnx/onnx_pb.h> to look inside). Movable; not thread-safe for writing.
class OnnxModel {
 public:
  explicit OnnxModel(::onnx::ModelProto proto);
  OnnxModel(OnnxModel&&) noexcept;
  OnnxModel& operator=(OnnxModel&&) noexcept;
  ~OnnxModel();

  // Errors: parse (not protobuf, truncated, no graph, no opset), io (external data shorter than the tensor needs),
  // unsupported (external data without a reader, or with a location that leaves the model's folder). `file` is for
  // messages.
  static Result<OnnxModel> parse(std::span<const std::byte> bytes, const std::string& file,
                                 const ExternalReader& external = {});

  // With a location, tensors of 1 KiB or more go into ModelBytes::external, to be written at that path beside the
  // model. Errors: limit (protobuf ends at 2 GiB: give a location).
  Result<ModelBytes> serialize(const std::string& external_location = {}) const;

  uint64_t byte_size() const;  // of everything in one file

  ::onnx::ModelProto& proto() { return *proto_; }
  const ::onnx::ModelProto& proto() const { return *proto_; }

 private:
  std::unique_ptr<::onnx::ModelProto> proto_;
};

}  // namespace halfbyte
