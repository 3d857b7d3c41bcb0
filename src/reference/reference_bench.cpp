#include <benchmark/benchmark.h>

#include "reference/matmul.hpp"

namespace halfbyte {
namespace {

void multiply(benchmark::State& state) {
  const int64_t M = state.range(0), N = state.range(1), K = state.range(2);
  const HostTensor a = HostTensor::zeros(DType::float32, {M, K});
  const HostTensor codes = HostTensor::zeros(DType::uint8, {N, K / 32, 16});
  const HostTensor scales = HostTensor::zeros(DType::float32, {N, K / 32});
  MatMulView view{{N, K, 4, 32}, &a, &codes, CodeLayout::onnx, &scales};
  for (auto _ : state) benchmark::DoNotOptimize(reference_matmul(view, {state.range(3) != 0, 1}));
  state.SetItemsProcessed(state.iterations() * M * N * K);
}
BENCHMARK(multiply)
    ->ArgNames({"M", "N", "K", "magnitude"})
    ->Args({64, 4096, 4096, 1})
    ->Args({64, 4096, 4096, 0})
    ->Args({1, 151936, 2048, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace halfbyte
