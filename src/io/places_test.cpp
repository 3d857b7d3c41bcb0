#include "io/byte_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "io/kernel_path.hpp"
#include "io/writable.hpp"

namespace halfbyte {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Places : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "halfbyte-io-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    unsetenv("HALFBYTE_KERNELS");
  }
  void TearDown() override {
    unsetenv("HALFBYTE_KERNELS");
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_F(Places, ByteRangeReadsAPart) {
  const std::string path = write("f", "0123456789");
  EXPECT_EQ(text_of(read_byte_range(path, 3, 4).value()), "3456");
  EXPECT_EQ(text_of(read_byte_range(path, 3, std::nullopt).value()), "3456789");
  EXPECT_EQ(text_of(read_byte_range(path, 0, 10).value()), "0123456789");
  EXPECT_EQ(text_of(read_byte_range(path, 10, std::nullopt).value()), "");
  EXPECT_EQ(text_of(read_byte_range(path, 10, 0).value()), "");
}

TEST_F(Places, ByteRangePastTheEnd) {
  const std::string path = write("f", "0123456789");
  for (const auto& [offset, length] :
       {std::pair<uint64_t, uint64_t>{8, 3}, {11, 0}, {0, 11}, {2, UINT64_MAX}, {UINT64_MAX, 2}}) {
    const auto bytes = read_byte_range(path, offset, length);
    ASSERT_FALSE(bytes) << offset << " " << length;
    EXPECT_EQ(bytes.error().code, ErrorCode::io);
    EXPECT_THAT(bytes.error().message, HasSubstr("has 10 bytes, too few for"));
  }
  EXPECT_FALSE(read_byte_range(path, 11, std::nullopt));
}

TEST_F(Places, ByteRangeOfNoFile) {
  EXPECT_EQ(read_byte_range((folder_ / "none").string(), 0, 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(read_byte_range(folder_.string(), 0, 1).error().code, ErrorCode::io);
}

TEST_F(Places, PackageInTheNamedFolder) {
  write("kernels/test.Op/manifest.json", "{}");
  setenv("HALFBYTE_KERNELS", (folder_ / "kernels").c_str(), 1);
  const auto found = find_package("test.Op");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(*found, (folder_ / "kernels/test.Op").string());
}

TEST_F(Places, PackageOfTheCurrentFolder) {
  write("kernels/test.Op/manifest.json", "{}");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const auto found = find_package("test.Op");
  fs::current_path(before);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(*found, "kernels/test.Op");
}

TEST_F(Places, PackageNowhere) {
  setenv("HALFBYTE_KERNELS", folder_.c_str(), 1);
  const auto found = find_package("test.Op");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::not_found);
  EXPECT_THAT(found.error().message, HasSubstr("test.Op"));
  EXPECT_THAT(found.error().message, HasSubstr("HALFBYTE_KERNELS"));
  EXPECT_EQ(found.error().notes.size(), 1u) << "a named folder is the only one that is tried";
  unsetenv("HALFBYTE_KERNELS");
  EXPECT_EQ(find_package("no.such.Package").error().notes.size(), 4u);
}

TEST_F(Places, WritableSaysWhyNot) {
  EXPECT_TRUE(check_writable((folder_ / "new").string()));
  EXPECT_TRUE(check_writable("new"));
  EXPECT_TRUE(check_writable(write("old", "x")));
  EXPECT_FALSE(fs::exists(folder_ / "new")) << "asking must not make the file";
  EXPECT_THAT(check_writable((folder_ / "none/new").string()).error().message, HasSubstr("there is no folder"));
  EXPECT_THAT(check_writable(folder_.string()).error().message, HasSubstr("it is a folder"));
  EXPECT_THAT(check_writable("").error().message, HasSubstr("the path is empty"));
}

TEST_F(Places, WritableKnowsPermissions) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string file = write("read-only", "x");
  fs::permissions(file, fs::perms::owner_read);
  EXPECT_THAT(check_writable(file).error().message, HasSubstr("the file is read-only"));
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(check_writable((folder_ / "new").string()).error().message, HasSubstr("must not be written"));
}

}  // namespace
}  // namespace halfbyte
