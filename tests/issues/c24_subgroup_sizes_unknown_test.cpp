// C24 selection: subgroup sizes hidden (4 to 128 is said) or reported as zero; subgroups that the adapter lists but the device does
// not have.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(FieldCase, C24_NothingDependsOnASizeThatIsNotKnown) {
  for (const char* stem : {"field/zero", "field/hidden"}) {
    const DeviceProfile device = profile(stem);
    for (const Spec& spec : random_specs(100)) {
      const Problem p = problem(spec);
      for (const VariantVerdict& v : value(explain(package(), device, p))) {
        if (v.verdict == Verdict::rejected) continue;
        const auto plan = make_plan(package(), value(select(package(), device, p, {.variant = v.variant})));
        ASSERT_TRUE(plan) << p.id << " by " << v.variant << " on " << stem << ": " << plan.error().to_string();
        if (v.verdict != Verdict::chosen) continue;
        for (const std::string& wgsl : texts(*plan)) {
          EXPECT_THAT(wgsl, Not(HasSubstr("@subgroup_size"))) << v.variant << " on " << stem;
          EXPECT_THAT(wgsl, Not(HasSubstr("subgroup_matrix"))) << v.variant << " on " << stem;
          if (std::string(stem) == "field/zero")  // not even four lanes are sure
            EXPECT_THAT(wgsl, Not(HasSubstr("subgroupShuffle("))) << v.variant;
        }
      }
    }
  }
}

TEST_F(FieldCase, C24_SubgroupsThatTheDeviceLacksAreNotUsed) {
  HB_NEED_PATIENT_DEVICE();
  const auto own = kernel_on({.disabled = {gpu::FeatureGroup::subgroups}});
  for (const int64_t M : {1, 37})
    for (const DType dtype : {DType::float32, DType::float16}) {
      const Spec spec{.M = M, .N = 70, .K = 144, .zp = true, .bias = true, .dtype = dtype};
      run(*own, spec, M == 37 && dtype == DType::float32 ? Which::every : Which::chosen);
      const Problem p = problem(spec);
      for (const VariantVerdict& v : value(explain(package(), own->device().profile(), p))) {
        if (v.verdict == Verdict::rejected) continue;
        const auto plan = value(plan_problem(package(), own->device().profile(), p, {.variant = v.variant}));
        for (const std::string& wgsl : texts(plan)) EXPECT_THAT(wgsl, Not(HasSubstr("enable subgroups"))) << v.variant;
      }
    }
}

}  // namespace
}  // namespace halfbyte::issues
