// Small files by key, in a folder that may vanish, fill up or be written by several processes at once: a cache. Nothing here
// fails: what cannot be read is not there, what cannot be written is not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfbyte {

// $XDG_CACHE_HOME/halfbyte/NAME, or $HOME/.cache/halfbyte/NAME; empty when neither variable is set to an absolute path.
std::string cache_folder(std::string_view name);

// Thread-safe, and safe beside other processes on the same folder: files appear whole (written beside, then renamed).
class BlobStore {
 public:
  // The folder is made with the first store(). When its blobs exceed `most_bytes` together, the oldest are removed, down to three
  // quarters; looked at once in each BlobStore's life, at its first store().
  explicit BlobStore(std::string folder, uint64_t most_bytes = uint64_t{256} << 20);

  // Empty when there is none under this key, or its file is damaged in any way (its key and a checksum are in it).
  std::optional<std::vector<std::byte>> load(std::span<const std::byte> key) const;
  void store(std::span<const std::byte> key, std::span<const std::byte> value);

  const std::string& folder() const { return folder_; }

 private:
  std::string path_of(std::span<const std::byte> key) const;
  void make_room();

  std::string folder_;
  uint64_t most_bytes_;
  std::once_flag prepared_;  // with the first store
};

}  // namespace halfbyte
