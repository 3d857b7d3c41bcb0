// Options of every subcommand that opens a device.
#pragma once

#ifdef HALFBYTE_HAS_GPU
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "gpu/device.hpp"
#include "gpu/runtime.hpp"
#include "manifest/package.hpp"

namespace halfbyte::cmd {

struct GpuOptions {
  std::vector<std::string> disabled;  // --disable-feature
  std::vector<std::string> limits;    // --limit NAME=VALUE
  bool no_robustness = false;
  bool no_cache = false;
};

void add_gpu_options(CLI::App& sub, GpuOptions& options);

// What those options and --adapter ask for. Errors: invalid_argument (unknown feature or limit).
Result<gpu::OpenOptions> open_options(const GpuOptions& options, const Globals& globals);

// Opens the device and says on stderr which one and why, and what was done without (not with --quiet).
Result<std::shared_ptr<gpu::Runtime>> open_runtime(const GpuOptions& options, const Globals& globals);

// A package by folder, by manifest.json, or, when there is no such path, by name ("com.microsoft.MatMulNBits") where kernels lie.
Result<std::string> package_path(const std::string& given);

// "NAME=VALUE" split at the first '='. Errors: invalid_argument.
Result<std::pair<std::string, std::string>> split_assignment(const std::string& text, const std::string& option);

}  // namespace halfbyte::cmd
#endif
