#include <algorithm>
#include <cmath>
#include <cstring>

#include "manifest/json.hpp"
#include "plan/plan.hpp"
#include "select/evaluation.hpp"

namespace halfbyte {
namespace {

constexpr double kMaxU32 = 4294967295.0;
constexpr double kMaxLength = 9007199254740992.0;  // 2^53
// Part of every program's identity: raise it when the prologue that render() writes changes.
constexpr uint64_t kPrologueVersion = 1;

// Appends `text` as a JSON string.
void append_quoted(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (!plain) {
    out += json_quote(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

std::vector<std::byte> lay_out_uniform(const std::vector<UniformField>& fields) {
  // u32, i32 and f32 have size and alignment 4; a uniform buffer's binding is padded to 16.
  std::vector<std::byte> bytes((fields.size() * 4 + 15) / 16 * 16);
  for (size_t i = 0; i < fields.size(); ++i) {
    const double v = fields[i].value;
    if (fields[i].type == "f32") {
      const float f = static_cast<float>(v);
      std::memcpy(bytes.data() + 4 * i, &f, 4);
    } else if (fields[i].type == "i32") {
      const auto n = static_cast<int32_t>(v);
      std::memcpy(bytes.data() + 4 * i, &n, 4);
    } else {
      const auto n = static_cast<uint32_t>(v);
      std::memcpy(bytes.data() + 4 * i, &n, 4);
    }
  }
  return bytes;
}

class Planner {
 public:
  Planner(const Package& package, const Choice& choice)
      : manifest_(package.manifest()),
        variant_(manifest_.variants[static_cast<size_t>(choice.variant)]),
        choice_(choice),
        evaluation_(*choice.evaluation) {}

  Result<Plan> run() {
    plan_.package = manifest_.name;
    plan_.variant = variant_.id;
    plan_.demoted = choice_.demoted;
    plan_.numerics_accumulate = variant_.numerics.accumulate;
    plan_.numerics_multiply = variant_.numerics.multiply;
    plan_.numerics_activations = variant_.numerics.activations;
    add_tensors();
    if (plan_.empty) return std::move(plan_);
    HB_TRY(plan_.scratch, buffers(variant_.intermediates));
    if (variant_.prepack) HB_CHECK(add_prepack(*variant_.prepack));
    HB_TRY(plan_.passes, passes(variant_.passes));
    if (variant_.prepack) list_prepacked_inputs();
    for (const auto& [tunable, formula] : variant_.hold) {
      HB_TRY(plan_.hold[tunable], evaluation_.number(formula));
    }
    return std::move(plan_);
  }

 private:
  std::unexpected<Error> wrong(const SourceLocation& where, std::string message) const {
    return fail(ErrorCode::invalid_argument, std::format("the variant {}: {}", variant_.id, message), where);
  }

  void add_tensors() {
    for (size_t i = 0; i < manifest_.tensors.size(); ++i) {
      const TensorDesc* desc = evaluation_.tensor(static_cast<int>(i));
      if (!desc) continue;
      (i < manifest_.input_count ? plan_.inputs : plan_.outputs).emplace_back(manifest_.tensors[i].key, *desc);
      if (i >= manifest_.input_count && element_count(desc->shape) == 0) plan_.empty = true;
    }
  }

  Result<std::vector<BufferPlan>> buffers(const std::vector<BufferSpec>& specs) {
    std::vector<BufferPlan> result;
    result.reserve(specs.size());
    for (const BufferSpec& spec : specs) {
      HB_TRY(const bool wanted, holds(spec.condition));
      if (!wanted) continue;
      HB_TRY(Shape shape, evaluation_.shape(spec.shape));
      const auto count = element_count(shape);
      uint64_t bytes = 0;
      if (!count || __builtin_mul_overflow(static_cast<uint64_t>(*count), byte_size(spec.dtype), &bytes) ||
          bytes > uint64_t{1} << 60)
        return wrong(spec.shape.where, std::format("the buffer {} would have the shape {}, which is too large", spec.id,
                                                   to_string(shape)));
      result.push_back({spec.id, spec.dtype, std::move(shape), std::max<uint64_t>((bytes + 3) / 4 * 4, 4)});
    }
    return result;
  }

  Result<std::vector<PassPlan>> passes(const std::vector<PassSpec>& specs) {
    std::vector<PassPlan> result;
    result.reserve(specs.size());
    for (const PassSpec& spec : specs) {
      HB_TRY(const bool wanted, holds(spec.condition));
      if (!wanted) continue;
      HB_TRY(PassPlan pass, pass_plan(spec));
      result.push_back(std::move(pass));
    }
    return result;
  }

  // An "if": true where there is none.
  Result<bool> holds(const Formula& condition) {
    if (!condition) return true;
    const auto value = evaluation_.machine().boolean(condition.expression.root);
    if (!value) return wrong(condition.where, to_string(value.error(), manifest_.program));
    return *value;
  }

  Result<PassPlan> pass_plan(const PassSpec& spec) {
    PassPlan pass;
    pass.id = spec.id;
    pass.shader = spec.shader;
    pass.bindings.reserve(spec.bindings.size());
    for (const BindingSpec& b : spec.bindings) {
      if (!exists(b)) {
        if (b.optional) continue;
        return wrong({}, std::format("the pass {} binds {}, which is absent", spec.id, b.source));
      }
      HB_TRY(PlanBinding binding, binding_plan(b));
      pass.bindings.push_back(std::move(binding));
    }
    HB_CHECK(set_dispatch(spec, pass));
    write_parameters(spec, pass);
    identify(spec, pass);
    return pass;
  }

  bool exists(const BindingSpec& b) const {
    if (b.from == BindingSource::argument) return evaluation_.tensor(b.tensor) != nullptr;
    return b.from != BindingSource::prepacked || std::ranges::contains(plan_.prepacked, b.source, &BufferPlan::id);
  }

  Result<PlanBinding> binding_plan(const BindingSpec& spec) {
    PlanBinding b;
    b.name = spec.name;
    b.source = spec.source;
    b.access = spec.read_write ? Access::read_write : Access::read;
    switch (spec.from) {
      case BindingSource::argument: b.kind = BindingKind::argument; break;
      case BindingSource::scratch: b.kind = BindingKind::scratch; break;
      case BindingSource::prepacked: b.kind = BindingKind::prepacked; break;
      case BindingSource::uniform:
        b.kind = BindingKind::uniform;
        HB_CHECK(set_fields(spec, b));
        return b;
    }
    if (spec.element_type_formula) {
      HB_TRY(b.element_type, evaluation_.string(spec.element_type_formula));
      HB_CHECK(check_type(spec, b.element_type));
    } else {
      b.element_type = spec.element_type;
    }
    b.element_type_in_manifest = !b.element_type.empty();
    if (b.element_type.empty()) b.element_type = std::string(wgsl_scalar(dtype_of(spec)));
    if (!spec.length) return b;
    HB_TRY(const double length, evaluation_.number(spec.length));
    if (!(length >= 1 && length <= kMaxLength && length == std::floor(length)))
      return wrong(spec.length.where, std::format("the length of {} is {}, it must be an integer from 1", spec.name,
                                                  expr::format_number(length)));
    b.length = static_cast<uint64_t>(length);
    return b;
  }

  Result<void> check_type(const BindingSpec& spec, const std::string& type) const {
    const bool ok = !type.empty() && std::ranges::all_of(type, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '<' || c == '>' || c == ',' || c == ' ';
    });
    if (ok) return {};
    return wrong(spec.element_type_formula.where,
                 std::format("the element type of {} is \"{}\", which is not a WGSL type", spec.name, type));
  }

  DType dtype_of(const BindingSpec& spec) const {
    if (spec.from == BindingSource::argument) return evaluation_.tensor(spec.tensor)->dtype;
    const auto& list = spec.from == BindingSource::scratch ? variant_.intermediates : variant_.prepack->buffers;
    return std::ranges::find(list, spec.source, &BufferSpec::id)->dtype;  // the loader has checked that it is there
  }

  Result<void> set_fields(const BindingSpec& spec, PlanBinding& b) {
    b.fields.reserve(spec.fields.size());
    for (const UniformFieldSpec& field : spec.fields) {
      HB_TRY(const double v, evaluation_.number(field.value));
      const bool whole = v == std::floor(v);
      const bool fits = field.type == "f32"   ? std::isfinite(v)
                        : field.type == "i32" ? whole && std::abs(v) <= 2147483647.0
                                              : whole && v >= 0 && v <= kMaxU32;
      if (!fits)
        return wrong(field.value.where, std::format("the field {} of {} is {}, which is not a {}", field.name,
                                                    spec.name, expr::format_number(v), field.type));
      b.fields.push_back({field.name, field.type, v});
    }
    b.uniform_bytes = lay_out_uniform(b.fields);
    return {};
  }

  Result<void> set_dispatch(const PassSpec& spec, PassPlan& pass) {
    for (size_t i = 0; i < 3; ++i) {
      if (!spec.dispatch[i]) continue;
      HB_TRY(const double v, evaluation_.number(spec.dispatch[i]));
      if (!(v >= 1 && v <= kMaxU32 && v == std::floor(v)))
        return wrong(spec.dispatch[i].where,
                     std::format("the dispatch {} of the pass {} is {}, it must be an integer from 1", "xyz"[i],
                                 spec.id, expr::format_number(v)));
      pass.dispatch[i] = static_cast<uint32_t>(v);
    }
    return {};
  }

  // {"aScalar":"f16","attrs":{"K":4096},"!":{"pin":"why it has no value"}}: parameters are sorted by group and name.
  void write_parameters(const PassSpec& spec, PassPlan& pass) {
    std::string& out = pass.parameters_json;
    std::string missing, group;
    out = "{";
    bool first = true;
    const auto open = [&](const std::string& next) {
      if (next == group) return;
      if (!group.empty()) out += '}';
      group = next;
      out += first ? "" : ",";
      append_quoted(out, next);
      out += ":{";
      first = true;
    };
    for (const TemplateParameter& p : spec.parameters) {
      open(p.group);
      const size_t before = out.size();
      out += first ? "" : ",";
      append_quoted(out, p.name);
      out += ':';
      if (std::string why = append_value(out, p, pass); !why.empty()) {
        out.resize(before);
        // A member without a value is none; a plain name without one is an error when the template reads it.
        if (!p.group.empty()) continue;
        missing += missing.empty() ? "" : ",";
        append_quoted(missing, p.name);
        missing += ':';
        append_quoted(missing, why);
        continue;
      }
      first = false;
    }
    if (!group.empty()) {
      out += '}';
      first = false;
    }
    if (!missing.empty()) out += (out == "{" ? "\"!\":{" : ",\"!\":{") + missing + "}";
    out += '}';
  }

  // Why it has no value; empty: appended.
  std::string append_value(std::string& out, const TemplateParameter& p, const PassPlan& pass) {
    if (p.kind != TemplateParameter::Kind::value) {
      const auto bound = std::ranges::find(pass.bindings, p.name, &PlanBinding::name);
      if (p.kind == TemplateParameter::Kind::bound) {
        out += bound != pass.bindings.end() ? "true" : "false";
        return {};
      }
      if (bound == pass.bindings.end()) return "it is not bound";
      append_quoted(out, bound->element_type);
      return {};
    }
    expr::Machine& machine = evaluation_.machine();
    const auto failed = [&](const expr::Fault& fault) { return to_string(fault, manifest_.program); };
    switch (p.expression.type) {
      case expr::Type::number: {
        const auto v = machine.number(p.expression.root);
        if (!v) return failed(v.error());
        if (!std::isfinite(*v)) return "it is not finite";
        out += expr::format_number(*v);
        return {};
      }
      case expr::Type::boolean: {
        const auto v = machine.boolean(p.expression.root);
        if (!v) return failed(v.error());
        out += *v ? "true" : "false";
        return {};
      }
      default: {
        const auto v = machine.string(p.expression.root);
        if (!v) return failed(v.error());
        append_quoted(out, *v);
        return {};
      }
    }
  }

  void identify(const PassSpec& spec, PassPlan& pass) {
    Hasher hasher;
    hasher.add(kPrologueVersion).add(spec.shader).add(pass.parameters_json);
    if (spec.template_index >= 0) hasher.add(manifest_.templates[static_cast<size_t>(spec.template_index)].hash);
    for (const PlanBinding& b : pass.bindings) {
      hasher.add(b.name)
          .add(static_cast<uint64_t>(b.kind == BindingKind::uniform))
          .add(static_cast<uint64_t>(b.access));
      hasher.add(b.element_type).add(b.length.value_or(0));
      for (const UniformField& field : b.fields) hasher.add(field.name).add(field.type);
    }
    pass.program = hasher.finish();
    pass.label = manifest_.name + "/" + variant_.id + "/" + spec.id + " " + pass.program.hex().substr(0, 8);
  }

  Result<void> add_prepack(const PrepackSpec& prepack) {
    HB_TRY(plan_.prepacked, buffers(prepack.buffers));
    HB_TRY(plan_.prepack_passes, passes(prepack.passes));
    Hasher hasher;
    hasher.add(manifest_.name);  // not the variant: those that pack alike share the packed copy
    for (const BufferPlan& b : plan_.prepacked) hasher.add(b.id).add(static_cast<uint64_t>(b.dtype)).add(b.byte_size);
    for (const PassPlan& pass : plan_.prepack_passes) {
      hasher.add(pass.program);
      for (const uint32_t d : pass.dispatch) hasher.add(static_cast<uint64_t>(d));
      for (const PlanBinding& b : pass.bindings) {
        hasher.add(b.source);
        hasher.add(std::string_view(reinterpret_cast<const char*>(b.uniform_bytes.data()), b.uniform_bytes.size()));
      }
    }
    plan_.prepack_key = hasher.finish();
    return {};
  }

  void list_prepacked_inputs() {
    for (const int index : variant_.prepack->from) {
      const std::string& key = manifest_.tensors[static_cast<size_t>(index)].key;
      const auto reads = [&](const PassPlan& pass) {
        return std::ranges::any_of(
            pass.bindings, [&](const PlanBinding& b) { return b.kind == BindingKind::argument && b.source == key; });
      };
      if (evaluation_.tensor(index) && std::ranges::none_of(plan_.passes, reads)) plan_.prepacked_inputs.push_back(key);
    }
  }

  const Manifest& manifest_;
  const VariantSpec& variant_;
  const Choice& choice_;
  Evaluation& evaluation_;
  Plan plan_;
};

}  // namespace

Result<Plan> make_plan(const Package& package, const Choice& choice) {
  if (choice.variant < 0 || static_cast<size_t>(choice.variant) >= package.variant_ids().size() || !choice.evaluation ||
      &choice.evaluation->manifest() != &package.manifest())
    return fail(ErrorCode::invalid_argument, "the choice does not belong to this package");
  return Planner(package, choice).run();
}

}  // namespace halfbyte
