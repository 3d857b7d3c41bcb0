// Internal to src/manifest: the state shared by the steps of Package::load.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "manifest/json.hpp"
#include "manifest/manifest.hpp"
#include "manifest/templates.hpp"

namespace halfbyte {

// One entry of a "derive" object.
struct DeriveDef {
  std::string name;
  expr::Ast ast;
  const JsonValue* value = nullptr;  // its text's place
  size_t key_offset = 0;
  std::vector<std::string> refers_to;  // undotted names in it
  bool used = false;
};

// Derives visible at one level. Lookup is dynamic, as in compat/select_oracle.py: a derive of the manifest that mentions
// `workgroupSize` sees the variant's one when it is evaluated for that variant. So a scope compiles its own copy of an outer derive
// whenever the outer one leads to a name that this scope redefines, and shares it otherwise.
struct Scope {
  Scope* parent = nullptr;
  std::string what;  // "variant \"gemv\"", for messages
  std::map<std::string, DeriveDef*, std::less<>> own;
  std::set<std::string, std::less<>> affected;            // names whose meaning differs from the parent's
  std::map<std::string, int32_t, std::less<>> instances;  // name -> index of Program::derives

  DeriveDef* find(std::string_view name) const;
  std::vector<std::string> names() const;
};

class Loader {
 public:
  Loader(const JsonDocument& document, const std::map<std::string, std::string>& templates);

  Result<std::shared_ptr<const Manifest>> run(std::string_view manifest_text);

  // ---- names.cpp
  Result<expr::Meaning> value_of(std::string_view path, Scope* scope, bool inputs_only, int depth);
  Result<expr::Meaning> has(std::string_view object, std::string_view key);
  Result<expr::Meaning> flag(std::string_view function, std::string_view name);
  Result<void> find_affected(Scope& scope, const JsonValue& at);
  Result<expr::Meaning> derive(Scope& scope, std::string_view name, int depth);
  Result<Scope*> open_scope(Scope* parent, std::string what, const JsonValue* derives);
  // The expression in a JSON string, number or boolean, for scope (null: inputs and attributes only).
  Result<Formula> formula(const JsonValue& value, Scope* scope, std::string_view what);
  Result<Formula> formula(const JsonValue& value, Scope* scope, std::string_view what, expr::Type type);
  // "$name": the derive `name`.
  Result<Formula> reference(const JsonValue& value, Scope* scope, std::string_view what, expr::Type type);
  // Every derive of the scope is compiled, used or not. One of the manifest that does not compile there must do so for a variant.
  Result<void> check_all(Scope& scope);
  Result<void> check_deferred();
  void warn_unused();

 private:
  // ---- load.cpp
  Result<void> load_identity();
  Result<void> load_attributes();
  Result<void> load_type_constraints();
  Result<void> load_inputs();
  Result<void> load_outputs();
  Result<void> load_output_shapes();
  Result<void> load_tunables();
  Result<void> load_semantics();
  Result<void> load_semantics_tensors(const JsonValue& object, SemanticsSpec& spec);
  void infer_semantics();
  Result<TensorSpec> tensor_common(const JsonMember& member, std::string_view what);

  // ---- variants.cpp
  Result<void> load_variants();
  Result<VariantSpec> load_variant(const JsonValue& object);
  Result<void> load_variant_conditions(const JsonValue& object, VariantSpec& variant, Scope* scope);
  Result<void> load_hold(const JsonValue& object, VariantSpec& variant, Scope* scope);
  Result<Requirements> load_requirements(const JsonValue& object);
  Result<NumericsSpec> load_numerics(const JsonValue& object);
  Result<PrepackSpec> load_prepack(const JsonValue& object, const VariantSpec& variant, Scope* scope);
  Result<std::vector<BufferSpec>> load_buffers(const JsonValue& array, Scope* scope, std::string_view what);
  Result<std::vector<PassSpec>> load_passes(const JsonValue& array, const VariantSpec& variant,
                                            const PrepackSpec* prepack, bool prepacking, Scope* scope);
  Result<PassSpec> load_pass(const JsonValue& object, const VariantSpec& variant, const PrepackSpec* prepack,
                             bool prepacking, Scope* scope);
  Result<void> load_dispatch(const JsonValue& object, PassSpec& pass, Scope* scope);

  // ---- bindings.cpp
  struct BindingContext {
    const VariantSpec* variant;
    const PrepackSpec* prepack;
    bool prepacking;
    Scope* scope;
  };
  Result<void> check_binding_table();
  Result<void> load_bindings(const JsonValue& array, PassSpec& pass, const BindingContext& context);
  Result<BindingSpec> load_binding(const JsonValue& object, const std::string& key, const BindingContext& context);
  Result<void> load_binding_source(const JsonValue& object, const std::string& key, const BindingContext& context,
                                   BindingSpec& b);
  Result<void> load_binding_type(const JsonValue& object, const BindingContext& context, BindingSpec& b);
  Result<void> load_uniform(const JsonValue& array, Scope* scope, BindingSpec& b);

  // ---- pass_templates.cpp
  Result<void> attach_template(const JsonValue& shader, PassSpec& pass, Scope* scope);
  // Empty: the template reads it only where other passes have it.
  Result<std::optional<TemplateParameter>> parameter(const TemplateName& name, const PassSpec& pass, Scope* scope);
  Result<void> check_foreign_names();
  void warn_unused_templates();

  int32_t new_slot() { return static_cast<int32_t>(manifest_->slot_count++); }
  Result<int32_t> named_slot(std::vector<std::pair<std::string, int32_t>>& table, std::string_view name);
  Result<Formula> compile(const expr::Ast& ast, const JsonValue& at, size_t text_offset, Scope* scope);
  Error place_error(Error error, const JsonValue& at, size_t text_offset) const;
  Result<expr::Meaning> dotted(std::string_view path, bool inputs_only);
  std::string object_key(std::string_view group, std::string_view key);

  const JsonDocument& doc_;
  const std::map<std::string, std::string>& template_texts_;
  std::shared_ptr<Manifest> manifest_;
  std::deque<Scope> scopes_;
  std::deque<DeriveDef> defs_;
  Scope* root_scope_ = nullptr;
  std::vector<std::pair<const Scope*, std::string>> busy_;  // derives being compiled, outermost first
  std::vector<std::pair<std::string, Error>> deferred_;     // of the manifest's derives
  bool unknown_name_ = false;                               // was the last failure of derive() one
  std::vector<DeriveDef*> instance_defs_;                   // parallel to Program::derives
  std::vector<int32_t> roots_;                              // of every expression that is not a derive
  std::set<std::string> used_tunables_;
  std::map<std::string, const JsonValue*> binding_table_;
  std::set<std::string> used_bindings_;
  std::map<std::string, size_t> tunable_offsets_;
  TemplateCache templates_;
  size_t scope_work_ = 0;                    // names looked at to find what scopes change
  std::vector<TemplateName> foreign_names_;  // bound.X, element.X of passes that do not bind X
};

// The names of WebGPU limits, and of adapter fields in the order of Manifest::adapter_slots.
const std::vector<std::string>& known_limits();
const std::array<std::string, 6>& adapter_fields();

// [A-Za-z_][A-Za-z0-9_]* and not "__...": fit for WGSL and for expressions.
bool is_identifier(std::string_view text);
// [A-Za-z0-9_.-]+, not "." or "..": a file beside the manifest, never a path.
bool is_file_name(std::string_view text);

}  // namespace halfbyte
