// Compiled programs kept in the user's cache folder, so that a second start is fast.
#pragma once

#include <memory>
#include <string>

#include "gpu/dawn_native.hpp"

namespace halfbyte::gpu {

// For OpenOptions::cache. `folder` empty: $XDG_CACHE_HOME/halfbyte/programs; null when there is no such place. Dawn keys every blob by its own
// version, the driver's, and OpenOptions' isolation key, so a folder serves any number of devices.
std::shared_ptr<BlobCache> persistent_cache(const std::string& folder = "");

}  // namespace halfbyte::gpu
