// JSON text -> a tree that knows where every value and key stands in the text, so that an error deep inside a manifest's
// expression can name line and column. Duplicate keys, numbers that no double holds, nesting past 64 and objects of more than 4096 members
// are refused here.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace halfbyte {

struct JsonMember;

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  size_t offset = 0;  // byte of its first character
  bool boolean = false;
  double number = 0;
  std::string text;                 // of a string, escapes undone
  std::vector<JsonValue> items;     // of an array
  std::vector<JsonMember> members;  // of an object, in the text's order

  const JsonValue* find(std::string_view key) const;
  bool is(Kind k) const { return kind == k; }
};

struct JsonMember {
  std::string key;
  size_t offset = 0;  // of the key
  JsonValue value;
};

const char* name(JsonValue::Kind kind);  // "an array"

class JsonDocument {
 public:
  // `file` is for messages. `text` is copied.
  static Result<JsonDocument> parse(std::string_view text, const std::string& file);

  const JsonValue& root() const { return root_; }
  const std::string& file() const { return file_; }
  SourceLocation place(size_t offset) const;
  // Of byte `index` of a string's decoded text.
  SourceLocation place_in_string(const JsonValue& string, size_t index) const;

  // Errors of kind parse at the value.
  std::unexpected<Error> error(const JsonValue& at, std::string message) const {
    return error(at.offset, std::move(message));
  }
  std::unexpected<Error> error(size_t offset, std::string message) const {
    return fail(ErrorCode::parse, std::move(message), place(offset));
  }

  // Each checks the kind of `value`; `what` names it in the message: "the key \"priority\"".
  Result<void> expect(const JsonValue& value, JsonValue::Kind kind, std::string_view what) const;
  // An object with no keys but these.
  Result<void> expect_keys(const JsonValue& value, std::string_view what,
                           std::initializer_list<std::string_view> allowed) const;
  // A member that must be there.
  Result<const JsonValue*> need(const JsonValue& object, std::string_view key, std::string_view what) const;
  Result<std::vector<std::string>> strings(const JsonValue& value, std::string_view what) const;
  Result<std::vector<double>> numbers(const JsonValue& value, std::string_view what) const;

 private:
  std::string text_, file_;
  std::vector<size_t> lines_;  // where each line begins
  JsonValue root_;
};

// `text` as a JSON string, quotes included.
std::string json_quote(std::string_view text);

// The candidate most like `name`, as ", did you mean \"X\"?", or nothing when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace halfbyte
