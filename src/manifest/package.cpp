#include "manifest/package.hpp"

#include "manifest/loader.hpp"

namespace halfbyte {
namespace {

constexpr size_t kMaxManifest = size_t{4} << 20;

}  // namespace

Result<Package> Package::load(std::string_view manifest_text, const std::string& manifest_file,
                              const std::map<std::string, std::string>& templates) {
  if (manifest_text.size() > kMaxManifest)
    return fail(ErrorCode::parse,
                std::format("the manifest has {} bytes, at most {} are allowed", manifest_text.size(), kMaxManifest),
                {manifest_file, 0, 0});
  HB_TRY(const JsonDocument document, JsonDocument::parse(manifest_text, manifest_file));
  Loader loader(document, templates);
  Package package;
  HB_TRY(package.manifest_, loader.run(manifest_text));
  return package;
}

const std::string& Package::name() const { return manifest_->name; }
Hash128 Package::hash() const { return manifest_->hash; }
const std::vector<std::string>& Package::variant_ids() const { return manifest_->variant_ids; }
const std::vector<Error>& Package::warnings() const { return manifest_->warnings; }

}  // namespace halfbyte
