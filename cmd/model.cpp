#if defined(HALFBYTE_HAS_ONNX) && defined(HALFBYTE_HAS_GPU)
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <print>
#include <random>
#include <vector>

#include "bench/report.hpp"
#include "command.hpp"
#include "device_measure.hpp"
#include "gpu_options.hpp"
#include "io/writable.hpp"
#include "layer_runner.hpp"
#include "model_totals.hpp"
#include "onnx/expose.hpp"
#include "onnx/matmul_nbits.hpp"
#include "onnx_files.hpp"
#include "table.hpp"
#include "tensor/npy.hpp"
#include "tuning_files.hpp"
#include "verify_quick.hpp"

namespace halfbyte::cmd::model_command {
namespace {

using Json = nlohmann::ordered_json;
using Tensors = std::map<std::string, HostTensor, std::less<>>;

struct Options {
  std::string file, package = "com.microsoft.MatMulNBits", variant, json, expose, activations;
  std::vector<int64_t> M{1, 128};
  bool verify = false;
  GpuOptions gpu;
};

// One node at one M.
struct LayerResult {
  const MatMulNBitsNode* node = nullptr;
  Shape a_shape;
  LayerRun run;
  std::optional<Comparison> ours;    // against the reference in double
  std::optional<Comparison> theirs;  // the other runtime's Y against the same reference
  std::optional<double> difference;  // |ours - theirs| / |reference|, Frobenius
  std::string why;                   // one sentence when a check failed
};

// What another runtime computed (tools/ort_oracle.mjs).
struct Recording {
  std::string runtime;
  Tensors tensors;  // by the model's names
};

Result<Recording> read_recording(const std::string& folder) {
  const std::string index_path = folder + "/index.json";
  HB_TRY(const std::string text, read_text(index_path));
  Recording recording;
  try {
    const Json index = Json::parse(text);
    recording.runtime = index.at("runtime").get<std::string>();
    for (const Json& entry : index.at("tensors")) {
      const std::string path = folder + "/" + entry.at("file").get<std::string>();
      // Inputs and outputs of types that we have no tensor for are no layer's business.
      const auto dtype = parse_dtype(entry.at("dtype").get<std::string>());
      if (!dtype) continue;
      HB_TRY(const auto bytes, read_bytes(path));
      HB_TRY(recording.tensors[entry.at("name").get<std::string>()], decode_npy(bytes, path));
    }
  } catch (const Json::exception& error) {
    return fail(ErrorCode::parse, std::format("not an index of recorded tensors ({})", error.what()), {index_path});
  }
  return recording;
}

Result<const HostTensor*> recorded(const Recording& recording, const MatMulNBitsNode& node, const std::string& value) {
  const auto it = recording.tensors.find(value);
  if (it == recording.tensors.end())
    return fail(
        ErrorCode::invalid_argument,
        std::format("node '{}': its value '{}' is not among the recorded ones; record a model written with --expose",
                    node.name, value));
  return &it->second;
}

// Normally distributed, as activations behind a layer norm are.
HostTensor random_activations(const MatMulNBitsNode& node, int64_t M, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(M * node.K));
  for (float& value : values) value = normal(random);
  return HostTensor::from_floats(node.dtype, {M, node.K}, values);
}

double relative_difference(const HostTensor& x, const HostTensor& y, const std::vector<double>& reference) {
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    difference += std::pow(x.at(i) - y.at(i), 2);
    norm += std::pow(reference[static_cast<size_t>(i)], 2);
  }
  return std::sqrt(norm > 0 ? difference / norm : difference);
}

// Fills in the checks of a layer: ours against the reference, and against theirs where there is one.
Result<void> check_layer(LayerResult& layer, const Package& package, const Problem& problem, Tensors inputs,
                         const HostTensor* theirs) {
  HB_TRY(const CaseData data, case_data_from_inputs(package, problem, std::move(inputs)));
  const Case c{.problem = problem};
  layer.ours = compare(c, data, layer.run.output, layer.run.numerics);
  if (!layer.ours->pass) layer.why = layer.ours->why;
  if (theirs == nullptr) return {};
  if (theirs->desc() != data.output)
    return fail(
        ErrorCode::invalid_argument,
        std::format("node '{}': the recorded Y is {} {}, but its A needs {} {}", layer.node->name, name(theirs->dtype),
                    to_string(theirs->shape), name(data.output.dtype), to_string(data.output.shape)));
  // Its CPU kernels accumulate in float32.
  layer.theirs = compare(c, data, *theirs, Numerics{});
  layer.difference = relative_difference(layer.run.output, *theirs, data.expected);
  const double allowed = layer.ours->bound + layer.theirs->bound;
  if (layer.why.empty() && !(*layer.difference <= allowed))
    layer.why = std::format("differs from the other runtime by {:.3g}, more than both bounds together, {:.3g}",
                            *layer.difference, allowed);
  return {};
}

Result<LayerResult> run_layer(const MatMulNBitsNode& node, const HostTensor& a, LayerRunner& runner, bool verify,
                              const HostTensor* theirs) {
  LayerResult layer{.node = &node, .a_shape = a.shape};
  const Problem problem = make_problem(node, a.shape);
  HB_TRY(layer.run, runner.run(problem, a));
  if (!verify && theirs == nullptr) return layer;
  Tensors inputs = node.constants;
  inputs["aT"] = a;
  HB_CHECK(check_layer(layer, runner.kernel().package(), problem, std::move(inputs), theirs));
  return layer;
}

// Names the layer in whatever went wrong with it.
Error at_node(Error error, const MatMulNBitsNode& node) {
  if (!error.message.contains(node.name)) error.message = std::format("node '{}': {}", node.name, error.message);
  return error;
}

Result<std::vector<LayerResult>> run_layers(const std::vector<MatMulNBitsNode>& nodes, const Options& options,
                                            const Globals& globals, LayerRunner& runner,
                                            const std::optional<Recording>& recording, uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool progress = show_progress(globals);
  const size_t runs = recording ? 1 : options.M.size();
  std::vector<LayerResult> results;
  for (const MatMulNBitsNode& node : nodes) {
    if (const auto loaded = runner.load(node.constants); !loaded) return fail(at_node(loaded.error(), node));
    for (size_t i = 0; i < runs; ++i) {
      if (progress)
        progress_line(std::format("layer {} of {}: {}", results.size() + 1, nodes.size() * runs, node.name));
      const HostTensor* theirs = nullptr;
      HostTensor a;
      if (recording) {
        HB_TRY(const HostTensor* recorded_a, recorded(*recording, node, node.a));
        HB_TRY(theirs, recorded(*recording, node, node.y));
        a = *recorded_a;
      } else {
        a = random_activations(node, options.M[i], random);
      }
      auto layer = run_layer(node, a, runner, options.verify, theirs);
      if (!layer) return fail(at_node(std::move(layer).error(), node));
      results.push_back(std::move(*layer));
    }
  }
  progress_line("");
  return results;
}

int64_t rows(const LayerResult& layer) { return element_count(layer.a_shape).value_or(0) / layer.node->K; }

std::string error_text(const std::optional<Comparison>& c) { return c ? std::format("{:.1e}", c->error) : "-"; }

void print_table(const std::vector<LayerResult>& results, bool verified, const std::optional<Recording>& recording) {
  std::vector<std::string> headers{"layer", ">M", ">K", ">N", ">bits", ">block", "variant", ">GPU time"};
  const bool limits = std::ranges::any_of(results, [](const LayerResult& r) { return r.run.share().has_value(); });
  if (limits) headers.emplace_back(">of limit");
  if (verified) headers.insert(headers.end(), {">error", ">bound"});
  if (recording) headers.insert(headers.end(), {">its error", ">difference"});
  headers.emplace_back("");
  Table table(headers);
  for (const LayerResult& r : results) {
    std::vector<std::string> cells{r.node->name,
                                   std::to_string(rows(r)),
                                   std::to_string(r.node->K),
                                   std::to_string(r.node->N),
                                   std::to_string(r.node->bits),
                                   std::to_string(r.node->block_size),
                                   r.run.variant + (r.run.tuned ? " (tuned)" : ""),
                                   time_text(r.run.seconds.median)};
    if (limits) cells.push_back(r.run.share() ? std::format("{:.0f} %", 100 * *r.run.share()) : "-");
    if (verified) cells.insert(cells.end(), {error_text(r.ours), r.ours ? std::format("{:.1e}", r.ours->bound) : "-"});
    if (recording) cells.insert(cells.end(), {error_text(r.theirs), std::format("{:.1e}", r.difference.value_or(0))});
    cells.emplace_back(r.why.empty() ? (verified ? "ok" : "") : "FAILED");
    table.add(std::move(cells));
  }
  table.print(stdout);
}

Json adapter_json(const gpu::DeviceInfo& info) {
  return {{"name", info.adapter.name},
          {"backend", info.adapter.backend},
          {"type", info.adapter.type},
          {"description", info.adapter.description}};
}

Json layer_json(const LayerResult& r) {
  Json j{{"layer", r.node->name},
         {"M", rows(r)},
         {"K", r.node->K},
         {"N", r.node->N},
         {"bits", r.node->bits},
         {"block_size", r.node->block_size},
         {"accuracy_level", r.node->accuracy_level},
         {"dtype", name(r.node->dtype)},
         {"zero_points", r.node->constants.contains("zeroPointsT")},
         {"bias", r.node->constants.contains("biasT")},
         {"variant", r.run.variant},
         {"demoted", r.run.demoted},
         {"tuned", r.run.tuned},
         {"seconds", r.run.seconds.median},
         {"spread", r.run.seconds.spread()}};
  if (r.run.limit) j["limit"] = {{"kind", r.run.limit->kind}, {"seconds", r.run.limit->seconds}};
  if (r.run.share()) j["share"] = *r.run.share();
  if (r.ours) {
    j["error"] = r.ours->error;
    j["bound"] = r.ours->bound;
    j["pass"] = r.why.empty();
  }
  if (r.theirs) j["other_error"] = r.theirs->error;
  if (r.difference) j["other_difference"] = *r.difference;
  if (!r.why.empty()) j["why"] = r.why;
  return j;
}

std::vector<ModelTotal> totals(const std::vector<LayerResult>& results, const std::optional<Recording>& recording) {
  std::vector<LayerTime> times;
  for (const LayerResult& r : results) times.push_back({rows(r), &r.run});
  return model_totals(times, recording.has_value());
}

Result<void> write_report(const Options& options, const LayerRunner& runner, uint64_t seed,
                          const std::vector<LayerResult>& results, const std::optional<Recording>& recording) {
  Json report{{"model", options.file},
              {"adapter", adapter_json(runner.kernel().device().info())},
              {"clock", runner.clock()},
              {"seed", seed}};
  if (recording) report["other_runtime"] = recording->runtime;
  report["layers"] = Json::array();
  for (const LayerResult& r : results) report["layers"].push_back(layer_json(r));
  report["totals"] = totals_json(totals(results, recording));
  return write_file(options.json, report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

int print_summary(const std::vector<LayerResult>& results, bool verified, const std::optional<Recording>& recording,
                  uint64_t seed) {
  if (!verified) {
    std::println("{} layer runs; results not checked (--verify does)", results.size());
    return 0;
  }
  const auto failed = std::ranges::count_if(results, [](const LayerResult& r) { return !r.why.empty(); });
  for (const LayerResult& r : results)
    if (!r.why.empty()) std::println(stderr, "halfbyte: node '{}' at M={}: {}", r.node->name, rows(r), r.why);
  std::string against = "the reference in double";
  if (recording) against += std::format(" and {}", recording->runtime);
  const std::string inputs = recording ? "recorded activations" : std::format("random activations, seed {}", seed);
  std::println("{} passed, {} failed against {} ({})", results.size() - static_cast<size_t>(failed), failed, against,
               inputs);
  return failed == 0 ? 0 : 1;
}

// Where the figures come from.
void print_remarks(const LayerRunner& runner, bool peaks) {
  const gpu::AdapterSummary& adapter = runner.kernel().device().info().adapter;
  std::println("on {} ({}, {}): {}; times by {}, each call with another copy of the weights", adapter.name,
               adapter.backend, adapter.type, adapter.reason, runner.clock());
  if (!peaks) std::println("the share of the limit needs `halfbyte device --measure`, once");
}

Result<int> expose(OnnxModel& model, const std::vector<MatMulNBitsNode>& nodes, const Options& options) {
  HB_CHECK(expose_activations(model, nodes));
  HB_CHECK(write_model(model, options.expose));
  std::println("{} layers' inputs and outputs are outputs of {}", nodes.size(), options.expose);
  return 0;
}

Result<int> run(const Options& options, const Globals& globals) {
  for (const std::string& path : {options.json, options.expose})
    if (!path.empty()) HB_CHECK(check_writable(path));
  HB_TRY(OnnxModel model, read_model(options.file));
  auto nodes = find_matmul_nbits(model);
  if (!nodes) {
    nodes.error().where.file = options.file;
    return std::unexpected(std::move(nodes).error());
  }
  if (nodes->empty())
    return fail(ErrorCode::invalid_argument, "the model has no MatMulNBits node; `halfbyte quantize` makes them",
                {options.file});
  if (!options.expose.empty()) return expose(model, *nodes, options);

  std::optional<Recording> recording;
  if (!options.activations.empty()) {
    HB_TRY(recording, read_recording(options.activations));
  }
  HB_TRY(const std::string folder, package_path(options.package));
  HB_TRY(const Package package, load_package(folder));
  HB_TRY(const TuningRecords tuning, load_tuning(globals));
  HB_TRY(const auto runtime, open_runtime(options.gpu, globals));
  const auto peaks = kept_device(runtime);
  const uint64_t seed = seed_or_fresh(globals);
  const auto kernel = gpu::Kernel::create(runtime, package);
  leave_out_failed(*kernel, globals);
  HB_TRY(LayerRunner runner, LayerRunner::create(kernel, {.variant = options.variant}, peaks ? &*peaks : nullptr,
                                                 tuning.empty() ? nullptr : &tuning));

  HB_TRY(const auto results, run_layers(*nodes, options, globals, runner, recording, seed));
  const bool verified = options.verify || recording;
  if (!options.json.empty()) HB_CHECK(write_report(options, runner, seed, results, recording));
  print_table(results, verified, recording);
  print_totals(totals(results, recording));
  if (!globals.quiet) print_remarks(runner, peaks.has_value());
  return print_summary(results, verified, recording, seed);
}

Action add(CLI::App& sub, const Globals& globals) {
  auto o = std::make_shared<Options>();
  sub.add_option("FILE", o->file, "a model with MatMulNBits nodes (.onnx)")->required();
  auto* m = sub.add_option("-M", o->M, "rows of A to run each layer with")->delimiter(',')->capture_default_str();
  m->check(CLI::Range(int64_t{1}, int64_t{1} << 31));
  sub.add_flag("--verify", o->verify, "compare every result with the reference in double");
  sub.add_option("--package", o->package, "the kernel package: a folder, or a name that is found beside the program")
      ->capture_default_str();
  sub.add_option("--variant", o->variant, "run this variant, not the chosen one");
  sub.add_option("--json", o->json, "write the table here too");
  auto* expose = sub.add_option(
      "--expose", o->expose, "only write the model with each layer's A and Y as outputs, for another runtime to run");
  sub.add_option("--activations", o->activations,
                 "a folder of tensors that another runtime recorded (tools/ort_oracle.mjs): compute from its A, "
                 "compare with its Y")
      ->excludes(m)
      ->excludes(expose);
  add_gpu_options(sub, o->gpu);
  return [=, &globals] { return run(*o, globals); };
}

const Registration registration{"model", 90, "run every MatMulNBits layer of a model on the GPU",
                                "halfbyte model model.q4.onnx -M 1,128 --verify", add};

}  // namespace
}  // namespace halfbyte::cmd::model_command
#endif
