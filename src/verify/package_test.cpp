// The project's own cases: every one can be made, and its own reference, rounded to the output's type, passes it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tensor/test_seed.hpp"
#include "verify/case.hpp"

namespace halfbyte {
namespace {

const std::string kPackages = std::string(HALFBYTE_SOURCE_DIR) + "/kernels/";

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void add_templates(const std::string& name, const std::string& prefix, std::map<std::string, std::string>& templates) {
  for (const auto& entry : std::filesystem::directory_iterator(kPackages + name))
    if (entry.path().extension() == ".jinja")
      templates[prefix + entry.path().filename().string()] = slurp(entry.path().string());
}

// The package as the program loads it, templates included, its own and those of the package it uses.
Result<Package> load(const std::string& name) {
  std::map<std::string, std::string> templates;
  add_templates(name, "", templates);
  if (name == "et_vk.linear_q4gsw") add_templates("com.microsoft.MatMulNBits", "com.microsoft.MatMulNBits:", templates);
  return Package::load(slurp(kPackages + name + "/manifest.json"), "manifest.json", templates);
}

TEST(PackageCases, EveryOneCanBeMadeAndPassed) {
  for (const std::string name : {"com.microsoft.MatMulNBits", "et_vk.linear_q4gsw"}) {
    const auto package = load(name);
    ASSERT_TRUE(package) << package.error().to_string();
    const auto cases = parse_cases(slurp(kPackages + name + "/cases.json"), "cases.json");
    ASSERT_TRUE(cases) << cases.error().to_string();
    EXPECT_GE(cases->size(), 100u);
    for (const Case& c : *cases) {
      const auto data = make_case_data(*package, c, test_seed());
      ASSERT_TRUE(data) << c.problem.id << ": " << data.error().to_string();
      const std::vector<float> y(data->expected.begin(), data->expected.end());
      const auto output = HostTensor::from_floats(data->output.dtype, data->output.shape, y);
      const Comparison seen = compare(c, *data, output, {});
      EXPECT_TRUE(seen.pass) << c.problem.id << ": " << seen.why;
    }
  }
}

std::string refusal(const std::string& json) {
  const auto cases = parse_cases(json, "cases.json");
  return cases ? "accepted" : cases.error().to_string();
}

TEST(ParseCases, ReadsEveryKey) {
  const auto cases =
      parse_cases(R"([{"id": "a", "attrs": {"K": 32}, "inputs": {"aT": {"shape": [1, 32], "dtype": "float16"}},
      "fill": "P", "seed": 7, "tolerance": "exact", "expect": {"first": 1.5, "wsum": -2}, "note": "why"}, {"id": "b", "inputs": {}}])",
                  "cases.json");
  ASSERT_TRUE(cases) << cases.error().to_string();
  ASSERT_EQ(cases->size(), 2u);
  const Case& a = cases->front();
  EXPECT_EQ(a.problem.id, "a");
  EXPECT_EQ(a.problem.inputs.at("aT").dtype, DType::float16);
  EXPECT_EQ(a.fill, "P");
  EXPECT_EQ(a.seed, 7u);
  EXPECT_EQ(a.tolerance, "exact");
  EXPECT_EQ(a.expect, (std::map<std::string, double>{{"first", 1.5}, {"wsum", -2}}));
  EXPECT_EQ(a.note, "why");
  EXPECT_EQ(cases->back().fill, "random");
  EXPECT_EQ(cases->back().tolerance, "bound");
}

TEST(ParseCases, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(refusal(R"([{"id": "a", "inputs": {}, "fil": "P"}])").find("fil"), std::string::npos);
  EXPECT_EQ(refusal(R"([{"id": "a", "inputs": {}, "fill": "S"}])")
                .find("cases.json: case \"a\": fill \"S\" is not known; known are random, P"),
            0u);
  EXPECT_EQ(refusal(R"([{"id": "a", "inputs": {}, "tolerance": "none"}])"),
            "cases.json: case \"a\": tolerance \"none\" is not known; known are bound, exact, f16_ulp");
  EXPECT_EQ(refusal(R"([{"id": "a", "inputs": {}, "expect": {"mean": 1}}])"),
            "cases.json: case \"a\": \"expect\" has the key \"mean\"; known are first, last, wsum, sum");
  EXPECT_EQ(refusal(R"([{"id": "a", "inputs": {}, "expect": {"first": "1"}}])"),
            "cases.json: case \"a\": \"expect\": \"first\" must be a number");
  EXPECT_EQ(refusal(R"([{"id": "a", "inputs": {}, "seed": -1}])"),
            "cases.json: case \"a\": \"seed\" must be a whole number, 0 or more");
  EXPECT_EQ(refusal(R"([{"id": "a", "inputs": {}, "fill": 3}])"), "cases.json: case \"a\": \"fill\" must be a string");
  EXPECT_NE(refusal("[{"), "accepted");
  EXPECT_NE(refusal(""), "accepted");
  EXPECT_NE(refusal("3"), "accepted");
}

}  // namespace
}  // namespace halfbyte
