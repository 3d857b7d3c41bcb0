// C06 numerics: the same input, another answer between runs. (The 200 repeats of every variant are in probes_test.cpp; 20 fresh
// processes are halfbyte verify's --repeat in a shell loop. Here the case's own shapes, on fresh devices too.)
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C06_EveryRunAndEveryDeviceGivesTheSameBits) {
  HB_NEED_PATIENT_DEVICE();
  for (const int64_t M : {1500, 1024}) {
    const Spec spec{.fill = "random", .M = M, .N = 384, .K = 384, .tolerance = "bound"};
    Outputs first;
    for (int fresh = 0; fresh < 2; ++fresh) {
      const auto own = kernel_on({});
      for (int repeat = 0; repeat < 2; ++repeat)
        for (const auto& [variant, y] : run(*own, spec, Which::chosen)) {
          const auto& kept = first.emplace(variant, y).first->second;
          EXPECT_EQ(kept.data, y.data) << variant << ", device " << fresh << ", run " << repeat;
        }
    }
    EXPECT_EQ(first.size(), 1u) << "another variant was chosen for the same problem";
  }
}

}  // namespace
}  // namespace halfbyte::issues
