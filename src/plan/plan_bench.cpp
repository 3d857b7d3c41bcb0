// Host time of choosing and planning one problem; rendering is left out, it happens on a program miss only.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "plan/plan.hpp"
#include "select/matmul_problem.hpp"

namespace halfbyte {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Setup {
  Package package;
  DeviceProfile profile;
};

// The public manifest where it is, else ours; without templates.
Setup load(benchmark::State& state, bool own) {
  const std::string root = HALFBYTE_SOURCE_DIR;
  const std::string folder = own ? root + "/kernels" : root + "/../shared/compat";
  auto package = Package::load(read(folder + "/com.microsoft.MatMulNBits/manifest.json"), "manifest.json");
  auto profile = parse_profile(read(root + "/profiles/nvidia-h200.json"), "nvidia-h200.json");
  if (!package || !profile) {
    state.SkipWithError((!package ? package.error() : profile.error()).to_string());
    return {};
  }
  return {std::move(*package), std::move(*profile)};
}

void plan_one(benchmark::State& state, bool own) {
  const Setup setup = load(state, own);
  if (state.skipped()) return;
  const auto problem =
      matmul_problem(setup.package, {.M = state.range(0), .K = 4096, .N = 4096, .dtype = DType::float32});
  for (auto _ : state) {
    auto choice = select(setup.package, setup.profile, *problem);
    auto plan = make_plan(setup.package, *choice);
    benchmark::DoNotOptimize(plan);
  }
}

void select_one(benchmark::State& state, bool own) {
  const Setup setup = load(state, own);
  if (state.skipped()) return;
  const auto problem =
      matmul_problem(setup.package, {.M = state.range(0), .K = 4096, .N = 4096, .dtype = DType::float32});
  for (auto _ : state) benchmark::DoNotOptimize(select(setup.package, setup.profile, *problem));
}

void load_one(benchmark::State& state, bool own) {
  const std::string root = HALFBYTE_SOURCE_DIR;
  const std::string text =
      read((own ? root + "/kernels" : root + "/../shared/compat") + "/com.microsoft.MatMulNBits/manifest.json");
  if (text.empty()) state.SkipWithError("the manifest is not here");
  for (auto _ : state) benchmark::DoNotOptimize(Package::load(text, "manifest.json"));
}

BENCHMARK_CAPTURE(plan_one, public_manifest, false)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(plan_one, own_manifest, true)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(select_one, public_manifest, false)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(select_one, own_manifest, true)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(load_one, public_manifest, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load_one, own_manifest, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace halfbyte
