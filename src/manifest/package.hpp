// A kernel package: manifest and templates, checked once, immutable afterwards and safe to share between threads.
// The format is described in docs/manifest.md.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace halfbyte {

struct Manifest;  // src/manifest/manifest.hpp: the checked contents, for select and plan

class Package {
 public:
  // manifest_text: manifest.json. templates: shader file -> text ("NAME:file": of the sibling NAME that it `uses`); each one
  // that a pass names must be there unless `templates` is empty (then the package can be selected and planned from only, and
  // unused derives are not looked for). Checked here: JSON, keys, expressions' names and types, cycles, bindings, templates.
  static Result<Package> load(std::string_view manifest_text, const std::string& manifest_file,
                              const std::map<std::string, std::string>& templates = {});

  const Manifest& manifest() const { return *manifest_; }
  const std::string& name() const;  // "com.microsoft.MatMulNBits"
  Hash128 hash() const;             // of manifest text, its own templates and those of siblings that it uses
  const std::vector<std::string>& variant_ids() const;
  // Not errors; lint prints them: an unused derive, tunable or template ("file:line:col: sentence").
  const std::vector<Error>& warnings() const;

 private:
  std::shared_ptr<const Manifest> manifest_;
};

}  // namespace halfbyte
