// Expressions, manifests, templates and the shaders they render to.
#include <array>

#include "expr/expr.hpp"
#include "manifest/json.hpp"
#include "manifest/manifest.hpp"
#include "manifest/package.hpp"
#include "plan/jinja.hpp"
#include "plan/plan.hpp"
#include "plan/shader_facts.hpp"
#include "select/select.hpp"
#include "targets.hpp"

namespace halfbyte::fuzz {
namespace {

using expr::Meaning;
using expr::Op;
using expr::Type;

// n0..n9 are numbers, b booleans, t texts, s shapes; 7 to 9 of each have no value.
class StubNames : public expr::Names {
 public:
  Result<Meaning> value(std::string_view path) override {
    if (path.size() == 2 && path[1] >= '0' && path[1] <= '9') {
      constexpr std::string_view kKinds = "nbts";
      constexpr std::array<Type, 4> kTypes{Type::number, Type::boolean, Type::string, Type::shape};
      if (const size_t kind = kKinds.find(path[0]); kind != std::string_view::npos)
        return Meaning{Op::slot, kTypes[kind], static_cast<int32_t>(10 * kind) + path[1] - '0', 0};
    }
    return fail(ErrorCode::parse, "unknown name");
  }
  Result<Meaning> has(std::string_view, std::string_view key) override {
    return Meaning{Op::slot_present, Type::boolean, static_cast<int32_t>(key.size() % 40), 0};
  }
  Result<Meaning> flag(std::string_view, std::string_view) override { return Meaning{Op::slot, Type::boolean, 10, 0}; }
};

void fill(expr::Machine& machine) {
  constexpr std::array<double, 7> kNumbers{0, 1, -1, 4096, 0.5, 9007199254740992.0, 1e300};
  for (int32_t i = 0; i < 7; ++i) {
    machine.set(i, kNumbers[static_cast<size_t>(i)]);
    machine.set(10 + i, i % 2 == 1);
    machine.set(20 + i, i % 2 == 1 ? std::string_view("float16") : std::string_view("float32"));
    expr::Dims dims;
    dims.count = static_cast<uint32_t>(i);
    for (uint32_t d = 0; d < dims.count; ++d) dims.at[d] = kNumbers[d];
    machine.set(30 + i, dims);
  }
}

Result<Package> small_package(const std::string& text) {
  static constexpr std::string_view kManifest = R"json({
    "domain": "test", "name": "Op", "inputs": {"xT": {"onnx": "X", "dtype": "T"}},
    "outputs": {"yT": {"onnx": "Y", "dtype": "T", "shape": "shapes.xT"}}, "attributes": {"K": {"default": 64}},
    "typeConstraints": {"T": ["float32", "float16"]}, "tunables": {"SIZE": {"default": 64}},
    "derive": {"count": "numel(shapes.xT)", "K": "attrs.K", "dtype": "tensorDtypes.xT", "flag": "f16Ok(dtype)", "zero": "0", "hidden": "attrs.K / (K - 64)"},
    "bindings": {"x": {"arg": "xT"}, "y": {"arg": "yT"}, "params": {"struct": [{"name": "count", "type": "u32", "value": "count"}]}},
    "variants": [{"id": "plain", "priority": 1, "passes": [{"id": "main", "shader": "op.wgsl.jinja", "bindings": ["x", "y", "params"],
      "dispatch": {"x": "ceilDiv(count, tunables.SIZE)"}}]}]})json";
  return Package::load(kManifest, "fuzz/manifest.json", {{"op.wgsl.jinja", text}});
}

// A problem that a manifest may accept: numbers are 64, tensors 4 x 64.
Problem some_problem(const Manifest& m) {
  Problem problem;
  problem.id = "some";
  for (const AttributeSpec& a : m.attributes) {
    if (a.default_value) continue;
    if (!a.values.empty())
      problem.attrs[a.name] = a.values.front();
    else
      problem.attrs[a.name] = a.type == Type::number ? AttrValue(64.0) : AttrValue(std::string("x"));
  }
  for (size_t i = 0; i < m.input_count; ++i) {
    const TensorSpec& t = m.tensors[i];
    const DType dtype = t.dtype ? *t.dtype : m.type_constraints[static_cast<size_t>(t.constraint)].dtypes.front();
    problem.inputs[t.key] = {dtype, Shape(static_cast<size_t>(t.rank.value_or(2)), 64)};
  }
  return problem;
}

void plan_everything(const Package& package) {
  DeviceProfile rich;
  rich.name = "rich";
  rich.features = {"shader-f16", "subgroups"};
  rich.adapter.subgroup_min_size = 4;
  rich.adapter.subgroup_max_size = 128;
  rich.limits = {
      {"maxComputeWorkgroupStorageSize", 32768}, {"maxComputeInvocationsPerWorkgroup", 1024}, {"maxBufferSize", 1e9}};
  const Problem problem = some_problem(package.manifest());
  for (const DeviceProfile& profile : {rich, DeviceProfile{}}) {
    if (const auto verdicts = explain(package, profile, problem); !verdicts) return;
    for (const std::string& variant : package.variant_ids()) {
      const auto plan = plan_problem(package, profile, problem, {.variant = variant, .prefer = {}, .exclude = {}});
      if (!plan) continue;
      (void)print(*plan);
      for (const PassPlan& pass : plan->passes)
        if (const auto text = render(package, pass)) (void)check_shader(shader_facts(*text), profile);
    }
  }
}

void collect_expressions(const JsonValue& value, std::vector<std::string>& into) {
  if (value.is(JsonValue::Kind::string)) into.push_back(value.text);
  for (const JsonValue& item : value.items) collect_expressions(item, into);
  for (const JsonMember& member : value.members) collect_expressions(member.value, into);
}

}  // namespace

void expression(std::string_view input) {
  const auto ast = expr::parse(input);
  if (!ast) return check_error(ast.error());
  StubNames names;
  expr::Program program;
  const auto compiled = expr::compile(*ast, names, program);
  if (!compiled) return check_error(compiled.error());
  expr::Machine machine(program, 40);
  fill(machine);
  const int32_t root = compiled->expression.root;
  const auto describe = [&](const auto& outcome) {
    if (!outcome && to_string(outcome.error(), program).empty()) finding("a fault without a sentence");
  };
  switch (compiled->expression.type) {
    case Type::number: describe(machine.number(root)); break;
    case Type::string: describe(machine.string(root)); break;
    case Type::shape: describe(machine.shape(root)); break;
    case Type::boolean: {
      const auto value = machine.boolean(root);
      describe(value);
      if ((!value || !*value) && why_false(machine, root).empty()) finding("a condition is false without a reason");
      break;
    }
  }
}

std::vector<std::string> expression_seeds() {
  std::vector<std::string> seeds{"n1 + n2 * 3 if b1 and not b0 else -n4",
                                 "dim(s3, -1) % n3 == 0",
                                 "numel(s2 + [n1, 4][0:1])",
                                 "t1 == \"float16\"",
                                 "matrixConfig(\"f16\", \"f32\", 8, 8, 8) or f16Ok(t1)",
                                 "pow2ceil(min(n1, n3, 7))",
                                 "s3[1:][0]"};
  for (const std::string& text : files_of("kernels/com.microsoft.MatMulNBits", "manifest.json"))
    if (const auto doc = JsonDocument::parse(text, "m")) collect_expressions(doc->root(), seeds);
  if (seeds.size() > 400) seeds.resize(400);
  return seeds;
}

void manifest(std::string_view input) {
  const auto package =
      Package::load(input, "fuzz/manifest.json", {{"op.wgsl.jinja", "{{ attrs.K }} {% if present.xT %}f{% endif %}"}});
  if (!package) {
    check_error(package.error(), input.size() > 1'000'000);
    // Without templates more of it loads: what a plan needs.
    const auto bare = Package::load(input, "fuzz/manifest.json");
    if (bare) plan_everything(*bare);
    return;
  }
  plan_everything(*package);
}

void package_template(std::string_view input) {
  const auto package = small_package(std::string(input));
  if (package)
    plan_everything(*package);
  else
    check_error(package.error());
  const auto tree = jinja::parse(input);
  if (!tree) return check_error(tree.error());
  jinja::Names names;
  names.values = {{"K", {int64_t{64}}},
                  {"zero", {int64_t{0}}},
                  {"flag", {true}},
                  {"dtype", {std::string("float16")}},
                  {"half", {0.5}}};
  names.missing = {{"hidden", "it divides by zero"}};
  names.optional = {"maybe"};
  const auto rendered = jinja::render(**tree, names);
  if (!rendered) return check_error(rendered.error());
  if (rendered->size() > jinja::kMaxText) finding("a rendering is larger than allowed");
}

void wgsl(std::string_view input) {
  const ShaderFacts facts = shader_facts(input);
  DeviceProfile profile;
  profile.limits = {{"maxComputeInvocationsPerWorkgroup", 256}, {"maxComputeWorkgroupStorageSize", 16384}};
  const auto fits = check_shader(facts, profile);
  const bool over = facts.workgroup_bytes && *facts.workgroup_bytes > 16384;
  if (over && fits) finding("a shader over the limit passes");
}

std::vector<std::string> wgsl_seeds() {
  std::vector<std::string> seeds = files_of("tests/golden/wgsl", ".wgsl");
  seeds.emplace_back(
      "const N: u32 = 4 * (2 + 1);\nalias T = array<vec4<f32>, N>;\nvar<workgroup> w: array<T, N>;\n@compute "
      "@workgroup_size(N, 2)\nfn main() {}\n");
  return seeds;
}

}  // namespace halfbyte::fuzz
