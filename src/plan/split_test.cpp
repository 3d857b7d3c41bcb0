#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "plan/plan.hpp"
#include "select/matmul_problem.hpp"

namespace halfbyte {
namespace {

using ::testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const Package& own_package() {
  static const Package package = [] {
    const std::string folder = HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits/";
    std::map<std::string, std::string> templates;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().string().ends_with(".wgsl.jinja")) templates[entry.path().filename()] = read(entry.path());
    auto loaded = Package::load(read(folder + "manifest.json"), "manifest.json", templates);
    if (!loaded) throw std::runtime_error(loaded.error().to_string());
    return *loaded;
  }();
  return package;
}

DeviceProfile device(const std::string& name, double most) {
  auto profile = parse_profile(read(HALFBYTE_SOURCE_DIR "/profiles/" + name + ".json"), name);
  if (!profile) throw std::runtime_error(profile.error().to_string());
  profile->limits["maxStorageBufferBindingSize"] = most;
  return *profile;
}

Result<Plan> plan_of(const DeviceProfile& profile, const MatmulCall& call, const SelectOptions& options = {}) {
  const auto problem = matmul_problem(own_package(), call);
  if (!problem) throw std::runtime_error(problem.error().to_string());
  return plan_problem(own_package(), profile, *problem, options);
}

// Every row of every weight is bound by exactly one part, at aligned offsets, within the limit.
void expect_whole(const Plan& plan, const DeviceProfile& profile, const MatmulCall& call) {
  std::map<std::string, std::map<uint64_t, uint64_t>> seen;  // key -> offset -> bytes
  for (const auto* list : {&plan.prepack_passes, &plan.passes})
    for (const PassPlan& pass : *list)
      for (const PlanBinding& b : pass.bindings) {
        if (!b.slice) continue;
        EXPECT_EQ(std::fmod(static_cast<double>(b.slice->offset), *profile.limit("minStorageBufferOffsetAlignment")),
                  0);
        EXPECT_LE(static_cast<double>(b.slice->bytes), *profile.limit("maxStorageBufferBindingSize"));
        const auto [at, added] = seen[b.source].emplace(b.slice->offset, b.slice->bytes);
        EXPECT_EQ(at->second, b.slice->bytes);
      }
  for (const auto& [key, desc] : plan.inputs) {
    if (key == "aT") continue;
    uint64_t end = 0;
    for (const auto& [offset, bytes] : seen[key]) {
      EXPECT_EQ(offset, end) << key;
      end = offset + bytes;
    }
    EXPECT_EQ(end, static_cast<uint64_t>(*element_count(desc.shape)) * byte_size(desc.dtype)) << key;
    EXPECT_EQ(seen[key].size(), plan.parts) << key;
  }
  EXPECT_EQ(plan.outputs.at(0).second.shape.back(), call.N);
  EXPECT_EQ(seen["yT"].size(), call.M == 1 ? plan.parts : 0);
}

TEST(Split, NothingIsSplitThatFits) {
  const MatmulCall call{.M = 4, .K = 256, .N = 1000, .zero_points = true, .bias = true};
  const auto whole = plan_of(device("nvidia-h200", 128000), call);
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_EQ(whole->parts, 1U);
  const auto parts = plan_of(device("nvidia-h200", 127999), call);
  ASSERT_TRUE(parts) << parts.error().to_string();
  EXPECT_EQ(parts->parts, 2U);
}

TEST(Split, EveryRowOnceOnEveryProfile) {
  for (const char* name : {"nvidia-h200", "apple-m4", "intel-xe2-panther-lake", "baseline-no-features",
                           "qualcomm-adreno-7xx", "compat-128-invocations"}) {
    for (const int64_t M : {1, 2, 7, 64, 300}) {
      for (const bool zero_points : {false, true}) {
        for (const DType dtype : {DType::float16, DType::float32}) {
          const MatmulCall call{.M = M,
                                .K = 224,
                                .N = 1001,
                                .bits = zero_points ? 8 : 4,
                                .dtype = dtype,
                                .zero_points = zero_points,
                                .bias = !zero_points};
          const DeviceProfile profile = device(name, 40000 + 4100.0 * static_cast<double>(M) * (M > 1));
          const auto plan = plan_of(profile, call);
          if (!plan) {
            // What is not split says which limit is in the way: here Y itself, or a device without f16 where a kernel needs it.
            ADD_FAILURE() << name << " " << describe(call) << ": " << plan.error().to_string();
            continue;
          }
          if (static_cast<double>(1001 * 7 * 32 * (zero_points ? 2 : 1) / 2) >
              *profile.limit("maxStorageBufferBindingSize")) {
            EXPECT_GT(plan->parts, 1U) << name << " " << describe(call);
            expect_whole(*plan, profile, call);
          }
        }
      }
    }
  }
}

TEST(Split, PartsShareScratchAndPackedWeightsServeEveryM) {
  const DeviceProfile profile = device("nvidia-h200", 400000);
  const auto one = plan_of(profile, {.M = 1, .K = 512, .N = 4000}),
             many = plan_of(profile, {.M = 40, .K = 512, .N = 4000});
  ASSERT_TRUE(one && many);
  EXPECT_GT(one->parts, 1U);
  EXPECT_EQ(one->parts, many->parts);
  ASSERT_FALSE(one->prepacked.empty());
  EXPECT_EQ(one->prepack_key, many->prepack_key);
  std::set<size_t> slots;
  for (const BufferPlan& b : many->scratch) slots.insert(b.slot.value());
  EXPECT_LT(slots.size(), many->scratch.size());
}

TEST(Split, WhatCannotBeSplitNamesTheLimit) {
  // One row of the weights is larger than a binding.
  const auto rows =
      plan_of(device("baseline-no-features", 1000), {.M = 1, .K = 4096, .N = 64, .dtype = DType::float32});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::limit);
  EXPECT_THAT(rows.error().to_string(), HasSubstr("maxStorageBufferBindingSize"));
  EXPECT_THAT(rows.error().to_string(), HasSubstr("in parts of N"));
  // Y does not fit.
  const auto y =
      plan_of(device("baseline-no-features", 40000), {.M = 64, .K = 256, .N = 1000, .dtype = DType::float32});
  ASSERT_FALSE(y);
  EXPECT_EQ(y.error().code, ErrorCode::limit);
}

TEST(Split, AForcedVariantIsKept) {
  const DeviceProfile profile = device("baseline-no-features", 40000);
  const MatmulCall call{.M = 3, .K = 256, .N = 1000, .dtype = DType::float32};
  const auto verdicts = explain(own_package(), profile, matmul_problem(own_package(), call).value());
  int tried = 0;
  for (const VariantVerdict& v : *verdicts) {
    if (v.verdict == Verdict::rejected) continue;
    const auto plan = plan_of(profile, call, {.variant = v.variant, .prefer = {}, .exclude = {}});
    if (!plan) continue;
    EXPECT_EQ(plan->variant, v.variant);
    EXPECT_GT(plan->parts, 1U);
    ++tried;
  }
  EXPECT_GT(tried, 1);
}

}  // namespace
}  // namespace halfbyte
