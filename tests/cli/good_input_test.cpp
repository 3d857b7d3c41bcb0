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
                         ::testing::Values("lint", "plan", "explain"
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
