// All linear layers of a model together.
#pragma once

#ifdef HALFBYTE_HAS_GPU
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "layer_runner.hpp"

namespace halfbyte::cmd {

// One layer at one number of rows.
struct LayerTime {
  int64_t rows = 0;
  const LayerRun* run = nullptr;
};

// Every layer at one M, one after another.
struct ModelTotal {
  std::optional<int64_t> M;  // empty: they differ in it (a convolution's rows are its pixels)
  int layers = 0;
  double seconds = 0;
  double limit_seconds = 0;  // sum of the layers' limits; 0: not known for every one
  double weight_bytes = 0;   // codes, scales, zero points and bias as the model has them

  double tokens_per_second() const { return M && seconds > 0 ? static_cast<double>(*M) / seconds : 0; }
};

// One total for each number of rows, ascending; of a recording, in which layers may have any, one for all of them.
std::vector<ModelTotal> model_totals(std::span<const LayerTime> layers, bool recorded);

void print_totals(std::span<const ModelTotal> totals);
nlohmann::ordered_json totals_json(std::span<const ModelTotal> totals);

}  // namespace halfbyte::cmd
#endif
