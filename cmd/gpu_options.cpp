#ifdef HALFBYTE_HAS_GPU
#include "gpu_options.hpp"

#include <charconv>
#include <filesystem>
#include <print>

#include "gpu/persistent_cache.hpp"
#include "io/kernel_path.hpp"

namespace halfbyte::cmd {

void add_gpu_options(CLI::App& sub, GpuOptions& options) {
  sub.add_option("--disable-feature", options.disabled,
                 "hide a capability: subgroups, matrix, f16, int-dot, timestamps");
  sub.add_option("--limit", options.limits, "lower a limit: NAME=VALUE, e.g. maxComputeInvocationsPerWorkgroup=128");
  sub.add_flag("--no-robustness", options.no_robustness, "shaders without bounds checks");
  sub.add_flag("--no-program-cache", options.no_cache, "compile every program anew");
}

Result<std::pair<std::string, std::string>> split_assignment(const std::string& text, const std::string& option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return fail(ErrorCode::invalid_argument, std::format("{} takes NAME=VALUE, not '{}'", option, text));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<gpu::OpenOptions> open_options(const GpuOptions& options, const Globals& globals) {
  gpu::OpenOptions open;
  open.adapter = globals.adapter;
  open.robustness = !options.no_robustness;
  for (const std::string& feature : options.disabled) {
    HB_TRY(const gpu::FeatureGroup group, gpu::parse_feature_group(feature));
    open.disabled.insert(group);
  }
  for (const std::string& limit : options.limits) {
    HB_TRY(const auto assignment, split_assignment(limit, "--limit"));
    const auto& [name, text] = assignment;
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
      return fail(ErrorCode::invalid_argument, std::format("--limit {} takes a number, not '{}'", name, text));
    }
    open.limits[name] = value;
  }
  if (!options.no_cache) open.cache = gpu::persistent_cache();
  return open;
}

Result<std::shared_ptr<gpu::Runtime>> open_runtime(const GpuOptions& options, const Globals& globals) {
  HB_TRY(const gpu::OpenOptions open, open_options(options, globals));
  HB_TRY(const auto device, gpu::Device::open(open));
  if (!globals.quiet) {
    const gpu::AdapterSummary& adapter = device->info().adapter;
    std::println(stderr, "adapter: {} ({}, {}): {}", adapter.name, adapter.backend, adapter.type, adapter.reason);
    for (const std::string& remark : device->info().remarks) std::println(stderr, "remark: {}", remark);
  }
  return gpu::Runtime::create(device);
}

Result<std::string> package_path(const std::string& given) {
  std::error_code ignored;
  if (std::filesystem::exists(given, ignored) || given.contains('/')) return given;
  return find_package(given);
}

}  // namespace halfbyte::cmd
#endif
