#include "tuning_files.hpp"

#include "io/blob_store.hpp"
#include "io/files.hpp"

namespace halfbyte::cmd {

std::string tuning_path(const Globals& globals) {
  if (!globals.tuning.empty()) return globals.tuning;
  const std::string folder = cache_folder("tuning");
  return folder.empty() ? "" : folder + "/tuning.json";
}

Result<TuningRecords> load_tuning(const Globals& globals) {
  const std::string path = tuning_path(globals);
  if (path.empty()) return TuningRecords();
  const auto text = read_text(path);
  if (!text) {
    if (globals.tuning.empty() && text.error().code == ErrorCode::not_found) return TuningRecords();
    return std::unexpected(text.error());
  }
  return TuningRecords::parse(*text, path);
}

}  // namespace halfbyte::cmd
