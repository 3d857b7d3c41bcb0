#include "select/evaluation.hpp"

#include <algorithm>
#include <cmath>

namespace halfbyte {
namespace {

// Expressions count elements in doubles, which hold every integer up to 2^53.
bool is_countable(const Shape& shape) {
  const auto count = element_count(shape);
  return count && static_cast<double>(*count) <= expr::kMaxExact &&
         std::ranges::all_of(shape, [](int64_t d) { return static_cast<double>(d) <= expr::kMaxExact; });
}

std::string text_of(const ManifestValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return expr::format_number(*number);
  return "\"" + std::get<std::string>(value) + "\"";
}

template <class List, class Format>
std::string join(const List& list, Format format) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + format(item);
  return text;
}

expr::Dims to_dims(const Shape& shape) {
  expr::Dims dims;
  dims.count = static_cast<uint32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) dims.at[i] = static_cast<double>(shape[i]);
  return dims;
}

// Most entries of a problem's maps are known names, so looking for a stranger is only worth it when the counts differ.
template <class Map, class List, class Name>
const std::string* stranger(const Map& given, const List& known, Name name) {
  for (const auto& [key, value] : given)
    if (std::ranges::none_of(known, [&](const auto& k) { return name(k) == key; })) return &key;
  return nullptr;
}

}  // namespace

Evaluation::Evaluation(const Package& package, const DeviceProfile& profile)
    : package_(package), profile_(profile), machine_(package.manifest().program, package.manifest().slot_count) {}

Result<std::shared_ptr<Evaluation>> Evaluation::make(const Package& package, const DeviceProfile& profile,
                                                     const Problem& problem) {
  std::shared_ptr<Evaluation> evaluation(new Evaluation(package, profile));
  HB_CHECK(evaluation->set_attributes(problem));
  HB_CHECK(evaluation->set_inputs(problem));
  HB_CHECK(evaluation->set_tunables(problem));
  evaluation->set_device();
  HB_CHECK(evaluation->set_outputs());
  return evaluation;
}

Result<void> Evaluation::set_attributes(const Problem& problem) {
  const auto& specs = manifest().attributes;
  attributes_.reserve(specs.size());
  size_t used = 0;
  for (const AttributeSpec& spec : specs) {
    const auto it = problem.attrs.find(spec.name);
    const bool given = it != problem.attrs.end();
    used += given;
    if (!given && !spec.default_value) {
      if (spec.required)
        return fail(ErrorCode::invalid_argument, std::format("the attribute {} is missing", spec.name));
      continue;
    }
    const AttrValue& value = attributes_.emplace_back(given ? it->second : *spec.default_value);
    const bool is_number = std::holds_alternative<double>(value);
    if (is_number != (spec.type == expr::Type::number))
      return fail(ErrorCode::invalid_argument, std::format("the attribute {} is {}, it must be a {}", spec.name,
                                                           text_of(value), expr::name(spec.type)));
    if (is_number && !std::isfinite(std::get<double>(value)))
      return fail(ErrorCode::invalid_argument, std::format("the attribute {} is not finite", spec.name));
    if (!spec.values.empty() && std::ranges::find(spec.values, value) == spec.values.end())
      return fail(ErrorCode::invalid_argument, std::format("the attribute {} is {}, allowed are {}", spec.name,
                                                           text_of(value), join(spec.values, text_of)));
    if (is_number) {
      machine_.set(spec.slot, std::get<double>(value));
    } else {
      machine_.set(spec.slot, std::string_view(std::get<std::string>(value)));
    }
  }
  if (used == problem.attrs.size()) return {};
  const std::string* unknown =
      stranger(problem.attrs, specs, [](const AttributeSpec& s) -> const std::string& { return s.name; });
  return fail(ErrorCode::invalid_argument, std::format("unknown attribute {}, there are {}", *unknown,
                                                       join(specs, [](const AttributeSpec& s) { return s.name; })));
}

Result<void> Evaluation::set_inputs(const Problem& problem) {
  const auto& specs = manifest().tensors;
  tensors_.resize(specs.size());
  constant_.resize(manifest().input_count);
  constraint_dtype_.assign(manifest().type_constraints.size(), -1);
  const auto inputs = std::span(specs).first(manifest().input_count);
  const auto names = [&] { return join(inputs, [](const TensorSpec& s) { return s.key; }); };
  size_t used = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec& spec = inputs[i];
    const auto it = problem.inputs.find(spec.key);
    const bool present = it != problem.inputs.end();
    machine_.set(spec.present_slot, present);
    constant_[i] = problem.constant.contains(spec.key);
    machine_.set(spec.constant_slot, static_cast<bool>(constant_[i]));
    if (!present) {
      if (!spec.optional) return fail(ErrorCode::invalid_argument, std::format("the input {} is missing", spec.key));
      continue;
    }
    ++used;
    HB_CHECK(set_input(spec, i, it->second));
  }
  if (used != problem.inputs.size()) {
    const std::string* unknown =
        stranger(problem.inputs, inputs, [](const TensorSpec& s) -> const std::string& { return s.key; });
    return fail(ErrorCode::invalid_argument, std::format("unknown input {}, there are {}", *unknown, names()));
  }
  for (const std::string& key : problem.constant)
    if (std::ranges::find(inputs, key, &TensorSpec::key) == inputs.end())
      return fail(ErrorCode::invalid_argument,
                  std::format("\"constant\" names the unknown input {}, there are {}", key, names()));
  return {};
}

Result<void> Evaluation::set_input(const TensorSpec& spec, size_t index, const TensorDesc& desc) {
  const auto wrong = [&](std::string message) { return fail(ErrorCode::invalid_argument, std::move(message)); };
  const auto dtype_name = [](DType d) { return std::string(name(d)); };
  if (spec.dtype) {
    if (desc.dtype != *spec.dtype)
      return wrong(std::format("the input {} has the dtype {}, it must be {}", spec.key, dtype_name(desc.dtype),
                               dtype_name(*spec.dtype)));
  } else {
    const TypeConstraint& constraint = manifest().type_constraints[static_cast<size_t>(spec.constraint)];
    if (std::ranges::find(constraint.dtypes, desc.dtype) == constraint.dtypes.end())
      return wrong(std::format("the input {} has the dtype {}, allowed are {}", spec.key, dtype_name(desc.dtype),
                               join(constraint.dtypes, dtype_name)));
    int& decided_by = constraint_dtype_[static_cast<size_t>(spec.constraint)];
    if (decided_by < 0) decided_by = static_cast<int>(index);
    const DType wanted = tensors_[static_cast<size_t>(decided_by)].present
                             ? tensors_[static_cast<size_t>(decided_by)].desc.dtype
                             : desc.dtype;
    if (desc.dtype != wanted)
      return wrong(std::format("the input {} has the dtype {}, it must be that of {}, {}", spec.key,
                               dtype_name(desc.dtype), manifest().tensors[static_cast<size_t>(decided_by)].key,
                               dtype_name(wanted)));
  }
  const size_t rank = desc.shape.size();
  if (spec.rank && rank != static_cast<size_t>(*spec.rank))
    return wrong(std::format("the input {} has the shape {} of rank {}, its rank must be {}", spec.key,
                             to_string(desc.shape), rank, *spec.rank));
  if (rank > expr::kMaxRank)
    return wrong(std::format("the input {} has rank {}, at most {} is supported", spec.key, rank, expr::kMaxRank));
  if (!is_countable(desc.shape))
    return wrong(
        std::format("the input {} has the shape {}, dimensions must not be negative and their product must fit 53 bits",
                    spec.key, to_string(desc.shape)));
  tensors_[index] = {true, desc};
  machine_.set(spec.shape_slot, to_dims(desc.shape));
  machine_.set(spec.rank_slot, static_cast<double>(rank));
  machine_.set(spec.dtype_slot, name(desc.dtype));
  return {};
}

Result<void> Evaluation::set_tunables(const Problem& problem) {
  const auto& specs = manifest().tunables;
  size_t used = 0;
  for (const TunableSpec& spec : specs) {
    const auto it = problem.tunables.find(spec.name);
    const bool given = it != problem.tunables.end();
    used += given;
    if (given && !std::isfinite(it->second))
      return fail(ErrorCode::invalid_argument, std::format("the tunable {} is not finite", spec.name));
    machine_.set(spec.slot, given ? it->second : spec.default_value);
  }
  if (used == problem.tunables.size()) return {};
  const std::string* unknown =
      stranger(problem.tunables, specs, [](const TunableSpec& s) -> const std::string& { return s.name; });
  return fail(ErrorCode::invalid_argument, std::format("unknown tunable {}, there are {}", *unknown,
                                                       join(specs, [](const TunableSpec& s) { return s.name; })));
}

void Evaluation::set_device() {
  const Manifest& m = manifest();
  for (const auto& [name, slot] : m.limit_slots)
    if (const auto limit = profile_.limit(name)) machine_.set(slot, *limit);
  for (const auto& [name, slot] : m.feature_slots) machine_.set(slot, profile_.has_feature(name));
  for (const auto& [name, slot] : m.language_feature_slots)
    machine_.set(slot,
                 std::ranges::find(profile_.wgsl_language_features, name) != profile_.wgsl_language_features.end());
  const AdapterInfo& info = profile_.adapter;
  machine_.set(m.adapter_slots[0], std::string_view(info.vendor));
  machine_.set(m.adapter_slots[1], std::string_view(info.architecture));
  machine_.set(m.adapter_slots[2], std::string_view(info.device));
  machine_.set(m.adapter_slots[3], std::string_view(info.description));
  if (info.subgroup_min_size) machine_.set(m.adapter_slots[4], static_cast<double>(*info.subgroup_min_size));
  if (info.subgroup_max_size) machine_.set(m.adapter_slots[5], static_cast<double>(*info.subgroup_max_size));
  machine_.set_f16(profile_.has_feature("shader-f16"));
  std::vector<expr::MatrixConfig> configs;
  configs.reserve(profile_.subgroup_matrix_configs.size());
  for (const SubgroupMatrixConfig& c : profile_.subgroup_matrix_configs)
    configs.push_back({c.component_type, c.result_component_type, static_cast<double>(c.M), static_cast<double>(c.N),
                       static_cast<double>(c.K)});
  machine_.set_matrix_configs(std::move(configs));
}

Result<void> Evaluation::set_outputs() {
  const auto& specs = manifest().tensors;
  for (size_t i = manifest().input_count; i < specs.size(); ++i) {
    const TensorSpec& spec = specs[i];
    const auto shape_of = [&]() -> Result<Shape> {
      HB_TRY(const Shape shape, shape(spec.shape));
      if (!is_countable(shape))
        return fail(ErrorCode::invalid_argument,
                    std::format("the output {} would have the shape {}, whose size does not fit 53 bits", spec.key,
                                to_string(shape)));
      return shape;
    };
    auto shape = shape_of();
    if (!shape)
      return fail(ErrorCode::invalid_argument,
                  std::format("the output {} has no shape: {}", spec.key, shape.error().message));
    if (spec.rank_formula) {
      HB_TRY(const double rank, number(spec.rank_formula));
      if (rank != static_cast<double>(shape->size()))
        return fail(ErrorCode::invalid_argument,
                    std::format("the output {} would have the shape {}, but its rank is {}", spec.key,
                                to_string(*shape), rank));
    }
    const int decided_by = spec.dtype ? -1 : constraint_dtype_[static_cast<size_t>(spec.constraint)];
    if (!spec.dtype && decided_by < 0)
      return fail(ErrorCode::invalid_argument,
                  std::format("the dtype of output {} follows from no input that is present", spec.key));
    const DType dtype = spec.dtype ? *spec.dtype : tensors_[static_cast<size_t>(decided_by)].desc.dtype;
    machine_.set(spec.shape_slot, to_dims(*shape));
    machine_.set(spec.rank_slot, static_cast<double>(shape->size()));
    machine_.set(spec.dtype_slot, name(dtype));
    machine_.set(spec.present_slot, true);
    machine_.set(spec.constant_slot, false);
    tensors_[i] = {true, {dtype, std::move(*shape)}};
  }
  return {};
}

Result<double> Evaluation::number(const Formula& formula) {
  const auto value = machine_.number(formula.expression.root);
  if (!value) return fail(ErrorCode::invalid_argument, to_string(value.error(), manifest().program), formula.where);
  return *value;
}

Result<std::string> Evaluation::string(const Formula& formula) {
  const auto value = machine_.string(formula.expression.root);
  if (!value) return fail(ErrorCode::invalid_argument, to_string(value.error(), manifest().program), formula.where);
  return std::string(*value);
}

Result<Shape> Evaluation::shape(const Formula& formula) {
  const auto value = machine_.shape(formula.expression.root);
  if (!value) return fail(ErrorCode::invalid_argument, to_string(value.error(), manifest().program), formula.where);
  Shape shape(value->count);
  for (uint32_t i = 0; i < value->count; ++i) {
    const double d = value->at[i];
    if (!(d >= 0 && d <= expr::kMaxExact && d == std::floor(d)))
      return fail(ErrorCode::invalid_argument,
                  std::format("{} has the dimension {}, it must be an integer from 0",
                              manifest().program.source(formula.expression.root), expr::format_number(d)),
                  formula.where);
    shape[i] = static_cast<int64_t>(d);
  }
  return shape;
}

}  // namespace halfbyte
