// A prompt, then token after token: M changes with every call, the weights stay. Shows warm-up in the background, weights that are packed once
// and whose originals then go, and what the statistics say.
#include <halfbyte/halfbyte.hpp>
#include <print>

using namespace halfbyte;

namespace {

constexpr int64_t kK = 128, kN = 256;

Problem layer(int64_t M) {
  Problem problem;
  problem.id = std::format("decode M={}", M);
  problem.attrs = {{"K", double{kK}}, {"N", double{kN}}, {"bits", 4.0}, {"block_size", 32.0}, {"accuracy_level", 4.0}};
  problem.inputs = {{"aT", {DType::float32, {M, kK}}},
                    {"bT", {DType::uint8, {kN, kK / 32, 16}}},
                    {"scalesT", {DType::float32, {kN, kK / 32}}}};
  problem.constant = {"bT", "scalesT"};  // what never changes may be packed
  return problem;
}

wgpu::Buffer buffer(const Device& device, size_t bytes, const void* data = nullptr) {
  const wgpu::BufferDescriptor descriptor{
      .usage = wgpu::BufferUsage::Storage | wgpu::BufferUsage::CopyDst | wgpu::BufferUsage::CopySrc, .size = bytes};
  wgpu::Buffer made = device.webgpu().CreateBuffer(&descriptor);
  if (data != nullptr) device.webgpu().GetQueue().WriteBuffer(made, 0, data, bytes);
  return made;
}

struct Weights {
  wgpu::Buffer codes, scales;
  std::set<std::string, std::less<>> dropped;
};

Result<void> step(const Device& device, const Kernel& kernel, const Weights& weights, int64_t M) {
  HB_TRY(const Call call,
         kernel.prepare(layer(M), {.variant = "", .dropped = weights.dropped}));  // cached after the first time
  const std::vector<float> a(static_cast<size_t>(M * kK), 1);
  const wgpu::Buffer x = buffer(device, a.size() * 4, a.data()), y = buffer(device, static_cast<size_t>(M * kN * 4));
  const TensorBinding tensors[] = {{"aT", x}, {"bT", weights.codes}, {"scalesT", weights.scales}, {"yT", y}};
  const wgpu::CommandEncoder encoder = device.webgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  const Result<void> recorded = call.record(pass, tensors);
  pass.End();
  const wgpu::CommandBuffer commands = encoder.Finish();
  HB_CHECK(recorded);
  device.webgpu().GetQueue().Submit(1, &commands);
  // These two are new in each step; an engine that uses its own over again has nothing to forget.
  device.forget(x);
  device.forget(y);
  return {};
}

Result<void> decode() {
  HB_TRY(const Device device, Device::open());
  HB_TRY(const Kernel kernel, Kernel::load(device, "com.microsoft.MatMulNBits"));
  // While the model is being read, the programs of every M that will come are compiled.
  const WarmUp warm = kernel.warm_up({layer(1), layer(37), layer(4)});

  const std::vector<uint8_t> codes(kN * kK / 2, 0x99);
  const std::vector<float> scales(kN * kK / 32, 0.25F);
  Weights weights{buffer(device, codes.size(), codes.data()), buffer(device, scales.size() * 4, scales.data()), {}};
  HB_CHECK(warm.wait());

  HB_CHECK(step(device, kernel, weights, 37));  // the prompt
  HB_TRY(const Call one, kernel.prepare(layer(1)));
  HB_CHECK(step(device, kernel, weights, 1));
  // Where the variants work from packed weights, the original codes are not needed any more.
  if (std::ranges::find(one.packed_inputs(), "bT") != one.packed_inputs().end()) {
    HB_TRY(const uint64_t freed, device.drop_original(weights.codes));
    weights.dropped = {"bT"};
    // From here on only variants that work from the packed copy will do; where that is another one, it is compiled now.
    const PrepareOptions options{.variant = "", .dropped = weights.dropped};
    HB_CHECK(kernel.warm_up({{layer(1), options}, {layer(4), options}}).wait());
    std::println("packed; {} bytes of originals freed", freed);
  }
  const uint64_t compiled = device.statistics().programs_compiled;
  for (int token = 0; token < 20; ++token)
    HB_CHECK(step(device, kernel, weights, token % 5 == 4 ? 4 : 1));  // now and then four at once

  const Statistics s = device.statistics();

  // x is all ones and every weight 0.25, so every y is K / 4.
  const std::vector<float> ones(kK, 1);
  HostTensor b{DType::uint8, {kN, kK / 32, 16}, std::vector<std::byte>(codes.size(), std::byte{0x99})};
  HB_TRY(const HostTensors out,
         kernel.run(layer(1).attrs, {{"aT", HostTensor::from_floats(DType::float32, {1, kK}, ones)},
                                     {"bT", b},
                                     {"scalesT", HostTensor::from_floats(DType::float32, {kN, kK / 32}, scales)}}));
  const std::vector<float> y = out.at("yT").to_floats();
  std::println("{}: {} programs, {} compiled while decoding, {} hits, {} packed bytes; y = {} (should be 32)",
               device.name(), s.programs_compiled, s.programs_compiled - compiled, s.program_hits, s.packed_bytes,
               y[0]);
  if (y != std::vector<float>(kN, kK / 4)) return fail(ErrorCode::internal, "the result is wrong");
  return {};
}

}  // namespace

int main() {
  const auto done = decode();
  if (!done) std::println(stderr, "{}", done.error().to_string());
  return done ? 0 : 1;
}
