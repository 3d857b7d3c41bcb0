#include "io/writable.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace halfbyte {

Result<void> check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::io, std::format("cannot write {}: {}", path, why));
  };
  if (path.empty()) return refuse("the path is empty");
  if (fs::is_directory(path, ignored)) return refuse("it is a folder");
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, ignored)) return refuse(std::format("there is no folder {}", folder));
  // The file is replaced, not opened, so it is the folder that must take it; a file that is read-only is left alone.
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refuse(std::format("the folder {} must not be written", folder));
  if (fs::exists(path, ignored) && access(path.c_str(), W_OK) != 0) return refuse("the file is read-only");
  return {};
}

}  // namespace halfbyte
