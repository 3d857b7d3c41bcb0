#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "manifest/manifest.hpp"
#include "manifest/package.hpp"

namespace halfbyte {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A sound package; each test spoils one thing. Line numbers below count from its first line.
constexpr std::string_view kManifest = R"json({
  "domain": "test", "name": "Op", "sinceVersion": 1,
  "inputs": {
    "xT": {"onnx": "X", "dtype": "T"},
    "zT": {"onnx": "Z", "dtype": "T", "rank": 1, "optional": true}
  },
  "outputs": {"yT": {"onnx": "Y", "dtype": "T", "rank": "ranks.xT", "shape": "shapes.xT"}},
  "attributes": {"K": {}, "mode": {"default": "fast"}},
  "attributeConstraints": {"K": {"required": true}, "mode": {"values": ["fast", "slow"]}},
  "typeConstraints": {"T": ["float32", "float16"]},
  "tunables": {"SIZE": {"default": 64, "values": [32, 64]}},
  "derive": {
    "count": "numel(shapes.xT)",
    "fits": "tunables.SIZE <= device.limits.maxComputeInvocationsPerWorkgroup",
    "wgslType": "\"f16\" if tensorDtypes.xT == \"float16\" else \"f32\""
  },
  "bindings": {
    "x": {"arg": "xT", "elementType": "$wgslType"},
    "z": {"arg": "zT", "elementType": "$wgslType"},
    "y": {"arg": "yT", "elementType": "$wgslType"},
    "params": {"struct": [{"name": "count", "type": "u32", "value": "count"}]}
  },
  "variants": [
    {"id": "plain", "priority": 1, "when": ["fits", "count > 0"],
     "passes": [{"id": "main", "shader": "op.wgsl.jinja", "bindings": ["x", "z?", "y", "params"],
                 "dispatch": {"x": "ceilDiv(count, size)"}, "derive": {"size": "tunables.SIZE"}}]}
  ]
}
)json";

std::string sound() { return std::string(kManifest); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::map<std::string, std::string> templates(
    std::string text = "{% if bound.z %}{{ element.x }}{% endif %} {{ size }} {{ wgslType }}") {
  return {{"op.wgsl.jinja", std::move(text)}};
}

TEST(Package, SoundOneLoads) {
  const auto package = Package::load(sound(), "p/manifest.json", templates());
  ASSERT_TRUE(package) << package.error().to_string();
  EXPECT_EQ(package->name(), "test.Op");
  EXPECT_THAT(package->variant_ids(), ElementsAre("plain"));
  for (const Error& w : package->warnings()) ADD_FAILURE() << w.to_string();
  EXPECT_TRUE(Package::load(sound(), "p/manifest.json"));
  EXPECT_EQ(package->manifest().variants[0].passes[0].parameters.size(), 4U);
}

TEST(Package, HashIsOfManifestAndTemplates) {
  const auto a = Package::load(sound(), "m", templates()), b = Package::load(sound(), "elsewhere/m", templates()),
             c = Package::load(sound() + " ", "m", templates()),
             d = Package::load(sound(), "m", templates("{{ size }} {{ wgslType }} "));
  ASSERT_TRUE(a && b && c && d);
  EXPECT_EQ(a->hash(), b->hash());
  EXPECT_NE(a->hash(), c->hash());
  EXPECT_NE(a->hash(), d->hash());
}

struct Bad {
  const char* from;
  const char* to;       // ^ stands in front of the place of the error
  const char* message;  // contained in the sentence
};

// Takes the ^ out of the text; "line:column" of where it was.
std::string take_mark(std::string& text) {
  const size_t at = text.find('^');
  if (at == std::string::npos) return "no mark";
  text.erase(at, 1);
  const size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  return std::format("{}:{}", line, newline == std::string::npos ? at + 1 : at - newline);
}

TEST(Package, EveryErrorHasItsPlace) {
  for (const Bad& bad : std::initializer_list<Bad>{
           // JSON
           {"\"sinceVersion\": 1,", "\"sinceVersion\": 1 ^2,", "this is not JSON"},
           {"\"domain\": \"test\",", "\"domain\": \"test\", ^\"domain\": \"again\",",
            "the key \"domain\" is given twice"},
           // keys and kinds
           {"\"sinceVersion\"", "^\"sinceVersoin\"",
            "unknown key \"sinceVersoin\" in the manifest, allowed are domain"},
           {"\"when\"", "^\"whne\"", "unknown key \"whne\" in a variant"},
           {"\"priority\": 1", "\"priority\": ^\"high\"", "\"priority\" is a string, it must be a number"},
           {"{\"default\": 64, \"values\"", "^{\"values\"", "the tunable SIZE lacks the key \"default\""},
           {"\"default\": 64, \"values\": [", "\"default\": 16, \"values\": ^[",
            "the values of the tunable SIZE do not contain its default 16"},
           {"\"optional\": true", "\"optional\": ^1", "\"optional\" is a number, it must be a boolean"},
           {"\"count\": \"numel", "^\"min\": \"1\", \"count\": \"numel",
            "the derive name min is a word of the language"},
           // names
           {"numel(shapes.xT)", "numel(^shapes.wT)", "unknown input or output wT, did you mean xT?"},
           {"\"count > 0\"", "\"count > 0 and ^cuont < 9\"", "unknown name cuont, did you mean count?"},
           {"tunables.SIZE <=", "^tunables.SIZ <=", "unknown tunable SIZ, did you mean SIZE?"},
           {"device.limits.maxComputeInvocationsPerWorkgroup", "^device.limits.maxComputeInvocations",
            "unknown limit maxComputeInvocations"},
           {"count > 0", "device.adapterInfo.vendor == \\\"a\\\" or ^device.adapterInfo.vedor == \\\"b\\\"",
            "unknown adapter field vedor, did you mean vendor?"},
           {"count > 0", "^constant(\\\"wT\\\")", "constant names the unknown input wT"},
           {"count > 0", "^sqrt(count) > 0", "unknown function sqrt"},
           {"\"ranks.xT\"", "\"^ranks.yT\"", "ranks.yT may not be used where outputs are defined"},
           {"\"x\", \"z?\"", "\"x\", ^\"w?\"", "unknown binding \"w\""},
           {"\"z?\", \"y\"", "\"z?\", \"y\", ^\"y\"", "the pass main binds two buffers under the name y"},
           {"\"params\"],", "^\"params?\"],", "the binding params is marked optional, but only an input"},
           {"{\"arg\": \"zT\"", "{\"arg\": ^\"wT\"", "the binding refers to the unknown input or output wT"},
           {"{\"arg\": \"zT\"", "{\"scratch\": ^\"wT\"",
            "the binding refers to the unknown intermediate of the variant plain: wT"},
           {"\"z\": {\"arg\": \"zT\", \"elementType\": \"$wgslType\"",
            "\"z\": {\"arg\": \"zT\", \"elementType\": \"$^wgslTyp\"",
            "\"elementType\" refers to the unknown derive wgslTyp, did you mean wgslType?"},
           {"\"z\": {\"arg\": \"zT\", \"elementType\": \"$wgslType\"",
            "\"z\": {\"arg\": \"zT\", \"elementType\": ^\"$count\"",
            "\"elementType\" refers to count, a number, it must be a string"},
           {"\"dtype\": \"T\"}", "\"dtype\": ^\"U\"}", "\"U\" is neither a dtype nor a name of typeConstraints"},
           {"{\"arg\": \"zT\"", "{\"arg\": \"zT\", \"scratch\": ^\"s\"",
            "a binding has one of arg, scratch, prepacked and struct, this one has two"},
           // types
           {"\"count > 0\"", "^\"count\"", "a condition of \"when\" is a number, it must be a boolean"},
           {"\"\\\"f16\\\" if tensorDtypes.xT == \\\"float16\\\" else", "\"\\\"f16\\\" if ^tensorDtypes.xT == 16 else",
            "a string is compared with a number"},
           {"\"\\\"f16\\\" if", "\"^16 if", "the two sides of 'if' are a number and a string"},
           {"\"type\": \"u32\"", "\"type\": ^\"u64\"",
            "the field count has the type \"u64\", there are u32, i32 and f32"},
           {"\"value\": \"count\"", "\"value\": ^\"wgslType\"", "the value of count is a string, it must be a number"},
           // cycles
           {"\"count\": \"numel(shapes.xT)\"",
            "^\"count\": \"numel(shapes.xT) if fits else other\", \"other\": \"count + 1\"",
            "the derives count -> other -> count form a cycle"},
           {"\"size\": \"tunables.SIZE\"", "^\"size\": \"size + 1\"", "the derives size -> size form a cycle"},
           // what is left out
           {"\"passes\": [{\"id\": \"main\", \"shader\": \"op.wgsl.jinja\", \"bindings\": [\"x\", \"z?\", \"y\", "
            "\"params\"],\n"
            "                 \"dispatch\": {\"x\": \"ceilDiv(count, size)\"}, ",
            "\"passes\": [^{\"id\": \"main\", \"shader\": \"op.wgsl.jinja\", \"bindings\": [\"x\", \"z?\", \"y\", "
            "\"params\"], ",
            "lacks the key \"dispatch\""},
           {"\"dispatch\": {\"x\": \"ceilDiv(count, size)\"}", "\"dispatch\": ^{\"y\": \"1\"}",
            "the dispatch of the pass main lacks the key \"x\""},
           {"\"shader\": \"op.wgsl.jinja\"", "\"shader\": ^\"../op.wgsl.jinja\"", "is not a file name"},
           {"\"shader\": \"op.wgsl.jinja\"", "\"shader\": ^\"other:op.wgsl.jinja\"",
            "the package \"other\" is not listed in \"uses\""},
           {"\"shader\": \"op.wgsl.jinja\"", "\"shader\": ^\"po.wgsl.jinja\"", "there is no template p/po.wgsl.jinja"},
       }) {
    std::string text = replaced(sound(), bad.from, bad.to);
    const std::string place = take_mark(text);
    const auto package = Package::load(text, "p/manifest.json", templates());
    ASSERT_FALSE(package) << bad.to;
    EXPECT_EQ(package.error().code, ErrorCode::parse);
    EXPECT_THAT(package.error().message, HasSubstr(bad.message)) << bad.to;
    EXPECT_EQ(std::format("{}:{}", package.error().where.line, package.error().where.column), place)
        << bad.to << "\n"
        << package.error().to_string();
    EXPECT_EQ(package.error().where.file, "p/manifest.json");
  }
}

TEST(Package, DuplicateIds) {
  std::string text = sound();
  const size_t at = text.find("    {\"id\": \"plain\"");
  const std::string variant = text.substr(at, text.rfind("  ]") - at - 1);
  text.insert(at, variant + ",\n");
  const auto package = Package::load(text, "m");
  ASSERT_FALSE(package);
  EXPECT_EQ(package.error().to_string(), "m:27:12: the variant id \"plain\" is used twice");
}

TEST(Package, UnusedOnesAreWarnings) {
  std::string text = replaced(sound(), "\"derive\": {\n", "\"derive\": {\n    \"idle\": \"count + 1\",\n");
  text = replaced(text, "\"tunables\": {", "\"tunables\": {\"IDLE\": {\"default\": 1}, ");
  auto files = templates();
  files["old.wgsl.jinja"] = "";
  const auto package = Package::load(text, "p/manifest.json", files);
  ASSERT_TRUE(package) << package.error().to_string();
  std::vector<std::string> warnings;
  for (const Error& w : package->warnings()) warnings.push_back(w.to_string());
  EXPECT_THAT(warnings, ElementsAre("p/manifest.json:13:5: the derive idle is not used",
                                    "p/manifest.json:11:16: the tunable IDLE is not used",
                                    "p/old.wgsl.jinja:1:1: no pass uses the template old.wgsl.jinja"));
  const auto without = Package::load(text, "p/manifest.json");
  ASSERT_TRUE(without);
  EXPECT_TRUE(without->warnings().empty());
}

struct BadTemplate {
  const char* text;
  const char* where;
  const char* message;
};

TEST(Package, TemplateErrorsHaveTheirPlace) {
  for (const BadTemplate& bad : std::initializer_list<BadTemplate>{
           {"fn f() {}\n  {{ sise }} {{ size }}", "2:6", "unknown name sise, did you mean size?"},
           {"{{ size / 2 }}", "1:9", "'/' is not allowed in a template"},
           {"a\nb {{ size", "2:3", "the tag is not closed with }}"},
           {"{# open", "1:1", "the comment is not closed with #}"},
           {"{{ size | squeeze }}", "1:11", "unknown filter squeeze"},
           {"{% if attrs %}{% endif %}", "1:7", "attrs is an object, read a member of it by name"},
           {"{{ attrs.L }}", "1:4", "unknown attribute L"},
           {"{{ present.wT }}", "1:4", "unknown input or output wT"},
           {"{{ bound.w }}", "1:4", "bound.w names no binding of any pass"},
           {"{{ element.params }}", "1:4", "element.params names no buffer of the pass main"},
           {"{#include \"more.wgsl.jinja\"#}", "1:1", "there is no template p/more.wgsl.jinja"},
           {"\n{#include \"op.wgsl.jinja\"#}", "2:1", "op.wgsl.jinja includes itself"},
       }) {
    const auto package = Package::load(sound(), "p/manifest.json", templates(bad.text));
    ASSERT_FALSE(package) << bad.text;
    EXPECT_THAT(package.error().message, HasSubstr(bad.message)) << bad.text;
    EXPECT_EQ(package.error().where.file, "p/op.wgsl.jinja") << bad.text;
    EXPECT_EQ(std::format("{}:{}", package.error().where.line, package.error().where.column), bad.where) << bad.text;
  }
}

TEST(Package, TemplateLocalsAndMacrosAreNoParameters) {
  const auto package = Package::load(
      sound(), "m",
      templates(R"({% set half = size * 2 %}{% for i in range(size) %}{{ i + half + loop.index }}{% endfor %}
{% macro load(name, n=3) %}{{ name }}[{{ n }}]{% endmacro %}{{ load(wgslType, n=4) }}{{ "size_of" | length }}
{% if mystery is defined %}{{ mystery }}{% endif %})"));
  ASSERT_TRUE(package) << package.error().to_string();
  std::vector<std::string> names;
  for (const TemplateParameter& p : package->manifest().variants[0].passes[0].parameters) names.push_back(p.name);
  EXPECT_THAT(names, ElementsAre("size", "wgslType"));
}

TEST(Package, IncludesKeepTheirPlaces) {
  auto files = templates("one\n{#include \"part.wgsl.jinja\"#}\n{{ size }}{{ wgslType }}");
  files["part.wgsl.jinja"] = "two\n {{ nonsuch }}\n";
  const auto package = Package::load(sound(), "p/manifest.json", files);
  ASSERT_FALSE(package);
  EXPECT_THAT(package.error().to_string(), ::testing::StartsWith("p/part.wgsl.jinja:2:5: unknown name nonsuch"));
  files["part.wgsl.jinja"] = "two";
  const auto good = Package::load(sound(), "p/manifest.json", files);
  ASSERT_TRUE(good) << good.error().to_string();
  EXPECT_EQ(good->manifest().templates[0].text, "one\ntwo\n{{ size }}{{ wgslType }}");
  EXPECT_TRUE(good->warnings().empty());
}

// "NAME:file" is a file of the sibling package NAME, which includes its own files and may know bindings that nobody here has.
std::map<std::string, std::string> shared_templates() {
  return {{"op.wgsl.jinja", "{#include \"other:part.wgsl.jinja\"#}\n{{ size }}{{ wgslType }}"},
          {"other:part.wgsl.jinja", "{#include \"leaf.wgsl.jinja\"#}\npart {{ \"z\" if bound.zeros else \"\" }}\n"},
          {"other:leaf.wgsl.jinja", "leaf\n"},
          {"other:whole.wgsl.jinja", "{{ size }}{{ wgslType }}"},
          {"other:idle.wgsl.jinja", "{{ nobody }}"}};
}

TEST(Package, SiblingsTemplates) {
  const std::string text = replaced(sound(), "\"sinceVersion\": 1,", "\"sinceVersion\": 1, \"uses\": [\"other\"],");
  const auto package = Package::load(text, "p/manifest.json", shared_templates());
  ASSERT_TRUE(package) << package.error().to_string();
  EXPECT_EQ(package->manifest().templates[0].text,
            "leaf\npart {{ \"z\" if bound.zeros else \"\" }}\n{{ size }}{{ wgslType }}");
  EXPECT_TRUE(package->warnings().empty()) << package->warnings()[0].to_string();
  auto files = shared_templates();
  const auto whole =
      Package::load(replaced(text, "\"op.wgsl.jinja\"", "\"other:whole.wgsl.jinja\""), "p/manifest.json", files);
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_EQ(whole->warnings().size(), 1U) << "op.wgsl.jinja is idle then";

  files["other:idle.wgsl.jinja"] += " ";
  EXPECT_EQ(Package::load(text, "p/manifest.json", files)->hash(), package->hash())
      << "what is not used does not count";
  files["other:leaf.wgsl.jinja"] += " ";
  EXPECT_NE(Package::load(text, "p/manifest.json", files)->hash(), package->hash());

  files["other:leaf.wgsl.jinja"] = "\n {{ nonsuch }}";
  EXPECT_EQ(Package::load(text, "p/manifest.json", files).error().to_string(),
            "p/../other/leaf.wgsl.jinja:2:5: unknown name nonsuch in the template of the pass main");
  files.erase("other:leaf.wgsl.jinja");
  EXPECT_EQ(Package::load(text, "p/manifest.json", files).error().to_string(),
            "p/../other/part.wgsl.jinja:1:1: there is no template p/../other/leaf.wgsl.jinja");
  files = shared_templates();
  files["op.wgsl.jinja"] += "{{ bound.zeros }}";
  EXPECT_TRUE(Package::load(text, "p/manifest.json", files)) << "the sibling's file asked first";
  files["op.wgsl.jinja"] = "{{ bound.zeros }}\n" + files["op.wgsl.jinja"];
  EXPECT_EQ(Package::load(text, "p/manifest.json", files).error().to_string(),
            "p/op.wgsl.jinja:1:4: bound.zeros names no binding of any pass");
  EXPECT_EQ(Package::load(sound(), "p/manifest.json", shared_templates()).error().to_string(),
            "p/op.wgsl.jinja:1:1: the package \"other\" is not listed in \"uses\"");
}

// compat/select_oracle.py looks names up dynamically: a derive of the manifest sees what a variant redefines.
TEST(Package, VariantsRedefineWhatSharedDerivesReferTo) {
  std::string text =
      replaced(sound(), "\"derive\": {\n", "\"derive\": {\n    \"scaled\": \"base * 2\", \"base\": 3,\n");
  text = replaced(text, "\"when\": [\"fits\"", "\"derive\": {\"base\": 5}, \"when\": [\"fits\", \"scaled == 10\"");
  const auto package = Package::load(text, "m");
  ASSERT_TRUE(package) << package.error().to_string();
  const auto& program = package->manifest().program;
  EXPECT_EQ(std::ranges::count(program.derives, "scaled", &expr::Derive::name), 2);
  EXPECT_EQ(std::ranges::count(program.derives, "count", &expr::Derive::name), 1)
      << "what no variant touches is shared";
}

TEST(Package, SharedDerivesMayNeedAVariantsNames) {
  const std::string text = replaced(sound(), "\"derive\": {\n", "\"derive\": {\n    \"scaled\": \"base * 2\",\n");
  const auto alone = Package::load(text, "m");
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().to_string(), ::testing::StartsWith("m:13:16: unknown name base"));
  EXPECT_TRUE(Package::load(
      replaced(text, "\"when\": [\"fits\"", "\"derive\": {\"base\": 5}, \"when\": [\"fits\", \"scaled == 10\""), "m"));
}

// Without templates nothing asks for what only a template reads; such a derive must still mean something for one variant.
TEST(Package, SharedDerivesThatOnlyTemplatesReadNeedNoTemplates) {
  const std::string shared = replaced(sound(), "\"derive\": {\n", "\"derive\": {\n    \"scaled\": \"base * 2\",\n");
  const std::string text = replaced(shared, "\"when\": [\"fits\"", "\"derive\": {\"base\": 5}, \"when\": [\"fits\"");
  EXPECT_TRUE(Package::load(text, "m", templates("{{ scaled }}{{ size }}{{ wgslType }}{{ element.z }}")));
  const auto bare = Package::load(text, "m");
  EXPECT_TRUE(bare) << bare.error().to_string();
  const auto nowhere =
      Package::load(replaced(shared, "\"when\": [\"fits\"", "\"derive\": {\"bass\": 5}, \"when\": [\"fits\""), "m");
  ASSERT_FALSE(nowhere) << "a name that no variant has";
  EXPECT_THAT(nowhere.error().to_string(), ::testing::StartsWith("m:13:16: unknown name base"));
  const auto wrong_type = Package::load(
      replaced(shared, "\"when\": [\"fits\"", "\"derive\": {\"base\": \"fits\"}, \"when\": [\"fits\""), "m");
  EXPECT_FALSE(wrong_type) << "base is a boolean in the only variant that has it";
}

TEST(Package, HoldNamesTunables) {
  const auto with = [](const std::string& hold) {
    return Package::load(replaced(sound(), "\"id\": \"plain\"", "\"id\": \"plain\", \"hold\": " + hold), "m");
  };
  const auto package = with(R"({"SIZE": "count + 1"})");
  ASSERT_TRUE(package) << package.error().to_string();
  ASSERT_EQ(package->manifest().variants[0].hold.size(), 1U);
  EXPECT_EQ(package->manifest().variants[0].hold[0].first, "SIZE");
  EXPECT_THAT(with(R"({"SIZES": "1"})").error().to_string(), HasSubstr("unknown tunable SIZES, did you mean SIZE?"));
  EXPECT_THAT(with(R"({"SIZE": "fits"})").error().to_string(), HasSubstr("\"hold\""));
  EXPECT_FALSE(with(R"(["SIZE"])"));
}

TEST(Package, OursLoadWithoutTemplates) {
  for (const char* name : {"com.microsoft.MatMulNBits", "et_vk.linear_q4gsw"}) {
    const std::string path = std::format("{}/kernels/{}/manifest.json", HALFBYTE_SOURCE_DIR, name);
    std::ifstream in(path);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    ASSERT_FALSE(text.empty()) << path;
    const auto package = Package::load(text, path);
    ASSERT_TRUE(package) << package.error().to_string();
    EXPECT_FALSE(package->variant_ids().empty());
  }
}

TEST(Package, HostileTextsDoNotCrash) {
  for (const std::string& text :
       {std::string(), std::string(100000, '['), std::string("{\"a\":") + std::string(1000, '{'),
        std::string("\xff\xfe"), std::string("{\"name\": \"\\ud800\"}"), std::string("null"), std::string("[1]"),
        std::string(5 << 20, ' ')}) {
    const auto package = Package::load(text, "m");
    ASSERT_FALSE(package);
    EXPECT_EQ(package.error().code, ErrorCode::parse);
  }
  // A long chain of derives must not overflow the stack, from whichever end it is met.
  for (const bool backwards : {false, true}) {
    std::string chain;
    for (int i = 0; i < 3000; ++i) {
      const int n = backwards ? 3000 - i : i;
      chain += std::format("\"d{:04}\": \"{}\",\n", n, n == 0 ? "1" : std::format("d{:04} + 1", n - 1));
    }
    chain += backwards ? "\"d0000\": \"1\",\n" : "";
    const auto package = Package::load(replaced(sound(), "\"derive\": {\n", "\"derive\": {\n" + chain), "m");
    ASSERT_FALSE(package);
    EXPECT_THAT(package.error().message, HasSubstr("nested deeper than"));
  }
  // Every prefix of a sound manifest is refused.
  const std::string whole = sound();
  for (size_t n = 0; n + 3 < whole.size(); n += 7) EXPECT_FALSE(Package::load(whole.substr(0, n), "m")) << n;
}

}  // namespace
}  // namespace halfbyte
