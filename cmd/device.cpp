#ifdef HALFBYTE_HAS_GPU
#include <memory>
#include <print>

#include "command.hpp"
#include "device_measure.hpp"
#include "gpu_options.hpp"

namespace halfbyte::cmd::device_command {
namespace {

struct Options {
  GpuOptions gpu;
  bool json = false, measure = false;
};

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text.empty() ? "none" : text;
}

void print_adapters(const std::vector<gpu::AdapterSummary>& adapters) {
  std::println("adapters (* is the default):");
  for (const gpu::AdapterSummary& a : adapters) {
    std::println("{} {}  {} ({}, {}; {}): {}", a.is_default ? '*' : ' ', a.index, a.name, a.backend, a.type,
                 a.description, a.reason);
  }
}

void print_device(const gpu::Device& device) {
  const DeviceProfile& profile = device.profile();
  std::println("\n{}: {}", device.info().adapter.name, device.info().adapter.reason);
  for (const std::string& remark : device.info().remarks) std::println("  remark: {}", remark);
  std::println("  features: {}", joined(profile.features));
  std::println("  WGSL language features: {}", joined(profile.wgsl_language_features));
  if (profile.adapter.subgroup_min_size) {
    std::println("  subgroup sizes: {} to {}", *profile.adapter.subgroup_min_size,
                 profile.adapter.subgroup_max_size.value_or(0));
  }
  std::vector<std::string> matrices;
  for (const SubgroupMatrixConfig& c : profile.subgroup_matrix_configs) {
    matrices.push_back(std::format("{}x{}x{} {}->{}", c.M, c.N, c.K, c.component_type, c.result_component_type));
  }
  std::println("  subgroup matrices (MxNxK): {}", joined(matrices));
  std::println("  limits:");
  for (const auto& [name, value] : profile.limits) std::println("    {} {:.0f}", name, value);
  std::println("  toggles: {}", joined(device.info().toggles));
  std::println("  implementation: {}", device.info().webgpu);
}

Result<int> run(const Options& options, const Globals& globals) {
  HB_TRY(const gpu::OpenOptions open, open_options(options.gpu, globals));
  if (!options.json) {
    HB_TRY(const auto adapters, gpu::list_adapters());
    print_adapters(adapters);
  }
  HB_TRY(const auto device, gpu::Device::open(open));
  if (options.measure) {
    if (!options.json) print_device(*device);
    HB_TRY(const DeviceRecord record, measure_device(gpu::Runtime::create(device), globals));
    if (options.json) {
      std::print("{}", to_json_text(record));
    } else {
      print_peaks(record);
    }
    return 0;
  }
  if (options.json) {
    std::print("{}", to_json_text(device->profile()));
  } else {
    print_device(*device);
  }
  return 0;
}

Action add(CLI::App& sub, const Globals& globals) {
  auto options = std::make_shared<Options>();
  sub.add_flag("--json", options->json, "the device's profile, as explain, plan and lint read it");
  sub.add_flag("--measure", options->measure,
               "measure its peaks and keep them; with --json, the record of them instead of the profile");
  add_gpu_options(sub, options->gpu);
  return [options, &globals] { return run(*options, globals); };
}

const Registration registration{"device", 10, "list the adapters, and what the chosen one can do",
                                "halfbyte device --json > profiles/mine.json", add};

}  // namespace
}  // namespace halfbyte::cmd::device_command
#endif
