// The binding table and the bindings of a pass.
#include <algorithm>

#include "manifest/loader.hpp"

namespace halfbyte {
namespace {

using Kind = JsonValue::Kind;
using expr::Type;

constexpr size_t kMaxBindings = 64;  // of a pass
constexpr size_t kMaxFields = 256;   // of a uniform: 1 KiB

// Letters, digits and what a WGSL type is made of, so that a manifest cannot put statements into a prologue.
bool looks_like_type(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '<' ||
           c == '>' || c == ',' || c == ' ';
  });
}

}  // namespace

Result<void> Loader::check_binding_table() {
  const JsonValue* table = doc_.root().find("bindings");
  if (!table) return {};
  HB_CHECK(doc_.expect(*table, Kind::object, "\"bindings\""));
  for (const JsonMember& member : table->members) {
    HB_CHECK(doc_.expect(member.value, Kind::object, std::format("the binding {}", member.key)));
    if (!is_identifier(member.key))
      return doc_.error(member.offset, std::format("the binding key \"{}\" is not an identifier", member.key));
    binding_table_[member.key] = &member.value;
  }
  return {};
}

Result<void> Loader::load_bindings(const JsonValue& array, PassSpec& pass, const BindingContext& context) {
  HB_CHECK(doc_.expect(array, Kind::array, std::format("the bindings of the pass {}", pass.id)));
  if (array.items.size() > kMaxBindings)
    return doc_.error(array, std::format("the pass {} has more than {} bindings", pass.id, kMaxBindings));
  for (const JsonValue& item : array.items) {
    BindingSpec binding;
    if (item.is(Kind::string)) {
      std::string key = item.text;
      const bool optional = key.ends_with('?');
      if (optional) key.pop_back();
      const auto it = binding_table_.find(key);
      if (it == binding_table_.end()) {
        std::vector<std::string> candidates;
        for (const auto& [name, value] : binding_table_) candidates.push_back(name);
        return doc_.error(item, std::format("unknown binding \"{}\"{}", key, did_you_mean(key, candidates)));
      }
      used_bindings_.insert(key);
      HB_TRY(binding, load_binding(*it->second, key, context));
      binding.optional = optional;
      const bool can_be_absent = binding.from == BindingSource::argument ||
                                 (binding.from == BindingSource::prepacked &&
                                  context.prepack->buffers[static_cast<size_t>(binding.tensor)].condition);
      if (optional && !can_be_absent)
        return doc_.error(item, std::format("the binding {} is marked optional, but only an input, or a prepacked "
                                            "buffer with an \"if\", can be absent",
                                            key));
    } else {
      HB_TRY(binding, load_binding(item, "", context));
    }
    if (std::ranges::find(pass.bindings, binding.name, &BindingSpec::name) != pass.bindings.end())
      return doc_.error(item, std::format("the pass {} binds two buffers under the name {}", pass.id, binding.name));
    pass.bindings.push_back(std::move(binding));
  }
  return {};
}

Result<BindingSpec> Loader::load_binding(const JsonValue& object, const std::string& key,
                                         const BindingContext& context) {
  const std::string what = key.empty() ? "a binding" : std::format("the binding {}", key);
  HB_CHECK(doc_.expect_keys(object, what,
                            {"arg", "scratch", "prepacked", "struct", "name", "buffer", "elementType", "length"}));
  BindingSpec b;
  HB_CHECK(load_binding_source(object, key, context, b));
  b.name = key.empty() ? b.source : key;
  if (const JsonValue* name = object.find("name")) {
    HB_CHECK(doc_.expect(*name, Kind::string, std::format("the \"name\" of {}", what)));
    b.name = name->text;
  }
  if (!is_identifier(b.name))
    return doc_.error(object, std::format("{} has the name \"{}\", which is not an identifier", what, b.name));
  if (b.from == BindingSource::uniform) {
    for (const std::string_view other : {"buffer", "elementType", "length"})
      if (const JsonValue* value = object.find(other))
        return doc_.error(*value, std::format("\"{}\" does not go with a struct", other));
    HB_CHECK(load_uniform(*object.find("struct"), context.scope, b));
    return b;
  }
  if (const JsonValue* buffer = object.find("buffer")) {
    HB_CHECK(doc_.expect(*buffer, Kind::string, std::format("the \"buffer\" of {}", what)));
    if (buffer->text != "read-only-storage" && buffer->text != "storage")
      return doc_.error(
          *buffer, std::format("unknown buffer kind \"{}\", there are read-only-storage and storage", buffer->text));
    b.read_write = buffer->text == "storage";
  }
  HB_CHECK(load_binding_type(object, context, b));
  return b;
}

Result<void> Loader::load_binding_source(const JsonValue& object, const std::string& key, const BindingContext& context,
                                         BindingSpec& b) {
  const JsonValue* source = nullptr;
  for (const auto& [word, from] : {std::pair<std::string_view, BindingSource>{"arg", BindingSource::argument},
                                   {"scratch", BindingSource::scratch},
                                   {"prepacked", BindingSource::prepacked},
                                   {"struct", BindingSource::uniform}}) {
    const JsonValue* value = object.find(word);
    if (!value) continue;
    if (source) return doc_.error(*value, "a binding has one of arg, scratch, prepacked and struct, this one has two");
    source = value;
    b.from = from;
    if (from == BindingSource::uniform) continue;
    HB_CHECK(doc_.expect(*value, Kind::string, std::format("\"{}\" of a binding", word)));
    b.source = value->text;
  }
  if (!source && key.empty()) return doc_.error(object, "a binding needs one of arg, scratch, prepacked and struct");
  if (!source) {  // a table entry without a source is the scratch buffer of its own name
    b.from = BindingSource::scratch;
    b.source = key;
    source = &object;
  }
  const auto missing = [&](std::string_view what) {
    return doc_.error(*source, std::format("the binding refers to the unknown {} {}", what, b.source));
  };
  switch (b.from) {
    case BindingSource::argument: {
      const TensorSpec* tensor = manifest_->find_tensor(b.source);
      if (!tensor) return missing("input or output");
      if (context.prepacking && tensor->is_output) return doc_.error(*source, "a prepack pass cannot bind an output");
      b.tensor = static_cast<int>(tensor - manifest_->tensors.data());
      b.read_write = tensor->is_output;
      return {};
    }
    case BindingSource::scratch:
      b.read_write = true;
      if (context.prepacking)
        return doc_.error(*source, "a prepack pass has no scratch buffers, only its prepacked ones");
      if (std::ranges::find(context.variant->intermediates, b.source, &BufferSpec::id) ==
          context.variant->intermediates.end())
        return missing(std::format("intermediate of the variant {}:", context.variant->id));
      return {};
    case BindingSource::prepacked:
      b.read_write = context.prepacking;
      if (context.prepack)
        for (size_t i = 0; i < context.prepack->buffers.size(); ++i)
          if (context.prepack->buffers[i].id == b.source) b.tensor = static_cast<int>(i);
      if (b.tensor < 0) return missing(std::format("prepacked buffer of the variant {}:", context.variant->id));
      return {};
    case BindingSource::uniform: return {};
  }
  return {};
}

Result<void> Loader::load_binding_type(const JsonValue& object, const BindingContext& context, BindingSpec& b) {
  if (const JsonValue* type = object.find("elementType")) {
    HB_CHECK(doc_.expect(*type, Kind::string, "\"elementType\""));
    if (type->text.starts_with('$')) {
      HB_TRY(b.element_type_formula, reference(*type, context.scope, "\"elementType\"", Type::string));
    } else if (!looks_like_type(type->text)) {
      return doc_.error(*type, std::format("\"{}\" is not a WGSL type", type->text));
    }
    b.element_type = b.element_type_formula ? "" : type->text;
  }
  const JsonValue* length = object.find("length");
  if (!length) return {};
  if (length->is(Kind::string)) {
    if (!length->text.starts_with('$'))
      return doc_.error(*length, "\"length\" must be a number or \"$\" and the name of a derive");
    HB_TRY(b.length, reference(*length, context.scope, "\"length\"", Type::number));
  } else {
    HB_TRY(b.length, formula(*length, context.scope, "\"length\"", Type::number));
  }
  return {};
}

Result<void> Loader::load_uniform(const JsonValue& array, Scope* scope, BindingSpec& b) {
  HB_CHECK(doc_.expect(array, Kind::array, "\"struct\""));
  if (array.items.empty()) return doc_.error(array, std::format("the struct {} has no field", b.name));
  if (array.items.size() > kMaxFields)
    return doc_.error(array, std::format("the struct {} has more than {} fields", b.name, kMaxFields));
  for (const JsonValue& item : array.items) {
    HB_CHECK(doc_.expect_keys(item, "a field", {"name", "type", "value"}));
    UniformFieldSpec field;
    HB_TRY(const JsonValue* name, doc_.need(item, "name", "a field"));
    HB_CHECK(doc_.expect(*name, Kind::string, "the \"name\" of a field"));
    if (!is_identifier(name->text))
      return doc_.error(*name, std::format("the field name \"{}\" is not an identifier", name->text));
    if (std::ranges::find(b.fields, name->text, &UniformFieldSpec::name) != b.fields.end())
      return doc_.error(*name, std::format("the field {} is given twice", name->text));
    field.name = name->text;
    HB_TRY(const JsonValue* type, doc_.need(item, "type", "a field"));
    HB_CHECK(doc_.expect(*type, Kind::string, "the \"type\" of a field"));
    if (type->text != "u32" && type->text != "i32" && type->text != "f32")
      return doc_.error(
          *type, std::format("the field {} has the type \"{}\", there are u32, i32 and f32", field.name, type->text));
    field.type = type->text;
    HB_TRY(const JsonValue* value, doc_.need(item, "value", "a field"));
    HB_TRY(field.value, formula(*value, scope, std::format("the value of {}", field.name), Type::number));
    b.fields.push_back(std::move(field));
  }
  return {};
}

}  // namespace halfbyte
