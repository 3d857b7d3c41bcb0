// Device profiles from files.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "select/profile.hpp"

namespace halfbyte {

struct ProfileFile {
  std::string stem;  // file name without ".json"
  DeviceProfile profile;
};

// One profile, or all *.json of a folder in the order of their file names. Errors: not_found, io, parse; not_found also for a folder
// without a profile.
Result<std::vector<ProfileFile>> load_profiles(const std::string& file_or_folder);

}  // namespace halfbyte
