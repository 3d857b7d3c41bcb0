// `verify --quick`: what an engine runs when it starts. The outcome is kept, a variant that was wrong is left out by name from then on, the others
// stay.
#ifdef HALFBYTE_HAS_GPU
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "program.hpp"

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kWrong = "prefill_tile4x4";

// A package of three variants in a folder of its own, with a cache of its own; skips where there is no device.
class VerifyQuick : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache) before_ = cache;
    setenv("XDG_CACHE_HOME", (space_.path() / "cache").c_str(), 1);
    if (space_.halfbyte({"device"}).exit_code != 0) GTEST_SKIP() << "no WebGPU adapter here";
    fs::copy(std::string(HALFBYTE_SOURCE_DIR) + "/kernels/com.microsoft.MatMulNBits", space_.path() / "package",
             fs::copy_options::recursive);
    auto manifest = nlohmann::ordered_json::parse(space_.read("package/manifest.json"));
    for (auto& variant : manifest.at("variants")) {
      const std::string id = variant.at("id");
      if (id != "scalar" && id != "gemv" && id != kWrong) variant["when"].push_back("1 == 2");
    }
    space_.write("package/manifest.json", manifest.dump(1));
    space_.write("cases.json", R"([
      {"id": "one row", "attrs": {"K": 64, "N": 40, "block_size": 32}, "inputs": {"aT": {"shape": [1, 64], "dtype": "float32"},
       "bT": {"shape": [40, 2, 16], "dtype": "uint8"}, "scalesT": {"shape": [40, 2], "dtype": "float32"}}},
      {"id": "four rows", "attrs": {"K": 64, "N": 40, "block_size": 32}, "inputs": {"aT": {"shape": [4, 64], "dtype": "float32"},
       "bT": {"shape": [40, 2, 16], "dtype": "uint8"}, "scalesT": {"shape": [40, 2], "dtype": "float32"}}}])");
  }
  void TearDown() override {
    if (before_)
      setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    else
      unsetenv("XDG_CACHE_HOME");
  }

  Outcome quick() const { return space_.halfbyte({"verify", "package", "--quick", "--cases", "cases.json"}); }
  // The records there are.
  std::vector<json> records() const {
    std::vector<json> list;
    for (const auto& [name, text] : space_.files())
      if (name.starts_with("cache/halfbyte/self-check/")) list.push_back(json::parse(text));
    return list;
  }
  // Four rows on this device: variant -> {verdict, why}, and the winner.
  json explained(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"explain", "package", "-M",      "4",   "-K",    "64",
                                       "-N",      "40",      "--dtype", "f32", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = space_.halfbyte(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const json said = json::parse(outcome.out);
    json all{{"winner", said.at("winner")}};
    for (const json& variant : said.at("variants")) all[variant.at("id").get<std::string>()] = variant;
    return all;
  }
  // The kernel adds 1 to what is right, in every column.
  void spoil() {
    const std::string shader = "package/matmul-nbits-q4-prefill-tile4x4.wgsl.jinja";
    std::string wgsl = space_.read(shader);
    const std::string right = "store(at * N + n, total(o) + bias_at(n));";
    const size_t at = wgsl.find(right);
    ASSERT_NE(at, std::string::npos) << "the kernel has another form now; break it in another way";
    space_.write(shader, wgsl.replace(at, right.size(), "store(at * N + n, total(o) + bias_at(n) + 1.0);"));
  }

  Workspace space_;
  std::optional<std::string> before_;
};

TEST_F(VerifyQuick, ASoundPackageIsRecordedAsSound) {
  const Outcome outcome = quick();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("2 passed, 0 failed, 0 skipped"));
  ASSERT_EQ(records().size(), 1U);
  EXPECT_THAT(records()[0].at("disabled"), IsEmpty());
  EXPECT_EQ(records()[0].at("cases"), 2);
  EXPECT_EQ(explained().at("winner"), kWrong) << "which is right here";
}

TEST_F(VerifyQuick, TheWrongVariantIsLeftOutAndNamedAndTheOthersStay) {
  spoil();
  EXPECT_EQ(explained().at("winner"), kWrong) << "nobody has looked yet";
  const Outcome outcome = quick();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(std::string("FAILED four rows by ") + kWrong));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("right: one row by gemv"), HasSubstr("right: four rows by scalar")));
  ASSERT_EQ(records().size(), 1U);
  const json disabled = records()[0].at("disabled");
  ASSERT_EQ(disabled.size(), 1U) << "exactly the wrong one";
  EXPECT_EQ(disabled[0].at("variant"), kWrong);

  const json after = explained();
  EXPECT_EQ(after.at("winner"), "scalar");
  EXPECT_EQ(after.at(kWrong).at("verdict"), "rejected");
  EXPECT_THAT(after.at(kWrong).at("why").get<std::string>(), HasSubstr("verify --quick found it wrong on this device"));
  EXPECT_THAT(after.at("scalar").at("why").get<std::string>(), Not(HasSubstr("verify --quick")));
  EXPECT_EQ(explained({"--variant", kWrong}).at("winner"), kWrong) << "asked for by name, it is still there";
  // Another device is another matter.
  const std::string other = std::string(HALFBYTE_SOURCE_DIR) + "/profiles/field/min.json";
  EXPECT_EQ(explained({"--profile", other}).at("winner"), kWrong);

  // A mended package is another package: its own check is to be made, and the old outcome is not taken for it.
  fs::copy(std::string(HALFBYTE_SOURCE_DIR) +
               "/kernels/com.microsoft.MatMulNBits/matmul-nbits-q4-prefill-tile4x4.wgsl.jinja",
           space_.path() / "package" / "matmul-nbits-q4-prefill-tile4x4.wgsl.jinja",
           fs::copy_options::overwrite_existing);
  EXPECT_EQ(explained().at("winner"), kWrong);
}

TEST_F(VerifyQuick, RunLeavesItOutAndSaysSo) {
  spoil();
  EXPECT_EQ(quick().exit_code, 1);
  const auto bytes = [](size_t count, char c) { return std::string(count, c); };
  space_.write_npy("a.npy", "<f4", {4, 64}, bytes(size_t{4} * 64 * 4, 0));
  space_.write_npy("b.npy", "|u1", {40, 2, 16}, bytes(size_t{40} * 2 * 16, 0x5A));
  space_.write_npy("s.npy", "<f4", {40, 2}, bytes(size_t{40} * 2 * 4, 0));
  const Outcome run = space_.halfbyte({"run", "package", "--attr", "K=64", "--attr", "N=40", "--attr", "block_size=32",
                                       "--in", "aT=a.npy", "bT=b.npy", "scalesT=s.npy", "--out", "yT=y.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("by variant scalar"));
  EXPECT_THAT(run.err, HasSubstr(std::string("remark: ") + kWrong + " is left out"));
  const std::string y = space_.read("y.npy");
  constexpr size_t kBytes = size_t{4} * 40 * 4;
  EXPECT_EQ(y.substr(y.size() - kBytes), bytes(kBytes, 0)) << "not 1 everywhere";
}

}  // namespace
}  // namespace halfbyte::cli_test
#endif
