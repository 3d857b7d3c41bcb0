#include "gpu/persistent_cache.hpp"

#include "io/blob_store.hpp"

namespace halfbyte::gpu {
namespace {

class FolderCache final : public BlobCache {
 public:
  explicit FolderCache(std::string folder) : store_(std::move(folder)) {}
  std::optional<std::vector<std::byte>> load(std::span<const std::byte> key) override { return store_.load(key); }
  void store(std::span<const std::byte> key, std::span<const std::byte> value) override { store_.store(key, value); }

 private:
  BlobStore store_;
};

}  // namespace

std::shared_ptr<BlobCache> persistent_cache(const std::string& folder) {
  const std::string where = folder.empty() ? cache_folder("programs") : folder;
  if (where.empty()) return nullptr;
  return std::make_shared<FolderCache>(where);
}

}  // namespace halfbyte::gpu
