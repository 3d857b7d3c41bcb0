// C29 device feature: a feature that the driver says it has, and that is wrong. Each can be switched off; a wrong kernel is found out.
#include "field_case.hpp"
#include "gpu/verify_run.hpp"
#include "io/files.hpp"

namespace halfbyte::issues {
namespace {

using gpu::FeatureGroup;

// What is chosen changes with each feature that is switched off, in variant or in text.
TEST_F(FieldCase, C29_EachFeatureSwitchedOffChangesTheChoice) {
  const auto without = [&](DeviceProfile device, std::string_view feature) {
    std::erase(device.features, feature);
    std::erase(device.wgsl_language_features, feature);
    if (feature == "subgroups") std::erase(device.features, "chromium-experimental-subgroup-matrix");
    return device;
  };
  const DeviceProfile mesa = profile("mesa-llvmpipe-26"), xe = profile("intel-xe2-panther-lake");
  const std::tuple<DeviceProfile, std::string, Spec> changes[] = {
      {mesa, "chromium-experimental-subgroup-matrix", {.M = 64, .N = 512, .K = 512, .dtype = DType::float16}},
      {mesa, "subgroups", {.M = 64, .N = 512, .K = 512, .dtype = DType::float16}},
      {mesa, "shader-f16", {.M = 1, .N = 512, .K = 512, .dtype = DType::float16}},
      {xe, "packed_4x8_integer_dot_product", {.M = 64, .N = 512, .K = 512, .level = 4}},
  };
  for (const auto& [device, feature, spec] : changes) {
    const Plan with = value(plan_problem(package(), device, problem(spec)));
    const Plan less = value(plan_problem(package(), without(device, feature), problem(spec)));
    EXPECT_NE(with.variant, less.variant) << feature;
  }
}

TEST_F(FieldCase, C29_AndTheResultStaysRight) {
  HB_NEED_PATIENT_DEVICE();
  for (const FeatureGroup group :
       {FeatureGroup::subgroups, FeatureGroup::matrix, FeatureGroup::f16, FeatureGroup::int_dot}) {
    const auto own = kernel_on({.disabled = {group}});
    for (const int64_t M : {1, 40})
      for (const DType dtype : {DType::float32, DType::float16})
        run(*own,
            {.fill = "Q",
             .M = M,
             .N = 70,
             .K = 160,
             .zp = true,
             .bias = true,
             .dtype = dtype,
             .tolerance = "bound",
             .level = 4},
            Which::chosen);
  }
}

// A template that is off by one bias, or by a hair in one element of a thousand: exactly the variants that use it fail.
TEST_F(FieldCase, C29_AFaultyTemplateIsFoundOut) {
  HB_NEED_PATIENT_DEVICE();
  std::map<std::string, std::string> changed = templates();
  std::string& scalar = changed.at("matmul-nbits.wgsl.jinja");
  const std::string right = "return sum + bias_at(n);",
                    wrong = "return sum + bias_at(n) + select(0.0, 0.001, i % 1000u == 7u);";
  const size_t at = scalar.find(right);
  ASSERT_NE(at, std::string::npos) << "the scalar template has changed; inject the fault elsewhere";
  scalar.replace(at, right.size(), wrong);
  const std::string manifest = value(read_text(source("kernels/com.microsoft.MatMulNBits/manifest.json")));
  const auto faulty =
      gpu::Kernel::create(kernel()->shared_runtime(), value(Package::load(manifest, "manifest.json", changed)));
  const std::vector<Case> cases{
      make_case({.fill = "random", .M = 37, .N = 70, .K = 144, .zp = true, .bias = true, .tolerance = "bound"})};
  const gpu::VerifyReport report = value(gpu::verify_package(*faulty, cases, {.run_seed = test_seed()}));
  EXPECT_GT(report.rows.size(), 4U);
  for (const gpu::VerifyRow& row : report.rows)
    EXPECT_EQ(row.pass, row.variant != "scalar") << row.variant << ": " << row.why;
}

}  // namespace
}  // namespace halfbyte::issues
