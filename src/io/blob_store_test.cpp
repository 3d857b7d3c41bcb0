#include "io/blob_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace halfbyte {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes(std::string_view text) {
  const auto view = std::as_bytes(std::span(text.data(), text.size()));
  return {view.begin(), view.end()};
}

class BlobStoreTest : public ::testing::Test {
 protected:
  BlobStoreTest() : folder_(::testing::TempDir() + "blob_store_" + std::to_string(::getpid())) {
    fs::remove_all(folder_);
  }
  ~BlobStoreTest() override { fs::remove_all(folder_); }
  fs::path only_file() const { return fs::directory_iterator(folder_)->path(); }
  std::string folder_;
};

TEST_F(BlobStoreTest, KeepsBlobsBetweenStores) {
  EXPECT_FALSE(BlobStore(folder_).load(bytes("k")));  // no folder yet
  BlobStore(folder_).store(bytes("k"), bytes("value"));
  BlobStore(folder_).store(bytes("empty"), {});
  EXPECT_EQ(BlobStore(folder_).load(bytes("k")), bytes("value"));
  EXPECT_EQ(BlobStore(folder_).load(bytes("empty")), bytes(""));
  EXPECT_FALSE(BlobStore(folder_).load(bytes("other")));
  BlobStore(folder_).store(bytes("k"), bytes("newer"));
  EXPECT_EQ(BlobStore(folder_).load(bytes("k")), bytes("newer"));
}

TEST_F(BlobStoreTest, IgnoresEveryDamage) {
  BlobStore store(folder_);
  store.store(bytes("key"), bytes("the value of it"));
  const fs::path file = only_file();
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_FALSE(store.load(bytes("key"))) << "flipped byte " << at;
    std::ofstream(file, std::ios::binary) << whole.substr(0, at);
    EXPECT_FALSE(store.load(bytes("key"))) << "cut at " << at;
  }
  std::ofstream(file, std::ios::binary) << whole << "x";
  EXPECT_FALSE(store.load(bytes("key")));
  std::ofstream(file, std::ios::binary) << whole;
  EXPECT_TRUE(store.load(bytes("key")));
}

TEST_F(BlobStoreTest, RemovesTheOldestWhenFull) {
  {
    BlobStore store(folder_);
    for (int i = 0; i < 10; ++i) store.store(bytes("k" + std::to_string(i)), std::vector<std::byte>(1000));
  }
  int age = 10;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(age--));
  }
  BlobStore small(folder_, 5000);
  small.store(bytes("new"), bytes("new"));
  EXPECT_TRUE(small.load(bytes("new")));
  uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) total += entry.file_size();
  EXPECT_LE(total, 5000U);
  EXPECT_GT(total, 2000U);
}

TEST_F(BlobStoreTest, UnwritableFolderIsNoCache) {
  BlobStore store("/proc/no/such/place");
  store.store(bytes("k"), bytes("v"));
  EXPECT_FALSE(store.load(bytes("k")));
}

TEST_F(BlobStoreTest, TwoWritersNeverShowHalfABlob) {
  const std::vector<std::byte> a(50000, std::byte{1}), b(50000, std::byte{2});
  BlobStore reader(folder_);
  reader.store(bytes("k"), a);
  std::jthread one([&] {
    BlobStore s(folder_);
    for (int i = 0; i < 50; ++i) s.store(bytes("k"), a);
  });
  std::jthread two([&] {
    BlobStore s(folder_);
    for (int i = 0; i < 50; ++i) s.store(bytes("k"), b);
  });
  for (int i = 0; i < 200; ++i) {
    const auto seen = reader.load(bytes("k"));
    ASSERT_TRUE(seen);
    ASSERT_TRUE(*seen == a || *seen == b);
  }
}

TEST_F(BlobStoreTest, ThreadsShareOne) {
  BlobStore store(folder_);
  {
    std::vector<std::jthread> threads;
    for (const char* key : {"one", "two", "three", "four"})
      threads.emplace_back([&store, key] { store.store(bytes(key), bytes(key)); });
  }
  for (const char* key : {"one", "two", "three", "four"}) EXPECT_EQ(store.load(bytes(key)), bytes(key)) << key;
}

TEST(CacheFolder, FollowsXdg) {
  const auto saved = [](const char* name) {
    const char* v = std::getenv(name);
    return v ? std::string(v) : std::string();
  };
  const std::string cache = saved("XDG_CACHE_HOME"), home = saved("HOME");
  ::setenv("XDG_CACHE_HOME", "/some/where", 1);
  EXPECT_EQ(cache_folder("programs"), "/some/where/halfbyte/programs");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // the XDG rules say: ignore it
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(cache_folder("programs"), "/home/me/.cache/halfbyte/programs");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(cache_folder("programs"), "");
  if (!cache.empty()) ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  if (!home.empty()) ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace halfbyte
