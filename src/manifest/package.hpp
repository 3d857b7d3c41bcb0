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
  // manifest_text: manifest.json. templates: shader file name -> text; every shader that a pass names must be there unless
  // `templates` is empty (then the package can be selected and planned from, but not rendered, and unused derives are not
  // looked for). Everything is checked here: JSON, keys, every expression's names and types, cycles, bindings, templates' names.
  static Result<Package> load(std::string_view manifest_text, const std::string& manifest_file,
                              const std::map<std::string, std::string>& templates = {});

  const Manifest& manifest() const { return *manifest_; }
  const std::string& name() const;  // "com.microsoft.MatMulNBits"
  Hash128 hash() const;             // of manifest text and templates
  const std::vector<std::string>& variant_ids() const;
  // Not errors, but lint fails on them: an unused derive, tunable or template ("file:line:col: sentence").
  const std::vector<Error>& warnings() const;

 private:
  std::shared_ptr<const Manifest> manifest_;
};

}  // namespace halfbyte
