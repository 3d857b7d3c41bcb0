// How many programs one weight needs over every M from 1 to 4096: what prompts of new lengths may have to compile. Twelve are the goal, and
// each next M may cost at most 1.3 times as much: docs/performance.md says what was given up for the number.
#include <gtest/gtest.h>

#include <map>
#include <print>

#include "io/files.hpp"
#include "io/profile_files.hpp"
#include "plan/plan.hpp"
#include "select/matmul_problem.hpp"

namespace halfbyte {
namespace {

const std::string kCheckout = HALFBYTE_SOURCE_DIR;

struct Weight {
  std::string profile;
  DType dtype = DType::float16;
  int64_t accuracy_level = 0;
  size_t most = 12;
  std::string package = "com.microsoft.MatMulNBits";
};

void PrintTo(const Weight& weight, std::ostream* out) {
  *out << weight.package << " " << weight.profile << " " << name(weight.dtype) << " level " << weight.accuracy_level;
}

struct Use {
  std::string name;
  int64_t first = 0, last = 0;
};

class Programs : public testing::TestWithParam<Weight> {};

TEST_P(Programs, AreFew) {
  const Weight& weight = GetParam();
  const auto package = load_package(kCheckout + "/kernels/" + weight.package);
  ASSERT_TRUE(package) << package.error().to_string();
  const auto profiles = load_profiles(kCheckout + "/profiles/" + weight.profile + ".json");
  ASSERT_TRUE(profiles) << profiles.error().to_string();
  MatmulCall call{.K = 4096, .N = 4096, .dtype = weight.dtype, .accuracy_level = weight.accuracy_level};
  std::map<Hash128, Use> programs;
  for (call.M = 1; call.M <= 4096; ++call.M) {
    const auto problem = matmul_problem(*package, call);
    ASSERT_TRUE(problem) << problem.error().to_string();
    const auto plan = plan_problem(*package, profiles->front().profile, *problem);
    ASSERT_TRUE(plan) << plan.error().to_string();
    for (const PassPlan& pass : plan->passes) {
      Use& use = programs.try_emplace(pass.program, Use{plan->variant + " " + pass.id, call.M, 0}).first->second;
      use.last = call.M;
    }
  }
  for (const auto& [id, use] : programs) std::println("{} M={}..{}", use.name, use.first, use.last);
  RecordProperty("programs", static_cast<int>(programs.size()));
  EXPECT_LE(programs.size(), weight.most);
}

INSTANTIATE_TEST_SUITE_P(
    , Programs,
    testing::Values(Weight{"nvidia-h200", DType::float16, 4}, Weight{"nvidia-h200", DType::float32, 4},
                    Weight{"nvidia-h200", DType::float32, 0}, Weight{"apple-m4", DType::float16, 4},
                    Weight{"intel-xe2-panther-lake", DType::float16, 4},
                    Weight{"qualcomm-adreno-7xx", DType::float16, 0}, Weight{"baseline-no-features", DType::float32, 0},
                    Weight{"nvidia-h200", DType::float32, 0, 12, "et_vk.linear_q4gsw"},
                    Weight{"nvidia-h200", DType::float32, 2, 12, "et_vk.linear_q4gsw"},
                    Weight{"nvidia-h200", DType::float16, 0, 12, "et_vk.linear_q4gsw"},
                    Weight{"apple-m4", DType::float32, 0, 12, "et_vk.linear_q4gsw"},
                    Weight{"compat-128-invocations", DType::float32, 0, 12, "et_vk.linear_q4gsw"},
                    Weight{"baseline-no-features", DType::float32, 0, 12, "et_vk.linear_q4gsw"}));

}  // namespace
}  // namespace halfbyte
