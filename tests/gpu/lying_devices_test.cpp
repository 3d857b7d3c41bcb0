// Devices that lie or hide, modelled over the real one: what they say of themselves is altered, what they can do is not. The result is right, or
// an Error says what is missing; a variant that a driver gets wrong is found and left out by name.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "gpu/kernel.hpp"
#include "gpu/measure_peaks.hpp"
#include "gpu/self_check.hpp"
#include "gpu/verify_run.hpp"
#include "hand_made.hpp"
#include "io/files.hpp"
#include "select/matmul_problem.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;

const std::string kFolder = HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits";

Package own_package() { return value(load_package(kFolder)); }

std::shared_ptr<Kernel> kernel_on(std::function<void(DeviceProfile&)> alter, FeatureGroups disabled = {},
                                  std::optional<Package> package = {}) {
  OpenOptions options;
  options.alter_profile = std::move(alter);
  options.disabled = std::move(disabled);
  return Kernel::create(Runtime::create(value(Device::open(options))), package ? *package : own_package());
}

// One row and seventy, with zero points and bias, of every dtype: enough to meet each kind of variant, and few programs to compile.
std::vector<Case> some_cases(const Kernel& kernel) {
  std::vector<Case> cases = value(self_check_cases(kernel.package(), kernel.device().profile()));
  std::erase_if(cases, [](const Case& c) { return !c.problem.id.contains("-zp") || c.problem.id.starts_with("M6-"); });
  return cases;
}

// What would be chosen is right, and there is something.
void expect_right(Kernel& kernel) {
  const std::vector<Case> cases = some_cases(kernel);
  const SelfCheckReport report = value(self_check(kernel, cases, 1));
  EXPECT_FALSE(report.rows.empty());
  EXPECT_THAT(report.unsupported, IsEmpty());
  for (const SelfCheckRow& row : report.rows)
    EXPECT_TRUE(row.pass) << row.case_id << " by " << row.variant << ": " << row.why;
}

TEST(LyingDevices, SubgroupSizesZeroWideOrHidden) {
  for (const auto& [least, most] :
       {std::pair<std::optional<int>, std::optional<int>>{0, 0}, {4, 128}, {std::nullopt, std::nullopt}}) {
    const auto kernel = kernel_on([&](DeviceProfile& p) {
      p.adapter.subgroup_min_size = least;
      p.adapter.subgroup_max_size = most;
    });
    expect_right(*kernel);
  }
}

TEST(LyingDevices, LimitsThatAreMissingOrZero) {
  expect_right(*kernel_on([](DeviceProfile& p) { p.limits.clear(); }));
  expect_right(*kernel_on([](DeviceProfile& p) {
    p.limits["minStorageBufferOffsetAlignment"] = 0;
    p.limits["minUniformBufferOffsetAlignment"] = 0;
    p.limits.erase("maxBufferSize");
  }));
}

TEST(LyingDevices, NoTimestampsAndASoftwareAdapterWork) {
  expect_right(*kernel_on([](DeviceProfile& p) { p.adapter = {"acme", "none", "", "software", {}, {}}; },
                          {FeatureGroup::timestamps}));
}

TEST(LyingDevices, F16ThatIsNotThereIsFoundAndLeftOut) {
  const auto kernel = kernel_on(
      [](DeviceProfile& p) {
        p.features.emplace_back("shader-f16");
        std::ranges::sort(p.features);
      },
      {FeatureGroup::f16});
  const std::vector<Case> cases = some_cases(*kernel);
  const SelfCheckReport report = value(self_check(*kernel, cases, 1));
  std::set<std::string> right;
  for (const SelfCheckRow& row : report.rows)
    if (row.pass) right.insert(row.case_id);
  for (const SelfCheckRow& row : report.rows) {
    if (row.case_id.contains("float32"))
      EXPECT_TRUE(right.contains(row.case_id)) << row.case_id << ": " << row.why;
    else
      EXPECT_FALSE(row.pass) << row.case_id << " by " << row.variant;
    if (!row.pass && !row.variant.empty()) EXPECT_THAT(row.why, HasSubstr("f16")) << row.variant;
  }
  // A variant that serves float32 is not taken away for what it cannot do with float16.
  EXPECT_THAT(kernel->disabled(), Not(Contains(Key("scalar"))));
}

TEST(LyingDevices, MatricesThatAreNotThereAreFoundAndLeftOut) {
  const auto kernel = kernel_on(
      [](DeviceProfile& p) {
        for (const char* feature : {"chromium-experimental-subgroup-matrix", "subgroups"})
          p.features.emplace_back(feature);
        std::ranges::sort(p.features);
        p.features.erase(std::ranges::unique(p.features).begin(), p.features.end());
        p.adapter.subgroup_min_size = p.adapter.subgroup_max_size = 32;
        p.subgroup_matrix_configs = {{"f32", "f32", 8, 8, 8}, {"f16", "f16", 8, 8, 8}, {"f16", "f32", 16, 16, 16}};
      },
      {FeatureGroup::matrix});
  const std::vector<Case> cases = some_cases(*kernel);
  const SelfCheckReport report = value(self_check(*kernel, cases, 1));
  std::set<std::string> right;
  for (const SelfCheckRow& row : report.rows)
    if (row.pass) right.insert(row.case_id);
  for (const SelfCheckRow& row : report.rows)
    EXPECT_TRUE(right.contains(row.case_id)) << row.case_id << ": " << row.why;
}

// The package with one template changed, as a driver that computes one instruction wrongly would.
Package package_with(const std::string& file, std::string_view from, std::string_view to) {
  const std::string manifest = value(read_text(kFolder + "/manifest.json"));
  std::map<std::string, std::string> templates;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().string().ends_with(".wgsl.jinja"))
      templates[entry.path().filename().string()] = value(read_text(entry.path().string()));
  std::string& text = templates.at(file);
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the template no longer has what this test changes");
  text.replace(at, from.size(), to);
  return value(Package::load(manifest, kFolder + "/manifest.json", templates));
}

TEST(SelfCheck, FindsExactlyTheWrongVariantAndTheNextOneIsTaken) {
  const Package package =
      package_with("matmul-nbits-gemv-packed.wgsl.jinja", "parts[p * {{ mine }}u + m][i % {{ packedCols }}u]; }",
                   "parts[p * {{ mine }}u + m][i % {{ packedCols }}u]; } sum = sum * 1.5;");
  const auto kernel = kernel_on([](DeviceProfile&) {}, {}, package);
  const MatmulCall call{.M = 1, .K = 352, .N = 200, .bits = 4, .block_size = 32, .dtype = DType::float32};
  const Problem problem = value(matmul_problem(package, call));
  const std::string wrong = value(kernel->prepare(problem))->plan().variant;
  if (!wrong.starts_with("gemv_packed")) GTEST_SKIP() << "this device takes " << wrong << " for one row";
  const std::vector<Case> cases = value(self_check_cases(package, kernel->device().profile()));
  const SelfCheckReport report = value(self_check(*kernel, cases, 1));
  ASSERT_THAT(report.disabled, Contains(Key(wrong)));
  EXPECT_EQ(report.disabled.size(), 1u);
  EXPECT_THAT(report.disabled.at(wrong), HasSubstr("M1-K352"));
  EXPECT_NE(value(kernel->prepare(problem))->plan().variant, wrong);
  SelectOptions forced;
  forced.variant = wrong;
  EXPECT_EQ(value(kernel->prepare(problem, forced))->plan().variant, wrong);  // by name it still runs

  const SelfCheckRecord record{
      device_key(kernel->device()), package.name(), package.hash(), 1, cases.size(), report.disabled};
  const SelfCheckRecord again = value(parse_self_check(to_json_text(record), "record.json"));
  EXPECT_EQ(again.disabled, record.disabled);
  EXPECT_EQ(again.device, record.device);
  EXPECT_EQ(parse_self_check("{\"schema\": \"other\"}", "x.json").error().code, ErrorCode::parse);
  EXPECT_FALSE(parse_self_check("[", "x.json"));
}

TEST(SelfCheck, ASoundPackageDisablesNothing) {
  const auto kernel = kernel_on([](DeviceProfile&) {});
  expect_right(*kernel);
  EXPECT_THAT(kernel->disabled(), IsEmpty());
}

}  // namespace
}  // namespace halfbyte::gpu::testing
