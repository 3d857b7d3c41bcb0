#include "bench/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halfbyte {
namespace {

using testing::HasSubstr;
using testing::Not;

Summary timing(double us) { return {9, us * 1e-6, 0.99e-6 * us, 1.02e-6 * us, 0.98e-6 * us, 1.1e-6 * us}; }

BenchRow row(std::string model, std::string layer, double count, double M, double us, std::string variant = "gemv",
             bool chosen = true) {
  BenchRow r;
  r.model = std::move(model);
  r.layer = std::move(layer);
  r.count = count;
  r.group = r.layer;
  r.id = r.model + "/" + r.layer + "/M" + std::to_string(static_cast<int>(M));
  r.dtype = "float16";
  r.work = {M, 128, 64, 4, 32, 2 * M * 128 * 64, 4608, 2 * M * 192};
  r.variant = std::move(variant);
  r.chosen = chosen;
  r.seconds = timing(us);
  r.limit = Limit{"bandwidth", "read", 1e-6};
  r.checked = r.right = true;
  return r;
}

BenchReport report_of(std::vector<BenchRow> rows) {
  BenchReport report;
  report.tool = "halfbyte test";
  report.measured_at = "2026-12-01 10:00 UTC";
  report.package = "com.microsoft.MatMulNBits";
  report.device.key.adapter = "A <GPU> & more";
  Peak read;
  read.id = "read";
  read.kind = PeakKind::read;
  read.value = 4.47e12;
  Peak fma;
  fma.id = "fma_f32";
  fma.kind = PeakKind::fma;
  fma.component = "f32";
  fma.value = 65e12;
  report.device.peaks = {fma, read};
  report.rows = std::move(rows);
  return report;
}

TEST(BenchReport, JsonRoundTrip) {
  BenchReport report =
      report_of({row("L", "q", 2, 1, 5.9), row("L", "q", 2, 128, 22.6, "tile"), row("", "x", 1, 4, 7, "gemv", false)});
  report.rows[1].prepack_passes = 2;
  report.rows[1].packed_bytes = 1000;
  report.rows[1].tunables = {{"W", 8}};
  report.rows[1].unit = Unit::matrix_f16;
  report.rows[1].ties = {"gemv"};
  report.rows[1].slowest_round = 1.5;
  report.rows[2].other = OtherTime{9e-6, "chain"};
  report.rows[2].why = "wrong result: \xff";
  report.clock = "timestamp-query";
  const std::string text = to_json_text(report);
  const auto again = parse_bench_report(text, "r.json");
  ASSERT_TRUE(again) << again.error().to_string();
  ASSERT_EQ(again->rows.size(), 3u);
  EXPECT_EQ(again->rows[1].tunables, report.rows[1].tunables);
  EXPECT_EQ(again->rows[1].unit, Unit::matrix_f16);
  EXPECT_EQ(again->rows[1].ties, report.rows[1].ties);
  EXPECT_DOUBLE_EQ(again->rows[1].slowest_round, 1.5);
  EXPECT_EQ(again->rows[1].packed_bytes, 1000u);
  EXPECT_EQ(again->rows[0].limit->kind, "bandwidth");
  EXPECT_EQ(again->rows[0].work.flops, report.rows[0].work.flops);
  EXPECT_EQ(again->rows[2].other->note, "chain");
  EXPECT_FALSE(again->rows[2].chosen);
  EXPECT_EQ(again->device.key, report.device.key);
  EXPECT_EQ(to_html(*again), to_html(*parse_bench_report(to_json_text(*again), "r.json")));
  EXPECT_EQ(again->rows[1].prepack_passes, 2);
  EXPECT_THAT(text, HasSubstr("\"timed\": false"));
  EXPECT_NEAR(again->rows[0].seconds.median, 5.9e-6, 1e-15);
  for (const char* bad :
       {"", "{}", R"({"schema":"halfbyte.bench/1"})",
        R"({"schema":"halfbyte.bench/1","package":"p","package_hash":"xyz","device":{},"results":[]})"})
    EXPECT_FALSE(parse_bench_report(bad, "r.json")) << bad;
}

TEST(BenchReport, TheFastestRoundCountsAndADifferenceIsKept) {
  const auto of = [](double seconds) {
    return Summary{.count = 9, .median = seconds, .low = seconds, .high = seconds, .min = seconds, .max = seconds};
  };
  BenchRow row;
  EXPECT_FALSE(row.unsteady());
  row.add_round(of(30e-6), 20, true);
  EXPECT_DOUBLE_EQ(row.slowest_round, 1);
  row.add_round(of(10e-6), 60, true);
  EXPECT_DOUBLE_EQ(row.seconds.median, 10e-6);
  EXPECT_EQ(row.repetitions, 60);
  EXPECT_DOUBLE_EQ(row.slowest_round, 3);
  row.add_round(of(10.5e-6), 50, false);
  EXPECT_DOUBLE_EQ(row.seconds.median, 10e-6);
  EXPECT_TRUE(row.enough_steps);
  EXPECT_DOUBLE_EQ(row.slowest_round, 3);
  EXPECT_TRUE(row.unsteady());
}

TEST(BenchReport, ModelSumsCountLayersAndTakeTheHeadOnce) {
  const BenchReport report =
      report_of({row("L", "q", 32, 1, 10), row("L", "q", 32, 128, 20), row("L", "q", 32, 128, 15, "other", false),
                 row("L", "down", 16, 1, 5), row("L", "down", 16, 128, 8), row("L", "lm_head", 1, 1, 70),
                 row("P", "q", 4, 1, 10), row("P", "k", 4, 128, 10)});
  const auto sums = model_sums(report);
  ASSERT_EQ(sums.size(), 2u);  // P's layers have no M in common
  EXPECT_EQ(sums[0].M, 1);
  EXPECT_NEAR(sums[0].seconds, (32 * 10 + 16 * 5 + 70) * 1e-6, 1e-12);
  EXPECT_EQ(sums[0].layers, 49);
  EXPECT_FALSE(sums[0].last_token_only);
  EXPECT_NEAR(sums[0].limit_seconds, 49e-6, 1e-12);
  EXPECT_NEAR(sums[0].tokens_per_second(), 1 / 470e-6, 1);
  EXPECT_NEAR(sums[1].seconds, (32 * 20 + 16 * 8 + 70) * 1e-6, 1e-12);
  EXPECT_TRUE(sums[1].last_token_only);
  EXPECT_EQ(sums[1].other_seconds, 0);
}

TEST(BenchReport, OtherRuntimesTimesFitTheirRows) {
  BenchReport report = report_of({row("L", "q", 32, 1, 10), row("L", "q", 32, 128, 20)});
  report.rows[1].accuracy_level = 4;
  const char* text = R"({"schema":"halfbyte.other/1","runtime":"ORT 1","results":[
    {"M":1,"K":64,"N":128,"bits":4,"block_size":32,"dtype":"float16","us":21.6,"note":"chain"},
    {"M":128,"K":64,"N":128,"bits":4,"block_size":32,"dtype":"float16","us":200},
    {"M":128,"K":64,"N":128,"bits":4,"block_size":32,"dtype":"float32","accuracy_level":4,"us":100}]})";
  const auto found = add_other_runtime(report, text, "o.json");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(*found, 1);
  ASSERT_TRUE(report.rows[0].other);
  EXPECT_NEAR(report.rows[0].other->seconds, 21.6e-6, 1e-12);
  EXPECT_FALSE(report.rows[1].other);
  EXPECT_FALSE(add_other_runtime(report, "{}", "o.json"));
  EXPECT_FALSE(add_other_runtime(report, R"({"schema":"halfbyte.other/1","runtime":"x","results":[{}]})", "o.json"));
}

TEST(BenchReport, TiesAreFound) {
  BenchReport report = report_of(
      {row("", "x", 1, 1, 10, "a"), row("", "x", 1, 1, 10.02, "b", false), row("", "x", 1, 1, 14, "c", false)});
  find_ties(report);
  EXPECT_EQ(report.rows[0].ties, std::vector<std::string>{"b"});
  EXPECT_TRUE(report.rows[1].ties.empty());
}

TEST(BenchReport, PageIsSelfContainedAndEscaped) {
  BenchReport report = report_of({row("L", "q<script>", 32, 1, 10), row("L", "q<script>", 32, 128, 20),
                                  row("L", "q<script>", 32, 128, 15, "b", false)});
  report.rows[2].seconds.count = 0;
  report.rows[2].why = "needs <b>";
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("A &lt;GPU&gt; &amp; more"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, HasSubstr("needs &lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("<polyline"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme:dark"));
  // Nothing measured at all still makes a page.
  EXPECT_THAT(to_html(report_of({})), HasSubstr("How it was measured"));
}

TEST(BenchReport, NumbersReadWell) {
  EXPECT_EQ(time_text(5.9e-6), "5.90 us");
  EXPECT_EQ(time_text(437e-6), "437 us");
  EXPECT_EQ(time_text(1.2345e-3), "1.23 ms");
  EXPECT_EQ(time_text(0), "0 us");
  Peak p;
  p.value = 632e12;
  p.component = "f16";
  EXPECT_EQ(value_text(p), "632 TFLOPS");
  p.kind = PeakKind::read;
  p.value = 4.47e12;
  EXPECT_EQ(value_text(p), "4.47 TB/s");
  p.kind = PeakKind::dispatch;
  p.value = 1.9e-6;
  EXPECT_EQ(value_text(p), "1.90 us");
}

}  // namespace
}  // namespace halfbyte
