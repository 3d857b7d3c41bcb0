// One call of an operator on the GPU, from host tensors to a host tensor, with its GPU time: for subcommands that look at single
// layers.
#pragma once

#ifdef HALFBYTE_HAS_GPU
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "gpu/timer.hpp"
#include "select/select.hpp"
#include "tensor/host_tensor.hpp"
#include "verify/case.hpp"

namespace halfbyte::cmd {

struct LayerRun {
  std::string variant;
  bool demoted = false;
  Numerics numerics;
  HostTensor output;
  double seconds = 0;  // of one call; median of the samples
  double spread = 0;   // (third quartile - first) / median
};

// What all layers share. Not thread-safe.
class LayerRunner {
 public:
  static Result<LayerRunner> create(std::shared_ptr<gpu::Kernel> kernel, SelectOptions select);

  // `inputs` by manifest key, every present input of the problem. The output is poisoned first. Errors: those of select, make_plan,
  // render and the GPU; gpu, when the call wrote past its output.
  Result<LayerRun> run(const Problem& problem, const gpu::HostTensors& inputs);

  const gpu::Kernel& kernel() const { return *kernel_; }
  std::string clock() const { return timer_.describe(); }

 private:
  LayerRunner(std::shared_ptr<gpu::Kernel> kernel, SelectOptions select, gpu::Timer timer)
      : kernel_(std::move(kernel)), select_(std::move(select)), timer_(std::move(timer)) {}
  Result<std::vector<double>> samples(gpu::PreparedCall& call, std::span<const gpu::TensorBinding> bindings);

  std::shared_ptr<gpu::Kernel> kernel_;
  SelectOptions select_;
  gpu::Timer timer_;
};

}  // namespace halfbyte::cmd
#endif
