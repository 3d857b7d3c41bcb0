#include "manifest/templates.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace halfbyte {
namespace {

constexpr size_t kMaxIncludeDepth = 16;
constexpr size_t kMaxExpandedSize = size_t{1} << 20;
constexpr size_t kMaxIncludes = 1024;  // of one template, those of its includes counted each time
constexpr size_t kMaxNames = 1024;     // that a template reads

// Words of the template language (src/plan/jinja.hpp), never names of ours.
const std::set<std::string_view>& keywords() {
  static const std::set<std::string_view> words{
      "if",       "elif", "else", "endif", "for", "in",   "endfor", "set",  "endset", "macro", "endmacro", "break",
      "continue", "not",  "and",  "or",    "is",  "true", "false",  "none", "True",   "False", "None"};
  return words;
}

// Functions and filters that it has.
const std::set<std::string_view>& builtins() {
  static const std::set<std::string_view> words{"raise_exception", "range", "loop",   "length", "count", "join",
                                                "default",         "int",   "string", "upper",  "lower", "trim",
                                                "first",           "last",  "list"};
  return words;
}

// Objects that a template reads members of. `loop`, namespaces and locals are not among them.
bool is_group(std::string_view name) {
  for (const std::string_view group : {"attrs", "tunables", "present", "tensorDtypes", "ranks", "bound", "element"})
    if (name == group) return true;
  return false;
}

struct Word {
  enum Kind { identifier, string, number, symbol } kind = symbol;
  std::string_view text;
  size_t begin = 0;
};

struct Tag {
  std::vector<Word> words;
  bool is_block = false;  // {% %}
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  struct Found {
    std::string group, name;
    size_t offset = 0;
    bool tested = false;  // by `is defined`
  };
  std::vector<Found> found;
  std::optional<std::pair<size_t, std::string>> error;

  bool run() {
    if (!split()) return false;
    for (const Tag& tag : tags_)
      if (tag.is_block) collect_locals(tag);
    for (const Tag& tag : tags_)
      if (!collect_names(tag)) return false;
    return true;
  }

 private:
  bool stop(size_t offset, std::string message) {
    if (!error) error.emplace(offset, std::move(message));
    return false;
  }

  bool split() {
    size_t i = 0;
    while ((i = text_.find('{', i)) != std::string_view::npos && i + 1 < text_.size()) {
      const char kind = text_[i + 1];
      if (kind == '#') {
        const size_t end = text_.find("#}", i + 2);
        if (end == std::string_view::npos) return stop(i, "the comment is not closed with #}");
        i = end + 2;
      } else if (kind == '{' || kind == '%') {
        if (!lex_tag(i, kind == '{' ? "}}" : "%}", &i)) return false;
      } else {
        ++i;
      }
    }
    return true;
  }

  bool lex_tag(size_t begin, std::string_view close, size_t* end) {
    Tag tag;
    tag.is_block = close == "%}";
    size_t i = begin + 2;
    int braces = 0;  // of a dictionary literal, whose "}}" does not close the tag
    while (i < text_.size()) {
      const char c = text_[i];
      if (braces == 0 && (text_.substr(i, 2) == close || (c == '-' && text_.substr(i + 1, 2) == close))) {
        *end = i + (c == '-' ? 3 : 2);
        tags_.push_back(std::move(tag));
        return true;
      }
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++i;
        continue;
      }
      Word word;
      word.begin = i;
      if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
        word.kind = Word::identifier;
        while (i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_')) ++i;
      } else if (std::isdigit(static_cast<unsigned char>(c))) {
        word.kind = Word::number;
        while (i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '.')) ++i;
      } else if (c == '"' || c == '\'') {
        word.kind = Word::string;
        for (++i; i < text_.size() && text_[i] != c; ++i)
          if (text_[i] == '\\') ++i;
        if (i >= text_.size()) return stop(word.begin, "the string is not closed");
        ++i;
      } else {
        if (c == '/')
          return stop(i, "'/' is not allowed in a template, it divides integers here: compute the value in derive");
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
        i += text_.substr(i, 2) == "==" ? 2 : 1;
      }
      word.text = text_.substr(word.begin, i - word.begin);
      tag.words.push_back(word);
    }
    return stop(begin, std::format("the tag is not closed with {}", close));
  }

  static bool is(const Tag& tag, size_t i, std::string_view text) {
    return i < tag.words.size() && tag.words[i].text == text;
  }

  // set a, b = ...; for a, b in ...; macro f(x, y=1)
  void collect_locals(const Tag& tag) {
    const auto& words = tag.words;
    size_t i = words.size() > 1 && words[0].text == "-" ? 1 : 0;
    if (i >= words.size()) return;
    const std::string_view keyword = words[i].text;
    if (keyword == "set" || keyword == "for") {
      for (++i; i < words.size() && words[i].text != "=" && words[i].text != "in"; ++i) {
        if (words[i].kind == Word::identifier) locals_.insert(words[i].text);
        if (is(tag, i + 1, ".")) break;  // set ns.x = ...: ns is declared elsewhere
      }
    } else if (keyword == "macro" && i + 1 < words.size()) {
      locals_.insert(words[i + 1].text);
      int depth = 0;
      for (i += 2; i < words.size(); ++i) {
        depth += words[i].text == "(" ? 1 : words[i].text == ")" ? -1 : 0;
        const bool starts =
            words[i].kind == Word::identifier && depth == 1 && (words[i - 1].text == "(" || words[i - 1].text == ",");
        if (starts) locals_.insert(words[i].text);
      }
    }
  }

  bool collect_names(const Tag& tag) {
    const auto& words = tag.words;
    int parentheses = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      const Word& word = words[i];
      parentheses += word.text == "(" ? 1 : word.text == ")" ? -1 : 0;
      if (word.kind != Word::identifier) continue;
      const std::string_view before = i > 0 ? words[i - 1].text : "";
      if (before == ".") continue;  // a member, seen with its object
      if (before == "|") {
        if (!builtins().contains(word.text)) return stop(word.begin, std::format("unknown filter {}", word.text));
        continue;
      }
      if (before == "is" || (before == "not" && i > 1 && words[i - 2].text == "is")) continue;
      if (keywords().contains(word.text) || locals_.contains(word.text)) continue;
      if (parentheses > 0 && is(tag, i + 1, "=")) continue;  // f(name=value)
      if (builtins().contains(word.text)) continue;
      if (!is_group(word.text)) {
        const bool tested =
            is(tag, i + 1, "is") && (is(tag, i + 2, "defined") || (is(tag, i + 2, "not") && is(tag, i + 3, "defined")));
        found.push_back({"", std::string(word.text), word.begin, tested});
      } else if (is(tag, i + 1, ".") && i + 2 < words.size() && words[i + 2].kind == Word::identifier) {
        found.push_back({std::string(word.text), std::string(words[i + 2].text), word.begin, false});
      } else {
        return stop(word.begin,
                    std::format("{} is an object, read a member of it by name: {}.NAME", word.text, word.text));
      }
    }
    return true;
  }

  std::string_view text_;
  std::vector<Tag> tags_;
  std::set<std::string_view> locals_;
};

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  return line;
}

// The file of `{#include "file"#}`; empty when the line is not an include.
std::string included_file(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("{#") || !line.ends_with("#}")) return {};
  line = trimmed(line.substr(2, line.size() - 4));
  constexpr std::string_view kWord = "include";
  if (!line.starts_with(kWord)) return {};
  line = trimmed(line.substr(kWord.size()));
  if (line.size() < 3 || line.front() != '"' || line.back() != '"') return {};
  return std::string(line.substr(1, line.size() - 2));
}

}  // namespace

TemplateCache::TemplateCache(const std::map<std::string, std::string>& texts, std::string manifest_file)
    : texts_(texts), manifest_file_(std::move(manifest_file)) {}

std::string TemplateCache::path_of(const std::string& name) const {
  const size_t slash = manifest_file_.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "" : manifest_file_.substr(0, slash + 1);
  const size_t colon = name.find(':');
  return colon == std::string::npos ? folder + name
                                    : folder + "../" + name.substr(0, colon) + "/" + name.substr(colon + 1);
}

Result<int> TemplateCache::get(const std::string& name) {
  if (const auto it = indices_.find(name); it != indices_.end()) return it->second;
  HB_TRY(ScannedTemplate scanned, scan(name));
  scanned_.push_back(std::move(scanned));
  return indices_[name] = static_cast<int>(scanned_.size()) - 1;
}

std::vector<std::string> TemplateCache::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts_)
    if (!used(name) && !name.contains(':')) names.push_back(name);
  return names;
}

Result<void> TemplateCache::expand(const std::string& name, std::vector<std::string>& stack, const SourceLocation& from,
                                   std::string& text, std::vector<Line>& lines) {
  const size_t colon = name.find(':');
  const std::string package = name.substr(0, colon == std::string::npos ? 0 : colon);
  if (colon != std::string::npos && !std::ranges::contains(allowed_, package))
    return fail(ErrorCode::parse, std::format("the package \"{}\" is not listed in \"uses\"", package), from);
  const auto it = texts_.find(name);
  if (it == texts_.end())
    return fail(ErrorCode::not_found, std::format("there is no template {}", path_of(name)), from);
  if (std::ranges::find(stack, name) != stack.end() || stack.size() >= kMaxIncludeDepth)
    return fail(ErrorCode::parse,
                std::format("{} includes itself, or includes are nested deeper than {}", name, kMaxIncludeDepth), from);
  if (++includes_ > kMaxIncludes)
    return fail(ErrorCode::parse, std::format("the template includes more than {} files", kMaxIncludes), from);
  touched_[name] = true;
  stack.push_back(name);
  std::string_view rest = it->second;
  for (int number = 1; !rest.empty(); ++number) {
    const size_t newline = rest.find('\n');
    const std::string_view line = rest.substr(0, newline == std::string_view::npos ? rest.size() : newline + 1);
    rest.remove_prefix(line.size());
    if (const std::string file = included_file(line); !file.empty()) {
      HB_CHECK(expand(file.contains(':') || package.empty() ? file : package + ":" + file, stack,
                      {path_of(name), number, 1}, text, lines));
      if (!text.empty() && text.back() != '\n') text += '\n';
      continue;
    }
    text += line;
    lines.push_back({path_of(name), number, !package.empty()});
    if (text.size() > kMaxExpandedSize)
      return fail(ErrorCode::parse, "the template is larger than 1 MiB with its includes", from);
  }
  stack.pop_back();
  return {};
}

Result<ScannedTemplate> TemplateCache::scan(const std::string& name) {
  ScannedTemplate result;
  std::vector<Line> lines;
  std::vector<std::string> stack;
  includes_ = 0;
  HB_CHECK(expand(name, stack, {}, result.text, lines));

  std::vector<size_t> begins{0};
  for (size_t i = 0; i < result.text.size(); ++i)
    if (result.text[i] == '\n') begins.push_back(i + 1);
  const auto place = [&](size_t offset) -> std::pair<SourceLocation, bool> {
    const auto next = std::ranges::upper_bound(begins, offset);
    const size_t line = static_cast<size_t>(next - begins.begin()) - 1, begin = begins[line];
    if (lines.empty()) return {{path_of(name), 1, 1}, false};
    const Line& source = lines[std::min(line, lines.size() - 1)];
    return {{source.file, source.number, static_cast<int>(offset - begin) + 1}, source.shared};
  };

  Scanner scanner(result.text);
  if (!scanner.run()) return fail(ErrorCode::parse, scanner.error->second, place(scanner.error->first).first);
  std::map<std::pair<std::string, std::string>, TemplateName> names;
  for (const auto& found : scanner.found) {
    const auto [seen, inserted] = names.try_emplace({found.group, found.name});
    if (inserted) {
      const auto [where, shared] = place(found.offset);
      seen->second = {found.group, found.name, where, found.tested, shared};
    } else if (found.tested) {
      seen->second.optional = true;
    }
    if (names.size() > kMaxNames)
      return fail(ErrorCode::parse, std::format("the template reads more than {} names", kMaxNames),
                  place(found.offset).first);
  }
  for (auto& [key, name] : names) result.names.push_back(std::move(name));
  return result;
}

}  // namespace halfbyte
