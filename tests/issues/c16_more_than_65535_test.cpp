// C16 limits: more than 65535 columns, rows or workgroups; dispatches fold.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C16_EveryColumnIsItsOwn) {
  HB_NEED_DEVICE();
  struct Published {
    int64_t N;
    double sum, last;
  };
  const Published published[] = {{65535, 2088070, 11.9375},      {65536, 2088082, 12.0},
                                 {65537, 2088094.0625, 12.0625}, {128256, 4088485.6875, 39.4375},
                                 {151936, 4847462.125, 51.75},   {200064, 6387969.375, 60.5625}};
  for (const Published& p : published)
    run({.fill = "R", .M = 1, .N = p.N, .K = 64, .expect = {{"sum", p.sum}, {"last", p.last}}}, Which::chosen);
  run({.fill = "R", .M = 2, .N = 200064, .K = 64, .expect = {{"last", 60.5625}}, .dtype = DType::float16},
      Which::chosen);
}

TEST_F(FieldCase, C16_EveryVariantPast65535Workgroups) {
  HB_NEED_PATIENT_DEVICE();
  run({.fill = "R",
       .M = 1,
       .N = 65537,
       .K = 64,
       .expect = {{"sum", 2088094.0625}, {"last", 12.0625}},
       .tunables = {{"GEMV_N_COLS", 1}, {"GEMV_SUBGROUPS", 0}}});
}

// The same where the device allows 1000 workgroups a dimension, and where even two dimensions hardly do.
TEST_F(FieldCase, C16_DispatchesFoldAtTheDevicesOwnLimit) {
  HB_NEED_DEVICE();
  for (const double limit : {1000.0, 50.0}) {
    const auto own = kernel_on({.limits = {{"maxComputeWorkgroupsPerDimension", limit}}});
    const double columns = limit == 50 ? 2 : 1;
    const Spec one{
        .fill = "R", .M = 1, .N = 4099, .K = 64, .tunables = {{"GEMV_N_COLS", columns}, {"GEMV_SUBGROUPS", 0}}};
    const Spec rows{.fill = "R", .M = 40, .N = 4099, .K = 64};
    run_forced(*own, one, "gemv");
    for (const char* variant : {"prefill_tiled_reg", "prefill_wide_tile", "prefill_tiled", "prefill_tile4x4", "scalar"})
      run_forced(*own, rows, variant);
    const auto plan = value(plan_problem(package(), own->device().profile(), problem(one), {.variant = "gemv"}));
    EXPECT_EQ(plan.passes[0].dispatch[0], static_cast<uint32_t>(limit));
    EXPECT_GT(plan.passes[0].dispatch[1], 1U);
  }
}

// 70000 rows, and the columns of a language model's head; sizes of one, too.
TEST_F(FieldCase, C16_LongAndNarrow) {
  HB_NEED_PATIENT_DEVICE();
  for (const char* variant : {"prefill_tiled_reg_vec4", "prefill_wide_tile", "prefill_tile4x4", "scalar"})
    run_forced(*kernel(), {.M = 70000, .N = 3, .K = 16, .bias = true}, variant);
  for (const char* variant : {"gemv", "scalar"})
    run_forced(*kernel(), {.M = 1, .N = 262144, .K = 16, .block = 16}, variant);
  for (const int64_t M : {1, 5})
    for (const DType dtype : {DType::float32, DType::float16})
      run({.M = M, .N = 1, .K = 16, .block = 16, .zp = true, .bias = true, .dtype = dtype},
          M == 5 && dtype == DType::float16 ? Which::quick : Which::chosen);
}

// Each row of a float32 A is one workgroup where it passes through f16: the only dispatch that grows with M alone.
TEST_F(FieldCase, C16_RowsOfTheHalvingPassFold) {
  const Spec past{.fill = "random", .M = 65537, .N = 8, .K = 32, .tolerance = "bound", .level = 2};
  const auto plan = value(plan_problem(package(), profile("nvidia-h200"), problem(past), {.variant = "sgmat_half"}));
  EXPECT_EQ(plan.passes[0].dispatch, (std::array<uint32_t, 3>{65535, 2, 1}));
  HB_NEED_DEVICE();
  const auto own = kernel_on({.limits = {{"maxComputeWorkgroupsPerDimension", 1000}}});
  Spec spec = past;
  spec.M = 1001;
  const auto call = own->prepare(problem(spec), {.variant = "sgmat_half"});
  if (!call) GTEST_SKIP() << "sgmat_half cannot run here: " << call.error().message;
  EXPECT_EQ((*call)->plan().passes[0].dispatch, (std::array<uint32_t, 3>{1000, 2, 1}));
  run_forced(*own, spec, "sgmat_half");
}

// On every profile: no plan of a variant that calls itself eligible asks for more workgroups than there are.
TEST_F(FieldCase, C16_NoEligiblePlanExceedsTheDispatchLimit) {
  const std::pair<int64_t, int64_t> sizes[] = {{1, 262144}, {70000, 64}, {70000, 4096}, {4096, 200064}, {4000000, 1}};
  for (const DeviceProfile& device : all_profiles())
    for (const auto& [M, N] : sizes)
      for (const DType dtype : {DType::float32, DType::float16})
        for (const int level : {0, 4}) {
          const Problem p = problem({.M = M, .N = N, .K = 32, .dtype = dtype, .level = level});
          for (const VariantVerdict& v : value(explain(package(), device, p))) {
            if (v.verdict == Verdict::rejected) continue;
            const auto plan = make_plan(package(), value(select(package(), device, p, {.variant = v.variant})));
            ASSERT_TRUE(plan) << v.variant << " on " << device.name << ": " << plan.error().to_string();
            for (const PassPlan& pass : plan->passes)
              for (const uint32_t groups : pass.dispatch) EXPECT_LE(groups, 65535U) << v.variant << " " << pass.id;
          }
        }
}

}  // namespace
}  // namespace halfbyte::issues
