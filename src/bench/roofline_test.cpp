#include "bench/roofline.hpp"

#include <gtest/gtest.h>

namespace halfbyte {
namespace {

Peak peak(std::string id, PeakKind kind, std::string component, double value) {
  Peak p;
  p.id = std::move(id);
  p.kind = kind;
  p.component = std::move(component);
  p.value = value;
  return p;
}

DeviceRecord h200() {
  DeviceRecord record;
  record.key = {"NVIDIA H200", "nvidia", "", "vulkan", "NVIDIA: 580", "build 1"};
  record.peaks = {peak("fma_f32", PeakKind::fma, "f32", 65e12),
                  peak("fma_f16", PeakKind::fma, "f16", 116e12),
                  peak("dot_i8", PeakKind::dot, "i8", 250e12),
                  peak("matrix_f16_f32_16x16x16", PeakKind::matrix, "f16", 632e12),
                  peak("matrix_f16_f32_16x8x8", PeakKind::matrix, "f16", 300e12),
                  peak("read", PeakKind::read, "", 4.47e12),
                  peak("dispatch", PeakKind::dispatch, "", 1.9e-6)};
  return record;
}

Work work(double M, double N, double K) {
  Work w{M, N, K, 4, 32};
  w.flops = 2 * M * N * K;
  w.weight_bytes = N * K / 2 + N * K / 32 * 2;
  w.activation_bytes = 2 * (M * K + M * N);
  return w;
}

TEST(Roofline, TheLargestTimeIsTheLimit) {
  const DeviceRecord record = h200();
  const std::vector<Unit> units{Unit::fma_f32, Unit::matrix_f16};
  const auto decode = limit_of(record, work(1, 4096, 4096), units, false);
  ASSERT_TRUE(decode);
  EXPECT_EQ(decode->kind, "bandwidth");
  EXPECT_NEAR(decode->seconds, 9.45e6 / 4.47e12, 0.02e-6);
  const auto tiny = limit_of(record, work(1, 64, 64), units, false);
  EXPECT_EQ(tiny->kind, "dispatch");
  EXPECT_DOUBLE_EQ(tiny->seconds, 1.9e-6);
  const auto prefill = limit_of(record, work(4096, 4096, 4096), units, false);
  EXPECT_EQ(prefill->kind, "matrix");
  EXPECT_EQ(prefill->peak, "matrix_f16_f32_16x16x16");
  EXPECT_NEAR(prefill->seconds, 217.5e-6, 0.5e-6);
}

TEST(Roofline, UnitsOfWhatCanRunDecide) {
  const DeviceRecord record = h200();
  const Work prefill = work(4096, 4096, 4096);
  EXPECT_EQ(limit_of(record, prefill, std::vector{Unit::fma_f32}, false)->peak, "fma_f32");
  EXPECT_EQ(limit_of(record, prefill, std::vector{Unit::fma_f32, Unit::dot_i8}, false)->kind, "dot");
  // A unit without a measured peak does not count.
  EXPECT_EQ(limit_of(record, prefill, std::vector{Unit::matrix_i8}, false)->kind, "bandwidth");
  // From the cache, bandwidth is no limit.
  EXPECT_EQ(limit_of(record, work(1, 128256, 4096), std::vector{Unit::matrix_f16}, true)->kind, "dispatch");
  EXPECT_FALSE(limit_of(DeviceRecord{}, prefill, std::vector{Unit::fma_f32}, false));
}

TEST(Roofline, UnitIsReadOffTheShader) {
  const auto unit = [](std::string text, std::string_view multiply = "") {
    return unit_of(std::vector<std::string>{"fn a() {}", std::move(text)}, multiply);
  };
  EXPECT_EQ(unit("alias L = subgroup_matrix_left<f16, 16, 16>; c = subgroupMatrixMultiplyAccumulate(a, b, c);"),
            Unit::matrix_f16);
  EXPECT_EQ(unit("alias L = subgroup_matrix_left<i8, 16, 16>; c = subgroupMatrixMultiplyAccumulate(a, b, c);"),
            Unit::matrix_i8);
  EXPECT_EQ(unit("x += dot4I8Packed(a, b);"), Unit::dot_i8);
  EXPECT_EQ(unit("x = fma(a, b, x);", "f16"), Unit::fma_f16);
  EXPECT_EQ(unit("x = fma(a, b, x);"), Unit::fma_f32);
}

TEST(DeviceRecord, RoundTrip) {
  DeviceRecord record = h200();
  record.package = {0x0123456789abcdef, 42};
  record.clock = "timestamp-query, steps of 32 ns";
  record.peaks[0].settings = {{"GROUPS", 1056}};
  record.peaks[0].checked = true;
  record.peaks[1].value = 0;
  record.peaks[1].why = "no \"f16\"";
  const std::string text = to_json_text(record);
  const auto again = parse_device_record(text, "d.json");
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(to_json_text(*again), text);
  EXPECT_EQ(again->key, record.key);
  EXPECT_EQ(again->package, record.package);
  EXPECT_EQ(again->find("fma_f16"), nullptr);
  ASSERT_NE(again->find("read"), nullptr);
  EXPECT_EQ(again->find("read")->value, 4.47e12);
  for (const char* bad : {"", "{}", "[]", R"({"schema":"halfbyte.device/1"})",
                          R"({"schema":"halfbyte.device/1","device":{},"peaks":[{"id":"x","kind":"y","value":1}]})"}) {
    EXPECT_FALSE(parse_device_record(bad, "d.json")) << bad;
  }
}

TEST(DeviceRecord, KeysDifferInEveryField) {
  const DeviceKey key = h200().key;
  DeviceKey other = key;
  other.driver += "1";
  EXPECT_NE(key.hash(), other.hash());
  other = key;
  std::swap(other.vendor, other.backend);
  EXPECT_NE(key.hash(), other.hash());
}

}  // namespace
}  // namespace halfbyte
