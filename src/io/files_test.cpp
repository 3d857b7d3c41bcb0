#include "io/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace halfbyte {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "halfbyte-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  size_t entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  fs::path folder_;
};

TEST_F(Files, TextAndBytesComeBack) {
  const std::string text("a\0b\n\xff", 5);
  ASSERT_TRUE(write_file(at("x"), text));
  EXPECT_EQ(*read_text(at("x")), text);
  const auto bytes = read_bytes(at("x"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 5u);
  ASSERT_TRUE(write_file(at("x"), std::string_view{}));
  EXPECT_EQ(read_text(at("x"))->size(), 0u);
}

TEST_F(Files, MoreThanOneChunk) {
  std::vector<std::byte> bytes(3'500'001);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 1000);
  ASSERT_TRUE(write_file(at("big"), bytes));
  EXPECT_EQ(*read_bytes(at("big")), bytes);
}

TEST_F(Files, ReadingWhatIsNotThere) {
  const auto missing = read_text(at("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().message, "cannot read " + at("missing") + ": No such file or directory");
  const auto folder = read_bytes(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::io);
}

TEST_F(Files, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const auto nowhere = write_file(at("no/such/folder/x"), "text");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::not_found);
  EXPECT_FALSE(write_file(folder_.string(), "text"));
  EXPECT_FALSE(write_file("", "text"));
  EXPECT_EQ(entries(), 0u);
  if (::access("/dev/full", W_OK) == 0) {
    const auto full = write_file("/dev/full", "text");
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::io);
  }
  if (::geteuid() != 0) {  // root may write anything
    ASSERT_TRUE(write_file(at("kept"), "old"));
    fs::permissions(at("kept"), fs::perms::owner_read);
    EXPECT_FALSE(write_file(at("kept"), "new"));
    EXPECT_EQ(*read_text(at("kept")), "old");
    EXPECT_EQ(entries(), 1u);
  }
}

TEST_F(Files, ModeAndLinksAreKept) {
  ASSERT_TRUE(write_file(at("script"), "old"));
  EXPECT_EQ(fs::status(at("script")).permissions() & fs::perms::owner_read, fs::perms::owner_read);
  fs::permissions(at("script"), fs::perms::owner_all);
  fs::create_symlink("script", at("link"));
  ASSERT_TRUE(write_file(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(*read_text(at("script")), "new");
  EXPECT_EQ(fs::status(at("script")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(Files, ANewFileHasTheUsersMask) {
  const mode_t mask = ::umask(027);
  ASSERT_TRUE(write_file(at("x"), "text"));
  ::umask(mask);
  struct stat info{};
  ASSERT_EQ(::stat(at("x").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0640u);
}

}  // namespace
}  // namespace halfbyte
