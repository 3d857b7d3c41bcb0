#include "manifest/json.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace halfbyte {
namespace {

constexpr size_t kMaxNesting = 64;
constexpr size_t kMaxMembers = 4096;  // each is compared with the others

// Tells how far nlohmann's lexer has read: its end offset is the only position that the SAX interface lets out.
class CountingIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  CountingIterator(const char* at, const char** shared) : at_(at), shared_(shared) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *shared_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** shared_;
};

class TreeBuilder : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  TreeBuilder(std::string_view text, const char** position) : text_(text), position_(position) {}

  JsonValue root;
  std::optional<std::pair<size_t, std::string>> error;

  bool null() override { return add(JsonValue::Kind::null, end() - 4); }
  bool boolean(bool value) override {
    return add(JsonValue::Kind::boolean, end() - (value ? 4 : 5), [&](JsonValue& v) { v.boolean = value; });
  }
  bool number_integer(number_integer_t value) override { return add_number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add_number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add_number(value); }
  bool string(string_t& value) override {
    return add(JsonValue::Kind::string, string_begin(), [&](JsonValue& v) { v.text = std::move(value); });
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(size_t) override { return open(JsonValue::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    JsonValue& object = *stack_.back();
    const size_t offset = string_begin();
    if (object.members.size() >= kMaxMembers)
      return stop(offset, std::format("an object has more than {} members", kMaxMembers));
    for (const JsonMember& member : object.members)
      if (member.key == value) return stop(offset, std::format("the key \"{}\" is given twice", value));
    object.members.push_back({std::move(value), offset, {}});
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while ...": the place is ours to say.
    std::string message = e.what();
    if (const size_t colon = message.find(": "); colon != std::string::npos) message.erase(0, colon + 2);
    for (char& c : message)
      if (c == '\n') c = ' ';
    return stop(position > 0 ? position - 1 : 0, "this is not JSON: " + message);
  }

 private:
  size_t end() const { return static_cast<size_t>(*position_ - text_.data()); }

  // The lexer has just read the closing quote; the opening one is the nearest before it that no backslash escapes.
  size_t string_begin() const {
    size_t i = end() - 1;
    while (i > 0) {
      --i;
      if (text_[i] != '"') continue;
      size_t backslashes = 0;
      while (backslashes < i && text_[i - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) break;
    }
    return i;
  }

  static bool in_number(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
  }

  // The lexer has read one character past a number, unless the text ends there.
  bool add_number(double value) {
    size_t i = end();
    if (i > 0 && !in_number(text_[i - 1])) --i;
    while (i > 0 && in_number(text_[i - 1])) --i;
    if (!std::isfinite(value)) return stop(i, "the number does not fit a double");
    return add(JsonValue::Kind::number, i, [&](JsonValue& v) { v.number = value; });
  }

  JsonValue& place_for_value() {
    if (stack_.empty()) return root;
    JsonValue& top = *stack_.back();
    if (top.kind == JsonValue::Kind::object) return top.members.back().value;
    return top.items.emplace_back();
  }

  template <class Fill>
  bool add(JsonValue::Kind kind, size_t offset, Fill fill) {
    JsonValue& value = place_for_value();
    value.kind = kind;
    value.offset = offset;
    fill(value);
    return true;
  }
  bool add(JsonValue::Kind kind, size_t offset) {
    return add(kind, offset, [](JsonValue&) {});
  }

  bool open(JsonValue::Kind kind) {
    if (stack_.size() >= kMaxNesting) return stop(end() - 1, std::format("nested deeper than {}", kMaxNesting));
    JsonValue& value = place_for_value();
    value.kind = kind;
    value.offset = end() - 1;
    stack_.push_back(&value);  // stays valid: a container grows only while it is on top
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }
  bool stop(size_t offset, std::string message) {
    if (!error) error.emplace(offset, std::move(message));
    return false;
  }

  std::string_view text_;
  const char** position_;
  std::vector<JsonValue*> stack_;
};

std::string list_of(std::initializer_list<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const JsonMember& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

const char* name(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::null: return "null";
    case JsonValue::Kind::boolean: return "a boolean";
    case JsonValue::Kind::number: return "a number";
    case JsonValue::Kind::string: return "a string";
    case JsonValue::Kind::array: return "an array";
    case JsonValue::Kind::object: return "an object";
  }
  return "a value";
}

Result<JsonDocument> JsonDocument::parse(std::string_view text, const std::string& file) {
  JsonDocument document;
  document.text_ = text;
  document.file_ = file;
  document.lines_.push_back(0);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') document.lines_.push_back(i + 1);
  const char* begin = document.text_.data();
  const char* end = begin + document.text_.size();
  const char* position = begin;
  TreeBuilder builder(document.text_, &position);
  bool ok = false;
  try {
    ok = nlohmann::ordered_json::sax_parse(CountingIterator(begin, &position), CountingIterator(end, &position),
                                           &builder);
  } catch (const std::exception& e) {
    return fail(ErrorCode::parse, std::format("this is not JSON: {}", e.what()), {file, 0, 0});
  }
  if (builder.error) return document.error(builder.error->first, builder.error->second);
  if (!ok) return document.error(size_t{0}, "this is not JSON");
  document.root_ = std::move(builder.root);
  return document;
}

SourceLocation JsonDocument::place(size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::ranges::upper_bound(lines_, offset);
  return {file_, static_cast<int>(next - lines_.begin()), static_cast<int>(offset - *(next - 1)) + 1};
}

SourceLocation JsonDocument::place_in_string(const JsonValue& string, size_t index) const {
  size_t raw = string.offset + 1, decoded = 0;
  const auto utf8_size = [](unsigned code) -> size_t { return code < 0x80 ? 1 : code < 0x800 ? 2 : 3; };
  while (decoded < index && raw < text_.size() && text_[raw] != '"') {
    if (text_[raw] != '\\') {
      ++raw;
      ++decoded;
    } else if (text_[raw + 1] == 'u') {
      const unsigned code = static_cast<unsigned>(std::strtoul(text_.substr(raw + 2, 4).c_str(), nullptr, 16));
      decoded +=
          utf8_size(code);  // halves of a surrogate pair count 3 each instead of 4 together: near enough for a column
      raw += 6;
    } else {
      raw += 2;
      ++decoded;
    }
  }
  return place(raw);
}

Result<void> JsonDocument::expect(const JsonValue& value, JsonValue::Kind kind, std::string_view what) const {
  if (value.kind == kind) return {};
  return error(value, std::format("{} is {}, it must be {}", what, name(value.kind), name(kind)));
}

Result<void> JsonDocument::expect_keys(const JsonValue& value, std::string_view what,
                                       std::initializer_list<std::string_view> allowed) const {
  HB_CHECK(expect(value, JsonValue::Kind::object, what));
  for (const JsonMember& member : value.members)
    if (std::ranges::find(allowed, member.key) == allowed.end())
      return error(member.offset,
                   std::format("unknown key \"{}\" in {}, allowed are {}", member.key, what, list_of(allowed)));
  return {};
}

Result<const JsonValue*> JsonDocument::need(const JsonValue& object, std::string_view key,
                                            std::string_view what) const {
  if (const JsonValue* value = object.find(key)) return value;
  return error(object, std::format("{} lacks the key \"{}\"", what, key));
}

Result<std::vector<std::string>> JsonDocument::strings(const JsonValue& value, std::string_view what) const {
  HB_CHECK(expect(value, JsonValue::Kind::array, what));
  std::vector<std::string> list;
  for (const JsonValue& item : value.items) {
    HB_CHECK(expect(item, JsonValue::Kind::string, std::format("an entry of {}", what)));
    list.push_back(item.text);
  }
  return list;
}

Result<std::vector<double>> JsonDocument::numbers(const JsonValue& value, std::string_view what) const {
  HB_CHECK(expect(value, JsonValue::Kind::array, what));
  std::vector<double> list;
  for (const JsonValue& item : value.items) {
    HB_CHECK(expect(item, JsonValue::Kind::number, std::format("an entry of {}", what)));
    list.push_back(item.number);
  }
  return list;
}

std::string json_quote(std::string_view text) {
  return nlohmann::ordered_json(text).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  // Comparing two texts takes the product of their lengths.
  constexpr size_t kMaxCompared = 256, kMaxName = 48;
  const std::string* best = nullptr;
  size_t distance = 1 + name.size() / 3;
  if (name.size() > kMaxName) return "";
  for (const std::string& candidate : std::span(candidates).first(std::min(candidates.size(), kMaxCompared))) {
    if (candidate.size() > kMaxName) continue;
    const size_t d = edit_distance(name, candidate);
    if (d > distance || (best && d == distance)) continue;
    distance = d;
    best = &candidate;
  }
  return best ? std::format(", did you mean {}?", *best) : "";
}

}  // namespace halfbyte
