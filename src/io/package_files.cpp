// A package's folder -> Package.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/built_in.hpp"
#include "io/files.hpp"

namespace halfbyte {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kSuffix = ".wgsl.jinja";

constexpr uintmax_t kMaxFile = uintmax_t{4} << 20;  // of a manifest or template
constexpr size_t kMaxTemplates = 1024;

// A package comes from strangers: a link must not bring in a file from elsewhere, nor a pipe or a device keep us waiting.
Result<std::string> read_inside(const fs::path& folder, const fs::path& file) {
  std::error_code ec;
  const fs::path real_folder = fs::canonical(folder, ec);
  const fs::path real_file = ec ? fs::path() : fs::canonical(file, ec);
  if (ec) return fail(ErrorCode::not_found, std::format("cannot read {}: {}", file.string(), ec.message()));
  if (real_file.parent_path() != real_folder)
    return fail(ErrorCode::unsupported,
                std::format("{} is a link to {}, outside its package's folder", file.string(), real_file.string()));
  if (!fs::is_regular_file(real_file, ec))
    return fail(ErrorCode::unsupported, std::format("{} is not a regular file", file.string()));
  const uintmax_t size = fs::file_size(real_file, ec);
  if (ec || size > kMaxFile)
    return fail(ErrorCode::limit,
                std::format("{} has {} bytes, at most {} are allowed", file.string(), size, kMaxFile));
  return read_text(file.string());
}

Result<void> read_templates(const fs::path& folder, const std::string& prefix,
                            std::map<std::string, std::string>& templates) {
  std::error_code ec;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    std::string name = it->path().filename().string();
    if (name.ends_with(kSuffix)) names.push_back(std::move(name));
  }
  if (ec) return fail(ErrorCode::io, std::format("the folder {} cannot be listed: {}", folder.string(), ec.message()));
  if (names.size() > kMaxTemplates)
    return fail(ErrorCode::limit,
                std::format("the folder {} has more than {} templates", folder.string(), kMaxTemplates));
  for (const std::string& name : names) {
    HB_TRY(templates[prefix + name], read_inside(folder, folder / name));
  }
  return {};
}

// The sibling packages that the manifest names; what is wrong with them is Package::load's to say. A name is one folder beside the
// package's own, never a path.
std::vector<std::string> used_packages(const std::string& manifest_text) {
  const auto json = nlohmann::json::parse(manifest_text, nullptr, false);
  std::vector<std::string> names;
  if (!json.is_object() || !json.contains("uses") || !json["uses"].is_array()) return names;
  for (const auto& name : json["uses"])
    if (name.is_string() && !name.get<std::string>().empty() && !name.get<std::string>().starts_with('.') &&
        name.get<std::string>().find_first_of(std::string_view("/\\\0", 3)) == std::string::npos && names.size() < 16)
      names.push_back(name.get<std::string>());
  return names;
}

}  // namespace

Result<Package> load_package(const std::string& path, const std::string& template_folder) {
  std::error_code ec;
  const bool is_folder = fs::is_directory(path, ec);
  const fs::path manifest = is_folder ? fs::path(path) / "manifest.json" : fs::path(path);
  std::error_code no_size;
  if (const uintmax_t size = fs::file_size(manifest, no_size); !no_size && size > kMaxFile)
    return fail(ErrorCode::limit,
                std::format("{} has {} bytes, at most {} are allowed", manifest.string(), size, kMaxFile));
  HB_TRY(const std::string text, read_text(manifest.string()));
  const fs::path folder = template_folder.empty() ? manifest.parent_path() : fs::path(template_folder);
  std::map<std::string, std::string> templates;
  HB_CHECK(read_templates(folder.empty() ? "." : folder, "", templates));
  if (templates.empty()) return Package::load(text, manifest.string());
  for (const std::string& name : used_packages(text)) {
    HB_CHECK(read_templates(manifest.parent_path() / ".." / name, name + ":", templates));
  }
  return Package::load(text, manifest.string(), templates);
}

std::vector<std::string> built_in_packages() {
  std::vector<std::string> names;
  for (const BuiltInFile& file : built_in_files())
    if (file.name == "manifest.json") names.emplace_back(file.package);
  return names;
}

Result<Package> built_in_package(const std::string& package) {
  const auto files = built_in_files();
  const auto manifest = std::ranges::find_if(
      files, [&](const BuiltInFile& f) { return f.package == package && f.name == "manifest.json"; });
  if (manifest == files.end()) {
    Error error{ErrorCode::not_found, std::format("the package {} is not built into halfbyte", package), {}, {}};
    for (const std::string& name : built_in_packages()) error.notes.push_back("built in: " + name);
    return fail(std::move(error));
  }
  const std::string text(manifest->text);
  std::map<std::string, std::string> templates;
  const auto add = [&](const std::string& from, const std::string& prefix) {
    for (const BuiltInFile& f : files)
      if (f.package == from && f.name.ends_with(kSuffix)) templates[prefix + std::string(f.name)] = f.text;
  };
  add(package, "");
  for (const std::string& name : used_packages(text)) add(name, name + ":");
  return Package::load(text, "built-in:" + package + "/manifest.json", templates);
}

}  // namespace halfbyte
