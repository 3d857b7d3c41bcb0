// Host time of what a caller does in a loop, beside Dawn's own cost of the same calls made by hand: on the Null backend, which validates and encodes as
// every other one does, and then runs nothing.
#include <benchmark/benchmark.h>

#include <cstring>
#include <optional>
#include <stdexcept>

#include "base/test_result.hpp"
#include "halfbyte/halfbyte.hpp"

namespace halfbyte {
namespace {

constexpr int64_t kK = 4096, kN = 4096;
constexpr int kPassLength = 512;  // records in one compute pass; making the pass is not timed

using test::value;

Problem problem_of(int64_t M) {
  Problem problem;
  problem.attrs = {{"K", double{kK}}, {"N", double{kN}}, {"bits", 4.0}, {"block_size", 32.0}};
  problem.inputs = {{"aT", {DType::float16, {M, kK}}},
                    {"bT", {DType::uint8, {kN, kK / 32, 16}}},
                    {"scalesT", {DType::float16, {kN, kK / 32}}}};
  problem.constant = {"bT", "scalesT"};
  return problem;
}

struct Setup {
  Device device = value(Device::open({.adapter = "null"}));
  Kernel kernel = value(Kernel::load(device, "com.microsoft.MatMulNBits"));

  wgpu::Buffer buffer(uint64_t bytes, wgpu::BufferUsage usage = wgpu::BufferUsage::Storage) const {
    const wgpu::BufferDescriptor descriptor{.usage = usage, .size = bytes};
    return device.webgpu().CreateBuffer(&descriptor);
  }
  std::vector<TensorBinding> buffers(const Call& call) const {
    std::vector<TensorBinding> bindings;
    for (const CallTensor& tensor : call.tensors())
      bindings.push_back({tensor.key, buffer((tensor.bytes + 15) / 16 * 16)});
    return bindings;
  }
  // A pipeline with four storage buffers and a uniform, and its bind group.
  wgpu::ComputePipeline pipeline() const {
    wgpu::ShaderSourceWGSL wgsl;
    wgsl.code =
        "@group(0) @binding(0) var<storage, read> a : array<u32>; @group(0) @binding(1) var<storage, read> b : "
        "array<u32>;"
        "@group(0) @binding(2) var<storage, read> s : array<u32>; @group(0) @binding(3) var<storage, read_write> y : "
        "array<u32>;"
        "@group(0) @binding(4) var<uniform> p : vec4u;"
        "@compute @workgroup_size(64) fn main() { y[0] = a[0] + b[0] + s[0] + p.x; }";
    const wgpu::ShaderModuleDescriptor module{.nextInChain = &wgsl};
    wgpu::ComputePipelineDescriptor descriptor;
    descriptor.compute.module = device.webgpu().CreateShaderModule(&module);
    return device.webgpu().CreateComputePipeline(&descriptor);
  }
  wgpu::BindGroup group(const wgpu::ComputePipeline& pipeline, std::span<const wgpu::Buffer> buffers) const {
    wgpu::BindGroupEntry entries[5];
    for (uint32_t i = 0; i < 5; ++i) entries[i].binding = i, entries[i].buffer = buffers[i];
    const wgpu::BindGroupDescriptor descriptor{
        .layout = pipeline.GetBindGroupLayout(0), .entryCount = 5, .entries = entries};
    return device.webgpu().CreateBindGroup(&descriptor);
  }
  std::vector<wgpu::Buffer> five() const {
    std::vector<wgpu::Buffer> list;
    for (int i = 0; i < 4; ++i) list.push_back(buffer(65536));
    list.push_back(buffer(16, wgpu::BufferUsage::Uniform));
    return list;
  }
};

// One `body(pass)` an iteration.
template <class Body>
void in_passes(benchmark::State& state, const Setup& setup, Body body) {
  std::optional<wgpu::CommandEncoder> encoder;
  wgpu::ComputePassEncoder pass;
  int left = 0;
  for (auto _ : state) {
    if (left == 0) {
      state.PauseTiming();
      if (encoder) {
        pass.End();
        (void)encoder->Finish();
      }
      encoder = setup.device.webgpu().CreateCommandEncoder();
      pass = encoder->BeginComputePass();
      left = kPassLength;
      state.ResumeTiming();
    }
    --left;
    body(pass);
  }
  pass.End();
}

void record_ours(benchmark::State& state) {
  const Setup setup;
  const Call call = value(setup.kernel.prepare(problem_of(state.range(0))));
  const std::vector<TensorBinding> tensors = setup.buffers(call);
  in_passes(state, setup, [&](const wgpu::ComputePassEncoder& pass) {
    if (!call.record(pass, tensors)) state.SkipWithError("record() failed");
  });
  state.SetLabel(call.variant());
}

void record_by_hand(benchmark::State& state) {
  const Setup setup;
  const wgpu::ComputePipeline pipeline = setup.pipeline();
  const wgpu::BindGroup group = setup.group(pipeline, setup.five());
  in_passes(state, setup, [&](const wgpu::ComputePassEncoder& pass) {
    for (int64_t i = 0; i < state.range(0); ++i) {  // as many dispatches as the call of record_ours has passes
      pass.SetPipeline(pipeline);
      pass.SetBindGroup(0, group);
      pass.DispatchWorkgroups(4, 4, 1);
    }
  });
}

// A call for an M that was never seen, of a variant whose program is there.
void prepare_new_m(benchmark::State& state) {
  const Setup setup;
  Problem problem = problem_of(state.range(0));
  if (!value(setup.kernel.prepare(problem)).wait()) return state.SkipWithError("the program did not compile");
  int64_t M = state.range(0);
  for (auto _ : state) {
    problem.inputs["aT"].shape[0] = ++M;
    if (!setup.kernel.prepare(problem)) state.SkipWithError("prepare() failed");
  }
}

void prepare_known_m(benchmark::State& state) {
  const Setup setup;
  const Problem problem = problem_of(state.range(0));
  if (!value(setup.kernel.prepare(problem)).wait()) return state.SkipWithError("the program did not compile");
  for (auto _ : state) benchmark::DoNotOptimize(setup.kernel.prepare(problem));
}

// What a new M costs Dawn at least: a uniform buffer with the new numbers.
void uniform_by_hand(benchmark::State& state) {
  const Setup setup;
  uint32_t numbers[4] = {};
  for (auto _ : state) {
    const wgpu::BufferDescriptor descriptor{.usage = wgpu::BufferUsage::Uniform, .size = 16, .mappedAtCreation = true};
    const wgpu::Buffer buffer = setup.device.webgpu().CreateBuffer(&descriptor);
    ++numbers[0];
    std::memcpy(buffer.GetMappedRange(), numbers, sizeof numbers);
    buffer.Unmap();
  }
}

// The first record with buffers never seen: the bind group has to be made.
void record_new_buffers(benchmark::State& state) {
  const Setup setup;
  const Call call = value(setup.kernel.prepare(problem_of(state.range(0))));
  std::vector<TensorBinding> tensors = setup.buffers(call);
  std::vector<wgpu::Buffer> outputs;
  for (int i = 0; i < 600; ++i) outputs.push_back(setup.buffer((call.tensors().back().bytes + 15) / 16 * 16));
  size_t next = 0;
  in_passes(state, setup, [&](const wgpu::ComputePassEncoder& pass) {
    tensors.back().buffer = outputs[next++ % outputs.size()];  // more than the sets that are kept
    if (!call.record(pass, tensors)) state.SkipWithError("record() failed");
  });
}

void bind_group_by_hand(benchmark::State& state) {
  const Setup setup;
  const wgpu::ComputePipeline pipeline = setup.pipeline();
  const std::vector<wgpu::Buffer> five = setup.five();
  for (auto _ : state) benchmark::DoNotOptimize(setup.group(pipeline, five));
}

BENCHMARK(record_ours)->Arg(1)->Arg(128);
BENCHMARK(record_by_hand)->Arg(1)->Arg(2);
BENCHMARK(prepare_new_m)->Arg(1000)->Iterations(10000);  // M must stay one that fits
BENCHMARK(uniform_by_hand);
BENCHMARK(prepare_known_m)->Arg(1);
BENCHMARK(record_new_buffers)->Arg(1);
BENCHMARK(bind_group_by_hand);

}  // namespace
}  // namespace halfbyte
