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
  bool shared = false;    // read by a sibling package's file, which may serve more than this package needs
};

struct ScannedTemplate {
  std::string text;
  std::vector<TemplateName> names;  // first mention of each, sorted by group and name
};

class TemplateCache {
 public:
  // texts: template name -> text; "OTHER:file" is a file of the sibling package OTHER.
  TemplateCache(const std::map<std::string, std::string>& texts, std::string manifest_file);
  // The sibling packages whose files may be included; none before.
  void allow(std::vector<std::string> packages) { allowed_ = std::move(packages); }

  // Index of the expanded, scanned template. Errors: the file is not there, an include is missing or circular, a tag is not
  // closed, `/` is used, a filter is unknown; all with file, line and column in the template.
  Result<int> get(const std::string& name);
  const ScannedTemplate& at(int index) const { return scanned_[static_cast<size_t>(index)]; }
  const std::map<std::string, int>& indices() const { return indices_; }
  // Has a pass or an include asked for this text?
  bool used(const std::string& name) const { return touched_.contains(name); }
  // This package's own texts that nothing has asked for; what a sibling has besides is its own matter.
  std::vector<std::string> unused() const;
  std::string path_of(const std::string& name) const;  // for messages

 private:
  struct Line {
    std::string file;
    int number = 0;
    bool shared = false;
  };
  Result<void> expand(const std::string& name, std::vector<std::string>& stack, const SourceLocation& from,
                      std::string& text, std::vector<Line>& lines);
  Result<ScannedTemplate> scan(const std::string& name);

  const std::map<std::string, std::string>& texts_;
  std::string manifest_file_;
  std::vector<std::string> allowed_;
  std::map<std::string, int> indices_;
  std::map<std::string, bool> touched_;
  std::vector<ScannedTemplate> scanned_;
  size_t includes_ = 0;  // while one template is expanded
};

}  // namespace halfbyte
