// C23 selection: no variant fits, or a named variant does not exist.
#include <nlohmann/json.hpp>

#include "field_case.hpp"
#include "io/files.hpp"

namespace halfbyte::issues {
namespace {

using ::testing::HasSubstr;

// (a) every variant that can be reached has templates that render.
TEST_F(FieldCase, C23_EveryVariantReachedRenders) {
  std::set<std::string> reached;
  for (const DeviceProfile& device : all_profiles())
    for (const int64_t M : {1, 4, 64})
      for (const DType dtype : {DType::float32, DType::float16})
        for (const int level : {0, 4}) {
          const Problem p = problem({.M = M, .N = 1024, .K = 1024, .dtype = dtype, .level = level});
          for (const VariantVerdict& v : value(explain(package(), device, p))) {
            if (v.verdict == Verdict::rejected || !reached.insert(v.variant).second) continue;
            EXPECT_FALSE(texts(value(make_plan(package(), value(select(package(), device, p, {.variant = v.variant})))))
                             .empty());
          }
        }
  for (const std::string& id : package().variant_ids()) EXPECT_TRUE(reached.contains(id)) << id << " is never reached";
}

// (b) exactly one winner for every valid shape on every profile, and the same one twice; where its plan does not fit the device, a limit
// is named.
TEST_F(FieldCase, C23_ExactlyOneWinnerAndTheSameTwice) {
  for (const DeviceProfile& device : all_profiles())
    for (const Spec& spec : random_specs(300)) {
      const Problem p = problem(spec);
      const auto first = value(explain(package(), device, p)), second = value(explain(package(), device, p));
      EXPECT_EQ(std::ranges::count(first, Verdict::chosen, &VariantVerdict::verdict), 1)
          << p.id << " on " << device.name;
      EXPECT_TRUE(std::ranges::equal(first, second, {}, &VariantVerdict::verdict, &VariantVerdict::verdict)) << p.id;
      if (const auto plan = plan_problem(package(), device, p); !plan) {
        EXPECT_EQ(plan.error().code, ErrorCode::limit)
            << p.id << " on " << device.name << ": " << plan.error().to_string();
      }
    }
}

// (c) what was forced and cannot run says why.
TEST_F(FieldCase, C23_ForcedAndIneligibleListsTheConditions) {
  const auto refused =
      select(package(), profile("baseline-no-features"), problem({.M = 2, .N = 64, .K = 64}), {.variant = "gemv"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_eligible);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("aRows == 1 is false: aRows is 2"));
  const auto unknown =
      select(package(), profile("baseline-no-features"), problem({.M = 2, .N = 64, .K = 64}), {.variant = "gemm"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().to_string(), HasSubstr("gemm"));
}

// (d) a vendor nobody knows.
TEST_F(FieldCase, C23_UnknownVendorWorks) {
  DeviceProfile acme = profile("field/nvw");
  acme.adapter.vendor = "acme";
  acme.adapter.architecture = "roadrunner-1";
  for (const Spec& spec : random_specs(50)) EXPECT_TRUE(select(package(), acme, problem(spec))) << problem(spec).id;
}

// (e) a manifest none of whose variants is eligible.
TEST_F(FieldCase, C23_NothingEligibleIsAnError) {
  auto manifest =
      nlohmann::ordered_json::parse(value(read_text(source("kernels/com.microsoft.MatMulNBits/manifest.json"))));
  for (auto& variant : manifest["variants"]) variant["when"].push_back("attrs.K < 0");
  const Package none = value(Package::load(manifest.dump(), "manifest.json", templates()));
  const auto refused = plan_problem(none, profile("nvidia-h200"), problem({.M = 2, .N = 64, .K = 64}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_eligible);
  EXPECT_EQ(refused.error().notes.size(), none.variant_ids().size());
}

}  // namespace
}  // namespace halfbyte::issues
