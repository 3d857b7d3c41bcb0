// A package is data from strangers: what it could do to a careless host, each refused with a sentence, or done within bounds. (A hang shows as the
// test's time limit, a huge allocation under ./dev fuzz.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "expr/expr.hpp"
#include "io/files.hpp"
#include "manifest/package.hpp"
#include "plan/jinja.hpp"
#include "plan/plan.hpp"
#include "plan/shader_facts.hpp"
#include "select/select.hpp"
#include "tune/records.hpp"
#include "verify/case.hpp"

namespace halfbyte {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A manifest with these derives and variants; each variant has one pass.
std::string manifest(const std::string& derives, const std::string& variants) {
  return std::format(R"json({{"domain": "t", "name": "Op", "inputs": {{"xT": {{"onnx": "X", "dtype": "T"}}}},
    "outputs": {{"yT": {{"onnx": "Y", "dtype": "T", "shape": "shapes.xT"}}}}, "typeConstraints": {{"T": ["float32"]}},
    "derive": {{{}}}, "bindings": {{"x": {{"arg": "xT"}}, "y": {{"arg": "yT"}}}}, "variants": [{}]}})json",
                     derives, variants);
}
std::string variant(const std::string& id, const std::string& more) {
  return std::format(
      R"json({{"id": "{}", "priority": 1, {} "passes": [{{"id": "main", "shader": "a.jinja", "bindings": ["x", "y"], "dispatch": {{"x": 1}}}}]}})json",
      id, more);
}
Problem problem(Shape shape = {4, 4}) {
  Problem p;
  p.inputs["xT"] = {DType::float32, std::move(shape)};
  return p;
}

std::string why_not(const auto& result) { return result ? "it was accepted" : result.error().to_string(); }

TEST(Hostile, ConditionsThatDoubleAreExplainedBriefly) {
  std::string derives = R"("d0": "numel(shapes.xT) < 0")";
  for (int i = 1; i < 120; ++i) derives += std::format(R"(, "d{}": "d{} or d{}")", i, i - 1, i - 1);
  const auto package = Package::load(manifest(derives, variant("v", R"("when": ["d119"],)")), "m.json");
  ASSERT_TRUE(package) << why_not(package);
  const auto verdicts = explain(*package, {}, problem());
  ASSERT_TRUE(verdicts) << why_not(verdicts);
  EXPECT_EQ((*verdicts)[0].verdict, Verdict::rejected);
  EXPECT_LT((*verdicts)[0].why.size(), 100'000u);
}

TEST(Hostile, AMegabyteOfConditionsLoads) {
  std::string conditions;
  for (int i = 0; i < 60'000; ++i) conditions += i ? ", \"1 < 2\"" : "\"1 < 2\"";
  const auto package = Package::load(manifest("", variant("v", std::format("\"when\": [{}],", conditions))), "m.json");
  EXPECT_TRUE(package) << why_not(package);
}

TEST(Hostile, DerivesTimesVariantsAreBounded) {
  std::string derives = R"("x": "1")", last = "x", variants;
  for (int i = 0; i < 3000; ++i) {
    derives += std::format(R"(, "d{}": "x + x + x + x + x + x + x + x + x + x + {}")", i, last);
    last = i % 100 == 99 ? "x" : std::format("d{}", i);
  }
  std::string all = "d98";
  for (int i = 198; i < 3000; i += 100) all += std::format(" + d{}", i);
  for (int i = 0; i < 900; ++i)
    variants +=
        (i ? ", " : "") + variant(std::format("v{}", i),
                                  std::format(R"("derive": {{"x": "2", "all": "{}"}}, "when": ["all > 0"],)", all));
  const auto package = Package::load(manifest(derives, variants), "m.json");
  EXPECT_THAT(why_not(package), ::testing::AnyOf(HasSubstr("too large"), HasSubstr("too many places")));
}

TEST(Hostile, ObjectsAndListsAreBounded) {
  std::string derives = R"("d": "1")";
  for (int i = 0; i < 5000; ++i) derives += std::format(R"(, "e{}": "1")", i);
  EXPECT_THAT(why_not(Package::load(manifest(derives, variant("v", "")), "m.json")),
              HasSubstr("more than 4096 members"));
  std::string passes;
  for (int i = 0; i < 100; ++i)
    passes += std::format(R"({}{{"id": "p{}", "shader": "a.jinja", "bindings": [], "dispatch": {{"x": 1}}}})",
                          i ? ", " : "", i);
  EXPECT_THAT(why_not(Package::load(
                  manifest("", std::format(R"({{"id": "v", "priority": 1, "passes": [{}]}})", passes)), "m.json")),
              HasSubstr("more than 64 passes"));
  std::string features;
  for (int i = 0; i < 300; ++i) features += std::format(R"x({}"device.features.has(\"f{}\")")x", i ? ", " : "", i);
  EXPECT_THAT(why_not(Package::load(manifest("", variant("v", std::format("\"when\": [{}],", features))), "m.json")),
              HasSubstr("more than 256 features"));
}

TEST(Hostile, NumbersPast2To53AreErrors) {
  const auto package = Package::load(
      manifest(R"x("big": "numel([9007199254740992, 1024])")x", variant("v", R"("when": ["big > 0"],)")), "m.json");
  ASSERT_TRUE(package) << why_not(package);
  EXPECT_THAT((*explain(*package, {}, problem()))[0].why, HasSubstr("past 2^53"));
  EXPECT_THAT(why_not(select(*package, {}, problem({1 << 30, 1 << 30}))), HasSubstr("must fit 53 bits"));
  const auto scratch = Package::load(
      manifest(
          "",
          R"({"id": "v", "priority": 1, "intermediates": [{"id": "s", "dtype": "float32", "shape": "[9007199254740992, 9007199254740992]"}],
        "passes": [{"id": "main", "shader": "a.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1}}]})"),
      "m.json");
  ASSERT_TRUE(scratch) << why_not(scratch);
  EXPECT_THAT(why_not(plan_problem(*scratch, {}, problem())), HasSubstr("which is too large"));
}

TEST(Hostile, IncludesThatMultiplyAreBounded) {
  std::map<std::string, std::string> templates;
  for (int i = 0; i < 14; ++i) {
    std::string text;
    for (int j = 0; j < 8; ++j) text += std::format("{{#include \"t{}.jinja\"#}}\n", i + 1);
    templates[i == 0 ? "a.jinja" : std::format("t{}.jinja", i)] = text;
  }
  templates["t14.jinja"] = "";
  EXPECT_THAT(why_not(Package::load(manifest("", variant("v", "")), "m.json", templates)),
              HasSubstr("includes more than"));
}

std::string rendered(const std::string& text) {
  const auto tree = jinja::parse(text);
  if (!tree) return tree.error().message;
  jinja::Names names;
  names.values["K"] = {int64_t{64}};
  const auto result = jinja::render(**tree, names);
  return result ? "rendered " + std::to_string(result->size()) + " bytes" : result.error().message;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Hostile, TemplatesThatRunLongGrowOrNestAreErrors) {
  EXPECT_THAT(rendered("{{ 1 % 0 }}"), HasSubstr("divides by zero"));
  EXPECT_THAT(rendered("{{ -9223372036854775807 - 1 - 1 }}"), HasSubstr("leaves 64 bits"));
  EXPECT_THAT(rendered("{{ K * 9223372036854775807 }}"), HasSubstr("leaves 64 bits"));
  EXPECT_THAT(rendered("{% for i in range(1000000000) %}x{% endfor %}"), HasSubstr("more than 65536 elements"));
  EXPECT_THAT(rendered("{{ range(-9223372036854775807, 9223372036854775807, 1) | length }}"),
              HasSubstr("more than 65536"));
  EXPECT_THAT(rendered("{{ range(9223372036854775800, 9223372036854775807, 5) | length }}"), HasSubstr("rendered"));
  EXPECT_THAT(rendered(repeated("{% for i in range(60000) %}", 4) + repeated("{% endfor %}", 4)), HasSubstr("steps"));
  EXPECT_THAT(rendered("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), HasSubstr("nested"));
  EXPECT_THAT(rendered("{% macro f(g) %}{{ g(g) }}{% endmacro %}{{ f(f) }}"), HasSubstr("can only be called"));
  EXPECT_THAT(rendered("{% set s = 'aaaaaaaaaaaaaaaa' %}" + repeated("{% set s = s ~ s %}", 60)),
              HasSubstr("grows past"));
  EXPECT_THAT(rendered("{% set s = [1, 2] %}" + repeated("{% set s = s + s %}", 60)), HasSubstr("more than 65536"));
  EXPECT_THAT(rendered("{% set s = [1] %}" + repeated("{% set s = [s, s] %}", 60)),
              ::testing::AnyOf(HasSubstr("steps"), HasSubstr("nested")));
  EXPECT_THAT(rendered("{% set s = [1] %}{% for i in range(1000) %}{% set s = [s] %}{% endfor %}"),
              HasSubstr("nested deeper"));
  EXPECT_THAT(rendered("{{ 'a' * 1000000000 }}"), HasSubstr("needs numbers"));
  EXPECT_THAT(rendered("{{ " + repeated("(", 5000) + "1" + repeated(")", 5000) + " }}"), HasSubstr("nested deeper"));
  EXPECT_THAT(rendered("{{ " + repeated("not ", 5000) + "1 }}"), HasSubstr("deeper than"));
  EXPECT_THAT(rendered("{{ 1" + repeated(" + 1", 5000) + " }}"), HasSubstr("deeper than"));
  EXPECT_THAT(rendered(repeated("{% if 1 %}", 5000)), HasSubstr("nested deeper"));
  EXPECT_THAT(rendered(repeated(" ", 3'000'000) + "{{- 1 }}"), HasSubstr("rendered 1 bytes"));
  EXPECT_THAT(rendered("{#" + repeated("x", 3'000'000) + "#}"), HasSubstr("rendered 0 bytes"));
  EXPECT_THAT(rendered(repeated("{{ K }}", 300'000)), ::testing::AnyOf(HasSubstr("rendered"), HasSubstr("steps")));
  EXPECT_THAT(rendered("{{ '" + repeated("x", 10'000) + "' }}"), HasSubstr("rendered 10000 bytes"));
  EXPECT_THAT(rendered("{% for i in range(1000) %}{{ '" + repeated("x", 10'000) + "' }}{% endfor %}"),
              HasSubstr("grows past"));
}

TEST(Jinja, MeansWhatJinjaMeans) {
  const auto text = [](const std::string& source) {
    const auto tree = jinja::parse(source);
    if (!tree)
      return std::format("{}:{}: {}", tree.error().where.line, tree.error().where.column, tree.error().message);
    jinja::Names names;
    names.values["K"] = {int64_t{64}};
    names.values["half"] = {0.5};
    names.values["attrs"] = {std::make_shared<const jinja::Members>(jinja::Members{{"N", {int64_t{3}}}})};
    names.optional = {"maybe"};
    const auto result = jinja::render(**tree, names);
    return result ? *result : "error: " + result.error().message;
  };
  EXPECT_EQ(text("{{ K }} {{ half }} {{ 4 * half }} {{ K % 10 }} {{ -7 % 3 }} {{ attrs.N }}"), "64 0.5 2.0 4 2 3");
  EXPECT_EQ(text("a\n  {% if K > 3 and not false %}\nb\n  {% else %}\nc\n  {% endif %}\nd"), "a\nb\nd");
  EXPECT_EQ(text("{% for i in range(3) %}{{ i }}{% if not loop.last %},{% endif %}{% endfor %}"), "0,1,2");
  EXPECT_EQ(text("{% for i in range(9) if i % 2 == 0 %}{% if i == 6 %}{% break %}{% endif %}{{ i }}{% endfor %}"),
            "024");
  EXPECT_EQ(text("{% for i in [] %}x{% else %}none{% endfor %}"), "none");
  EXPECT_EQ(text("{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}"), "3 7 ");
  EXPECT_EQ(text("{% macro f(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{{ f(1) }}{{ f(1, b=3) ~ 'x' }}"), "[12][13]x");
  EXPECT_EQ(text("{% set t %}a{{ K }}{% endset %}{{ t | upper }}{{ t[1:] }}{{ t[-1] }}"), "A64644");
  EXPECT_EQ(
      text("{{ 'yes' if maybe is defined else 'no' }} {{ [1, 2] | join('-') }} {{ 'x' in 'axb' }} {{ 3 not in [1] }}"),
      "no 1-2 True True");
  EXPECT_EQ(text("x {{- 'y' -}} z"), "xyz");
  EXPECT_EQ(text("{{ unknown }}"), "error: the template reads the unknown name unknown");
  EXPECT_EQ(text("{{ attrs.M }}"), "error: the template prints a value that is not there");
  EXPECT_THAT(text("a\n{% if K %}"), HasSubstr("2:1"));
  EXPECT_THAT(text("{{ K / 2 }}"), HasSubstr("'/' is not allowed"));
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    root = fs::temp_directory_path() / std::format("hostile-{}", ::getpid());
    fs::remove_all(root);
    fs::create_directories(root / "pack");
    ASSERT_TRUE(write_file((root / "secret.wgsl.jinja").string(), "secret"));
    ASSERT_TRUE(write_file((root / "pack" / "manifest.json").string(), manifest("", variant("v", ""))));
    ASSERT_TRUE(write_file((root / "pack" / "a.wgsl.jinja").string(), "x"));
  }
  void TearDown() override { fs::remove_all(root); }
  std::string load() const { return why_not(load_package((root / "pack").string())); }
  fs::path root;
};

TEST_F(Folder, LinksOutOfAPackageAreRefused) {
  fs::create_symlink(root / "secret.wgsl.jinja", root / "pack" / "b.wgsl.jinja");
  EXPECT_THAT(load(), HasSubstr("outside its package's folder"));
}
TEST_F(Folder, PipesAndFoldersAreRefused) {
  ASSERT_EQ(::mkfifo((root / "pack" / "b.wgsl.jinja").c_str(), 0600), 0);
  EXPECT_THAT(load(), HasSubstr("not a regular file"));
}
TEST_F(Folder, LargeFilesAreRefused) {
  ASSERT_TRUE(write_file((root / "pack" / "b.wgsl.jinja").string(), std::string(5 << 20, 'x')));
  EXPECT_THAT(load(), HasSubstr("at most 4194304 are allowed"));
}
TEST_F(Folder, OnlySiblingsAreUsed) {
  for (const char* name : {"..", ".", "../..", "a/b", "/etc"}) {
    std::string text = manifest("", variant("v", ""));
    text.insert(1, std::format(R"("uses": ["{}"], )", name));
    ASSERT_TRUE(write_file((root / "pack" / "manifest.json").string(), text));
    EXPECT_THAT(load(), HasSubstr("is not the name of a sibling package")) << name;
  }
}

TEST(Hostile, ShadersThatSayHugeThingsAreSizedOrNot) {
  DeviceProfile profile;
  profile.limits = {{"maxComputeInvocationsPerWorkgroup", 256}, {"maxComputeWorkgroupStorageSize", 16384}};
  std::string doubled = "const c0 = 1;\n";
  for (int i = 1; i < 60; ++i) doubled += std::format("const c{} = c{} + c{};\n", i, i - 1, i - 1);
  EXPECT_FALSE(shader_facts(doubled + "var<workgroup> w: array<f32, c59>;").workgroup_bytes);
  EXPECT_FALSE(shader_facts("var<workgroup> w: array<f32, " + repeated("(", 100'000) + "1>;").workgroup_bytes);
  EXPECT_FALSE(check_shader(shader_facts("@compute @workgroup_size(4294967296, 4294967296, 4) fn main() {}"), profile));
  EXPECT_FALSE(shader_facts("var<workgroup> w: array<array<f32, 4294967296>, 4294967297>;").workgroup_bytes);
}

TEST(Hostile, CasesThatWouldNotFitMemoryAreRefused) {
  const auto package = load_package(HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits");
  ASSERT_TRUE(package) << why_not(package);
  const auto cases = parse_cases(R"([{"id": "huge", "attrs": {"K": 1048576, "N": 1048576, "bits": 4, "block_size": 32},
    "inputs": {"aT": {"shape": [1048576, 1048576], "dtype": "float32"}, "bT": {"shape": [1048576, 32768, 16], "dtype": "uint8"},
               "scalesT": {"shape": [1048576, 32768], "dtype": "float32"}}}])",
                                 "cases.json");
  ASSERT_TRUE(cases) << why_not(cases);
  EXPECT_THAT(why_not(make_case_data(*package, (*cases)[0], 1)), HasSubstr("larger than 1 GiB"));
}

TEST(Hostile, NestedRecordsAreRefusedWithAPlace) {
  const std::string deep = repeated("[", 200'000);
  const auto records = TuningRecords::parse(R"({"schema": "halfbyte.tuning/1", "entries": )" + deep, "t.json");
  EXPECT_THAT(why_not(records), HasSubstr("t.json:1:"));
}

}  // namespace
}  // namespace halfbyte
