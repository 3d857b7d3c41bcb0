#include "io/byte_range.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace halfbyte {

Result<std::vector<std::byte>> read_byte_range(const std::string& path, uint64_t offset,
                                               std::optional<uint64_t> length) {
  std::error_code code;
  const uint64_t size = std::filesystem::file_size(path, code);
  if (code) {
    const bool missing = code == std::errc::no_such_file_or_directory;
    return fail(missing ? ErrorCode::not_found : ErrorCode::io,
                std::format("cannot read {}: {}", path, code.message()));
  }
  const uint64_t wanted = length.value_or(offset <= size ? size - offset : 0);
  if (offset > size || wanted > size - offset)
    return fail(ErrorCode::io, std::format("{} has {} bytes, too few for {} at offset {}", path, size, wanted, offset));
  std::vector<std::byte> bytes(wanted);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(wanted));
  if (!file) return fail(ErrorCode::io, std::format("cannot read {} bytes at offset {} of {}", wanted, offset, path));
  return bytes;
}

}  // namespace halfbyte
