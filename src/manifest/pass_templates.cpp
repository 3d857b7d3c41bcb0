// A pass's template: found, scanned, its names looked up.
#include <algorithm>

#include "manifest/loader.hpp"

namespace halfbyte {

Result<void> Loader::attach_template(const JsonValue& shader, PassSpec& pass, Scope* scope) {
  HB_CHECK(doc_.expect(shader, JsonValue::Kind::string, std::format("the \"shader\" of the pass {}", pass.id)));
  pass.shader = shader.text;
  const size_t colon = pass.shader.find(':');
  const std::string package = colon == std::string::npos ? "" : pass.shader.substr(0, colon);
  const std::string file = colon == std::string::npos ? pass.shader : pass.shader.substr(colon + 1);
  if (!is_file_name(file))
    return doc_.error(shader,
                      std::format("\"{}\" is not a file name, allowed are letters, digits, '_', '.' and '-'", file));
  if (colon != std::string::npos && std::ranges::find(manifest_->uses, package) == manifest_->uses.end())
    return doc_.error(shader, std::format("the package \"{}\" is not listed in \"uses\"", package));
  if (template_texts_.empty()) return {};

  auto index = templates_.get(pass.shader);
  if (!index && index.error().where.file.empty()) return doc_.error(shader, index.error().message);
  if (!index) return fail(std::move(index).error());
  const ScannedTemplate& scanned = templates_.at(*index);
  if (static_cast<size_t>(*index) == manifest_->templates.size()) {
    Template& added =
        manifest_->templates.emplace_back(Template{pass.shader, scanned.text, Hasher().add(scanned.text).finish(), {}});
    for (const TemplateName& name : scanned.names)
      if (name.optional && name.group.empty()) added.optional_names.push_back(name.name);
  }
  pass.template_index = *index;
  for (const TemplateName& name : scanned.names) {
    if (name.optional && name.group.empty() && !scope->find(name.name)) continue;
    HB_TRY(std::optional<TemplateParameter> p, parameter(name, pass, scope));
    if (p) pass.parameters.push_back(std::move(*p));
  }
  return {};
}

Result<std::optional<TemplateParameter>> Loader::parameter(const TemplateName& name, const PassSpec& pass,
                                                           Scope* scope) {
  TemplateParameter p;
  p.group = name.group;
  p.name = name.name;
  if (name.group == "bound" || name.group == "element") {
    p.kind = name.group == "bound" ? TemplateParameter::Kind::bound : TemplateParameter::Kind::element;
    const auto it = std::ranges::find(pass.bindings, name.name, &BindingSpec::name);
    if (it == pass.bindings.end()) {
      // A template shared by several passes may ask for what only others bind: bound.NAME is false, element.NAME undefined.
      if (!name.shared) foreign_names_.push_back(name);
      return p.kind == TemplateParameter::Kind::bound ? std::optional(p) : std::nullopt;
    }
    if (p.kind == TemplateParameter::Kind::element && it->from == BindingSource::uniform)
      return fail(ErrorCode::parse, std::format("element.{} names no buffer of the pass {}", name.name, pass.id),
                  name.where);
    return p;
  }
  auto ast = expr::parse(name.group.empty() ? name.name : name.group + "." + name.name);
  if (!ast) return fail(ErrorCode::parse, ast.error().message, name.where);
  auto compiled = compile(*ast, doc_.root(), 0, scope);
  // An unknown name is an error at its place in the template, not in the manifest.
  if (!compiled)
    return fail(ErrorCode::parse, std::format("{} in the template of the pass {}", compiled.error().message, pass.id),
                name.where);
  if (compiled->expression.type == expr::Type::shape)
    return fail(ErrorCode::parse,
                std::format("{} is a list, a template reads numbers, booleans and strings", name.name), name.where);
  p.expression = compiled->expression;
  return p;
}

Result<void> Loader::check_foreign_names() {
  for (const TemplateName& name : foreign_names_) {
    const auto binds = [&](const PassSpec& pass) {
      return std::ranges::contains(pass.bindings, name.name, &BindingSpec::name);
    };
    const bool known = std::ranges::any_of(manifest_->variants, [&](const VariantSpec& v) {
      return std::ranges::any_of(v.passes, binds) || (v.prepack && std::ranges::any_of(v.prepack->passes, binds));
    });
    if (!known)
      return fail(ErrorCode::parse, std::format("{}.{} names no binding of any pass", name.group, name.name),
                  name.where);
  }
  return {};
}

void Loader::warn_unused_templates() {
  for (const std::string& name : templates_.unused())
    manifest_->warnings.push_back(
        {ErrorCode::parse, std::format("no pass uses the template {}", name), {templates_.path_of(name), 1, 1}, {}});
  for (const auto& [key, value] : binding_table_)
    if (!used_bindings_.contains(key))
      manifest_->warnings.push_back(
          {ErrorCode::parse, std::format("the binding {} is not used", key), doc_.place(value->offset), {}});
}

}  // namespace halfbyte
