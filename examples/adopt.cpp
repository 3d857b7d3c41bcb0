// Your device, your compute pass: a MatMulNBits between two kernels of your own, in one pass and one submit.
//   x = 2 * input    (yours)
//   y = x W          (halfbyte's)
//   z = y + 1        (yours)
#include <halfbyte/halfbyte.hpp>
#include <print>

using namespace halfbyte;

namespace {

constexpr int64_t kM = 3, kK = 64, kN = 32;

// What an engine has anyway: an instance, an adapter, a device with no optional feature, a few buffers, two pipelines.
struct Engine {
  wgpu::Instance instance;
  wgpu::Device device;

  Engine() {
    const wgpu::InstanceFeatureName timed = wgpu::InstanceFeatureName::TimedWaitAny;
    const wgpu::InstanceDescriptor descriptor{.requiredFeatureCount = 1, .requiredFeatures = &timed};
    instance = wgpu::CreateInstance(&descriptor);
    wgpu::Adapter adapter;
    const wgpu::Future asked = instance.RequestAdapter(
        nullptr, wgpu::CallbackMode::WaitAnyOnly,
        [&](wgpu::RequestAdapterStatus, wgpu::Adapter found, wgpu::StringView) { adapter = std::move(found); });
    instance.WaitAny(asked, UINT64_MAX);
    if (adapter) device = adapter.CreateDevice();
  }

  wgpu::Buffer buffer(size_t bytes, const void* data = nullptr) const {
    const wgpu::BufferDescriptor descriptor{
        .usage = wgpu::BufferUsage::Storage | wgpu::BufferUsage::CopyDst | wgpu::BufferUsage::CopySrc, .size = bytes};
    wgpu::Buffer made = device.CreateBuffer(&descriptor);
    if (data != nullptr) device.GetQueue().WriteBuffer(made, 0, data, bytes);
    return made;
  }

  // to[i] = EXPRESSION, where v is from[i].
  void map(const wgpu::ComputePassEncoder& pass, const char* expression, const wgpu::Buffer& from,
           const wgpu::Buffer& to) const {
    const std::string code = std::format(
        "@group(0) @binding(0) var<storage, read> source : array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> target_ : array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {{\n"
        "  if (id.x < arrayLength(&target_)) {{ let v = source[id.x]; target_[id.x] = {}; }}\n}}",
        expression);
    wgpu::ShaderSourceWGSL wgsl;
    wgsl.code = std::string_view(code);
    const wgpu::ShaderModuleDescriptor module{.nextInChain = &wgsl};
    wgpu::ComputePipelineDescriptor descriptor;
    descriptor.compute.module = device.CreateShaderModule(&module);
    const wgpu::ComputePipeline pipeline = device.CreateComputePipeline(&descriptor);
    const wgpu::BindGroupEntry entries[] = {{.binding = 0, .buffer = from}, {.binding = 1, .buffer = to}};
    const wgpu::BindGroupDescriptor group{
        .layout = pipeline.GetBindGroupLayout(0), .entryCount = 2, .entries = entries};
    pass.SetPipeline(pipeline);
    pass.SetBindGroup(0, device.CreateBindGroup(&group));
    pass.DispatchWorkgroups(static_cast<uint32_t>((to.GetSize() / 4 + 63) / 64));
  }

  std::vector<float> read(const wgpu::Buffer& from) const {
    const wgpu::BufferDescriptor descriptor{.usage = wgpu::BufferUsage::MapRead | wgpu::BufferUsage::CopyDst,
                                            .size = from.GetSize()};
    const wgpu::Buffer staging = device.CreateBuffer(&descriptor);
    const wgpu::CommandEncoder encoder = device.CreateCommandEncoder();
    encoder.CopyBufferToBuffer(from, 0, staging, 0, from.GetSize());
    const wgpu::CommandBuffer commands = encoder.Finish();
    device.GetQueue().Submit(1, &commands);
    const wgpu::Future mapped =
        staging.MapAsync(wgpu::MapMode::Read, 0, from.GetSize(), wgpu::CallbackMode::WaitAnyOnly,
                         [](wgpu::MapAsyncStatus, wgpu::StringView) {});
    instance.WaitAny(mapped, UINT64_MAX);
    const auto* data = static_cast<const float*>(staging.GetConstMappedRange());
    if (data == nullptr) return {};
    return {data, data + from.GetSize() / 4};
  }
};

Result<int> adopt() {
  const Engine engine;
  if (!engine.device) return fail(ErrorCode::not_found, "there is no WebGPU device");

  HB_TRY(const Device device, Device::adopt(engine.device));
  HB_TRY(const Kernel kernel, Kernel::load(device, "com.microsoft.MatMulNBits"));
  Problem problem;
  problem.attrs = {{"K", double{kK}}, {"N", double{kN}}, {"bits", 4.0}, {"block_size", 32.0}};
  problem.inputs = {{"aT", {DType::float32, {kM, kK}}},
                    {"bT", {DType::uint8, {kN, kK / 32, 16}}},
                    {"scalesT", {DType::float32, {kN, kK / 32}}}};
  problem.constant = {"bT", "scalesT"};
  HB_TRY(const Call call, kernel.prepare(problem));

  std::vector<float> input(kM * kK), scales(kN * kK / 32, 0.5F);
  std::vector<uint8_t> codes(kN * kK / 2);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i * 37 + i / 16);
  const wgpu::Buffer given = engine.buffer(input.size() * 4, input.data()), x = engine.buffer(kM * kK * 4),
                     weights = engine.buffer(codes.size(), codes.data()),
                     factors = engine.buffer(scales.size() * 4, scales.data()), y = engine.buffer(kM * kN * 4),
                     z = engine.buffer(kM * kN * 4);

  const wgpu::CommandEncoder encoder = engine.device.CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  engine.map(pass, "2.0 * v", given, x);
  const TensorBinding tensors[] = {{"aT", x}, {"bT", weights}, {"scalesT", factors}, {"yT", y}};
  HB_CHECK(call.record(pass, tensors));
  engine.map(pass, "v + 1.0", y, z);
  pass.End();
  const wgpu::CommandBuffer commands = encoder.Finish();
  engine.device.GetQueue().Submit(1, &commands);

  // All numbers are small multiples of a half: exact in f32.
  const std::vector<float> got = engine.read(z);
  int wrong = static_cast<int>(got.size()) - static_cast<int>(kM * kN);
  for (int64_t m = 0; m < kM; ++m)
    for (int64_t n = 0; n < kN && wrong == 0; ++n) {
      double want = 1;
      for (int64_t k = 0; k < kK; ++k) {
        const int code = codes[static_cast<size_t>(n * kK / 2 + k / 2)] >> (k % 2 * 4) & 15;
        want += 2.0 * input[static_cast<size_t>(m * kK + k)] * (code - 8) * 0.5;
      }
      if (got[static_cast<size_t>(m * kN + n)] != want) ++wrong;
    }
  std::println("{}: {} between two kernels of ours, {}", device.name(), call.variant(), wrong == 0 ? "right" : "WRONG");
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  const auto done = adopt();
  if (!done) std::println(stderr, "{}", done.error().to_string());
  return done ? *done : 1;
}
