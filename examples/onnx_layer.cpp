// A layer from an ONNX file: onnx_layer MODEL.onnx (a model whose weights com.microsoft.MatMulNBits nodes hold, as `halfbyte quantize` and
// ONNX Runtime's quantizers write them). Runs every layer on ones.
#include <halfbyte/onnx.hpp>
#include <print>

using namespace halfbyte;

namespace {

// One output by the operator's definition, in double: what the GPU is held to.
double first_output(const OnnxLayer& layer) {
  const auto number = [&](const char* name) {
    return static_cast<int64_t>(std::get<double>(layer.attributes.at(name)));
  };
  const int64_t K = number("K"), bits = number("bits"), block = number("block_size");
  const HostTensor &codes = layer.constants.at("bT"), &scales = layer.constants.at("scalesT");
  const auto zeros = layer.constants.find("zeroPointsT"), bias = layer.constants.find("biasT");
  double y = bias == layer.constants.end() ? 0 : bias->second.at(0);
  for (int64_t k = 0; k < K; ++k) {
    const auto byte = static_cast<int64_t>(codes.at(k * bits / 8));
    const int64_t code = byte >> (k * bits % 8) & ((1 << bits) - 1);
    const double zero =
        zeros == layer.constants.end() ? static_cast<double>(1 << (bits - 1)) : zeros->second.at(k / block);
    y += (static_cast<double>(code) - zero) * scales.at(k / block);
  }
  return y;
}

Result<int> run(const std::string& path) {
  HB_TRY(const std::vector<OnnxLayer> layers, load_onnx_layers(path));
  if (layers.empty()) return fail(ErrorCode::not_found, path + " has no MatMulNBits node");
  HB_TRY(const Device device, Device::open());
  HB_TRY(const Kernel kernel, Kernel::load(device, "com.microsoft.MatMulNBits"));
  int wrong = 0;
  for (const OnnxLayer& layer : layers) {
    const auto K = static_cast<int64_t>(std::get<double>(layer.attributes.at("K")));
    const std::vector<float> ones(static_cast<size_t>(K), 1);
    HostTensors inputs = layer.constants;
    inputs["aT"] = HostTensor::from_floats(layer.dtype, {1, K}, ones);
    HB_TRY(const Call call, kernel.prepare(layer.problem({1, K})));
    HB_TRY(const HostTensors out, call.run(inputs));
    const double got = out.at("yT").at(0), want = first_output(layer);
    const bool right = std::abs(got - want) <= 1e-2 * (std::abs(want) + 1);
    wrong += right ? 0 : 1;
    std::println("{}: {} -> {}, {}: y[0] = {:.4f}, by hand {:.4f}, {}", layer.name, layer.a, layer.y, call.variant(),
                 got, want, right ? "right" : "WRONG");
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::println(stderr, "onnx_layer MODEL.onnx");
    return 2;
  }
  const auto done = run(argv[1]);
  if (!done) std::println(stderr, "{}", done.error().to_string());
  return done ? *done : 1;
}
