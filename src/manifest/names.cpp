// Names, scopes and derives.
#include <algorithm>

#include "manifest/loader.hpp"

namespace halfbyte {
namespace {

using expr::Meaning;
using expr::Op;
using expr::Type;

const std::array<std::string_view, 8> kObjects{"attrs",   "shapes",   "ranks",  "tensorDtypes",
                                               "present", "tunables", "device", "constant"};
const std::array<std::string_view, 12> kReserved{"min",   "max",      "ceilDiv",  "numel",        "dim",   "has",
                                                 "f16Ok", "pow2ceil", "constant", "matrixConfig", "bound", "element"};

bool is_reserved(std::string_view name) {
  return std::ranges::find(kObjects, name) != kObjects.end() || std::ranges::find(kReserved, name) != kReserved.end() ||
         name == "DISPATCH_FOLD_WIDTH" || name == "and" || name == "or" || name == "not" || name == "if" ||
         name == "else" || name == "true" || name == "false";
}

class ScopeNames : public expr::Names {
 public:
  ScopeNames(Loader& loader, Scope* scope) : loader_(loader), scope_(scope) {}
  Result<Meaning> value(std::string_view path) override {
    return loader_.value_of(path, scope_, scope_ == nullptr, depth);
  }
  Result<Meaning> has(std::string_view object, std::string_view key) override { return loader_.has(object, key); }
  Result<Meaning> flag(std::string_view function, std::string_view name) override {
    return loader_.flag(function, name);
  }

 private:
  Loader& loader_;
  Scope* scope_;
};

std::vector<std::string> undotted_names(const expr::Ast& ast) {
  std::vector<std::string> names;
  for (const expr::Node& node : ast.nodes) {
    if (node.op != Op::name) continue;
    const std::string& path = ast.strings[static_cast<size_t>(node.index)];
    if (path.find('.') == std::string::npos) names.push_back(path);
  }
  return names;
}

}  // namespace

const std::vector<std::string>& known_limits() {
  static const std::vector<std::string> names{"maxTextureDimension1D",
                                              "maxTextureDimension2D",
                                              "maxTextureDimension3D",
                                              "maxTextureArrayLayers",
                                              "maxBindGroups",
                                              "maxBindGroupsPlusVertexBuffers",
                                              "maxBindingsPerBindGroup",
                                              "maxDynamicUniformBuffersPerPipelineLayout",
                                              "maxDynamicStorageBuffersPerPipelineLayout",
                                              "maxSampledTexturesPerShaderStage",
                                              "maxSamplersPerShaderStage",
                                              "maxStorageBuffersPerShaderStage",
                                              "maxStorageTexturesPerShaderStage",
                                              "maxUniformBuffersPerShaderStage",
                                              "maxUniformBufferBindingSize",
                                              "maxStorageBufferBindingSize",
                                              "minUniformBufferOffsetAlignment",
                                              "minStorageBufferOffsetAlignment",
                                              "maxVertexBuffers",
                                              "maxBufferSize",
                                              "maxVertexAttributes",
                                              "maxVertexBufferArrayStride",
                                              "maxInterStageShaderVariables",
                                              "maxColorAttachments",
                                              "maxColorAttachmentBytesPerSample",
                                              "maxComputeWorkgroupStorageSize",
                                              "maxComputeInvocationsPerWorkgroup",
                                              "maxComputeWorkgroupSizeX",
                                              "maxComputeWorkgroupSizeY",
                                              "maxComputeWorkgroupSizeZ",
                                              "maxComputeWorkgroupsPerDimension",
                                              "maxImmediateSize",
                                              "maxStorageBuffersInVertexStage",
                                              "maxStorageTexturesInVertexStage",
                                              "maxStorageBuffersInFragmentStage",
                                              "maxStorageTexturesInFragmentStage"};
  return names;
}

const std::array<std::string, 6>& adapter_fields() {
  static const std::array<std::string, 6> names{"vendor",      "architecture",    "device",
                                                "description", "subgroupMinSize", "subgroupMaxSize"};
  return names;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || text.starts_with("__") || text == "_") return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return letter(text[0]) && std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_file_name(std::string_view text) {
  if (text.empty() || text == "." || text == "..") return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
}

DeriveDef* Scope::find(std::string_view name) const {
  for (const Scope* s = this; s; s = s->parent)
    if (const auto it = s->own.find(name); it != s->own.end()) return it->second;
  return nullptr;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> list;
  for (const Scope* s = this; s; s = s->parent)
    for (const auto& [name, def] : s->own) list.push_back(name);
  return list;
}

Result<int32_t> Loader::named_slot(std::vector<std::pair<std::string, int32_t>>& table, std::string_view name) {
  constexpr size_t kMaxNames = 256;
  for (const auto& [known, slot] : table)
    if (known == name) return slot;
  if (table.size() >= kMaxNames)
    return fail(ErrorCode::parse, std::format("the manifest asks for more than {} features or limits", kMaxNames));
  table.emplace_back(name, new_slot());
  return table.back().second;
}

Error Loader::place_error(Error error, const JsonValue& at, size_t text_offset) const {
  if (!error.where.file.empty()) return error;
  const size_t index = text_offset + static_cast<size_t>(std::max(error.where.column, 1) - 1);
  error.where = at.is(JsonValue::Kind::string) ? doc_.place_in_string(at, index) : doc_.place(at.offset);
  return error;
}

Result<Formula> Loader::compile(const expr::Ast& ast, const JsonValue& at, size_t text_offset, Scope* scope) {
  ScopeNames names(*this, scope);
  auto compiled = expr::compile(ast, names, manifest_->program);
  if (!compiled) return fail(place_error(std::move(compiled).error(), at, text_offset));
  roots_.push_back(compiled->expression.root);
  return Formula{compiled->expression, doc_.place(at.offset)};
}

Result<Formula> Loader::formula(const JsonValue& value, Scope* scope, std::string_view what) {
  switch (value.kind) {
    case JsonValue::Kind::number: return compile(expr::literal(value.number), value, 0, scope);
    case JsonValue::Kind::boolean: return compile(expr::literal(value.boolean), value, 0, scope);
    case JsonValue::Kind::string: break;
    default:
      return doc_.error(value, std::format("{} is {}, it must be an expression in a string, a number or a boolean",
                                           what, name(value.kind)));
  }
  auto ast = expr::parse(value.text);
  if (!ast) return fail(place_error(std::move(ast).error(), value, 0));
  return compile(*ast, value, 0, scope);
}

Result<Formula> Loader::formula(const JsonValue& value, Scope* scope, std::string_view what, Type type) {
  HB_TRY(Formula result, formula(value, scope, what));
  if (result.expression.type != type)
    return doc_.error(
        value, std::format("{} is a {}, it must be a {}", what, expr::name(result.expression.type), expr::name(type)));
  return result;
}

Result<Formula> Loader::reference(const JsonValue& value, Scope* scope, std::string_view what, Type type) {
  const std::string_view name = std::string_view(value.text).substr(1);
  if (!scope->find(name)) {
    return fail(ErrorCode::parse,
                std::format("{} refers to the unknown derive {}{}", what, name, did_you_mean(name, scope->names())),
                doc_.place_in_string(value, 1));
  }
  auto ast = expr::parse(name);
  if (!ast) return fail(place_error(std::move(ast).error(), value, 1));
  HB_TRY(Formula result, compile(*ast, value, 1, scope));
  if (result.expression.type != type)
    return doc_.error(value, std::format("{} refers to {}, a {}, it must be a {}", what, name,
                                         expr::name(result.expression.type), expr::name(type)));
  return result;
}

Result<Scope*> Loader::open_scope(Scope* parent, std::string what, const JsonValue* derives) {
  const bool empty = !derives || (derives->is(JsonValue::Kind::object) && derives->members.empty());
  if (parent && empty) return parent;
  Scope& scope = scopes_.emplace_back();
  scope.parent = parent;
  scope.what = std::move(what);
  if (!derives) return &scope;
  HB_CHECK(doc_.expect(*derives, JsonValue::Kind::object, std::format("the \"derive\" of {}", scope.what)));
  for (const JsonMember& member : derives->members) {
    if (!is_identifier(member.key))
      return doc_.error(member.offset, std::format("the derive name \"{}\" is not an identifier", member.key));
    if (is_reserved(member.key))
      return doc_.error(member.offset, std::format("the derive name {} is a word of the language", member.key));
    DeriveDef& def = defs_.emplace_back();
    def.name = member.key;
    def.value = &member.value;
    def.key_offset = member.offset;
    switch (member.value.kind) {
      case JsonValue::Kind::number: def.ast = expr::literal(member.value.number); break;
      case JsonValue::Kind::boolean: def.ast = expr::literal(member.value.boolean); break;
      case JsonValue::Kind::string: {
        auto ast = expr::parse(member.value.text);
        if (!ast) return fail(place_error(std::move(ast).error(), member.value, 0));
        def.ast = std::move(*ast);
        break;
      }
      default:
        return doc_.error(
            member.value,
            std::format("the derive {} is {}, it must be an expression in a string, a number or a boolean", member.key,
                        name(member.value.kind)));
    }
    def.refers_to = undotted_names(def.ast);
    scope.own[def.name] = &def;
    scope.affected.insert(def.name);
  }
  HB_CHECK(find_affected(scope, *derives));
  return &scope;
}

// Outer derives that lead to a name of this scope.
Result<void> Loader::find_affected(Scope& scope, const JsonValue& at) {
  constexpr size_t kMaxWork = 20'000'000;  // a second
  std::map<std::string_view, std::vector<std::string_view>> users;
  for (const Scope* s = scope.parent; s; s = s->parent)
    for (const auto& [name, def] : s->own) {
      scope_work_ += 1 + def->refers_to.size();
      if (scope_work_ > kMaxWork) return doc_.error(at, "too many derives are redefined in too many places");
      for (const std::string& used : def->refers_to) users[used].push_back(name);
    }
  std::vector<std::string_view> pending(scope.affected.begin(), scope.affected.end());
  while (!pending.empty()) {
    const auto found = users.find(pending.back());
    pending.pop_back();
    if (found == users.end()) continue;
    for (const std::string_view user : found->second)
      if (const auto [it, inserted] = scope.affected.emplace(user); inserted) pending.push_back(*it);
  }
  return {};
}

Result<void> Loader::check_all(Scope& scope) {
  for (const auto& [name, def] : scope.own) {
    unknown_name_ = false;
    auto checked = derive(scope, name, 1);
    if (checked) continue;
    if (scope.parent || !unknown_name_) return fail(place_error(std::move(checked).error(), *def->value, 0));
    // A derive of the manifest may be meant for variants that define what it refers to: check_deferred decides.
    deferred_.emplace_back(name, place_error(std::move(checked).error(), *def->value, 0));
  }
  return {};
}

Result<void> Loader::check_deferred() {
  constexpr size_t kMaxWork = 20'000'000, kOneTry = 1000;  // a second; a try goes through up to 512 derives
  for (const auto& [name, error] : deferred_) {
    const auto compiled = [&](const Scope& scope) { return scope.instances.contains(name); };
    if (std::ranges::any_of(scopes_, compiled)) continue;
    // Nothing that a variant evaluates leads to it: a template may, and there may be none here. It must have a meaning for one of them.
    const auto compiles = [&](Scope& scope) {
      if (!scope.parent || !scope.affected.contains(name) || scope_work_ > kMaxWork) return false;
      scope_work_ += kOneTry;
      return derive(scope, name, 1).has_value();
    };
    if (std::ranges::none_of(scopes_, compiles)) return fail(error);
  }
  return {};
}

Result<Meaning> Loader::derive(Scope& scope, std::string_view name, int depth) {
  if (const auto it = scope.instances.find(name); it != scope.instances.end()) {
    const expr::Derive& known = manifest_->program.derives[static_cast<size_t>(it->second)];
    return Meaning{Op::derive, known.expression.type, it->second, 0};
  }
  DeriveDef* def = scope.find(name);
  if (!def) {
    unknown_name_ = true;
    std::vector<std::string> candidates = scope.names();
    return fail(ErrorCode::parse, std::format("unknown name {}{}", name, did_you_mean(name, candidates)));
  }
  if (!scope.affected.contains(name)) return derive(*scope.parent, name, depth);

  const auto busy = std::ranges::find(busy_, std::pair<const Scope*, std::string>(&scope, name));
  if (busy != busy_.end()) {
    std::string cycle;
    for (auto it = busy; it != busy_.end(); ++it) cycle += it->second + " -> ";
    return fail(ErrorCode::parse, std::format("the derives {}{} form a cycle", cycle, name),
                doc_.place(def->key_offset));
  }
  if (depth > expr::kMaxStackDepth)
    return fail(ErrorCode::parse, std::format("derives are nested deeper than {}", expr::kMaxStackDepth),
                doc_.place(def->key_offset));
  busy_.emplace_back(&scope, name);
  ScopeNames names(*this, &scope);
  names.depth = depth;
  auto compiled = expr::compile(def->ast, names, manifest_->program);
  busy_.pop_back();
  if (!compiled) return fail(place_error(std::move(compiled).error(), *def->value, 0));
  const auto index = static_cast<int32_t>(manifest_->program.derives.size());
  manifest_->program.derives.push_back({std::string(name), compiled->expression, compiled->stack_depth});
  instance_defs_.push_back(def);
  scope.instances.emplace(name, index);
  return Meaning{Op::derive, compiled->expression.type, index, 0};
}

void Loader::warn_unused() {
  const expr::Program& program = manifest_->program;
  std::vector<int32_t> pending = roots_;
  std::vector<bool> reached(program.derives.size());
  while (!pending.empty()) {
    const int32_t node = pending.back();
    pending.pop_back();
    if (node < 0) continue;
    const expr::Node& n = program.nodes[static_cast<size_t>(node)];
    for (int32_t i = 0; i < n.count; ++i) pending.push_back(program.child(n, i));
    if (n.op != Op::derive || reached[static_cast<size_t>(n.index)]) continue;
    reached[static_cast<size_t>(n.index)] = true;
    instance_defs_[static_cast<size_t>(n.index)]->used = true;
    pending.push_back(program.derives[static_cast<size_t>(n.index)].expression.root);
  }
  for (const DeriveDef& def : defs_)
    if (!def.used)
      manifest_->warnings.push_back(
          {ErrorCode::parse, std::format("the derive {} is not used", def.name), doc_.place(def.key_offset), {}});
  for (const auto& [name, offset] : tunable_offsets_)
    if (!used_tunables_.contains(name))
      manifest_->warnings.push_back(
          {ErrorCode::parse, std::format("the tunable {} is not used", name), doc_.place(offset), {}});
}

Result<Meaning> Loader::value_of(std::string_view path, Scope* scope, bool inputs_only, int depth) {
  if (path.find('.') != std::string_view::npos) return dotted(path, inputs_only);
  if (path == "DISPATCH_FOLD_WIDTH") return Meaning{Op::number, Type::number, 0, kDispatchFoldWidth};
  if (std::ranges::find(kObjects, path) != kObjects.end())
    return fail(ErrorCode::parse, std::format("{} is an object, use a member of it: {}.NAME", path, path));
  if (!scope) return fail(ErrorCode::parse, std::format("unknown name {}, derives are not visible here", path));
  return derive(*scope, path, depth);
}

Result<Meaning> Loader::dotted(std::string_view path, bool inputs_only) {
  const size_t dot = path.find('.');
  const std::string_view object = path.substr(0, dot), key = path.substr(dot + 1);
  std::vector<std::string> candidates;
  const auto unknown = [&](std::string_view what) {
    return fail(ErrorCode::parse, std::format("unknown {} {}{}", what, key, did_you_mean(key, candidates)));
  };
  if (object == "attrs") {
    for (const AttributeSpec& a : manifest_->attributes) {
      if (a.name == key) return Meaning{Op::slot, a.type, a.slot, 0};
      candidates.push_back(a.name);
    }
    return unknown("attribute");
  }
  if (object == "tunables") {
    for (const TunableSpec& t : manifest_->tunables) {
      if (t.name == key) {
        used_tunables_.insert(t.name);
        return Meaning{Op::slot, Type::number, t.slot, 0};
      }
      candidates.push_back(t.name);
    }
    return unknown("tunable");
  }
  if (object == "shapes" || object == "ranks" || object == "tensorDtypes" || object == "present") {
    for (const TensorSpec& t : manifest_->tensors) {
      candidates.push_back(t.key);
      if (t.key != key) continue;
      if (inputs_only && t.is_output)
        return fail(ErrorCode::parse, std::format("{} may not be used where outputs are defined", path));
      if (object == "shapes") return Meaning{Op::slot, Type::shape, t.shape_slot, 0};
      if (object == "ranks") return Meaning{Op::slot, Type::number, t.rank_slot, 0};
      if (object == "tensorDtypes") return Meaning{Op::slot, Type::string, t.dtype_slot, 0};
      return Meaning{Op::slot, Type::boolean, t.present_slot, 0};
    }
    return unknown("input or output");
  }
  if (object != "device") return fail(ErrorCode::parse, std::format("unknown name {}", path));
  if (inputs_only) return fail(ErrorCode::parse, std::format("{} may not be used where outputs are defined", path));
  const size_t second = key.find('.');
  const std::string_view group = key.substr(0, second),
                         field = second == std::string_view::npos ? "" : key.substr(second + 1);
  if (group == "limits") {
    const auto& limits = known_limits();
    if (std::ranges::find(limits, field) == limits.end())
      return fail(ErrorCode::parse, std::format("unknown limit {}{}", field, did_you_mean(field, limits)));
    HB_TRY(const int32_t slot, named_slot(manifest_->limit_slots, field));
    return Meaning{Op::slot, Type::number, slot, 0};
  }
  if (group == "adapterInfo") {
    const auto& fields = adapter_fields();
    for (size_t i = 0; i < fields.size(); ++i)
      if (fields[i] == field)
        return Meaning{Op::slot, i < 4 ? Type::string : Type::number, manifest_->adapter_slots[i], 0};
    return fail(ErrorCode::parse,
                std::format("unknown adapter field {}{}", field, did_you_mean(field, {fields.begin(), fields.end()})));
  }
  return fail(
      ErrorCode::parse,
      std::format("unknown name {}, a device has features.has(), wgslLanguageFeatures.has(), limits and adapterInfo",
                  path));
}

Result<Meaning> Loader::has(std::string_view object, std::string_view key) {
  for (const std::string_view allowed :
       {"attrs", "shapes", "ranks", "tensorDtypes", "tunables", "device.limits", "device.adapterInfo"}) {
    if (object != allowed) continue;
    HB_TRY(Meaning meaning, dotted(std::format("{}.{}", object, key), false));
    return Meaning{Op::slot_present, Type::boolean, meaning.index, 0};
  }
  return fail(ErrorCode::parse,
              std::format("has does not look into {}, only into attrs, shapes, ranks, tensorDtypes, tunables, "
                          "device.limits and device.adapterInfo",
                          object));
}

Result<Meaning> Loader::flag(std::string_view function, std::string_view name) {
  if (function == "device.features.has" || function == "device.wgslLanguageFeatures.has") {
    auto& table = function == "device.features.has" ? manifest_->feature_slots : manifest_->language_feature_slots;
    HB_TRY(const int32_t slot, named_slot(table, name));
    return Meaning{Op::slot, Type::boolean, slot, 0};
  }
  std::vector<std::string> inputs;
  for (size_t i = 0; i < manifest_->input_count; ++i) {
    const TensorSpec& t = manifest_->tensors[i];
    if (t.key == name) return Meaning{Op::slot, Type::boolean, t.constant_slot, 0};
    inputs.push_back(t.key);
  }
  return fail(ErrorCode::parse, std::format("constant names the unknown input {}{}", name, did_you_mean(name, inputs)));
}

}  // namespace halfbyte
