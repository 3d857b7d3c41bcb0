#include "plan/plan.hpp"
#include "base/test_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "plan/lint.hpp"
#include "plan/shader_facts.hpp"

namespace halfbyte {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kManifest = R"json({
  "domain": "test", "name": "Op",
  "inputs": {"xT": {"onnx": "X", "dtype": "T"}, "zT": {"onnx": "Z", "dtype": "T", "optional": true}, "wT": {"onnx": "W", "dtype": "uint8"}},
  "outputs": {"yT": {"onnx": "Y", "dtype": "T", "shape": "shapes.xT"}},
  "attributes": {"K": {"default": 8}, "divisor": {"default": 64}},
  "typeConstraints": {"T": ["float32", "float16"]},
  "derive": {
    "count": "numel(shapes.xT)", "groups": "count / attrs.divisor",
    "type": "\"f16\" if tensorDtypes.xT == \"float16\" else \"f32\"",
    "pin": "device.adapterInfo.subgroupMinSize"
  },
  "bindings": {
    "x": {"arg": "xT", "elementType": "$type", "length": "$count"}, "z": {"arg": "zT", "elementType": "$type"},
    "w": {"arg": "wT"}, "y": {"arg": "yT", "elementType": "$type"},
    "sums": {"buffer": "read-only-storage"},
    "params": {"struct": [{"name": "count", "type": "u32", "value": "count"}, {"name": "shift", "type": "i32", "value": "-3"}, {"name": "half", "type": "f32", "value": "0.5"}]}
  },
  "variants": [
    {"id": "two", "priority": 2, "when": ["count >= 2"], "numerics": {"accumulate": "f16"},
     "intermediates": [{"id": "sums", "dtype": "float16", "shape": "[count, 3]"}],
     "passes": [
       {"id": "first", "shader": "a.wgsl.jinja", "bindings": ["x", "z?", {"scratch": "sums", "name": "out"}, "params"], "dispatch": {"x": "groups", "y": 2}},
       {"id": "second", "shader": "b.wgsl.jinja", "bindings": ["sums", "y"], "dispatch": {"x": 1}, "derive": {"flag": "count > 4"}}]},
    {"id": "packed", "priority": 1, "when": [],
     "prepack": {"from": ["wT"], "buffers": [{"id": "words", "dtype": "uint32", "shape": "[numel(shapes.wT)]"}, {"id": "extra", "dtype": "uint32", "shape": "[1]", "if": "present.zT"}],
                 "passes": [{"id": "pack", "shader": "b.wgsl.jinja", "bindings": ["w", {"prepacked": "words", "name": "y"}], "dispatch": {"x": 1}, "derive": {"flag": true}},
                            {"id": "more", "if": "present.zT", "shader": "b.wgsl.jinja", "bindings": ["w", {"prepacked": "extra", "name": "y"}], "dispatch": {"x": 1}, "derive": {"flag": true}}]},
     "passes": [{"id": "main", "shader": "b.wgsl.jinja", "bindings": [{"prepacked": "words", "name": "w"}, "y"], "dispatch": {"x": 1}, "derive": {"flag": false}}]}
  ]
})json";

const std::map<std::string, std::string> kTemplates{
    {"a.wgsl.jinja", R"(enable subgroups;
{% if bound.z %}
// {{ element.z }}
{% endif %}
{#include "part.wgsl.jinja"#}
@compute @workgroup_size(64) fn main() { let k = {{ attrs.K }}u; let n = {{ type }}(1); }
)"},
    {"part.wgsl.jinja", "diagnostic(off, derivative_uniformity);\nfn part() -> u32 { return dot4U8Packed(1u, 2u); }\n"},
    {"b.wgsl.jinja",
     "{% if flag %}const a = {{ pin }};{% else %}const a = 0;{% endif %}\n@compute @workgroup_size(32, 2) fn main() "
     "{}\n"}};

Package package() {
  auto loaded = Package::load(kManifest, "m", kTemplates);
  if (!loaded) throw std::runtime_error(loaded.error().to_string());
  return *loaded;
}

DeviceProfile device() {
  DeviceProfile p;
  p.name = "model";
  p.limits = {{"maxStorageBufferBindingSize", 1024},
              {"maxComputeWorkgroupsPerDimension", 100},
              {"maxStorageBuffersPerShaderStage", 4}};
  p.adapter.subgroup_min_size = 16;
  return p;
}

Problem problem(int64_t rows, bool z = false) {
  Problem p;
  p.id = "p";
  p.inputs = {{"xT", {DType::float32, {rows, 64}}}, {"wT", {DType::uint8, {10}}}};
  if (z) p.inputs["zT"] = {DType::float32, {1}};
  p.constant = {"wT"};
  return p;
}

Result<Plan> plan_of(const Package& pkg, const DeviceProfile& profile, const Problem& p,
                     const SelectOptions& options = {}) {
  HB_TRY(const Choice choice, select(pkg, profile, p, options));
  return make_plan(pkg, choice);
}

using test::value;

TEST(Plan, HasEverythingInPlace) {
  const Package pkg = package();
  const Plan plan = value(plan_of(pkg, device(), problem(2, true)));
  EXPECT_EQ(plan.variant, "two");
  EXPECT_EQ(plan.numerics_accumulate, "f16");
  ASSERT_EQ(plan.scratch.size(), 1U);
  EXPECT_EQ(plan.scratch[0].shape, (Shape{128, 3}));
  EXPECT_EQ(plan.scratch[0].byte_size, 768U);
  ASSERT_EQ(plan.passes.size(), 2U);
  const PassPlan& first = plan.passes[0];
  EXPECT_THAT(first.dispatch, ElementsAre(2U, 2U, 1U));
  ASSERT_EQ(first.bindings.size(), 4U);
  EXPECT_EQ(first.bindings[0].length, 128U);
  EXPECT_EQ(first.bindings[0].access, Access::read);
  EXPECT_EQ(first.bindings[2].access, Access::read_write);
  EXPECT_EQ(first.bindings[2].element_type, "f16") << "by dtype";
  EXPECT_FALSE(first.bindings[2].element_type_in_manifest);
  const PlanBinding& uniform = first.bindings[3];
  ASSERT_EQ(uniform.uniform_bytes.size(), 16U);
  uint32_t count = 0;
  int32_t shift = 0;
  float half = 0;
  std::memcpy(&count, uniform.uniform_bytes.data(), 4);
  std::memcpy(&shift, uniform.uniform_bytes.data() + 4, 4);
  std::memcpy(&half, uniform.uniform_bytes.data() + 8, 4);
  EXPECT_EQ(count, 128U);
  EXPECT_EQ(shift, -3);
  EXPECT_EQ(half, 0.5F);
  EXPECT_THAT(first.label, ::testing::StartsWith("test.Op/two/first "));
  EXPECT_EQ(plan.passes[1].bindings[0].kind, BindingKind::scratch);
  EXPECT_EQ(plan.passes[1].bindings[0].access, Access::read);
  EXPECT_EQ(first.parameters_json, R"({"type":"f32","attrs":{"K":8},"bound":{"z":true},"element":{"z":"f32"}})");
}

TEST(Plan, PrintsTheGoldenForm) {
  const Package pkg = package();
  EXPECT_EQ(nlohmann::json::parse(print(value(plan_of(pkg, device(), problem(2))))),
            nlohmann::json::parse(R"({"variant":"two","demoted":false,
    "outputs":{"yT":{"shape":[2,64],"dtype":"float32"}},"scratch":{"sums":{"dtype":"float16","shape":[128,3]}},
    "passes":[{"id":"first","shader":"a.wgsl.jinja","bindings":[{"name":"x","arg":"xT","elementType":"f32","length":128},{"name":"out","scratch":"sums"},
      {"name":"params","uniform":[{"name":"count","type":"u32","value":128},{"name":"shift","type":"i32","value":-3},{"name":"half","type":"f32","value":0.5}]}],"dispatch":[2,2,1]},
     {"id":"second","shader":"b.wgsl.jinja","bindings":[{"name":"sums","scratch":"sums"},{"name":"y","arg":"yT","elementType":"f32"}],"dispatch":[1,1,1]}]})"));
}

TEST(Plan, ProgramIsTheIdentityOfTheText) {
  const Package pkg = package();
  const Plan a = value(plan_of(pkg, device(), problem(2))), more_rows = value(plan_of(pkg, device(), problem(4)));
  EXPECT_EQ(a.passes[1].program, more_rows.passes[1].program)
      << "nothing of the second pass's text depends on the rows";
  EXPECT_NE(a.passes[0].program, more_rows.passes[0].program) << "x is a sized array";
  EXPECT_NE(a.passes[0].program, value(plan_of(pkg, device(), problem(2, true))).passes[0].program);
  Problem other = problem(2);
  other.attrs["K"] = 9.0;
  EXPECT_NE(a.passes[0].program, value(plan_of(pkg, device(), other)).passes[0].program);
  EXPECT_EQ(value(render(pkg, a.passes[1])), value(render(pkg, more_rows.passes[1])));
}

TEST(Plan, PrepackingDependsOnTheWeightsOnly) {
  const Package pkg = package();
  const SelectOptions packed{.variant = "packed"};
  const Plan a = value(plan_of(pkg, device(), problem(2), packed)),
             b = value(plan_of(pkg, device(), problem(5), packed));
  EXPECT_EQ(a.prepack_key, b.prepack_key);
  EXPECT_THAT(a.prepacked_inputs, ElementsAre("wT"));
  ASSERT_EQ(a.prepacked.size(), 1U) << "extra is left out without zT";
  ASSERT_EQ(a.prepack_passes.size(), 1U);
  EXPECT_EQ(a.prepack_passes[0].bindings[1].access, Access::read_write);
  EXPECT_EQ(a.passes[0].bindings[0].access, Access::read);
  const Plan with_z = value(plan_of(pkg, device(), problem(2, true), packed));
  EXPECT_EQ(with_z.prepacked.size(), 2U);
  EXPECT_EQ(with_z.prepack_passes.size(), 2U);
  EXPECT_NE(with_z.prepack_key, a.prepack_key);
  EXPECT_THAT(print(with_z), HasSubstr("\"prepackPasses\""));
}

TEST(Plan, BadValuesAreErrorsWithTheirPlace) {
  const Package pkg = package();
  Problem p = problem(2);
  p.attrs["divisor"] = 96.0;
  auto plan = plan_of(pkg, device(), p);
  ASSERT_FALSE(plan);
  EXPECT_THAT(
      plan.error().to_string(),
      HasSubstr(
          "the variant two: the dispatch x of the pass first is 1.3333333333333333, it must be an integer from 1"));
  EXPECT_EQ(plan.error().where.file, "m");
  EXPECT_GT(plan.error().where.line, 0);
  p.attrs["divisor"] = 0.0;
  plan = plan_of(pkg, device(), p);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("count / attrs.divisor divides by zero"));
  EXPECT_FALSE(make_plan(pkg, Choice{}));
}

TEST(Plan, EmptyOutputsNeedNothing) {
  const Plan plan = value(plan_problem(package(), device(), problem(0)));
  EXPECT_TRUE(plan.empty);
  EXPECT_TRUE(plan.passes.empty());
  EXPECT_EQ(plan.outputs[0].second.shape, (Shape{0, 64}));
}

TEST(Plan, LimitsPassAVariantOver) {
  const Package pkg = package();
  // 5 x 64 x 4 bytes of x exceed 1024; "packed" binds y of the same size, so nothing is left.
  const auto none = plan_problem(pkg, device(), problem(5));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::limit);
  EXPECT_EQ(none.error().message,
            "the variant two: xT of 1280 bytes exceeds maxStorageBufferBindingSize, which is 1024 on model");
  EXPECT_THAT(
      none.error().notes,
      ElementsAre("the variant packed: yT of 1280 bytes exceeds maxStorageBufferBindingSize, which is 1024 on model"));
  // 4 rows: x fits, the scratch buffer of 4 x 64 x 3 x 2 bytes does not.
  const Plan plan = value(plan_problem(pkg, device(), problem(4)));
  EXPECT_EQ(plan.variant, "packed");
  const auto forced = plan_problem(pkg, device(), problem(4), {.variant = "two"});
  ASSERT_FALSE(forced);
  EXPECT_EQ(forced.error().message,
            "the variant two: sums of 1536 bytes exceeds maxStorageBufferBindingSize, which is 1024 on model");
  DeviceProfile narrow = device();
  narrow.limits["maxComputeWorkgroupsPerDimension"] = 1;
  EXPECT_EQ(value(plan_problem(pkg, narrow, problem(2))).variant, "packed");
  narrow.limits["maxStorageBuffersPerShaderStage"] = 1;
  const auto buffers = plan_problem(pkg, narrow, problem(2), {.variant = "packed"});
  ASSERT_FALSE(buffers);
  EXPECT_EQ(buffers.error().message,
            "the variant packed: the pass pack with 2 storage buffers exceeds maxStorageBuffersPerShaderStage, which "
            "is 1 on model");
}

TEST(Render, WritesTheProloguePerUse) {
  const Package pkg = package();
  Problem p = problem(2, true);
  p.inputs["xT"].dtype = p.inputs["zT"].dtype = DType::float16;
  DeviceProfile d = device();
  d.features = {"shader-f16"};
  const Plan plan = value(plan_of(pkg, d, p));
  EXPECT_EQ(value(render(pkg, plan.passes[0])), R"(enable f16;
enable subgroups;
requires packed_4x8_integer_dot_product;
diagnostic(off, derivative_uniformity);
struct params_struct {
  count: u32,
  shift: i32,
  half: f32,
}
@group(0) @binding(0) var<storage, read> x: array<f16, 128>;
@group(0) @binding(1) var<storage, read> z: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;
@group(0) @binding(3) var<uniform> params: params_struct;
// f16
fn part() -> u32 { return dot4U8Packed(1u, 2u); }
@compute @workgroup_size(64) fn main() { let k = 8u; let n = f16(1); }
)");
}

TEST(Render, FindsDirectivesByWords) {
  const auto directives = [](const std::string& body) {
    std::map<std::string, std::string> templates = kTemplates;
    templates["b.wgsl.jinja"] = "{# {{ flag }} {{ pin }} #}" + body;
    auto pkg = Package::load(kManifest, "m", templates);
    if (!pkg) throw std::runtime_error(pkg.error().to_string());
    const Plan plan = value(plan_of(*pkg, device(), problem(2), {.variant = "packed"}));
    const std::string text = value(render(*pkg, plan.passes[0]));
    return text.substr(0, text.find("@group"));
  };
  EXPECT_EQ(directives("fn f() { let a = 1.5f; } // f16 subgroupAdd vec4h\n/* 1h /* nested */ dot4I8Packed */"), "");
  EXPECT_EQ(directives("const a = 1.0h;"), "enable f16;\n");
  EXPECT_EQ(directives("const a = 0x1Fu; var<private> v: mat2x3h;"), "enable f16;\n");
  EXPECT_EQ(directives("fn f(a: vec3<f16>) {}"), "enable f16;\n");
  EXPECT_EQ(directives("fn f() { let x = subgroupShuffleXor(1u, 2u); }"), "enable subgroups;\n");
  EXPECT_EQ(directives("fn f(@builtin(subgroup_size) subgroup_size: u32) {}"), "enable subgroups;\n");
  EXPECT_EQ(directives("fn f(subgroup_size: u32) {}"), "");
  EXPECT_EQ(directives("fn f(@builtin(subgroup_id) s: u32) {}"), "enable subgroups;\nrequires subgroup_id;\n");
  EXPECT_EQ(directives("@compute @workgroup_size(32) @subgroup_size(32) fn f() {}"),
            "enable subgroup_size_control;\nenable subgroups;\n");
  EXPECT_EQ(directives("alias L = subgroup_matrix_left<f32, 8, 8>;"),
            "enable chromium_experimental_subgroup_matrix;\n");
  EXPECT_EQ(directives("requires subgroup_id;\nenable f16, subgroups;\nenable f16;\n"),
            "enable f16;\nenable subgroups;\nrequires subgroup_id;\n");
}

TEST(Render, NamesWithoutAValueAreErrorsOnlyWhenRead) {
  const Package pkg = package();
  DeviceProfile hidden = device();
  hidden.adapter.subgroup_min_size.reset();
  const Plan reads = value(plan_of(pkg, hidden, problem(2)));  // flag is true: the template reads pin
  const auto failed = render(pkg, reads.passes[1]);
  ASSERT_FALSE(failed);
  EXPECT_THAT(
      failed.error().message,
      HasSubstr(
          "the template reads pin, which has no value here: device.adapterInfo.subgroupMinSize has no value here"));
  const Plan leaves = value(plan_of(pkg, hidden, problem(2), {.variant = "packed"}));
  EXPECT_TRUE(render(pkg, leaves.passes[0]));
  EXPECT_THAT(value(render(pkg, value(plan_of(pkg, device(), problem(2))).passes[1])), HasSubstr("const a = 16;"));
  const auto without = Package::load(kManifest, "m");
  ASSERT_TRUE(without);
  const auto no_template = render(*without, value(plan_of(*without, device(), problem(2))).passes[0]);
  ASSERT_FALSE(no_template);
  EXPECT_EQ(no_template.error().message, "the package test.Op was loaded without the template a.wgsl.jinja");
}

TEST(ShaderFacts, ReadsSizes) {
  const auto facts = shader_facts(R"(const N = 8u; const M: u32 = N * 4 + 1;
alias Tile = array<vec4<f16>, M>;
var<workgroup> a: array<Tile, 2>;       // 33 * 8 * 2 = 528
var<workgroup> b: array<vec3f, 3>;      // 3 * 16
var<workgroup> c: atomic<u32>;          // 4, counted as 16
var<workgroup> d: array<array<f32, 5>, (N - 6) * 2>;  // 80
@compute @workgroup_size(N * 2, 4) fn main() {})");
  EXPECT_EQ(facts.workgroup_bytes, 528U + 48U + 16U + 80U);
  ASSERT_TRUE(facts.workgroup_size);
  EXPECT_THAT(*facts.workgroup_size, ElementsAre(16U, 4U, 1U));
  EXPECT_EQ(shader_facts("override n = 3; @compute @workgroup_size(n) fn main() {}").workgroup_size, std::nullopt);
  EXPECT_EQ(
      shader_facts("struct S { a: f32 } var<workgroup> s: S; @compute @workgroup_size(1) fn main() {}").workgroup_bytes,
      std::nullopt);
  DeviceProfile small;
  small.name = "small";
  small.limits = {{"maxComputeInvocationsPerWorkgroup", 32}, {"maxComputeWorkgroupStorageSize", 512}};
  const auto size = check_shader(facts, small);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().message,
            "the workgroup of 16x4x1 = 64 exceeds maxComputeInvocationsPerWorkgroup, which is 32 on small");
  small.limits["maxComputeInvocationsPerWorkgroup"] = 64;
  const auto bytes = check_shader(facts, small);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().message,
            "workgroup memory of bytes 672 exceeds maxComputeWorkgroupStorageSize, which is 512 on small");
}

TEST(Lint, FindsWhatIsWrong) {
  const Package pkg = package();
  DeviceProfile model = device();
  model.features = {"shader-f16", "subgroups"};
  model.wgsl_language_features = {"packed_4x8_integer_dot_product"};
  const CompileCheck accept = [](std::string_view, std::string_view) -> Result<void> { return {}; };
  const LintReport good = lint(pkg, {model}, {problem(1), problem(2, true)}, accept);
  EXPECT_TRUE(good.problems.empty()) << good.problems.front().to_string();
  EXPECT_EQ(good.pairs, 2U);
  EXPECT_GT(good.programs, 3U);
  EXPECT_EQ(good.compiled, good.programs);

  const LintReport refused = lint(pkg, {model}, {problem(1)}, [](std::string_view, std::string_view) -> Result<void> {
    return fail(ErrorCode::gpu, "no such function");
  });
  ASSERT_FALSE(refused.problems.empty());
  EXPECT_THAT(refused.problems[0].to_string(), HasSubstr("no such function\n  with p on model"));

  DeviceProfile hidden = model;
  hidden.adapter.subgroup_min_size.reset();
  EXPECT_FALSE(lint(pkg, {hidden}, {problem(1)}, accept).problems.empty()) << "a template reads a value that is hidden";

  DeviceProfile small = model;
  small.limits["maxComputeInvocationsPerWorkgroup"] = 32;
  const LintReport large = lint(pkg, {small}, {problem(1)}, accept);
  ASSERT_FALSE(large.problems.empty());
  EXPECT_THAT(large.problems[0].message, HasSubstr("exceeds maxComputeInvocationsPerWorkgroup, which is 32 on model"));

  Problem changing = problem(1);
  changing.constant.clear();
  const LintReport unchecked = lint(pkg, {model}, {changing}, accept);
  ASSERT_EQ(unchecked.problems.size(), 1U);
  EXPECT_THAT(unchecked.problems[0].message, HasSubstr("the variant packed is eligible for no problem on any profile"));
}

}  // namespace
}  // namespace halfbyte
