#include <benchmark/benchmark.h>

#include <vector>

#include "quant/rtn.hpp"

namespace halfbyte {
namespace {

void quantize(benchmark::State& state) {
  const BlockShape s{state.range(0), state.range(1), 4, 32};
  std::vector<float> w(static_cast<size_t>(s.N * s.K));
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i * 2654435761u % 1000) / 1000.0f - 0.5f;
  const auto order = static_cast<WeightOrder>(state.range(2));
  for (auto _ : state) benchmark::DoNotOptimize(quantize_rtn(s, w, order, RtnMode::asymmetric, DType::float32));
  state.SetItemsProcessed(state.iterations() * s.N * s.K);
}
BENCHMARK(quantize)
    ->ArgNames({"N", "K", "order"})
    ->Args({6625, 120, static_cast<int>(WeightOrder::k_n)})
    ->Args({4096, 4096, static_cast<int>(WeightOrder::n_k)})
    ->Args({4096, 4096, static_cast<int>(WeightOrder::k_n)})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace halfbyte
