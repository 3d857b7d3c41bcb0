#include "io/profile_files.hpp"

#include <algorithm>
#include <filesystem>

#include "io/files.hpp"

namespace halfbyte {
namespace {

namespace fs = std::filesystem;

Result<ProfileFile> load_one(const fs::path& path) {
  HB_TRY(const std::string text, read_text(path.string()));
  HB_TRY(DeviceProfile profile, parse_profile(text, path.string()));
  std::string stem = path.stem().string();
  if (profile.name.empty()) profile.name = stem;
  return ProfileFile{std::move(stem), std::move(profile)};
}

}  // namespace

Result<std::vector<ProfileFile>> load_profiles(const std::string& file_or_folder) {
  std::vector<ProfileFile> profiles;
  std::error_code ec;
  if (!fs::is_directory(file_or_folder, ec)) {
    HB_TRY(ProfileFile one, load_one(file_or_folder));
    profiles.push_back(std::move(one));
    return profiles;
  }
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(file_or_folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".json") paths.push_back(it->path());
  if (ec) return fail(ErrorCode::io, std::format("the folder {} cannot be listed: {}", file_or_folder, ec.message()));
  if (paths.empty())
    return fail(ErrorCode::not_found, std::format("the folder {} has no device profile (*.json)", file_or_folder));
  std::ranges::sort(paths, {}, [](const fs::path& p) { return p.filename().string(); });
  for (const fs::path& path : paths) {
    HB_TRY(ProfileFile one, load_one(path));
    profiles.push_back(std::move(one));
  }
  return profiles;
}

}  // namespace halfbyte
