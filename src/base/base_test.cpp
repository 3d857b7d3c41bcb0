#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace halfbyte {
namespace {

TEST(Errors, TextHasPlaceMessageAndNotes) {
  Error e{ErrorCode::parse, "unknown key \"x\"", {"m.json", 3, 14}, {"first", "second"}};
  EXPECT_EQ(e.to_string(), "m.json:3:14: unknown key \"x\"\n  first\n  second");
  e.where = {"m.json", 0, 0};
  e.notes.clear();
  EXPECT_EQ(e.to_string(), "m.json: unknown key \"x\"");
  e.where = {};
  EXPECT_EQ(e.to_string(), "unknown key \"x\"");
}

TEST(Errors, EveryCodeHasItsOwnName) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code)
    names.insert(to_string(static_cast<ErrorCode>(code)));
  EXPECT_EQ(names.size(), static_cast<size_t>(ErrorCode::internal) + 1);
}

Result<std::unique_ptr<int>> half(int x) {
  if (x % 2) return fail(ErrorCode::invalid_argument, std::format("{} is odd", x));
  return std::make_unique<int>(x / 2);
}

Result<int> quarter(int x) {
  HB_TRY(const auto once, half(x));  // move-only values pass through
  HB_TRY(const auto twice, half(*once));
  return *twice;
}

Result<void> check_quarter(int x) {
  HB_CHECK(quarter(x));
  return {};
}

TEST(Errors, TryPassesValuesAndErrorsOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_TRUE(check_quarter(8));
  EXPECT_EQ(check_quarter(7).error().message, "7 is odd");
}

TEST(Hashes, FieldsAreKeptApart) {
  const auto of = [](std::string_view a, std::string_view b) { return Hasher().add(a).add(b).finish(); };
  EXPECT_NE(of("ab", "c"), of("a", "bc"));
  EXPECT_NE(of("", "abc"), of("abc", ""));
  EXPECT_EQ(of("ab", "c"), of("ab", "c"));
  EXPECT_NE(Hasher().add(std::string_view("a\0", 2)).finish(), Hasher().add(std::string_view("a", 1)).finish());
  EXPECT_EQ(Hasher().add(-0.0).finish(), Hasher().add(0.0).finish());
  EXPECT_NE(Hasher().add(1.0).finish(), Hasher().add(uint64_t{1}).finish());
}

// Cached files outlive a build: the value must never change.
TEST(Hashes, StableAcrossVersions) {
  EXPECT_EQ(Hasher().add("halfbyte").add(uint64_t{4}).add(0.5).finish().hex(), "db7106959c799db5776d7ec90410af16");
}

TEST(Hashes, NoCollisionsAmongManyNearInputs) {
  std::set<Hash128> seen;
  std::set<uint64_t> low;
  for (uint64_t i = 0; i < 100000; ++i) {
    const Hash128 h = Hasher().add(i).finish();
    seen.insert(h);
    low.insert(h.lo);
  }
  EXPECT_EQ(seen.size(), 100000u);
  EXPECT_EQ(low.size(), 100000u);
}

}  // namespace
}  // namespace halfbyte
