// Bad input, through the program: exit code 2, one sentence on stderr that says what is wrong, nothing on stdout, and
// no file made or changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "program.hpp"
#ifdef HALFBYTE_HAS_ONNX
#include <random>

#include "onnx/test_models.hpp"
#endif

namespace halfbyte::cli_test {
namespace {

using ::testing::HasSubstr;

const std::string kPackage = std::string(HALFBYTE_SOURCE_DIR) + "/kernels/com.microsoft.MatMulNBits";
const std::string kProfile = std::string(HALFBYTE_SOURCE_DIR) + "/profiles/baseline-no-features.json";

// A sound package of one variant that copies; the cases spoil it.
constexpr std::string_view kManifest = R"json({
  "domain": "test", "name": "Copy", "sinceVersion": 1,
  "inputs": {"xT": {"onnx": "X", "dtype": "float32"}},
  "outputs": {"yT": {"onnx": "Y", "dtype": "float32", "rank": "ranks.xT", "shape": "shapes.xT"}},
  "derive": {"count": "numel(shapes.xT)"},
  "variants": [{
    "id": "copy", "priority": 1, "when": ["count > 0"],
    "passes": [{"id": "main", "shader": "copy.wgsl.jinja",
                "bindings": [{"arg": "xT", "name": "x"}, {"arg": "yT", "name": "y"}],
                "dispatch": {"x": "ceilDiv(count, 64)"}}]
  }]
}
)json";
constexpr std::string_view kShader = R"(@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&y)) { y[id.x] = x[id.x]; }
}
)";
constexpr std::string_view kRequest =
    R"([{"id": "r", "attrs": {}, "inputs": {"xT": {"shape": [8], "dtype": "float32"}}}])";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return result.replace(at, from.size(), to);
}

void write_package(const Workspace& w, std::string_view manifest) {
  w.write("pkg/manifest.json", manifest);
  w.write("pkg/copy.wgsl.jinja", kShader);
  w.write("requests.json", kRequest);
}

// Inputs of a MatMulNBits call with M=2, K=64, N=8, 4 bits, block 32.
void write_call(const Workspace& w) {
  w.write_npy("a.npy", "<f4", {2, 64}, std::string(2 * 64 * 4, '\0'));
  w.write_npy("b.npy", "|u1", {8, 2, 16}, std::string(8 * 2 * 16, '\0'));
  w.write_npy("s.npy", "<f4", {8, 2}, std::string(8 * 2 * 4, '\0'));
}
std::vector<std::string> call(std::vector<std::string> attrs = {"K=64", "N=8", "bits=4", "block_size=32"}) {
  std::vector<std::string> words{"run", kPackage};
  for (const auto& attr : attrs) words.insert(words.end(), {"--attr", attr});
  words.insert(words.end(), {"--in", "aT=a.npy", "bT=b.npy", "scalesT=s.npy", "--out", "yT=y.npy"});
  return words;
}

struct BadInput {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> message;  // every one must be in the sentence
  std::function<void(const Workspace&)> prepare = [](const Workspace&) {};
};

std::vector<BadInput> package_cases() {
  const std::vector<std::string> plan{"plan",   "pkg/manifest.json", "--profile",
                                      kProfile, "--requests",        "requests.json"};
  const auto sound = [](const Workspace& w) { write_package(w, kManifest); };
  const auto manifest = [](std::string_view from, std::string_view to) {
    return [text = replaced(kManifest, from, to)](const Workspace& w) { write_package(w, text); };
  };
  return {
      {"LintMissingPackage", {"lint", "nowhere"}, {"nowhere"}},
      {"VerifyMissingPackage", {"verify", "nowhere"}, {"nowhere"}},
      {"PlanMissingManifest", plan, {"pkg/manifest.json"}},
      {"PlanMissingProfile",
       {"plan", "pkg/manifest.json", "--profile", "none.json", "--requests", "requests.json"},
       {"none.json"},
       sound},
      {"PlanMissingRequests",
       {"plan", "pkg/manifest.json", "--profile", kProfile, "--requests", "none.json"},
       {"none.json"},
       sound},
      {"LintBrokenJson", {"lint", "pkg"}, {"pkg/manifest.json:"}, manifest("\"variants\": [", "\"variants\": [[,")},
      {"PlanBrokenJson", plan, {"pkg/manifest.json:"}, manifest("\"domain\":", "\"domain\"")},
      {"PlanTruncatedManifest",
       plan,
       {"pkg/manifest.json:"},
       [](const Workspace& w) { write_package(w, kManifest.substr(0, kManifest.size() / 2)); }},
      {"PlanBrokenRequests",
       plan,
       {"requests.json"},
       [=](const Workspace& w) {
         sound(w);
         w.write("requests.json", "[{\"id\": ");
       }},
      {"PlanBrokenProfile",
       {"plan", "pkg/manifest.json", "--profile", "p.json", "--requests", "requests.json"},
       {"p.json"},
       [=](const Workspace& w) {
         sound(w);
         w.write("p.json", "{\"name\": 1");
       }},
      {"LintUnknownKey", {"lint", "pkg"}, {"pkg/manifest.json:7:", "whenn"}, manifest("\"when\":", "\"whenn\":")},
      {"PlanUnknownKey", plan, {"pkg/manifest.json:7:", "whenn"}, manifest("\"when\":", "\"whenn\":")},
      {"PlanUnknownName", plan, {"pkg/manifest.json:7:", "cuont"}, manifest("count > 0", "cuont > 0")},
      {"PlanWrongType", plan, {"pkg/manifest.json:7:"}, manifest("count > 0", "count + true > 0")},
      {"LintCyclicDerive",
       {"lint", "pkg"},
       {"pkg/manifest.json:5:", "cycle"},
       manifest("\"numel(shapes.xT)\"", "\"other + 1\", \"other\": \"count - 1\"")},
      {"PlanCyclicDerive",
       plan,
       {"pkg/manifest.json:5:", "cycle"},
       manifest("\"numel(shapes.xT)\"", "\"other + 1\", \"other\": \"count - 1\"")},
      {"ExplainBits3",
       {"explain", kPackage, "--profile", kProfile, "-M", "1", "-K", "64", "-N", "8", "--bits", "3"},
       {"bits", "3", "2, 4"}},
      {"ExplainAccuracyLevel9",
       {"explain", kPackage, "--profile", kProfile, "-M", "1", "-K", "64", "-N", "8", "--accuracy-level", "9"},
       {"accuracy", "9"}},
      {"ExplainUnknownVariant",
       {"explain", kPackage, "--profile", kProfile, "-M", "1", "-K", "64", "-N", "8", "--variant", "nonsuch"},
       {"nonsuch"}},
      {"NoSubcommand", {}, {"subcommand"}},
      {"UnknownSubcommand", {"frobnicate"}, {"frobnicate"}},
      {"UnknownOption", {"lint", "pkg", "--frobnicate"}, {"--frobnicate"}},
  };
}

std::vector<BadInput> call_cases() {
  const auto with = [](const std::string& file, const std::string& descr, const std::vector<int64_t>& shape,
                       size_t bytes) {
    return [=](const Workspace& w) {
      write_call(w);
      w.write_npy(file, descr, shape, std::string(bytes, '\0'));
    };
  };
  auto no_output_folder = call();
  no_output_folder.back() = "yT=none/y.npy";
  auto missing_input = call();
  std::erase(missing_input, "scalesT=s.npy");
  auto unknown_input = call();
  unknown_input.insert(unknown_input.end() - 2, "qT=s.npy");
  return {
      {"RunBits3", call({"K=64", "N=8", "bits=3", "block_size=32"}), {"bits", "3"}, write_call},
      {"RunBlock24", call({"K=64", "N=8", "bits=4", "block_size=24"}), {"block_size", "24"}, write_call},
      {"RunBlock0", call({"K=64", "N=8", "bits=4", "block_size=0"}), {"block_size", "0"}, write_call},
      {"RunNegativeK", call({"K=-64", "N=8", "bits=4", "block_size=32"}), {"K", "-64"}, write_call},
      {"RunMissingK", call({"N=8", "bits=4", "block_size=32"}), {"K"}, write_call},
      {"RunUnknownAttribute", call({"K=64", "N=8", "bits=4", "block_size=32", "sparsity=1"}), {"sparsity"}, write_call},
      {"RunKDoesNotMatchA", call(), {"aT", "[2,32]", "64"}, with("a.npy", "<f4", {2, 32}, 2 * 32 * 4)},
      {"RunAOfRank1", call(), {"aT", "rank"}, with("a.npy", "<f4", {64}, 64 * 4)},
      {"RunBTooShort", call(), {"bT", "[8,2,15]", "[8,2,16]"}, with("b.npy", "|u1", {8, 2, 15}, 8 * 2 * 15)},
      {"RunNDoubled", call({"K=64", "N=16", "bits=4", "block_size=32"}), {"bT", "[8,2,16]", "[16,2,16]"}, write_call},
      {"RunScalesTransposed", call(), {"scalesT", "[2,8]", "[8,2]"}, with("s.npy", "<f4", {2, 8}, 2 * 8 * 4)},
      {"RunDtypeMix", call(), {"scalesT", "float16", "float32"}, with("s.npy", "<f2", {8, 2}, 8 * 2 * 2)},
      {"RunNpyOfDouble", call(), {"a.npy", "float64"}, with("a.npy", "<f8", {2, 64}, 2 * 64 * 8)},
      {"RunNpyOfTheWrongDtype", call(), {"bT", "float32", "uint8"}, with("b.npy", "<f4", {8, 2, 16}, 8 * 2 * 16 * 4)},
      {"RunNpyCut", call(), {"a.npy"}, with("a.npy", "<f4", {2, 64}, 2 * 64 * 4 - 1)},
      {"RunNotNpy",
       call(),
       {"a.npy"},
       [](const Workspace& w) {
         write_call(w);
         w.write("a.npy", "these are not the numbers");
       }},
      {"RunMissingInput", missing_input, {"scalesT"}, write_call},
      {"RunUnknownInput", unknown_input, {"qT"}, write_call},
      {"RunMissingFile",
       call(),
       {"s.npy"},
       [](const Workspace& w) {
         write_call(w);
         std::filesystem::remove(w.path() / "s.npy");
       }},
      {"RunUnwritableOutput", no_output_folder, {"none/y.npy"}, write_call},
      {"VerifyUnwritableReport",
       {"verify", kPackage, "--cases", "cases.json", "--json", "none/report.json"},
       {"none/report.json"},
       [](const Workspace& w) { w.write("cases.json", "[]"); }},
  };
}

#ifdef HALFBYTE_HAS_ONNX
std::string plain_model() {
  std::mt19937_64 random(7);
  auto model = onnx_test::empty_model();
  onnx_test::add_input(model, "x", {-1, 64});
  onnx_test::add_output(model, "y", {-1, 8});
  *model.mutable_graph()->add_initializer() = onnx_test::random_floats("W", {64, 8}, random);
  onnx_test::add_node(model, "MatMul", "fc", {"x", "W"}, "y");
  return model.SerializeAsString();
}

std::string quantized_model(const std::function<void(::onnx::NodeProto&)>& change = [](::onnx::NodeProto&) {}) {
  std::mt19937_64 random(7);
  auto model = onnx_test::nbits_model({}, random);
  change(*model.mutable_graph()->mutable_node(0));
  return model.SerializeAsString();
}

std::string model_without_weights() {
  auto model = onnx_test::empty_model();
  onnx_test::add_input(model, "x", {-1, 64});
  onnx_test::add_output(model, "y", {-1, 64});
  onnx_test::add_node(model, "Relu", "r", {"x"}, "y");
  return model.SerializeAsString();
}

std::vector<BadInput> model_cases() {
  const auto file = [](const std::string& contents) {
    return [=](const Workspace& w) { w.write("in.onnx", contents); };
  };
  const std::string plain = plain_model();
  std::vector<BadInput> cases{
      {"QuantizeMissing", {"quantize", "in.onnx", "out.onnx"}, {"in.onnx"}},
      {"QuantizeTruncated",
       {"quantize", "in.onnx", "out.onnx"},
       {"in.onnx", "truncated"},
       file(plain.substr(0, plain.size() / 2))},
      {"QuantizeCutByOne",
       {"quantize", "in.onnx", "out.onnx"},
       {"in.onnx", "truncated"},
       file(plain.substr(0, plain.size() - 1))},
      {"QuantizeEmptyFile", {"quantize", "in.onnx", "out.onnx"}, {"in.onnx", "0 bytes"}, file("")},
      {"QuantizeText", {"quantize", "in.onnx", "out.onnx"}, {"in.onnx", "not an ONNX model"}, file("hello")},
      {"QuantizeFolder", {"quantize", ".", "out.onnx"}, {"."}},
      {"QuantizeNoWeights",
       {"quantize", "in.onnx", "out.onnx"},
       {"no MatMul or Gemm with a constant weight"},
       file(model_without_weights())},
      {"QuantizeAgain",
       {"quantize", "in.onnx", "out.onnx"},
       {"no MatMul or Gemm with a constant weight"},
       file(quantized_model())},
      {"QuantizeBits3", {"quantize", "in.onnx", "out.onnx", "--bits", "3"}, {"bits is 3", "2, 4 or 8"}, file(plain)},
      {"QuantizeBlock24",
       {"quantize", "in.onnx", "out.onnx", "--block-size", "24"},
       {"block_size is 24", "power of two"},
       file(plain)},
      {"QuantizeBothWays",
       {"quantize", "in.onnx", "out.onnx", "--symmetric", "--asymmetric"},
       {"--symmetric", "--asymmetric"},
       file(plain)},
      {"QuantizeUnwritable", {"quantize", "in.onnx", "none/out.onnx"}, {"none/out.onnx"}, file(plain)},
      {"QuantizeOntoAFolder",
       {"quantize", "in.onnx", "dir"},
       {"dir"},
       [=](const Workspace& w) {
         w.write("in.onnx", plain);
         w.write("dir/file", "x");
       }},
      {"QuantizeNoOutput", {"quantize", "in.onnx"}, {"OUT"}, file(plain)},
#ifdef HALFBYTE_HAS_GPU
      {"ModelMissing", {"model", "in.onnx"}, {"in.onnx"}},
      {"ModelTruncated", {"model", "in.onnx"}, {"in.onnx", "truncated"}, file(quantized_model().substr(0, 100))},
      {"ModelNotQuantized", {"model", "in.onnx"}, {"in.onnx", "MatMulNBits", "halfbyte quantize"}, file(plain)},
      {"ModelBits3", {"model", "in.onnx"}, {"'mm'", "bits is 3", "2, 4 or 8"}, file(quantized_model([](auto& node) {
         node.mutable_attribute(2)->set_i(3);
       }))},
      {"ModelPrepacked", {"model", "in.onnx"}, {"'mm'", "weight_prepacked is 1"}, file(quantized_model([](auto& node) {
         onnx_test::set_attribute(node, "weight_prepacked", int64_t{1});
       }))},
      {"ModelWrongN",
       {"model", "in.onnx"},
       {"'mm'", "input B has shape [8,2,16]", "needs [16,2,16]"},
       file(quantized_model([](auto& node) { node.mutable_attribute(1)->set_i(16); }))},
      {"ModelNegativeM", {"model", "in.onnx", "-M", "-1"}, {"-M"}, file(quantized_model())},
      {"ModelNoPackage", {"model", "in.onnx", "--package", "nowhere"}, {"nowhere"}, file(quantized_model())},
      {"ModelUnwritableReport",
       {"model", "in.onnx", "-M", "1", "--json", "none/report.json"},
       {"none/report.json"},
       file(quantized_model())},
      {"ModelUnwritableExposed",
       {"model", "in.onnx", "--expose", "none/exposed.onnx"},
       {"none/exposed.onnx"},
       file(quantized_model())},
      {"ModelNoActivations",
       {"model", "in.onnx", "--activations", "none"},
       {"none/index.json"},
       file(quantized_model())},
#endif
  };
  return cases;
}
#endif

std::vector<BadInput> all_cases() {
  std::vector<BadInput> all = package_cases();
#ifdef HALFBYTE_HAS_GPU
  std::ranges::move(call_cases(), std::back_inserter(all));
#endif
#ifdef HALFBYTE_HAS_ONNX
  std::ranges::move(model_cases(), std::back_inserter(all));
#endif
  return all;
}

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, ExitCode2AndASentence) {
  const BadInput& bad = GetParam();
  const Workspace workspace;
  bad.prepare(workspace);
  const auto before = workspace.files();
  const Outcome outcome = workspace.halfbyte(bad.arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  for (const std::string& part : bad.message) EXPECT_THAT(outcome.err, HasSubstr(part));
  // No trace of a C++ exception, an assertion or a stack.
  for (const char* trace : {"terminate called", "what():", "Assertion", "std::", "signal"})
    EXPECT_THAT(outcome.err, Not(HasSubstr(trace)));
  EXPECT_EQ(workspace.files(), before);
  if (HasFailure()) std::printf("stderr was: %s\n", outcome.err.c_str());
}
INSTANTIATE_TEST_SUITE_P(Cli, BadInputTest, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace halfbyte::cli_test
