// C03 numerics: int8 activations used when not allowed; one outlier then flips the argmax.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C03_OutlierDoesNotFlipTheArgmax) {
  HB_NEED_DEVICE();
  for (const int level : {0, 1}) {
    for (const auto& [variant, y] :
         run({.fill = "C03", .M = 1, .N = 2, .K = 32, .tolerance = "bound", .level = level})) {
      EXPECT_NEAR(y.at(0), 27.9, 1e-4) << variant;
      EXPECT_NEAR(y.at(1), 10.0, 1e-4) << variant;
    }
  }
}

TEST_F(FieldCase, C03_Level4StaysWithinItsBound) {
  HB_NEED_DEVICE();
  for (const auto& [variant, y] : run({.fill = "C03", .M = 1, .N = 2, .K = 32, .tolerance = "bound", .level = 4}))
    EXPECT_NEAR(y.at(0), 27.9, 122.1) << variant;
}

TEST_F(FieldCase, C03_Int8IsEligibleAtLevel4Only) {
  bool seen = false;
  for (const DeviceProfile& device : all_profiles())
    for (const int level : {0, 1, 2, 3, 4})
      for (const DType dtype : {DType::float32, DType::float16})
        for (const VariantVerdict& v :
             value(explain(package(), device, problem({.M = 64, .N = 64, .K = 256, .dtype = dtype, .level = level})))) {
          if (v.verdict == Verdict::rejected) continue;
          const auto choice =
              value(select(package(), device, problem({.M = 64, .N = 64, .K = 256, .dtype = dtype, .level = level}),
                           {.variant = v.variant}));
          const Plan plan = value(make_plan(package(), choice));
          if (!plan.numerics_activations.starts_with("int8")) continue;
          seen = true;
          EXPECT_EQ(level, 4) << v.variant << " on " << device.name;
        }
  EXPECT_TRUE(seen);
}

TEST_F(FieldCase, C03_EightBitsOffBy0105) {
  HB_NEED_DEVICE();
  const Values expect{{"first", 0.4833984375}, {"last", -7.5244140625}};
  run({.M = 2, .N = 5120, .K = 3072, .bits = 8, .expect = expect, .level = 0}, Which::chosen);
  run({.M = 2, .N = 5120, .K = 3072, .bits = 8, .expect = expect, .level = 4}, Which::chosen);
}

}  // namespace
}  // namespace halfbyte::issues
