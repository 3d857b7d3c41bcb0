#ifdef HALFBYTE_HAS_ONNX
#include "onnx/quantize.hpp"

#include <map>
#include <memory>
#include <print>

#include "command.hpp"
#include "io/writable.hpp"
#include "onnx_files.hpp"
#include "table.hpp"

namespace halfbyte::cmd::quantize_command {
namespace {

struct Options {
  std::string in, out;
  QuantizeOptions quantize;
  bool symmetric = false, asymmetric = false;
};

// A weight that several layers share counts at the first.
std::string size_text(int64_t bytes) { return bytes == 0 ? "shared" : human_bytes(static_cast<double>(bytes)); }

void print_layers(const QuantizeReport& report) {
  Table table({"layer", "weight", ">K", ">N", ">weight error", ">before", ">after"});
  for (const QuantizedLayer& layer : report.layers)
    table.add({layer.name, layer.weight, std::to_string(layer.K), std::to_string(layer.N),
               std::format("{:.2f} %", 100 * layer.error), size_text(layer.bytes_before),
               size_text(layer.bytes_after)});
  table.print(stdout);
}

// One line for each reason, however many layers it keeps as they are.
void print_left(const QuantizeReport& report) {
  std::map<std::string, int> reasons;
  for (const LayerLeft& layer : report.left) ++reasons[layer.why];
  for (const auto& [why, count] : reasons)
    std::println("left as {}: {} MatMul or Gemm node{} ({})", count == 1 ? "it is" : "they are", count,
                 count == 1 ? "" : "s", why);
}

Result<int> run(const Options& options, const Globals& globals) {
  HB_CHECK(check_writable(options.out));
  HB_TRY(OnnxModel model, read_model(options.in));
  const auto before = static_cast<double>(model.byte_size());
  const bool progress = show_progress(globals);
  HB_TRY(const QuantizeReport report, quantize_model(model, options.quantize, [&](int done, int of) {
           if (progress) progress_line(std::format("quantizing layer {} of {}", done + 1, of));
         }));
  HB_CHECK(write_model(model, options.out));
  progress_line("");

  print_layers(report);
  print_left(report);
  double weights_before = 0, weights_after = 0;
  for (const QuantizedLayer& layer : report.layers) {
    weights_before += static_cast<double>(layer.bytes_before);
    weights_after += static_cast<double>(layer.bytes_after);
  }
  std::println("{} layers at {} bits, blocks of {}, {}: weights {} -> {}, model {} -> {}", report.layers.size(),
               options.quantize.bits, options.quantize.block_size,
               options.quantize.symmetric ? "symmetric" : "asymmetric", human_bytes(weights_before),
               human_bytes(weights_after), human_bytes(before), human_bytes(static_cast<double>(model.byte_size())));
  return 0;
}

Action add(CLI::App& sub, const Globals& globals) {
  auto o = std::make_shared<Options>();
  sub.add_option("IN", o->in, "the model to read (.onnx)")->required();
  sub.add_option("OUT", o->out, "the model to write")->required();
  sub.add_option("--bits", o->quantize.bits, "bits of a weight: 2, 4 or 8")->capture_default_str();
  sub.add_option("--block-size", o->quantize.block_size,
                 "weights along K that share a scale: a power of two, 16 and up")
      ->capture_default_str();
  auto* symmetric = sub.add_flag("--symmetric", o->symmetric, "a scale for each block (default)");
  sub.add_flag("--asymmetric", o->asymmetric, "a scale and a zero point for each block")->excludes(symmetric);
  return [=, &globals] {
    o->quantize.symmetric = !o->asymmetric;
    return run(*o, globals);
  };
}

const Registration registration{"quantize", 80, "write a model with its MatMul and Gemm weights quantized",
                                "halfbyte quantize model.onnx model.q4.onnx --bits 4 --block-size 32", add};

}  // namespace
}  // namespace halfbyte::cmd::quantize_command
#endif
