#include "bench/cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halfbyte {
namespace {

using testing::HasSubstr;

const char* kFile = R"json({
 "about": "test",
 "request": {
  "attrs": {"K": "K", "N": "N", "bits": "bits", "block_size": 32, "mode": "mode"},
  "inputs": {
   "aT": {"shape": "[M, K]", "dtype": "dtype"},
   "bT": {"shape": "[N, ceilDiv(K, 32), 32 * bits / 8]", "dtype": "uint8"},
   "zT": {"shape": "[N]", "dtype": "uint8", "when": "zero_points"}
  },
  "constant": ["bT"]
 },
 "variables": {"M": [1, 128], "bits": 4, "dtype": ["float16", "float32"], "zero_points": false, "mode": "fast"},
 "cases": [
  {"model": "Llama", "layer": "q o", "count": 32, "K": 64, "N": 96},
  {"model": "Llama", "layer": "lm_head", "K": 40, "N": 8, "M": 1, "dtype": "float16", "zero_points": true}
 ]
})json";

std::string error_of(const std::string& text, const Overrides& overrides = {}) {
  const auto cases = parse_bench_cases(text, "bench.json", overrides);
  return cases ? "no error" : cases.error().to_string();
}

std::string edited(std::string_view from, std::string_view to) {
  std::string text = kFile;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(BenchCases, ListsExpandAndExpressionsAreEvaluated) {
  const auto cases = parse_bench_cases(kFile, "bench.json");
  ASSERT_TRUE(cases) << cases.error().to_string();
  std::vector<std::string> ids;
  for (const BenchCase& c : *cases) ids.push_back(c.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"Llama/q o/float16/M1", "Llama/q o/float16/M128", "Llama/q o/float32/M1",
                                           "Llama/q o/float32/M128", "Llama/lm_head/M1"}));
  const BenchCase& second = (*cases)[1];
  EXPECT_EQ(second.model, "Llama");
  EXPECT_EQ(second.layer, "q o");
  EXPECT_EQ(second.count, 32);
  EXPECT_EQ(second.problem.id, second.id);
  EXPECT_EQ(std::get<double>(second.problem.attrs.at("K")), 64);
  EXPECT_EQ(std::get<std::string>(second.problem.attrs.at("mode")), "fast");
  EXPECT_EQ(second.problem.inputs.at("aT"), (TensorDesc{DType::float16, {128, 64}}));
  EXPECT_EQ(second.problem.inputs.at("bT"), (TensorDesc{DType::uint8, {96, 2, 16}}));
  EXPECT_FALSE(second.problem.inputs.contains("zT"));
  EXPECT_TRUE(second.problem.constant.contains("bT"));
  const BenchCase& head = cases->back();
  EXPECT_EQ(head.problem.inputs.at("zT"), (TensorDesc{DType::uint8, {8}}));
  EXPECT_EQ(head.problem.inputs.at("bT"), (TensorDesc{DType::uint8, {8, 2, 16}}));
  EXPECT_EQ(head.count, 1);
}

TEST(BenchCases, OverridesReplaceValues) {
  const auto m = parse_override("M=2,3");
  ASSERT_TRUE(m);
  const auto dtype = parse_override("dtype=float32");
  ASSERT_TRUE(dtype);
  const auto cases = parse_bench_cases(kFile, "bench.json", {*m, *dtype});
  ASSERT_TRUE(cases) << cases.error().to_string();
  ASSERT_EQ(cases->size(), 4u);
  EXPECT_EQ((*cases)[3].id, "Llama/lm_head/M3");
  for (const BenchCase& c : *cases) EXPECT_EQ(c.problem.inputs.at("aT").dtype, DType::float32);
  EXPECT_THAT(error_of(kFile, {{"bitz", {4.0}}}), HasSubstr("did you mean bits?"));
  EXPECT_THAT(error_of(kFile, {{"M", {Variable(std::string("many"))}}}), HasSubstr("\"many\" is not"));
}

TEST(BenchCases, OverrideTextIsParsed) {
  EXPECT_EQ(parse_override("x=true")->second, (std::vector<Variable>{true}));
  EXPECT_EQ(parse_override("x=1e3,a")->second, (std::vector<Variable>{1000.0, std::string("a")}));
  for (const char* bad : {"x", "=1", "x=", "x=1,,2", "x=1,"}) EXPECT_FALSE(parse_override(bad)) << bad;
}

TEST(BenchCases, ErrorsSayWhere) {
  EXPECT_THAT(error_of(edited("\"[M, K]\"", "\"[M, L]\"")), HasSubstr("bench.json:6:25: no case has a variable L"));
  EXPECT_THAT(error_of(edited("\"[M, K]\"", "\"[M, K / 3]\"")), HasSubstr("not a whole number"));
  EXPECT_THAT(error_of(edited("\"[M, K]\"", "\"M\"")), HasSubstr("a shape must be a list of numbers, not a number"));
  EXPECT_THAT(error_of(edited("\"dtype\": \"uint8\"", "\"dtype\": \"uint9\"")),
              HasSubstr("no case has a variable uint9"));
  EXPECT_THAT(error_of(edited("\"count\": 32", "\"cuont\": 32")), HasSubstr("does not use the variable \"cuont\""));
  EXPECT_THAT(error_of(edited("\"K\": 40, ", "")), HasSubstr("in the case \"Llama/lm_head/M1\""));
  EXPECT_THAT(error_of(edited("\"K\": 40", "\"K\": \"x\"")), HasSubstr("is a number elsewhere"));
  EXPECT_THAT(error_of(edited("\"M\": [1, 128]", "\"M\": []")), HasSubstr("must not be empty"));
  EXPECT_THAT(error_of(edited("\"cases\"", "\"case\"")), HasSubstr("case"));
  EXPECT_THAT(error_of("{"), HasSubstr("bench.json:1"));
  EXPECT_THAT(error_of("3"), HasSubstr("object"));
}

TEST(BenchCases, EqualNamesAreRefused) {
  EXPECT_THAT(error_of(edited(R"("layer": "lm_head", "K": 40, "N": 8, "M": 1, "dtype": "float16", "zero_points": true)",
                              R"("layer": "q o", "K": 64, "N": 96)")),
              HasSubstr("two cases have the name \"Llama/q o/float16/M1\""));
}

TEST(BenchCases, FilterWantsAllWordsOfOne) {
  const auto cases = parse_bench_cases(kFile, "bench.json");
  ASSERT_TRUE(cases);
  EXPECT_EQ(matching(*cases, {}).size(), 5u);
  EXPECT_EQ(matching(*cases, {"float16 M1"}).size(), 1u);
  EXPECT_EQ(matching(*cases, {"lm_head", "M128"}).size(), 3u);
  EXPECT_TRUE(matching(*cases, {"Qwen"}).empty());
  // A number is a whole one.
  EXPECT_EQ(matching(*cases, {"M12"}).size(), 0u);
}

}  // namespace
}  // namespace halfbyte
