// Cases measured on a device, the common part of `bench`, `tune` and `model`: cases that share weights are measured together, so that those are
// uploaded once, and all programs compile before the first is timed.
#pragma once

#ifdef HALFBYTE_HAS_GPU
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/cases.hpp"
#include "bench/report.hpp"
#include "bench/sampled_check.hpp"
#include "gpu/kernel.hpp"
#include "gpu/measure.hpp"
#include "gpu/measure_call.hpp"
#include "tune/advice.hpp"

namespace halfbyte::cmd {

// Which cases the command line asks for.
struct CaseOptions {
  std::string file;
  std::vector<std::string> only;  // --only
  std::vector<std::string> set;   // --set NAME=VALUE
  std::vector<std::string> rows;  // -M
};

// Errors: those of read_text and parse_bench_cases; invalid_argument when no case is left.
Result<std::vector<BenchCase>> read_bench_cases(const CaseOptions& options);

// bench.json of a package's folder or manifest.
std::string bench_file(const std::string& package_path);

struct SessionOptions {
  bool cached = false;                          // one set of weights instead of many in turn
  uint64_t rotate_bytes = uint64_t{256} << 20;  // more than any last-level cache that we know
  bool constant_weights = true;                 // prepacking variants are eligible
  bool check = true;                            // compare a sample of every result with the reference
  uint64_t seed = 0;
  int rounds = 2;  // over the cases of a group
  // Nothing is begun after it; what is not measured then says so.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  gpu::MeasureOptions measure;

  bool late() const { return std::chrono::steady_clock::now() >= deadline; }
};

// What a row says that was not measured in time.
inline constexpr const char* kLate = "not measured: the time of --budget was used up";

// For this device: what a CPU can do in reasonable time.
SessionOptions session_options(const gpu::Device& device);

// Cases whose problems differ in M alone, with their weights on the device.
class CaseGroup {
 public:
  // Precondition: `cases` have the same problem_key signature and are not empty.
  static Result<std::unique_ptr<CaseGroup>> create(gpu::Kernel& kernel, std::vector<BenchCase> cases,
                                                   const SessionOptions& options);

  const std::vector<BenchCase>& cases() const { return cases_; }
  const std::string& signature() const { return signature_; }
  const gpu::WeightSets& weights() const { return *weights_; }

  // Starts compiling a plan of cases()[i].
  Result<gpu::MeasuredCall> prepare(const Plan& plan);
  // Runs it once; does a sample of the output agree with the reference? Errors: those of the GPU.
  Result<Comparison> check(size_t i, gpu::MeasuredCall& call);

 private:
  CaseGroup(gpu::Kernel& kernel, SessionOptions options)
      : kernel_(kernel), options_(options), shared_(kernel.shared_runtime()) {}
  Result<const SampledCheck*> reference(size_t i);

  gpu::Kernel& kernel_;
  SessionOptions options_;
  std::vector<BenchCase> cases_;
  std::string signature_;
  std::string a_key_, y_key_;
  gpu::HostTensors inputs_;  // of the case with the most rows
  std::shared_ptr<const gpu::WeightSets> weights_;
  gpu::SharedTensors shared_;
  std::map<int64_t, SampledCheck> references_;  // by M
};

// Splits cases into groups that share weights, in order of first appearance, ascending M within each. Constant weights are filled in
// if the options say so. Errors: those of problem_key, naming the case.
Result<std::vector<std::vector<BenchCase>>> group_cases(const Package& package, std::vector<BenchCase> cases,
                                                        const SessionOptions& options);

struct BenchChoice {
  bool all_variants = false;  // every eligible one, not only the chosen
  std::string variant;        // only this one
  // Tuning records and the key to look them up with; null: the manifest's order.
  const TuningRecords* tuning = nullptr;
  RecordKey key;
};

// Measures every case of a group; one row for each case and variant, in the cases' order. A case that cannot run gives a row that says why.
// `progress` (may be empty) is told what is being done. Errors: device_lost.
Result<std::vector<BenchRow>> measure_group(gpu::Kernel& kernel, CaseGroup& group, const BenchChoice& choice,
                                            const SessionOptions& options, gpu::Stopwatch& watch,
                                            const DeviceRecord* peaks,
                                            const std::function<void(const std::string&)>& progress);

// The arithmetic of every variant that can run the problem: what its limit is taken from. `known` keeps what was found, by variant.
std::vector<Unit> units_of(const Package& package, const DeviceProfile& profile, const Problem& problem,
                           std::map<std::string, Unit>& known);

// The arithmetic that a plan's passes do.
Result<Unit> unit_of_plan(const Package& package, const Plan& plan);

}  // namespace halfbyte::cmd
#endif
