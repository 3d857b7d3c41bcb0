// What `halfbyte bench` found, as a value: rows, and what they are compared with. Written as JSON (schema: docs/benchmarks.md), as a page
// and as the terminal's table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "bench/device_record.hpp"
#include "bench/roofline.hpp"
#include "bench/statistics.hpp"

namespace halfbyte {

// Another runtime's time for the same problem.
struct OtherTime {
  double seconds = 0;
  std::string note;  // how it was measured
};

// One problem with one variant.
struct BenchRow {
  std::string id;            // the case's
  std::string model, layer;  // may be empty
  double count = 1;          // such layers in the model
  std::string group;         // rows of one group differ in M and variant only
  std::string dtype;         // of the activations
  int64_t accuracy_level = 0;
  bool zero_points = false, bias = false;
  Work work;

  std::string variant;
  std::map<std::string, double, std::less<>> tunables;  // set by tuning
  bool chosen = false;                                  // what would run: the manifest's choice, or the tuned one
  bool tuned = false;                                   // by tuning records
  std::string why;                                      // not measured, or wrong: one sentence

  Summary seconds;                // of one call, in the fastest round; count 0: not measured
  double slowest_round = 1;       // median of the slowest round over that of the fastest
  int64_t repetitions = 0;        // of a sample
  bool enough_steps = true;       // samples span as many steps of the clock as they should
  std::vector<std::string> ties;  // other variants of this case within noise of this one; of the fastest only

  Unit unit = Unit::fma_f32;
  std::optional<Limit> limit;
  int passes = 0;
  int prepack_passes = 0;  // run once for each set of weights, and not timed
  uint64_t packed_bytes = 0;
  uint64_t weight_sets = 0, rotated_bytes = 0;

  bool checked = false, right = false;  // a sample of the output against the reference in double
  double error = 0, bound = 0;

  std::optional<OtherTime> other;

  bool measured() const { return seconds.count > 0; }
  // Rounds are apart in time: whatever makes a GPU slow for a second does not make one slow in all of them. Keeps the fastest.
  void add_round(const Summary& round, int64_t round_repetitions, bool round_enough_steps);
  // Rounds differ by more than a tenth.
  bool unsteady() const { return slowest_round > 1.1; }
  double flops_per_second() const { return work.flops / seconds.median; }
  double weight_bytes_per_second() const { return work.weight_bytes / seconds.median; }
  // Of the limit; 1 is the limit itself.
  std::optional<double> share() const;
};

struct BenchReport {
  std::string tool;         // "halfbyte 0.1.0"
  std::string measured_at;  // ISO date and time, or empty
  std::string package;
  Hash128 package_hash;
  DeviceRecord device;
  std::string clock;
  bool cached = false;  // one set of weights, over and over
  uint64_t rotate_bytes = 0;
  uint64_t seed = 0;
  std::string other_runtime;  // "ONNX Runtime 1.30.0, WebGPU provider"
  std::vector<std::string> remarks;
  std::vector<BenchRow> rows;
};

std::string to_json_text(const BenchReport& report);
// Inverse of to_json_text, so that pages can be written from kept results.
Result<BenchReport> parse_bench_report(std::string_view json_text, const std::string& file);

// One self-contained HTML page: no scripts, no other files, light and dark, for screens of any width and for paper.
std::string to_html(const BenchReport& report);

// Adds another runtime's times (bench/ort) to the rows that they fit: same M, K, N, bits, block size, dtype, zero points and accuracy
// level. Returns to how many. Errors: parse.
Result<int> add_other_runtime(BenchReport& report, std::string_view json_text, const std::string& file);

// Fills in `ties` of the fastest row of every case that has more than one.
void find_ties(BenchReport& report, double floor = 0.01);

// Time of all linear layers of a model for M tokens.
struct ModelSum {
  std::string model;
  std::string dtype;
  double M = 0;
  double seconds = 0;
  double limit_seconds = 0;  // sum of the layers' limits; 0: not known for all
  double weight_bytes = 0;
  double other_seconds = 0;  // 0: not known for all
  int layers = 0;
  bool last_token_only =
      false;  // some layer was measured at M = 1 only (the output head, of which a prompt needs one row)

  double tokens_per_second() const { return M / seconds; }
};

// Sums over the chosen rows. A model's sum for some M is there when every layer of it was measured at that M or at M = 1.
std::vector<ModelSum> model_sums(const BenchReport& report);

// "5.9 us", "1.24 ms"; three digits.
std::string time_text(double seconds);
// "632 TFLOPS", "4.47 TB/s", "1.9 us".
std::string value_text(const Peak& peak);

}  // namespace halfbyte
