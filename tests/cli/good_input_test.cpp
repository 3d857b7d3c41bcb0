// Input that is unusual and sound: it must work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace halfbyte::cli_test {
namespace {

using ::testing::HasSubstr;

class Help : public ::testing::TestWithParam<std::string> {};

TEST_P(Help, ShowsAnExample) {
  const Workspace workspace;
  const Outcome outcome = workspace.halfbyte({GetParam(), "--help"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Example:"));
  EXPECT_THAT(outcome.out.substr(outcome.out.find("Example:")), HasSubstr("halfbyte " + GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Cli, Help,
                         ::testing::Values("lint", "plan", "explain", "convert"
#ifdef HALFBYTE_HAS_GPU
                                           ,
                                           "device", "verify", "run"
#endif
#ifdef HALFBYTE_HAS_ONNX
                                           ,
                                           "quantize"
#endif
#if defined(HALFBYTE_HAS_ONNX) && defined(HALFBYTE_HAS_GPU)
                                           ,
                                           "model"
#endif
                                           ),
                         [](const auto& info) { return info.param; });

std::string floats(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

// float -> q4gsw -> MatMulNBits -> q4gsw: the last two steps keep every bit.
TEST(Convert, ThereAndBackAgain) {
  const Workspace workspace;
  std::vector<float> w;
  for (int i = 0; i < 6 * 32; ++i) w.push_back(static_cast<float>((i * 37) % 101 - 50) / 64);
  workspace.write_npy("w.npy", "<f4", {6, 32}, floats(w));
  const auto convert = [&](const std::string& from, const std::string& to, const std::string& in,
                           const std::string& out) {
    std::vector<std::string> arguments{"convert",    from,           to,
                                       "--weight",   in + ".npy",    "--out-weight",
                                       out + ".npy", "--out-scales", out + "-scales.npy"};
    if (from == "float")
      arguments.insert(arguments.end(), {"--group-size", "16"});
    else
      arguments.insert(arguments.end(), {"--scales", in + "-scales.npy"});
    const Outcome outcome = workspace.halfbyte(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  convert("float", "q4gsw", "w", "q");
  EXPECT_THAT(workspace.read("q.npy"), HasSubstr("'shape': (6, 16)"));
  EXPECT_THAT(workspace.read("q-scales.npy"), HasSubstr("'shape': (2, 8)"));
  convert("q4gsw", "matmulnbits", "q", "m");
  EXPECT_THAT(workspace.read("m.npy"), HasSubstr("'shape': (6, 2, 8)"));
  EXPECT_THAT(workspace.read("m-scales.npy"), HasSubstr("'shape': (6, 2)"));
  convert("matmulnbits", "q4gsw", "m", "again");
  EXPECT_EQ(workspace.read("again.npy"), workspace.read("q.npy"));
  EXPECT_EQ(workspace.read("again-scales.npy"), workspace.read("q-scales.npy"));
  const Outcome refused = workspace.halfbyte({"convert", "float", "q4gsw", "--weight", "w.npy", "--group-size", "12",
                                              "--out-weight", "x.npy", "--out-scales", "y.npy"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the group size is 12 but must be from 8 to 256 and divide K, which is 32"));
  EXPECT_FALSE(workspace.files().contains("x.npy"));
}

#ifdef HALFBYTE_HAS_GPU
// Is there a device to run on? Where there is none the test is skipped, and says so.
bool has_adapter(const Workspace& workspace) { return workspace.halfbyte({"device"}).exit_code == 0; }

class EmptyResult : public ::testing::TestWithParam<std::vector<int64_t>> {};

// M = 0: success, Y has the right shape and no elements, and nothing is dispatched (field case C32).
TEST_P(EmptyResult, IsNoError) {
  const Workspace workspace;
  if (!has_adapter(workspace)) GTEST_SKIP() << "no WebGPU adapter here";
  workspace.write_npy("a.npy", "<f4", GetParam(), "");
  workspace.write_npy("b.npy", "|u1", {8, 2, 16}, std::string(8 * 2 * 16, '\x5A'));
  workspace.write_npy("s.npy", "<f4", {8, 2}, std::string(8 * 2 * 4, '\0'));
  const Outcome outcome =
      workspace.halfbyte({"run", std::string(HALFBYTE_SOURCE_DIR) + "/kernels/com.microsoft.MatMulNBits", "--attr",
                          "K=64", "--attr", "N=8", "--attr", "bits=4", "--attr", "block_size=32", "--in", "aT=a.npy",
                          "bT=b.npy", "scalesT=s.npy", "--out", "yT=y.npy"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::string shape;
  for (size_t i = 0; i + 1 < GetParam().size(); ++i) shape += std::to_string(GetParam()[i]) + ", ";
  EXPECT_THAT(workspace.read("y.npy"), HasSubstr("'shape': (" + shape + "8)"));
}
INSTANTIATE_TEST_SUITE_P(Cli, EmptyResult,
                         ::testing::Values(std::vector<int64_t>{0, 64}, std::vector<int64_t>{2, 0, 64}),
                         [](const auto& info) { return info.param.size() == 2 ? "Rank2" : "Rank3"; });
#endif

}  // namespace
}  // namespace halfbyte::cli_test
