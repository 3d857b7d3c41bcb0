// C01 numerics: a sum whose true value is small, whose partial sums overflow an f16 accumulator.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C01_SumsThatOverflowF16AreTheBias) {
  HB_NEED_DEVICE();
  for (const char* fill : {"C01", "C01_runs"})
    for (const int64_t M : {1, 64})
      run({.fill = fill, .M = M, .N = 64, .K = 8192, .bias = true, .dtype = DType::float16},
          M == 64 && std::string(fill) == "C01" ? Which::quick : Which::chosen);
}

// Where the level allows f16, partial sums may be f16 within 32 products, but must not overflow either; nor may a float32 A that is no f16.
TEST_F(FieldCase, C01_NorAtTheLevelThatAllowsF16) {
  HB_NEED_DEVICE();
  if (!kernel()->device().profile().has_feature("shader-f16")) GTEST_SKIP() << "no shader-f16 here";
  for (const DType dtype : {DType::float16, DType::float32})
    for (const int64_t M : {1, 5})
      for (const char* fill : {"C01", "C01_runs", "huge", "max_codes", "outlier"}) {
        const Spec spec{
            .fill = fill, .M = M, .N = 64, .K = 2048, .bias = true, .dtype = dtype, .tolerance = "bound", .level = 2};
        run_forced(*kernel(), spec, "gemv_packed_f16");
      }
}

TEST_F(FieldCase, C01_NoVariantSumsInF16UnlessTheLevelSaysSo) {
  int asked = 0;
  for (const DeviceProfile& device : all_profiles())
    for (const int level : {0, 1, 2, 3, 4})
      for (const int64_t M : {1, 8, 64})
        for (const bool zp : {false, true}) {
          const Problem p = problem({.M = M, .N = 64, .K = 1024, .zp = zp, .dtype = DType::float16, .level = level});
          for (const VariantVerdict& v : value(explain(package(), device, p))) {
            if (v.verdict == Verdict::rejected) continue;
            const auto choice = value(select(package(), device, p, {.variant = v.variant}));
            const Plan plan = value(make_plan(package(), choice));
            EXPECT_NE(plan.numerics_accumulate, "f16") << v.variant;
            if (!plan.numerics_accumulate.starts_with("f16")) continue;
            EXPECT_GE(level, 2) << v.variant << " on " << device.name;
            ++asked;
          }
        }
  EXPECT_GT(asked, 0) << "no profile made such a variant eligible, so nothing was checked";
}

}  // namespace
}  // namespace halfbyte::issues
