// The operator's contract: tensors, attributes, tunables, semantics.
#include <algorithm>

#include "manifest/loader.hpp"

namespace halfbyte {
namespace {

using Kind = JsonValue::Kind;

constexpr size_t kMaxTensors = 64;  // a pass can bind fewer by far

std::string as_text(const JsonValue& value) {
  return value.is(Kind::string) ? value.text : expr::format_number(value.number);
}

}  // namespace

const TensorSpec* Manifest::find_tensor(std::string_view key) const {
  const auto it = std::ranges::find(tensors, key, &TensorSpec::key);
  return it == tensors.end() ? nullptr : &*it;
}

Loader::Loader(const JsonDocument& document, const std::map<std::string, std::string>& templates)
    : doc_(document),
      template_texts_(templates),
      manifest_(std::make_shared<Manifest>()),
      templates_(templates, document.file()) {}

Result<std::shared_ptr<const Manifest>> Loader::run(std::string_view manifest_text) {
  HB_CHECK(
      doc_.expect_keys(doc_.root(), "the manifest",
                       {"domain", "name", "sinceVersion", "inputs", "outputs", "attributes", "attributeConstraints",
                        "typeConstraints", "tunables", "derive", "bindings", "variants", "semantics", "uses"}));
  HB_CHECK(load_identity());
  HB_CHECK(load_attributes());
  HB_CHECK(load_type_constraints());
  HB_CHECK(load_inputs());
  HB_CHECK(load_outputs());
  HB_CHECK(load_tunables());
  HB_CHECK(load_output_shapes());
  HB_TRY(root_scope_, open_scope(nullptr, "the manifest", doc_.root().find("derive")));
  HB_CHECK(check_all(*root_scope_));
  HB_CHECK(check_binding_table());
  HB_CHECK(load_variants());
  HB_CHECK(check_deferred());
  HB_CHECK(check_foreign_names());
  HB_CHECK(load_semantics());
  if (!template_texts_.empty()) {
    warn_unused();
    warn_unused_templates();
  }
  Hasher hasher;
  hasher.add(manifest_text);
  // Of a sibling package only what is used: its other files may change without touching this package's programs and records.
  for (const auto& [name, text] : template_texts_)
    if (!name.contains(':') || templates_.used(name)) hasher.add(name).add(text);
  manifest_->hash = hasher.finish();
  return std::shared_ptr<const Manifest>(manifest_);
}

Result<void> Loader::load_identity() {
  manifest_->file = doc_.file();
  if (const JsonValue* domain = doc_.root().find("domain")) {
    HB_CHECK(doc_.expect(*domain, Kind::string, "\"domain\""));
    manifest_->domain = domain->text;
  }
  HB_TRY(const JsonValue* name, doc_.need(doc_.root(), "name", "the manifest"));
  HB_CHECK(doc_.expect(*name, Kind::string, "\"name\""));
  manifest_->op_name = name->text;
  manifest_->name = manifest_->domain.empty() ? name->text : manifest_->domain + "." + name->text;
  if (const JsonValue* version = doc_.root().find("sinceVersion"))
    HB_CHECK(doc_.expect(*version, Kind::number, "\"sinceVersion\""));
  if (const JsonValue* uses = doc_.root().find("uses")) {
    HB_TRY(manifest_->uses, doc_.strings(*uses, "\"uses\""));
    for (size_t i = 0; i < manifest_->uses.size(); ++i)
      if (!is_file_name(manifest_->uses[i]))
        return doc_.error(
            uses->items[i],
            std::format("\"{}\" is not the name of a sibling package, allowed are letters, digits, '_', '.' and '-'",
                        manifest_->uses[i]));
    templates_.allow(manifest_->uses);
  }
  for (int32_t& slot : manifest_->adapter_slots) slot = new_slot();
  return {};
}

Result<void> Loader::load_attributes() {
  const auto value_of = [&](const JsonValue& v, std::string_view what) -> Result<ManifestValue> {
    if (v.is(Kind::number)) return v.number;
    if (v.is(Kind::string)) return v.text;
    return doc_.error(v, std::format("{} is {}, it must be a number or a string", what, name(v.kind)));
  };
  if (const JsonValue* attributes = doc_.root().find("attributes")) {
    HB_CHECK(doc_.expect(*attributes, Kind::object, "\"attributes\""));
    for (const JsonMember& member : attributes->members) {
      AttributeSpec spec;
      spec.name = member.key;
      if (!is_identifier(spec.name))
        return doc_.error(member.offset, std::format("the attribute name \"{}\" is not an identifier", member.key));
      HB_CHECK(doc_.expect_keys(member.value, std::format("the attribute {}", member.key), {"default"}));
      if (const JsonValue* value = member.value.find("default")) {
        HB_TRY(spec.default_value, value_of(*value, std::format("the default of attribute {}", member.key)));
        if (value->is(Kind::string)) spec.type = expr::Type::string;
      }
      spec.slot = new_slot();
      manifest_->attributes.push_back(std::move(spec));
    }
  }
  const JsonValue* constraints = doc_.root().find("attributeConstraints");
  if (!constraints) return {};
  HB_CHECK(doc_.expect(*constraints, Kind::object, "\"attributeConstraints\""));
  for (const JsonMember& member : constraints->members) {
    const auto it = std::ranges::find(manifest_->attributes, member.key, &AttributeSpec::name);
    if (it == manifest_->attributes.end())
      return doc_.error(member.offset, std::format("attributeConstraints names the unknown attribute {}", member.key));
    const std::string what = std::format("the constraint of {}", member.key);
    HB_CHECK(doc_.expect_keys(member.value, what, {"required", "values"}));
    if (const JsonValue* required = member.value.find("required")) {
      HB_CHECK(doc_.expect(*required, Kind::boolean, "\"required\""));
      it->required = required->boolean;
    }
    const JsonValue* values = member.value.find("values");
    if (!values) continue;
    HB_CHECK(doc_.expect(*values, Kind::array, "\"values\""));
    for (const JsonValue& v : values->items) {
      HB_TRY(ManifestValue value, value_of(v, "an allowed value"));
      if (it->values.empty() && !it->default_value && v.is(Kind::string)) it->type = expr::Type::string;
      if (v.is(Kind::string) != (it->type == expr::Type::string))
        return doc_.error(v, std::format("the allowed value {} of {} is {}, the attribute is a {}", as_text(v),
                                         member.key, name(v.kind), expr::name(it->type)));
      it->values.push_back(std::move(value));
    }
  }
  return {};
}

Result<void> Loader::load_type_constraints() {
  const JsonValue* object = doc_.root().find("typeConstraints");
  if (!object) return {};
  HB_CHECK(doc_.expect(*object, Kind::object, "\"typeConstraints\""));
  for (const JsonMember& member : object->members) {
    TypeConstraint constraint{member.key, {}};
    const std::string what = std::format("the type constraint {}", member.key);
    if (parse_dtype(member.key)) return doc_.error(member.offset, std::format("{} has the name of a dtype", what));
    HB_TRY(const std::vector<std::string> names, doc_.strings(member.value, what));
    for (size_t i = 0; i < names.size(); ++i) {
      const std::optional<DType> dtype = parse_dtype(names[i]);
      if (!dtype)
        return doc_.error(member.value.items[i], std::format("{} lists the unknown dtype \"{}\"", what, names[i]));
      constraint.dtypes.push_back(*dtype);
    }
    if (constraint.dtypes.empty()) return doc_.error(member.value, std::format("{} is empty", what));
    manifest_->type_constraints.push_back(std::move(constraint));
  }
  return {};
}

Result<TensorSpec> Loader::tensor_common(const JsonMember& member, std::string_view what) {
  TensorSpec spec;
  spec.key = member.key;
  if (!is_identifier(spec.key))
    return doc_.error(member.offset, std::format("the {} key \"{}\" is not an identifier", what, member.key));
  if (manifest_->tensors.size() >= kMaxTensors)
    return doc_.error(member.offset, std::format("the manifest has more than {} inputs and outputs", kMaxTensors));
  if (manifest_->find_tensor(spec.key))
    return doc_.error(member.offset, std::format("the key {} is used twice", member.key));
  if (const JsonValue* onnx = member.value.find("onnx")) {
    HB_CHECK(doc_.expect(*onnx, Kind::string, "\"onnx\""));
    spec.onnx = onnx->text;
  }
  HB_TRY(const JsonValue* dtype, doc_.need(member.value, "dtype", std::format("the {} {}", what, member.key)));
  HB_CHECK(doc_.expect(*dtype, Kind::string, "\"dtype\""));
  spec.dtype = parse_dtype(dtype->text);
  if (!spec.dtype) {
    const auto it = std::ranges::find(manifest_->type_constraints, dtype->text, &TypeConstraint::name);
    if (it == manifest_->type_constraints.end())
      return doc_.error(*dtype, std::format("\"{}\" is neither a dtype nor a name of typeConstraints", dtype->text));
    spec.constraint = static_cast<int>(it - manifest_->type_constraints.begin());
  }
  spec.shape_slot = new_slot();
  spec.rank_slot = new_slot();
  spec.dtype_slot = new_slot();
  spec.present_slot = new_slot();
  spec.constant_slot = new_slot();
  return spec;
}

Result<void> Loader::load_inputs() {
  HB_TRY(const JsonValue* inputs, doc_.need(doc_.root(), "inputs", "the manifest"));
  HB_CHECK(doc_.expect(*inputs, Kind::object, "\"inputs\""));
  for (const JsonMember& member : inputs->members) {
    HB_CHECK(doc_.expect_keys(member.value, std::format("the input {}", member.key),
                              {"onnx", "dtype", "rank", "optional", "layout"}));
    HB_TRY(TensorSpec spec, tensor_common(member, "input"));
    if (const JsonValue* rank = member.value.find("rank")) {
      HB_CHECK(doc_.expect(*rank, Kind::number, "\"rank\" of an input"));
      if (rank->number < 0 || rank->number > static_cast<double>(expr::kMaxRank) ||
          rank->number != static_cast<int>(rank->number))
        return doc_.error(*rank, std::format("the rank of input {} is {}, it must be 0 to {}", member.key, rank->number,
                                             expr::kMaxRank));
      spec.rank = static_cast<int>(rank->number);
    }
    if (const JsonValue* optional = member.value.find("optional")) {
      HB_CHECK(doc_.expect(*optional, Kind::boolean, "\"optional\""));
      spec.optional = optional->boolean;
    }
    if (const JsonValue* layout = member.value.find("layout")) {
      HB_CHECK(doc_.expect(*layout, Kind::string, "\"layout\""));
      spec.layout = layout->text;
    }
    manifest_->tensors.push_back(std::move(spec));
  }
  manifest_->input_count = manifest_->tensors.size();
  return {};
}

Result<void> Loader::load_outputs() {
  HB_TRY(const JsonValue* outputs, doc_.need(doc_.root(), "outputs", "the manifest"));
  HB_CHECK(doc_.expect(*outputs, Kind::object, "\"outputs\""));
  if (outputs->members.empty()) return doc_.error(*outputs, "the manifest has no output");
  for (const JsonMember& member : outputs->members) {
    HB_CHECK(
        doc_.expect_keys(member.value, std::format("the output {}", member.key), {"onnx", "dtype", "rank", "shape"}));
    HB_TRY(TensorSpec spec, tensor_common(member, "output"));
    spec.is_output = true;
    const auto same_constraint = [&](const TensorSpec& t) { return !t.is_output && t.constraint == spec.constraint; };
    if (spec.constraint >= 0 && std::ranges::none_of(manifest_->tensors, same_constraint))
      return doc_.error(member.value, std::format("the dtype of output {} follows from no input", member.key));
    manifest_->tensors.push_back(std::move(spec));
  }
  return {};
}

Result<void> Loader::load_output_shapes() {
  for (const JsonMember& member : doc_.root().find("outputs")->members) {
    TensorSpec& spec = *std::ranges::find(manifest_->tensors, member.key, &TensorSpec::key);
    HB_TRY(const JsonValue* shape, doc_.need(member.value, "shape", std::format("the output {}", member.key)));
    HB_TRY(spec.shape, formula(*shape, nullptr, std::format("the shape of output {}", member.key), expr::Type::shape));
    if (const JsonValue* rank = member.value.find("rank")) {
      HB_TRY(spec.rank_formula,
             formula(*rank, nullptr, std::format("the rank of output {}", member.key), expr::Type::number));
    }
  }
  return {};
}

Result<void> Loader::load_tunables() {
  const JsonValue* tunables = doc_.root().find("tunables");
  if (!tunables) return {};
  HB_CHECK(doc_.expect(*tunables, Kind::object, "\"tunables\""));
  for (const JsonMember& member : tunables->members) {
    TunableSpec spec;
    spec.name = member.key;
    const std::string what = std::format("the tunable {}", member.key);
    if (!is_identifier(spec.name))
      return doc_.error(member.offset, std::format("the tunable name \"{}\" is not an identifier", member.key));
    HB_CHECK(doc_.expect_keys(member.value, what, {"default", "values"}));
    HB_TRY(const JsonValue* value, doc_.need(member.value, "default", what));
    HB_CHECK(doc_.expect(*value, Kind::number, std::format("the default of {}", what)));
    spec.default_value = value->number;
    if (const JsonValue* values = member.value.find("values")) {
      HB_TRY(spec.values, doc_.numbers(*values, std::format("the values of {}", what)));
      if (std::ranges::find(spec.values, spec.default_value) == spec.values.end())
        return doc_.error(*values, std::format("the values of {} do not contain its default {}", what,
                                               expr::format_number(spec.default_value)));
    }
    spec.slot = new_slot();
    tunable_offsets_[spec.name] = member.offset;
    manifest_->tunables.push_back(std::move(spec));
  }
  return {};
}

Result<void> Loader::load_semantics_tensors(const JsonValue& object, SemanticsSpec& spec) {
  const auto key_of = [&](const JsonValue& holder, std::string_view name, bool output,
                          std::string& key) -> Result<void> {
    const JsonValue* value = holder.find(name);
    if (!value) return {};
    HB_CHECK(doc_.expect(*value, Kind::string, std::format("\"{}\" of semantics", name)));
    const TensorSpec* tensor = manifest_->find_tensor(value->text);
    if (!tensor || tensor->is_output != output)
      return doc_.error(*value,
                        std::format("semantics names the unknown {} {}", output ? "output" : "input", value->text));
    key = value->text;
    return {};
  };
  const auto packed = [&](std::string_view name, std::initializer_list<std::string_view> layouts, std::string& key,
                          std::string& layout) -> Result<void> {
    const JsonValue* value = object.find(name);
    if (!value) return {};
    HB_CHECK(doc_.expect_keys(*value, std::format("\"{}\" of semantics", name), {"input", "layout"}));
    HB_CHECK(key_of(*value, "input", false, key));
    if (key.empty()) return doc_.error(*value, std::format("\"{}\" of semantics lacks the key \"input\"", name));
    const JsonValue* text = value->find("layout");
    if (!text) return {};
    HB_CHECK(doc_.expect(*text, Kind::string, "\"layout\""));
    if (std::ranges::find(layouts, text->text) == layouts.end())
      return doc_.error(*text, std::format("unknown layout \"{}\" of {}, there are {} and {}", text->text, name,
                                           *layouts.begin(), *(layouts.begin() + 1)));
    layout = text->text;
    return {};
  };
  HB_CHECK(key_of(object, "a", false, spec.a));
  HB_CHECK(key_of(object, "y", true, spec.y));
  HB_CHECK(key_of(object, "bias", false, spec.bias));
  HB_CHECK(packed("codes", {"onnx", "rows"}, spec.codes, spec.codes_layout));
  HB_CHECK(packed("scales", {"n_block", "block_n"}, spec.scales, spec.scales_layout));
  HB_CHECK(packed("zeroPoints", {"n_block", "block_n"}, spec.zero_points, spec.zero_points_layout));
  for (const auto& [name, key] : {std::pair<std::string_view, const std::string&>{"a", spec.a},
                                  {"y", spec.y},
                                  {"codes", spec.codes},
                                  {"scales", spec.scales}})
    if (key.empty()) return doc_.error(object, std::format("semantics lacks the key \"{}\"", name));
  return {};
}

Result<void> Loader::load_semantics() {
  const JsonValue* object = doc_.root().find("semantics");
  if (!object) {
    infer_semantics();
    return {};
  }
  HB_CHECK(doc_.expect_keys(*object, "semantics",
                            {"op", "a", "y", "bias", "K", "N", "bits", "blockSize", "codes", "scales", "zeroPoints"}));
  SemanticsSpec spec;
  HB_TRY(const JsonValue* op, doc_.need(*object, "op", "semantics"));
  HB_CHECK(doc_.expect(*op, Kind::string, "\"op\" of semantics"));
  spec.op = op->text;
  if (spec.op != "matmul_nbits")
    return doc_.error(*op, std::format("unknown op \"{}\" of semantics, there is matmul_nbits", spec.op));
  HB_CHECK(load_semantics_tensors(*object, spec));
  for (const auto& [key, target] : {std::pair<std::string_view, Formula*>{"K", &spec.K},
                                    {"N", &spec.N},
                                    {"bits", &spec.bits},
                                    {"blockSize", &spec.block_size}}) {
    HB_TRY(const JsonValue* value, doc_.need(*object, key, "semantics"));
    HB_TRY(*target, formula(*value, nullptr, std::format("\"{}\" of semantics", key), expr::Type::number));
  }
  manifest_->semantics = std::move(spec);
  return {};
}

// A public manifest has no "semantics"; ONNX's MatMulNBits is told by its ONNX names.
void Loader::infer_semantics() {
  if (manifest_->op_name != "MatMulNBits") return;
  SemanticsSpec spec;
  spec.op = "matmul_nbits";
  for (const TensorSpec& t : manifest_->tensors) {
    if (t.is_output && t.onnx == "Y") spec.y = t.key;
    if (t.is_output) continue;
    if (t.onnx == "A") spec.a = t.key;
    if (t.onnx == "B") spec.codes = t.key;
    if (t.onnx == "scales") spec.scales = t.key;
    if (t.onnx == "zero_points") spec.zero_points = t.key;
    if (t.onnx == "bias") spec.bias = t.key;
  }
  if (spec.a.empty() || spec.y.empty() || spec.codes.empty() || spec.scales.empty()) return;
  for (const auto& [path, target] : {std::pair<std::string_view, Formula*>{"attrs.K", &spec.K},
                                     {"attrs.N", &spec.N},
                                     {"attrs.bits", &spec.bits},
                                     {"attrs.block_size", &spec.block_size}}) {
    const auto ast = expr::parse(path);
    if (!ast) return;
    auto formula = compile(*ast, doc_.root(), 0, nullptr);
    if (!formula || formula->expression.type != expr::Type::number) return;
    *target = *formula;
  }
  manifest_->semantics = std::move(spec);
}

}  // namespace halfbyte
