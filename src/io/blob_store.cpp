#include "io/blob_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/hash.hpp"
#include "io/files.hpp"

namespace halfbyte {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'h', 'b', 'b', 'l', 'o', 'b', '1', '\n'};

// A blob's file: this, the key, the value. Read on the machine that wrote it, so in its own byte order.
struct Header {
  char magic[8];
  uint64_t key_size, value_size;
  uint64_t check_hi, check_lo;
};
static_assert(sizeof(Header) == 40);

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Hash128 checksum(std::span<const std::byte> key, std::span<const std::byte> value) {
  return Hasher().add(text(key)).add(text(value)).finish();
}

}  // namespace

std::string cache_folder(std::string_view name) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::string base;
  if (cache != nullptr && cache[0] == '/') {
    base = cache;
  } else if (home != nullptr && home[0] == '/') {
    base = std::string(home) + "/.cache";
  } else {
    return {};
  }
  return base + "/halfbyte/" + std::string(name);
}

BlobStore::BlobStore(std::string folder, uint64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

std::string BlobStore::path_of(std::span<const std::byte> key) const {
  return folder_ + "/" + Hasher().add(text(key)).finish().hex() + ".blob";
}

std::optional<std::vector<std::byte>> BlobStore::load(std::span<const std::byte> key) const {
  auto bytes = read_bytes(path_of(key));
  if (!bytes || bytes->size() < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(&header, bytes->data(), sizeof header);
  const uint64_t rest = bytes->size() - sizeof header;
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.key_size != key.size() ||
      header.key_size > rest || header.value_size != rest - header.key_size) {
    return std::nullopt;
  }
  const std::span all(*bytes);
  const auto stored_key = all.subspan(sizeof header, header.key_size);
  const auto value = all.subspan(sizeof header + header.key_size);
  if (text(stored_key) != text(key) || checksum(key, value) != Hash128{header.check_hi, header.check_lo})
    return std::nullopt;
  bytes->erase(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(sizeof header + header.key_size));
  return std::move(*bytes);
}

void BlobStore::store(std::span<const std::byte> key, std::span<const std::byte> value) {
  std::call_once(prepared_, [this] {
    std::error_code ignored;
    fs::create_directories(folder_, ignored);
    make_room();
  });
  const Hash128 check = checksum(key, value);
  Header header{{}, key.size(), value.size(), check.hi, check.lo};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  std::vector<std::byte> bytes;
  try {
    bytes.reserve(sizeof header + key.size() + value.size());
  } catch (const std::bad_alloc&) {
    return;
  }
  const auto head = std::as_bytes(std::span(&header, 1));
  for (const auto part : {head, key, value}) bytes.insert(bytes.end(), part.begin(), part.end());
  (void)write_file(path_of(key), bytes);  // a full disk is no reason to stop
}

void BlobStore::make_room() {
  struct Entry {
    fs::path path;
    fs::file_time_type written;
    uint64_t bytes;
  };
  std::error_code error;
  std::vector<Entry> entries;
  uint64_t total = 0;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".blob") continue;
    std::error_code gone;  // another process may be cleaning up too
    const uint64_t bytes = it->file_size(gone);
    const auto written = it->last_write_time(gone);
    if (gone) continue;
    entries.push_back({it->path(), written, bytes});
    total += bytes;
  }
  if (total <= most_bytes_) return;
  std::ranges::sort(entries, {}, &Entry::written);
  for (const Entry& entry : entries) {
    if (total <= most_bytes_ / 4 * 3) break;
    std::error_code ignored;
    fs::remove(entry.path, ignored);
    total -= entry.bytes;
  }
}

}  // namespace halfbyte
