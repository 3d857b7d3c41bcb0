#include "manifest/json.hpp"

#include <gtest/gtest.h>

namespace halfbyte {
namespace {

TEST(Json, Positions) {
  const std::string text =
      "{\n  \"a\\\"b\": [1, -2.5e1, true],\n  \"c\": {\"d\": \"x\\\\\\\"y\\u00e9z\"}, \"e\": null, \"f\": 7}";
  const auto doc = JsonDocument::parse(text, "f");
  ASSERT_TRUE(doc) << doc.error().to_string();
  const auto at = [&](size_t offset) { return text.substr(offset, 3); };
  const JsonValue& root = doc->root();
  EXPECT_EQ(root.offset, 0U);
  EXPECT_EQ(root.members[0].key, "a\"b");
  EXPECT_EQ(at(root.members[0].offset), "\"a\\");
  EXPECT_EQ(at(root.members[0].value.offset), "[1,");
  EXPECT_EQ(at(root.members[0].value.items[0].offset), "1, ");
  EXPECT_EQ(at(root.members[0].value.items[1].offset), "-2.");
  EXPECT_EQ(root.members[0].value.items[1].number, -25);
  EXPECT_EQ(at(root.members[0].value.items[2].offset), "tru");
  const JsonValue& d = *root.find("c")->find("d");
  EXPECT_EQ(at(d.offset), "\"x\\");
  EXPECT_EQ(d.text, "x\\\"y\u00e9z");
  EXPECT_EQ(at(root.find("e")->offset), "nul");
  EXPECT_EQ(at(root.find("f")->offset), "7}");
  // z is byte 6 of the value: x, backslash, quote, y and two bytes for the accented letter come before it.
  const SourceLocation z = doc->place_in_string(d, 6);
  EXPECT_EQ(z.line, 3);
  EXPECT_EQ(text[text.rfind('\n') + static_cast<size_t>(z.column)], 'z');
}

TEST(Json, DidYouMean) {
  EXPECT_EQ(did_you_mean("tilRows", {"tileRows", "threadRows", "K"}), ", did you mean tileRows?");
  EXPECT_EQ(did_you_mean("unrelated", {"K", "N"}), "");
}

}  // namespace
}  // namespace halfbyte
