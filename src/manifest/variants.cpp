// Variants, passes and buffers.
#include <algorithm>

#include "manifest/loader.hpp"

namespace halfbyte {
namespace {

using Kind = JsonValue::Kind;
using expr::Type;

constexpr size_t kMaxVariants = 1000;
constexpr size_t kMaxPasses = 64;   // of a variant; each is a dispatch
constexpr size_t kMaxBuffers = 64;  // of a variant; each is memory on the device

}  // namespace

Result<void> Loader::load_variants() {
  HB_TRY(const JsonValue* list, doc_.need(doc_.root(), "variants", "the manifest"));
  HB_CHECK(doc_.expect(*list, Kind::array, "\"variants\""));
  if (list->items.empty()) return doc_.error(*list, "the manifest has no variant");
  if (list->items.size() > kMaxVariants)
    return doc_.error(*list, std::format("the manifest has more than {} variants", kMaxVariants));
  for (const JsonValue& item : list->items) {
    HB_TRY(VariantSpec variant, load_variant(item));
    manifest_->variant_ids.push_back(variant.id);
    manifest_->variants.push_back(std::move(variant));
  }
  for (size_t i = 0; i < manifest_->variants.size(); ++i) manifest_->by_preference.push_back(static_cast<int>(i));
  std::ranges::stable_sort(manifest_->by_preference, std::greater{},
                           [&](int i) { return manifest_->variants[static_cast<size_t>(i)].priority; });
  return {};
}

// ONNX lets A be rounded to int8 at accuracy_level 4 and at no other, so a variant of that level alone that does not say what it rounds
// (public manifests cannot) is taken to do so.
bool is_for_level_4_alone(const JsonValue& variant) {
  const JsonValue* when = variant.find("when");
  return when && when->is(Kind::array) &&
         std::ranges::contains(when->items, "attrs.accuracy_level == 4", &JsonValue::text);
}

Result<VariantSpec> Loader::load_variant(const JsonValue& object) {
  HB_CHECK(doc_.expect_keys(object, "a variant",
                            {"id", "priority", "requires", "when", "demoteWhen", "derive", "intermediates", "passes",
                             "prepack", "numerics", "hold"}));
  VariantSpec variant;
  HB_TRY(const JsonValue* id, doc_.need(object, "id", "a variant"));
  HB_CHECK(doc_.expect(*id, Kind::string, "the \"id\" of a variant"));
  variant.id = id->text;
  if (!is_file_name(variant.id))
    return doc_.error(
        *id,
        std::format("the variant id \"{}\" has characters other than letters, digits, '_', '.' and '-'", id->text));
  if (std::ranges::find(manifest_->variant_ids, variant.id) != manifest_->variant_ids.end())
    return doc_.error(*id, std::format("the variant id \"{}\" is used twice", variant.id));
  HB_TRY(const JsonValue* priority, doc_.need(object, "priority", std::format("the variant {}", variant.id)));
  HB_CHECK(doc_.expect(*priority, Kind::number, "\"priority\""));
  variant.priority = priority->number;

  HB_TRY(Scope * scope, open_scope(root_scope_, std::format("the variant {}", variant.id), object.find("derive")));
  if (scope != root_scope_) HB_CHECK(check_all(*scope));
  if (const JsonValue* requires_object = object.find("requires")) {
    HB_TRY(variant.requirements, load_requirements(*requires_object));
  }
  HB_CHECK(load_variant_conditions(object, variant, scope));
  if (const JsonValue* buffers = object.find("intermediates")) {
    HB_TRY(variant.intermediates, load_buffers(*buffers, scope, "intermediates"));
  }
  if (const JsonValue* numerics = object.find("numerics")) {
    HB_TRY(variant.numerics, load_numerics(*numerics));
  } else if (is_for_level_4_alone(object)) {
    variant.numerics.activations = "int8";
  }
  if (const JsonValue* hold = object.find("hold")) HB_CHECK(load_hold(*hold, variant, scope));
  if (const JsonValue* prepack = object.find("prepack")) {
    HB_TRY(variant.prepack, load_prepack(*prepack, variant, scope));
  }
  HB_TRY(const JsonValue* passes, doc_.need(object, "passes", std::format("the variant {}", variant.id)));
  HB_TRY(variant.passes, load_passes(*passes, variant, variant.prepack ? &*variant.prepack : nullptr, false, scope));
  return variant;
}

Result<void> Loader::load_variant_conditions(const JsonValue& object, VariantSpec& variant, Scope* scope) {
  for (const auto& [key, target] : {std::pair<std::string_view, std::vector<Formula>*>{"when", &variant.when},
                                    {"demoteWhen", &variant.demote_when}}) {
    const JsonValue* list = object.find(key);
    if (!list) continue;
    HB_CHECK(doc_.expect(*list, Kind::array, std::format("\"{}\"", key)));
    for (const JsonValue& item : list->items) {
      HB_TRY(Formula condition, formula(item, scope, std::format("a condition of \"{}\"", key), Type::boolean));
      target->push_back(condition);
    }
  }
  return {};
}

Result<void> Loader::load_hold(const JsonValue& object, VariantSpec& variant, Scope* scope) {
  HB_CHECK(doc_.expect(object, Kind::object, "\"hold\""));
  for (const JsonMember& member : object.members) {
    std::vector<std::string> known;
    for (const TunableSpec& t : manifest_->tunables) known.push_back(t.name);
    if (!std::ranges::contains(known, member.key))
      return doc_.error(member.offset,
                        std::format("unknown tunable {}{}", member.key, did_you_mean(member.key, known)));
    HB_TRY(Formula value, formula(member.value, scope, std::format("{} of \"hold\"", member.key), Type::number));
    variant.hold.emplace_back(member.key, value);
  }
  return {};
}

Result<Requirements> Loader::load_requirements(const JsonValue& object) {
  Requirements result;
  HB_CHECK(doc_.expect_keys(object, "\"requires\"", {"features", "limits", "subgroupMatrixConfigs"}));
  if (const JsonValue* features = object.find("features")) {
    HB_TRY(result.features, doc_.strings(*features, "\"features\""));
  }
  if (const JsonValue* limits = object.find("limits")) {
    HB_CHECK(doc_.expect(*limits, Kind::object, "\"limits\""));
    for (const JsonMember& member : limits->members) {
      if (std::ranges::find(known_limits(), member.key) == known_limits().end())
        return doc_.error(member.offset,
                          std::format("unknown limit {}{}", member.key, did_you_mean(member.key, known_limits())));
      HB_CHECK(doc_.expect(member.value, Kind::number, std::format("the limit {}", member.key)));
      result.limits.emplace_back(member.key, member.value.number);
    }
  }
  const JsonValue* configs = object.find("subgroupMatrixConfigs");
  if (!configs) return result;
  HB_CHECK(doc_.expect(*configs, Kind::array, "\"subgroupMatrixConfigs\""));
  for (const JsonValue& item : configs->items) {
    HB_CHECK(doc_.expect_keys(item, "a subgroup matrix configuration",
                              {"componentType", "resultComponentType", "M", "N", "K"}));
    MatrixConfigSpec config;
    for (const auto& [key, text] : {std::pair<std::string_view, std::string*>{"componentType", &config.component_type},
                                    {"resultComponentType", &config.result_component_type}}) {
      HB_TRY(const JsonValue* value, doc_.need(item, key, "a subgroup matrix configuration"));
      HB_CHECK(doc_.expect(*value, Kind::string, std::format("\"{}\"", key)));
      *text = value->text;
    }
    for (const auto& [key, number] :
         {std::pair<std::string_view, int*>{"M", &config.M}, {"N", &config.N}, {"K", &config.K}}) {
      HB_TRY(const JsonValue* value, doc_.need(item, key, "a subgroup matrix configuration"));
      HB_CHECK(doc_.expect(*value, Kind::number, std::format("\"{}\"", key)));
      if (!(value->number >= 1 && value->number <= 65536))
        return doc_.error(*value, std::format("\"{}\" must be 1 to 65536", key));
      *number = static_cast<int>(value->number);
    }
    result.matrix_configs.push_back(std::move(config));
  }
  return result;
}

Result<NumericsSpec> Loader::load_numerics(const JsonValue& object) {
  NumericsSpec spec;
  HB_CHECK(doc_.expect_keys(object, "\"numerics\"", {"accumulate", "multiply", "activations"}));
  const auto word = [&](std::string_view key, std::initializer_list<std::string_view> allowed,
                        std::string& target) -> Result<void> {
    const JsonValue* value = object.find(key);
    if (!value) return {};
    HB_CHECK(doc_.expect(*value, Kind::string, std::format("\"{}\" of numerics", key)));
    if (std::ranges::find(allowed, value->text) == allowed.end())
      return doc_.error(*value, std::format("unknown \"{}\" of numerics: \"{}\"", key, value->text));
    target = value->text;
    return {};
  };
  HB_CHECK(word("accumulate", {"f32", "f16", "f16_block32", "i32"}, spec.accumulate));
  HB_CHECK(word("multiply", {"f32", "f16", "i8"}, spec.multiply));
  HB_CHECK(word("activations", {"int8", "f16"}, spec.activations));
  return spec;
}

Result<std::vector<BufferSpec>> Loader::load_buffers(const JsonValue& array, Scope* scope, std::string_view what) {
  HB_CHECK(doc_.expect(array, Kind::array, std::format("\"{}\"", what)));
  if (array.items.size() > kMaxBuffers)
    return doc_.error(array, std::format("{} has more than {} entries", what, kMaxBuffers));
  std::vector<BufferSpec> buffers;
  for (const JsonValue& item : array.items) {
    const std::string entry = std::format("an entry of {}", what);
    HB_CHECK(doc_.expect_keys(item, entry, {"id", "dtype", "shape", "if"}));
    BufferSpec buffer;
    HB_TRY(const JsonValue* id, doc_.need(item, "id", entry));
    HB_CHECK(doc_.expect(*id, Kind::string, std::format("the \"id\" of {}", entry)));
    buffer.id = id->text;
    if (!is_identifier(buffer.id))
      return doc_.error(*id, std::format("the buffer id \"{}\" is not an identifier", buffer.id));
    if (std::ranges::find(buffers, buffer.id, &BufferSpec::id) != buffers.end())
      return doc_.error(*id, std::format("the buffer id \"{}\" is used twice", buffer.id));
    HB_TRY(const JsonValue* dtype, doc_.need(item, "dtype", entry));
    HB_CHECK(doc_.expect(*dtype, Kind::string, std::format("the \"dtype\" of {}", entry)));
    const std::optional<DType> parsed = parse_dtype(dtype->text);
    if (!parsed) return doc_.error(*dtype, std::format("unknown dtype \"{}\"", dtype->text));
    buffer.dtype = *parsed;
    HB_TRY(const JsonValue* shape, doc_.need(item, "shape", entry));
    HB_TRY(buffer.shape, formula(*shape, scope, std::format("the shape of {}", buffer.id), Type::shape));
    if (const JsonValue* condition = item.find("if")) {
      if (what != "buffers") return doc_.error(*condition, "\"if\" is for prepacked buffers and for passes");
      HB_TRY(buffer.condition, formula(*condition, scope, std::format("the \"if\" of {}", buffer.id), Type::boolean));
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

Result<PrepackSpec> Loader::load_prepack(const JsonValue& object, const VariantSpec& variant, Scope* scope) {
  HB_CHECK(doc_.expect_keys(object, "\"prepack\"", {"from", "buffers", "passes"}));
  PrepackSpec spec;
  HB_TRY(const JsonValue* from, doc_.need(object, "from", "\"prepack\""));
  HB_TRY(const std::vector<std::string> keys, doc_.strings(*from, "\"from\""));
  if (keys.empty()) return doc_.error(*from, "\"from\" names no input");
  for (size_t i = 0; i < keys.size(); ++i) {
    const TensorSpec* tensor = manifest_->find_tensor(keys[i]);
    if (!tensor || tensor->is_output)
      return doc_.error(from->items[i], std::format("\"from\" names the unknown input {}", keys[i]));
    spec.from.push_back(static_cast<int>(tensor - manifest_->tensors.data()));
  }
  HB_TRY(const JsonValue* buffers, doc_.need(object, "buffers", "\"prepack\""));
  HB_TRY(spec.buffers, load_buffers(*buffers, scope, "buffers"));
  if (spec.buffers.empty()) return doc_.error(*buffers, "\"prepack\" has no buffer");
  HB_TRY(const JsonValue* passes, doc_.need(object, "passes", "\"prepack\""));
  HB_TRY(spec.passes, load_passes(*passes, variant, &spec, true, scope));
  return spec;
}

Result<std::vector<PassSpec>> Loader::load_passes(const JsonValue& array, const VariantSpec& variant,
                                                  const PrepackSpec* prepack, bool prepacking, Scope* scope) {
  HB_CHECK(doc_.expect(array, Kind::array, "\"passes\""));
  if (array.items.empty()) return doc_.error(array, std::format("the variant {} has no pass", variant.id));
  if (array.items.size() > kMaxPasses)
    return doc_.error(array, std::format("the variant {} has more than {} passes", variant.id, kMaxPasses));
  std::vector<PassSpec> passes;
  for (const JsonValue& item : array.items) {
    HB_TRY(PassSpec pass, load_pass(item, variant, prepack, prepacking, scope));
    if (std::ranges::find(passes, pass.id, &PassSpec::id) != passes.end())
      return doc_.error(item, std::format("the pass id \"{}\" is used twice in the variant {}", pass.id, variant.id));
    passes.push_back(std::move(pass));
  }
  return passes;
}

Result<PassSpec> Loader::load_pass(const JsonValue& object, const VariantSpec& variant, const PrepackSpec* prepack,
                                   bool prepacking, Scope* variant_scope) {
  HB_CHECK(doc_.expect_keys(object, "a pass", {"id", "name", "shader", "derive", "bindings", "dispatch", "if"}));
  PassSpec pass;
  HB_TRY(const JsonValue* id, doc_.need(object, "id", std::format("a pass of the variant {}", variant.id)));
  HB_CHECK(doc_.expect(*id, Kind::string, "the \"id\" of a pass"));
  if (!is_file_name(id->text))
    return doc_.error(
        *id, std::format("the pass id \"{}\" has characters other than letters, digits, '_', '.' and '-'", id->text));
  pass.id = id->text;
  if (const JsonValue* name = object.find("name")) {
    HB_CHECK(doc_.expect(*name, Kind::string, "the \"name\" of a pass"));
    pass.name = name->text;
  }
  const std::string what = std::format("the pass {} of the variant {}", pass.id, variant.id);
  HB_TRY(Scope * scope, open_scope(variant_scope, what, object.find("derive")));
  if (scope != variant_scope) HB_CHECK(check_all(*scope));
  if (const JsonValue* condition = object.find("if")) {
    HB_TRY(pass.condition, formula(*condition, scope, std::format("the \"if\" of {}", what), Type::boolean));
  }
  HB_TRY(const JsonValue* bindings, doc_.need(object, "bindings", what));
  HB_CHECK(load_bindings(*bindings, pass, {&variant, prepack, prepacking, scope}));
  HB_TRY(const JsonValue* dispatch, doc_.need(object, "dispatch", what));
  HB_CHECK(load_dispatch(*dispatch, pass, scope));
  HB_TRY(const JsonValue* shader, doc_.need(object, "shader", what));
  HB_CHECK(attach_template(*shader, pass, scope));
  return pass;
}

Result<void> Loader::load_dispatch(const JsonValue& object, PassSpec& pass, Scope* scope) {
  HB_CHECK(doc_.expect_keys(object, "\"dispatch\"", {"x", "y", "z"}));
  if (!object.find("x"))
    return doc_.error(object, std::format("the dispatch of the pass {} lacks the key \"x\"", pass.id));
  constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
  for (size_t i = 0; i < 3; ++i)
    if (const JsonValue* value = object.find(kAxes[i])) {
      HB_TRY(pass.dispatch[i], formula(*value, scope, std::format("the dispatch {}", kAxes[i]), Type::number));
    }
  return {};
}

}  // namespace halfbyte
