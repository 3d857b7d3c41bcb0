// C28 device feature: every variant must compile on strict compilers. lint_matmul_nbits and lint_public_manifest compile all of them with
// Dawn's Null backend; here the features are granted one by one: none may be used that was not granted.
#include "field_case.hpp"
#include "plan/lint.hpp"

namespace halfbyte::issues {
namespace {

TEST_F(FieldCase, C28_NoFeatureIsUsedThatWasNotGranted) {
  std::vector<DeviceProfile> devices;
  for (const char* stem : {"mesa-llvmpipe-26", "field/xe", "field/apple"}) {
    const DeviceProfile full = profile(stem);
    for (const std::string& feature : full.features) {
      DeviceProfile device = full;
      std::erase(device.features, feature);
      device.name += " without " + feature;
      devices.push_back(device);
      device = full;
      device.features = {feature};
      device.name += " with nothing but " + feature;
      devices.push_back(device);
    }
    DeviceProfile plain = full;
    plain.wgsl_language_features.clear();
    plain.name += " without WGSL language features";
    devices.push_back(plain);
  }
  std::vector<Problem> problems;
  const std::vector<Problem> all = lint_problems(package());
  for (size_t i = 0; i < all.size(); i += 7) problems.push_back(all[i]);
  const LintReport report = lint(package(), devices, problems, {});
  for (const Error& problem : report.problems) ADD_FAILURE() << problem.to_string();
  EXPECT_EQ(report.nothing, 0U) << "something must run on every one of them";
  EXPECT_GT(report.programs, 100U);
}

TEST_F(FieldCase, C28_AndTheCheckSeesOne) {
  DeviceProfile device = profile("mesa-llvmpipe-26");
  std::map<std::string, std::string> templates{
      {"t.wgsl.jinja", "@compute @workgroup_size(1) fn main() { y[0] = f32(f16(x[0])); }\n"}};
  const char* manifest = R"({"domain": "d", "name": "n", "sinceVersion": 1,
    "inputs": {"xT": {"onnx": "X", "dtype": "float32"}}, "outputs": {"yT": {"onnx": "Y", "dtype": "float32", "rank": "ranks.xT", "shape": "shapes.xT"}},
    "attributes": {}, "variants": [{"id": "v", "priority": 0, "when": ["numel(shapes.xT) > 0"], "passes": [{"id": "main", "shader": "t.wgsl.jinja",
    "bindings": [{"arg": "xT", "name": "x"}, {"arg": "yT", "name": "y"}], "dispatch": {"x": 1}}]}]})";
  const Package careless = value(Package::load(manifest, "manifest.json", templates));
  Problem p;
  p.id = "p";
  p.inputs["xT"] = {DType::float32, {4}};
  EXPECT_TRUE(lint(careless, {device}, {p}, {}).problems.empty());
  std::erase(device.features, "shader-f16");
  const LintReport report = lint(careless, {device}, {p}, {});
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_THAT(report.problems[0].message, ::testing::HasSubstr("needs the feature shader-f16"));
}

}  // namespace
}  // namespace halfbyte::issues
