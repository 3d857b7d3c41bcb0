// Host time of choosing and planning one problem; rendering is left out, it happens on a program miss only.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
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

std::map<std::string, std::string> templates_of(const std::string& folder) {
  std::map<std::string, std::string> templates;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(".wgsl.jinja")) templates[entry.path().filename()] = read(entry.path());
  return templates;
}

// The public manifest (its templates are not public), or ours with its templates: some of its derives only variants can name.
Setup load(benchmark::State& state, bool own) {
  const std::string root = HALFBYTE_SOURCE_DIR;
  const std::string folder = own ? root + "/kernels" : root + "/../shared/compat";
  const std::string package_folder = folder + "/com.microsoft.MatMulNBits";
  auto package = Package::load(read(package_folder + "/manifest.json"), "manifest.json",
                               own ? templates_of(package_folder) : std::map<std::string, std::string>{});
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
  const std::string folder = (own ? root + "/kernels" : root + "/../shared/compat") + "/com.microsoft.MatMulNBits";
  const std::string text = read(folder + "/manifest.json");
  if (text.empty()) state.SkipWithError("the manifest is not here");
  const auto templates = own ? templates_of(folder) : std::map<std::string, std::string>{};
  for (auto _ : state) benchmark::DoNotOptimize(Package::load(text, "manifest.json", templates));
}

BENCHMARK_CAPTURE(plan_one, public_manifest, false)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(plan_one, own_manifest, true)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(select_one, public_manifest, false)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(select_one, own_manifest, true)->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(load_one, public_manifest, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load_one, own_manifest, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace halfbyte
