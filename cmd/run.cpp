#ifdef HALFBYTE_HAS_GPU
#include <charconv>
#include <memory>
#include <print>

#include "command.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "gpu/measure_peaks.hpp"
#include "gpu/row_chunks.hpp"
#include "gpu_options.hpp"
#include "io/files.hpp"
#include "io/writable.hpp"
#include "tensor/npy.hpp"
#include "tune/advice.hpp"
#include "tuning_files.hpp"
#include "verify_quick.hpp"

namespace halfbyte::cmd::run_command {
namespace {

struct Options {
  std::string package, templates, variant;
  std::vector<std::string> attributes, tunables, inputs, outputs, constant;
  double max_products = 0;  // of one submit; 0: no bound
  GpuOptions gpu;
};

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Problem> read_problem(const Options& options, gpu::HostTensors& tensors) {
  Problem problem;
  problem.id = "run";
  for (const std::string& text : options.attributes) {
    HB_TRY(const auto assignment, split_assignment(text, "--attr"));
    if (const auto value = number(assignment.second)) {
      problem.attrs[assignment.first] = *value;
    } else {
      problem.attrs[assignment.first] = assignment.second;
    }
  }
  for (const std::string& text : options.tunables) {
    HB_TRY(const auto assignment, split_assignment(text, "--tunable"));
    const auto value = number(assignment.second);
    if (!value)
      return fail(ErrorCode::invalid_argument,
                  std::format("--tunable {} takes a number, not '{}'", assignment.first, assignment.second));
    problem.tunables[assignment.first] = *value;
  }
  for (const std::string& text : options.inputs) {
    HB_TRY(const auto assignment, split_assignment(text, "--in"));
    const auto& [key, path] = assignment;
    HB_TRY(const std::vector<std::byte> bytes, read_bytes(path));
    HB_TRY(HostTensor tensor, decode_npy(bytes, path));
    problem.inputs[key] = tensor.desc();
    if (!tensors.emplace(key, std::move(tensor)).second) {
      return fail(ErrorCode::invalid_argument, std::format("input {} was given twice", key));
    }
  }
  problem.constant.insert(options.constant.begin(), options.constant.end());
  return problem;
}

// Output files by key. Checked before any work, so that nothing is computed for a path that cannot be written.
Result<std::map<std::string, std::string>> output_paths(const Options& options) {
  std::map<std::string, std::string> paths;
  for (const std::string& text : options.outputs) {
    HB_TRY(const auto assignment, split_assignment(text, "--out"));
    HB_CHECK(check_writable(assignment.second));
    paths[assignment.first] = assignment.second;
  }
  return paths;
}

// In chunks of rows by the call's variant, where there is a bound.
Result<gpu::HostTensors> compute(gpu::Kernel& kernel, gpu::PreparedCall& call, const Problem& problem,
                                 const gpu::HostTensors& inputs, double max_products) {
  if (max_products <= 0) return gpu::run(call, inputs);
  HB_TRY(const gpu::ChunkedCall chunked,
         gpu::ChunkedCall::create(kernel, problem, max_products,
                                  {.variant = call.plan().variant, .prefer = {}, .exclude = {}}));
  return chunked.run(inputs);
}

Result<int> run(const Options& options, const Globals& globals) {
  HB_TRY(const auto paths, output_paths(options));
  HB_TRY(const std::string folder, package_path(options.package));
  HB_TRY(const Package package, load_package(folder, options.templates));
  gpu::HostTensors inputs;
  HB_TRY(const Problem problem, read_problem(options, inputs));
  HB_TRY(const TuningRecords tuning, load_tuning(globals));
  HB_TRY(const auto runtime, open_runtime(options.gpu, globals));
  const auto kernel = gpu::Kernel::create(runtime, package);
  leave_out_failed(*kernel, globals);
  SelectOptions select;
  select.variant = options.variant;
  if (options.variant.empty())
    for (const auto& [variant, why] : kernel->disabled()) select.exclude.push_back(variant);
  const RecordKey key{gpu::device_key(runtime->device()), package.name(), package.hash()};
  HB_TRY(TunedPlan tuned, plan_tuned(package, runtime->device().profile(), problem, tuning, key, select));
  const bool measured = tuned.measured.has_value();
  HB_TRY(const auto call, kernel->prepare(std::make_shared<const Plan>(std::move(tuned.plan))));
  for (const auto& [key, path] : paths) {
    if (std::ranges::find(call->plan().outputs, key, &std::pair<std::string, TensorDesc>::first) ==
        call->plan().outputs.end()) {
      return fail(ErrorCode::invalid_argument, std::format("the package has no output {}", key));
    }
  }
  HB_TRY(const gpu::HostTensors outputs, compute(*kernel, *call, problem, inputs, options.max_products));
  for (const auto& [key, path] : paths) {
    HB_CHECK(write_file(path, encode_npy(outputs.at(key))));
  }
  if (!globals.quiet) {
    for (const auto& [key, tensor] : outputs) {
      std::println("{} {}{} by variant {}{}", key, name(tensor.dtype), to_string(tensor.shape), call->plan().variant,
                   measured ? " (tuned)" : "");
    }
  }
  return 0;
}

Action add(CLI::App& sub, const Globals& globals) {
  auto o = std::make_shared<Options>();
  sub.add_option("package", o->package, "a package's folder, its manifest.json, or its name")->required();
  sub.add_option("--attr", o->attributes, "an attribute: K=4096");
  sub.add_option("--in", o->inputs, "an input from a .npy file: aT=a.npy")->required();
  sub.add_option("--out", o->outputs, "an output to a .npy file: yT=y.npy")->required();
  sub.add_option("--constant", o->constant, "inputs that never change, so that they may be prepacked: bT");
  sub.add_option("--tunable", o->tunables, "another value for a tunable: WORKGROUP_SIZE=128");
  sub.add_option("--variant", o->variant, "run this variant, not the chosen one");
  sub.add_option("--max-products", o->max_products,
                 "compute rows in chunks of at most so many multiply-adds, each submitted by itself, for devices with "
                 "a watchdog")
      ->check(CLI::NonNegativeNumber);
  sub.add_option("--templates", o->templates, "take the shader templates from this folder");
  add_gpu_options(sub, o->gpu);
  return [o, &globals] { return run(*o, globals); };
}

const Registration registration{"run", 70, "compute once, from .npy files to .npy files",
                                "halfbyte run com.microsoft.MatMulNBits --attr K=64 --attr N=128 --attr block_size=32 "
                                "--in aT=a.npy --in bT=b.npy --in scalesT=s.npy --out yT=y.npy",
                                add};

}  // namespace
}  // namespace halfbyte::cmd::run_command
#endif
