#include "io/kernel_path.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace halfbyte {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> places() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read once at start-up; nothing here sets variables
  if (const char* kernels = std::getenv("HALFBYTE_KERNELS"); kernels != nullptr && *kernels != '\0') return {kernels};
  std::vector<fs::path> list;
  std::error_code ignored;
  // Where there is no such link (not Linux) the current folder remains.
  if (const fs::path program = fs::read_symlink("/proc/self/exe", ignored); !ignored) {
    const fs::path folder = program.parent_path();
    list = {folder / "kernels", folder.parent_path() / "kernels", folder.parent_path().parent_path() / "kernels"};
  }
  list.emplace_back("kernels");
  return list;
}

}  // namespace

Result<std::string> find_package(const std::string& package) {
  Error error{
      ErrorCode::not_found,
      std::format(
          "the kernel package {} was not found; name its folder with --package, or the folder of all packages in "
          "HALFBYTE_KERNELS",
          package),
      {},
      {}};
  for (const fs::path& place : places()) {
    const fs::path folder = place / package;
    std::error_code ignored;
    if (fs::is_regular_file(folder / "manifest.json", ignored)) return folder.string();
    error.notes.push_back(std::format("no {}", (folder / "manifest.json").string()));
  }
  return fail(std::move(error));
}

}  // namespace halfbyte
