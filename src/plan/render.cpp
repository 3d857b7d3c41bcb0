#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include <minja/minja.hpp>

#include "manifest/manifest.hpp"
#include "plan/plan.hpp"
#include "plan/prologue.hpp"
#include "plan/split.hpp"

namespace halfbyte {
namespace {

// minja takes an unknown name as none, which prints as nothing; here it is an error.
class StrictContext : public minja::Context {
 public:
  StrictContext(minja::Value&& values, std::map<std::string, std::string> missing,
                const std::vector<std::string>& optional)
      : Context(std::move(values), Context::builtins()), missing_(std::move(missing)), optional_(optional) {}

  bool contains(const minja::Value& key) override {
    if (Context::contains(key)) return true;
    const std::string name = key.is_string() ? key.get<std::string>() : key.dump();
    if (name == "caller") return false;  // minja asks for it in every macro call
    if (const auto it = missing_.find(name); it != missing_.end())
      throw std::runtime_error(std::format("the template reads {}, which has no value here: {}", name, it->second));
    if (std::ranges::contains(optional_, name)) return false;
    throw std::runtime_error(std::format("the template reads the unknown name {}", name));
  }

  // A macro holds the context that holds it: without this no context with a macro would ever be freed.
  void let_go() { values_ = minja::Value::object(); }

 private:
  std::map<std::string, std::string> missing_;
  const std::vector<std::string>& optional_;
};

// minja's parser is a chain of regular expressions and takes milliseconds; one text is parsed once.
Result<std::shared_ptr<minja::TemplateNode>> parsed(const Template& source) {
  static std::mutex mutex;
  static std::map<Hash128, std::shared_ptr<minja::TemplateNode>> cache;
  constexpr size_t kMaxCached = 64;
  const std::lock_guard lock(mutex);
  if (const auto it = cache.find(source.hash); it != cache.end()) return it->second;
  if (cache.size() >= kMaxCached) cache.clear();
  return cache[source.hash] = minja::Parser::parse(
             source.text, {.trim_blocks = true, .lstrip_blocks = true, .keep_trailing_newline = true});
}

// minja appends " at row 3, column 7:\n<text of the line>\n   ^" for every node on the way out.
std::string first_line(std::string text) {
  if (const size_t newline = text.find('\n'); newline != std::string::npos) text.resize(newline);
  while (!text.empty() && (text.back() == ':' || text.back() == ' ')) text.pop_back();
  return text;
}

Result<std::string> render_body(const Template& source, const PassPlan& pass) {
  try {
    auto values = nlohmann::ordered_json::parse(pass.parameters_json);
    std::map<std::string, std::string> missing;
    if (const auto it = values.find("!"); it != values.end()) {
      missing = it->get<std::map<std::string, std::string>>();
      values.erase("!");
    }
    HB_TRY(const std::shared_ptr<minja::TemplateNode> node, parsed(source));
    const auto context =
        std::make_shared<StrictContext>(minja::Value(values), std::move(missing), source.optional_names);
    struct LetGo {
      StrictContext& context;
      ~LetGo() { context.let_go(); }
    } const at_the_end{*context};
    return node->render(context);
  } catch (const std::exception& e) {
    return fail(ErrorCode::parse, std::format("the template {} of {} cannot be rendered: {}", source.name, pass.label,
                                              first_line(e.what())));
  }
}

}  // namespace

Result<std::string> render(const Package& package, const PassPlan& pass) {
  if (pass.shader == kPlaceColumns) return with_prologue(place_columns(pass), pass);
  const Manifest& manifest = package.manifest();
  const auto it = std::ranges::find(manifest.templates, pass.shader, &Template::name);
  if (it == manifest.templates.end())
    return fail(ErrorCode::not_found,
                std::format("the package {} was loaded without the template {}", manifest.name, pass.shader));
  HB_TRY(const std::string body, render_body(*it, pass));
  return with_prologue(body, pass);
}

}  // namespace halfbyte
