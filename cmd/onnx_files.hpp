// Models on disk, for the subcommands that read or write them.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "io/byte_range.hpp"
#include "io/files.hpp"
#include "onnx/model.hpp"

namespace halfbyte::cmd {

// Weights in files beside the model are read too.
inline Result<OnnxModel> read_model(const std::string& path) {
  HB_TRY(const auto bytes, read_bytes(path));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return OnnxModel::parse(bytes, path,
                          [&](const std::string& location, uint64_t offset, std::optional<uint64_t> length) {
                            return read_byte_range((folder / location).string(), offset, length);
                          });
}

// Above protobuf's 2 GiB the weights go to PATH.data.
inline Result<void> write_model(const OnnxModel& model, const std::string& path) {
  auto bytes = model.serialize();
  if (!bytes && bytes.error().code == ErrorCode::limit)
    bytes = model.serialize(std::filesystem::path(path).filename().string() + ".data");
  if (!bytes) return std::unexpected(std::move(bytes).error());
  // Weights first: a model file is never there without them.
  if (!bytes->external.empty()) HB_CHECK(write_file(path + ".data", bytes->external));
  return write_file(path, bytes->model);
}

}  // namespace halfbyte::cmd
