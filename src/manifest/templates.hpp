// Internal to src/manifest: template text -> the text with its includes replaced, and the names that it reads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace halfbyte {

// A name read by a template: group "attrs" and name "K" for attrs.K, group empty for a plain name.
struct TemplateName {
  std::string group, name;
  SourceLocation where;
  bool optional = false;  // the template asks `NAME is defined`, so it may be missing
};

struct ScannedTemplate {
  std::string text;
  std::vector<TemplateName> names;  // first mention of each, sorted by group and name
};

class TemplateCache {
 public:
  // texts: template name -> text; "OTHER:file" is a file of the sibling package OTHER.
  TemplateCache(const std::map<std::string, std::string>& texts, std::string manifest_file);

  // Index of the expanded, scanned template. Errors: the file is not there, an include is missing or circular, a tag is not
  // closed, `/` is used, a filter is unknown; all with file, line and column in the template.
  Result<int> get(const std::string& name);
  const ScannedTemplate& at(int index) const { return scanned_[static_cast<size_t>(index)]; }
  const std::map<std::string, int>& indices() const { return indices_; }
  // Names of texts that neither a pass nor an include has asked for.
  std::vector<std::string> unused() const;
  std::string path_of(const std::string& name) const;  // for messages

 private:
  struct Line {
    std::string file;
    int number = 0;
  };
  Result<void> expand(const std::string& name, std::vector<std::string>& stack, const SourceLocation& from,
                      std::string& text, std::vector<Line>& lines);
  Result<ScannedTemplate> scan(const std::string& name);

  const std::map<std::string, std::string>& texts_;
  std::string manifest_file_;
  std::map<std::string, int> indices_;
  std::map<std::string, bool> touched_;
  std::vector<ScannedTemplate> scanned_;
  size_t includes_ = 0;  // while one template is expanded
};

}  // namespace halfbyte
