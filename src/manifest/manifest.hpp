// The checked contents of a package: every name looked up, every expression typed, every template scanned. Plain data,
// immutable once Package::load returns it. Format: docs/manifest.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "expr/expr.hpp"
#include "tensor/dtype.hpp"

namespace halfbyte {

using ManifestValue = std::variant<double, std::string>;  // of an attribute; the same type as AttrValue of problem.hpp

// An expression with the place of its text, for errors found later.
struct Formula {
  expr::Expression expression;
  SourceLocation where;
  explicit operator bool() const { return static_cast<bool>(expression); }
};

struct AttributeSpec {
  std::string name;
  expr::Type type = expr::Type::number;
  std::optional<ManifestValue> default_value;
  bool required = false;
  std::vector<ManifestValue> values;  // allowed ones; empty: any
  int32_t slot = -1;
};

struct TensorSpec {
  std::string key, onnx, layout;
  std::optional<DType> dtype;  // or
  int constraint = -1;         // index into Manifest::type_constraints
  std::optional<int> rank;
  bool optional = false;
  bool is_output = false;
  Formula shape, rank_formula;  // outputs only
  int32_t shape_slot = -1, rank_slot = -1, dtype_slot = -1, present_slot = -1, constant_slot = -1;
};

struct TypeConstraint {
  std::string name;
  std::vector<DType> dtypes;
};

struct TunableSpec {
  std::string name;
  double default_value = 0;
  std::vector<double> values;  // what the tuner may try; empty: not tunable
  int32_t slot = -1;
};

enum class BindingSource : uint8_t { argument, scratch, prepacked, uniform };

struct UniformFieldSpec {
  std::string name, type;
  Formula value;
};

struct BindingSpec {
  std::string name;  // the WGSL variable
  BindingSource from = BindingSource::argument;
  std::string source;  // tensor key or buffer id
  int tensor = -1;     // index into Manifest::tensors of an argument, into PrepackSpec::buffers of a prepacked buffer
  bool optional = false;  // "name?": bound when the argument is present, or the prepacked buffer's condition holds
  bool read_write = false;
  std::string element_type;      // literal; or
  Formula element_type_formula;  // `$derive`; neither: by dtype
  Formula length;                // none: a runtime-sized array
  std::vector<UniformFieldSpec> fields;
};

struct TemplateParameter {
  enum class Kind : uint8_t { value, bound, element } kind = Kind::value;
  std::string group;  // "attrs", "tunables", ..., "bound", "element"; empty for a derive
  std::string name;
  expr::Expression expression;  // of a value
};

struct PassSpec {
  std::string id, name, shader;
  int template_index = -1;  // into Manifest::templates; -1 when the package was loaded without templates
  std::vector<BindingSpec> bindings;
  std::array<Formula, 3> dispatch;            // an empty one is 1
  Formula condition;                          // "if": the pass is left out where this is false; none: always there
  std::vector<TemplateParameter> parameters;  // sorted by group, then name
};

struct BufferSpec {
  std::string id;
  DType dtype = DType::float32;
  Formula shape;
  Formula condition;  // "if", of a prepacked buffer: none is made where this is false
};

struct MatrixConfigSpec {
  std::string component_type, result_component_type;
  int M = 0, N = 0, K = 0;
};

struct Requirements {
  std::vector<std::string> features;
  std::vector<std::pair<std::string, double>> limits;
  std::vector<MatrixConfigSpec> matrix_configs;
};

struct PrepackSpec {
  std::vector<int> from;  // indices into Manifest::tensors
  std::vector<BufferSpec> buffers;
  std::vector<PassSpec> passes;
};

struct NumericsSpec {
  std::string accumulate = "f32", multiply, activations;
};

struct VariantSpec {
  std::string id;
  double priority = 0;
  Requirements requirements;
  std::vector<Formula> when, demote_when;
  std::vector<BufferSpec> intermediates;
  std::vector<PassSpec> passes;
  std::optional<PrepackSpec> prepack;
  NumericsSpec numerics;
  std::vector<std::pair<std::string, Formula>> hold;  // tunable -> its value here, for parts of the call to take over
};

// Y[m,n] = bias[n] + sum_k A[m,k] * (code[n,k] - zp[n,k/block]) * scale[n,k/block]. Keys are tensors' manifest keys; empty: not there.
struct SemanticsSpec {
  std::string op;
  std::string a, y, bias, codes, scales, zero_points;
  std::string codes_layout = "onnx", scales_layout = "n_block", zero_points_layout = "n_block";
  Formula K, N, bits, block_size;
};

struct Template {
  std::string name;  // as passes name it
  std::string text;  // with includes replaced
  Hash128 hash;
  std::vector<std::string>
      optional_names;  // the template asks `NAME is defined`: none where the scope has no such derive
};

struct Manifest {
  std::string domain, op_name, name, file;  // name: "com.microsoft.MatMulNBits"
  Hash128 hash;
  std::vector<std::string> uses;

  std::vector<AttributeSpec> attributes;
  std::vector<TensorSpec> tensors;  // inputs, then outputs
  size_t input_count = 0;
  std::vector<TypeConstraint> type_constraints;
  std::vector<TunableSpec> tunables;
  std::vector<VariantSpec> variants;
  std::vector<std::string> variant_ids;
  std::vector<int> by_preference;  // indices into variants: priority, then manifest order
  std::optional<SemanticsSpec> semantics;
  std::vector<Template> templates;
  std::vector<Error> warnings;

  expr::Program program;
  size_t slot_count = 0;
  std::vector<std::pair<std::string, int32_t>> limit_slots, feature_slots, language_feature_slots;
  // vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize
  std::array<int32_t, 6> adapter_slots{};

  const TensorSpec* find_tensor(std::string_view key) const;
};

inline constexpr double kDispatchFoldWidth = 65535;

}  // namespace halfbyte
