// C31 robustness: wrong or hostile shapes and attributes. Each is an error before anything is asked of the GPU, and names the input, what
// is expected and what is there. NaN and infinite scales are allowed: they spoil their own row of the weights and no other.
#include <atomic>
#include <cmath>
#include <limits>

#include "field_case.hpp"
#include "plan/plan.hpp"

namespace halfbyte::issues {
namespace {

using ::testing::HasSubstr;

struct Hostile {
  const char* what;
  void (*spoil)(Problem&);
  std::vector<std::string> said;  // the input, expected, got
};

// The sound call: K=96, N=16, 4 bits, 3 blocks of 32, zero points, bias.
const Spec kSound{.M = 4, .N = 16, .K = 96, .zp = true, .bias = true};

const Hostile kHostile[] = {
    {"N doubled", [](Problem& p) { p.attrs["N"] = 32.0; }, {"bT", "[16,3,16]", "N=32", "[32,3,16]"}},
    {"K+1", [](Problem& p) { p.attrs["K"] = 97.0; }, {"aT", "[4,96]", "K=97", "[4,97]"}},
    {"B one byte short", [](Problem& p) { p.inputs["bT"].shape = {16, 3, 15}; }, {"bT", "[16,3,15]", "[16,3,16]"}},
    {"B flat and one byte short", [](Problem& p) { p.inputs["bT"].shape = {767}; }, {"bT", "1", "3"}},
    {"scales transposed", [](Problem& p) { p.inputs["scalesT"].shape = {3, 16}; }, {"scalesT", "[3,16]", "[16,3]"}},
    {"bias short", [](Problem& p) { p.inputs["biasT"].shape = {15}; }, {"biasT", "[15]", "[16]"}},
    {"bits 3", [](Problem& p) { p.attrs["bits"] = 3.0; }, {"bits", "3", "2, 4, 8"}},
    {"K 0", [](Problem& p) { p.attrs["K"] = 0.0; }, {"K is 0", "from 1 to 2147483647"}},
    {"N 0", [](Problem& p) { p.attrs["N"] = 0.0; }, {"N is 0", "from 1 to 2147483647"}},
    {"K negative", [](Problem& p) { p.attrs["K"] = -96.0; }, {"K is -96", "from 1 to 2147483647"}},
    {"N 2^31", [](Problem& p) { p.attrs["N"] = 0x1p31; }, {"N is 2147483648", "from 1 to 2147483647"}},
};

TEST_F(FieldCase, C31_EachIsRefusedBeforeAnyGpuWork) {
  HB_NEED_DEVICE();
  std::atomic<int> asked = 0;
  const auto own = kernel_on({.faults = [&](gpu::FaultPoint, std::string_view) {
    ++asked;
    return gpu::Fault::none;
  }});
  const Problem sound = problem(kSound);
  const int before = asked;
  for (const Hostile& one : kHostile) {
    Problem p = sound;
    one.spoil(p);
    const auto call = own->prepare(p);
    ASSERT_FALSE(call) << one.what;
    EXPECT_EQ(call.error().code, ErrorCode::invalid_argument) << one.what << ": " << call.error().to_string();
    for (const std::string& said : one.said) EXPECT_THAT(call.error().to_string(), HasSubstr(said)) << one.what;
  }
  EXPECT_EQ(asked, before) << "something was asked of the GPU";
  EXPECT_TRUE(own->prepare(sound));
  EXPECT_GT(asked, before);  // the hook does see what is asked
}

// A shape that is right and a buffer that is not: nothing is encoded.
TEST_F(FieldCase, C31_ABufferOneByteShortIsRefused) {
  HB_NEED_DEVICE();
  const Case c = make_case(kSound);
  const CaseData data = value(make_case_data(package(), c, test_seed()));
  const auto call = value(kernel()->prepare(data.problem));
  gpu::HostTensors inputs = data.inputs;
  inputs["bT"] = HostTensor::zeros(DType::uint8, {16, 3, 15});
  const auto refused = gpu::run(*call, inputs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  for (const char* said : {"bT", "[16,3,15]", "[16,3,16]"}) EXPECT_THAT(refused.error().message, HasSubstr(said));
}

TEST_F(FieldCase, C31_NotFiniteScalesSpoilTheirOwnRowOnly) {
  HB_NEED_PATIENT_DEVICE();
  constexpr int64_t kNan = 3, kInfinite = 9;
  for (const int64_t M : {1, 37}) {
    const Case c = make_case({.fill = "random", .M = M, .N = 16, .K = 96, .zp = true, .tolerance = "bound"});
    CaseData data = value(make_case_data(package(), c, test_seed()));
    const Outputs clean = run(*kernel(), c, data, Which::quick);
    HostTensor& scales = data.inputs.at("scalesT");
    std::vector<float> spoilt = scales.to_floats();
    spoilt[kNan * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
    spoilt[kInfinite * 3] = std::numeric_limits<float>::infinity();
    scales = HostTensor::from_floats(DType::float32, scales.shape, spoilt);
    for (const auto& [variant, before] : clean) {
      const auto call = value(kernel()->prepare(data.problem, {.variant = variant}));
      const HostTensor after = value(gpu::run(*call, data.inputs)).at("yT");
      for (int64_t i = 0; i < after.size(); ++i) {
        const int64_t n = i % 16;
        if (n == kNan || n == kInfinite) {
          EXPECT_FALSE(std::isfinite(after.at(i))) << variant << " at " << i;
        } else {
          EXPECT_EQ(after.at(i), before.at(i)) << variant << " at " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace halfbyte::issues
