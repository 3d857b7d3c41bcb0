// Issue 3: the wide tile reads A in three ways (one full band of a subgroup, several bands, directly), and the package's cases must force
// each: what a device would choose by itself is only one of them.
#include <nlohmann/json.hpp>

#include "field_case.hpp"
#include "io/files.hpp"

namespace halfbyte::issues {
namespace {

struct Way {
  int64_t rows = 0, band = 0;
};

// As `halfbyte plan` and `explain` see it: the values that the template was given.
Way way_of(const Plan& plan) {
  const auto values = nlohmann::json::parse(plan.passes.at(0).parameters_json);
  return {values.at("tileRows").get<int64_t>(), values.at("band").get<int64_t>()};
}

const std::string kVariant = "prefill_wide_tile";

TEST_F(FieldCase, WideTile_TheCasesForceAllThreeWays) {
  const auto cases =
      value(parse_cases(value(read_text(source("kernels/com.microsoft.MatMulNBits/cases.json"))), "cases.json"));
  std::map<std::string, int> full, bands, direct;  // by device
  for (const char* stem : {"mesa-llvmpipe-26", "nvidia-h200", "google-swiftshader"}) {
    const DeviceProfile device = profile(stem);
    for (const Case& c : cases) {
      if (!c.problem.id.starts_with("wide tile")) continue;
      const auto plan = plan_problem(package(), device, c.problem, {.variant = kVariant});
      if (!plan) continue;  // a band wider than the device's smallest subgroup, f16 without shader-f16
      const Way way = way_of(*plan);
      const auto& wanted = c.problem.tunables;
      EXPECT_EQ(static_cast<double>(way.band), wanted.at("WIDE_TILE_BAND")) << c.problem.id << " on " << stem;
      if (const auto rows = wanted.find("WIDE_TILE_ROWS"); rows != wanted.end()) {
        EXPECT_EQ(static_cast<double>(way.rows), rows->second) << c.problem.id << " on " << stem;
      }
      (way.band == 0 ? direct : way.band == way.rows ? full : bands)[stem] += 1;
      const std::string wgsl = texts(*plan).at(0);
      EXPECT_EQ(wgsl.contains("subgroupShuffle("), way.band != 0) << c.problem.id << " on " << stem;
    }
  }
  for (const char* stem : {"mesa-llvmpipe-26", "nvidia-h200"}) {
    EXPECT_GT(full[stem], 0) << stem;
    EXPECT_GT(bands[stem], 0) << stem;
    EXPECT_GT(direct[stem], 0) << stem;
  }
  EXPECT_GT(bands["google-swiftshader"], 0);  // subgroups of 4: no tile is that short
  EXPECT_GT(direct["google-swiftshader"], 0);
}

TEST_F(FieldCase, WideTile_WhatEachDeviceTakesByItself) {
  struct Expected {
    const char* stem;
    DType dtype;
    Way way;
  };
  const Expected expected[] = {
      {"nvidia-h200", DType::float32, {16, 16}},  // 32 lanes: one full band, the lanes beyond it capped
      {"nvidia-h200", DType::float16, {32, 32}},
      {"field/xe", DType::float32, {16, 16}},  // 16 to 32 lanes
      {"field/xe", DType::float16, {32, 16}},  // two bands of the guaranteed 16
      {"mesa-llvmpipe-26", DType::float32, {16, 8}},
      {"mesa-llvmpipe-26", DType::float16, {32, 8}},
      {"field/adreno", DType::float16, {32, 32}},  // 64 lanes or more
      {"field/hidden", DType::float32, {16, 4}},   // 4 is all that is promised
      {"field/zero", DType::float32, {16, 0}},
      {"field/ff", DType::float16, {32, 0}},  // no subgroups
      {"baseline-no-features", DType::float32, {16, 0}},
  };
  for (const Expected& e : expected) {
    const auto plan = plan_problem(package(), profile(e.stem), problem({.M = 37, .N = 70, .K = 144, .dtype = e.dtype}),
                                   {.variant = kVariant});
    ASSERT_TRUE(plan) << e.stem << ": " << plan.error().to_string();
    EXPECT_EQ(way_of(*plan).rows, e.way.rows) << e.stem << " " << name(e.dtype);
    EXPECT_EQ(way_of(*plan).band, e.way.band) << e.stem << " " << name(e.dtype);
  }
}

TEST_F(FieldCase, WideTile_AdversarialFillsInAllThreeWays) {
  HB_NEED_DEVICE();
  const std::pair<std::string, std::string> fills[] = {
      {"identity", "exact"},        {"P", "exact"},        {"huge", "bound"},        {"max_codes", "bound"},
      {"alternating", "bound"},     {"denormal", "bound"}, {"zero_blocks", "bound"}, {"zero_scales", "bound"},
      {"out_of_range_zp", "bound"}, {"outlier", "bound"}};
  std::set<std::string> ran;
  for (const auto& [rows, band] : {std::pair<double, double>{8, 8}, {16, 16}, {16, 8}, {32, 4}, {16, 4}, {16, 0}})
    for (const DType dtype : {DType::float32, DType::float16})
      for (const auto& [fill, tolerance] : fills) {
        const Spec spec{.fill = fill,
                        .M = 37,
                        .N = 70,
                        .K = 160,
                        .zp = true,
                        .bias = true,
                        .dtype = dtype,
                        .tolerance = tolerance,
                        .tunables = {{"WIDE_TILE_ROWS", rows}, {"WIDE_TILE_BAND", band}}};
        const auto plan = plan_problem(package(), kernel()->device().profile(), problem(spec), {.variant = kVariant});
        if (!plan) continue;
        ran.insert(band == 0 ? "direct" : band == rows ? "full" : "bands");
        run_forced(*kernel(), spec, kVariant);
      }
  EXPECT_TRUE(ran.contains("direct"));
  const auto floor = kernel()->device().profile().adapter.subgroup_min_size;
  if (kernel()->device().profile().has_feature("subgroups") && floor && *floor >= 4) {
    EXPECT_TRUE(ran.contains("bands"));
  }
  if (kernel()->device().profile().has_feature("subgroups") && floor && *floor >= 8) {
    EXPECT_TRUE(ran.contains("full"));
  }
}

}  // namespace
}  // namespace halfbyte::issues
