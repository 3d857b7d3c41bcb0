// The profile that is read off lavapipe against the one that profiles/ keeps for it.
#include <gmock/gmock.h>

#include "hand_made.hpp"
#include "io/files.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

TEST(Profile, IsTheKeptOneOnLavapipe) {
  const Device& device = shared_runtime()->device();
  const DeviceProfile& own = device.profile();
  if (!own.adapter.device.contains("llvmpipe"))
    GTEST_SKIP() << "the adapter is " << own.adapter.device << ", not lavapipe";
  const std::string file = HALFBYTE_SOURCE_DIR "/profiles/mesa-llvmpipe-26.json";
  const DeviceProfile kept = value(parse_profile(value(read_text(file)), file));
  EXPECT_EQ(own.adapter.vendor, kept.adapter.vendor);
  EXPECT_EQ(own.adapter.architecture, kept.adapter.architecture);
  EXPECT_EQ(own.adapter.subgroup_min_size, kept.adapter.subgroup_min_size);
  EXPECT_EQ(own.adapter.subgroup_max_size, kept.adapter.subgroup_max_size);
  EXPECT_THAT(own.features, UnorderedElementsAreArray(kept.features));
  // The kept profile lists those language features that were stable when it was written; this Dawn has more.
  EXPECT_THAT(own.wgsl_language_features, IsSupersetOf(kept.wgsl_language_features));
  // It was read off a device opened with default limits for what its reader did not care for; we take the adapter's own.
  const std::map<std::string, double> better{{"maxComputeWorkgroupSizeZ", 1024},
                                             {"minStorageBufferOffsetAlignment", 16}};
  for (const auto& [name, limit] : kept.limits) {
    const auto other = better.find(name);
    EXPECT_EQ(own.limit(name), other == better.end() ? limit : other->second) << name;
  }
  EXPECT_EQ(own.subgroup_matrix_configs, kept.subgroup_matrix_configs);
}

TEST(Profile, GoesThroughJson) {
  const DeviceProfile& own = shared_runtime()->device().profile();
  const DeviceProfile again = value(parse_profile(to_json_text(own), "own"));
  EXPECT_EQ(again.features, own.features);
  EXPECT_EQ(again.wgsl_language_features, own.wgsl_language_features);
  EXPECT_EQ(again.limits, own.limits);
  EXPECT_EQ(again.subgroup_matrix_configs, own.subgroup_matrix_configs);
  EXPECT_EQ(again.adapter.device, own.adapter.device);
}

}  // namespace
}  // namespace halfbyte::gpu::testing
