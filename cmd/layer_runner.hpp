// A model's layers on the GPU, with their own weights: result, time and share of the limit of each.
#pragma once

#ifdef HALFBYTE_HAS_GPU
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "bench/device_record.hpp"
#include "bench/roofline.hpp"
#include "bench/statistics.hpp"
#include "gpu/kernel.hpp"
#include "gpu/measure.hpp"
#include "gpu/measure_call.hpp"
#include "select/select.hpp"
#include "tensor/host_tensor.hpp"
#include "tune/records.hpp"
#include "verify/case.hpp"

namespace halfbyte::cmd {

struct LayerRun {
  std::string variant;
  bool demoted = false;
  bool tuned = false;  // by tuning records
  Numerics numerics;
  HostTensor output;
  Summary seconds;  // of one call; count 0: there was nothing to do
  Work work;
  std::optional<Limit> limit;  // of this device; empty when its peaks are not known

  std::optional<double> share() const;  // of the limit; 1 is the limit itself
};

// What all layers share. Not thread-safe.
class LayerRunner {
 public:
  // `peaks` and `tuning` may be null.
  static Result<LayerRunner> create(std::shared_ptr<gpu::Kernel> kernel, SelectOptions select,
                                    const DeviceRecord* peaks, const TuningRecords* tuning);

  // The layer that run() is about: its constant inputs, by manifest key. Errors: limit, out_of_memory, device_lost.
  Result<void> load(const gpu::HostTensors& constants);

  // `problem`: of the loaded layer. The output is poisoned before. Weights are in as many copies, used in turn, as a
  // cache does not hold, so the time is that of a layer in a model. Errors: those of plan_tuned and of the GPU.
  Result<LayerRun> run(const Problem& problem, const HostTensor& a);

  const gpu::Kernel& kernel() const { return *kernel_; }
  std::string clock() const { return watch_.clock(); }

 private:
  LayerRunner(std::shared_ptr<gpu::Kernel> kernel, SelectOptions select, const DeviceRecord* peaks,
              const TuningRecords* tuning, gpu::Stopwatch watch);
  Result<std::shared_ptr<const Plan>> plan(const Problem& problem, LayerRun& run) const;

  std::shared_ptr<gpu::Kernel> kernel_;
  SelectOptions select_;
  const DeviceRecord* peaks_;
  const TuningRecords* tuning_;
  gpu::Stopwatch watch_;
  std::shared_ptr<const gpu::WeightSets> weights_;
  std::map<std::string, Unit> units_;
};

}  // namespace halfbyte::cmd
#endif
