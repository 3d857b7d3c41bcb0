// Plans and WGSL written by hand, so that the runtime is tested apart from manifests, selection and planning.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/test_result.hpp"
#include "gpu/buffers.hpp"
#include "gpu/device.hpp"
#include "gpu/prepared_call.hpp"
#include "gpu/runtime.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte::gpu::testing {

using test::value;

inline PlanBinding argument(const std::string& name, Access access, const std::string& type = "f32") {
  PlanBinding b;
  b.name = name;
  b.source = name;
  b.access = access;
  b.element_type = type;
  return b;
}

inline PlanBinding scratch(const std::string& name, Access access) {
  PlanBinding b = argument(name, access);
  b.kind = BindingKind::scratch;
  return b;
}

inline PlanBinding prepacked(const std::string& name, Access access) {
  PlanBinding b = argument(name, access);
  b.kind = BindingKind::prepacked;
  return b;
}

inline PlanBinding uniform(std::vector<uint32_t> values) {
  PlanBinding b;
  b.name = "params";
  b.kind = BindingKind::uniform;
  values.resize((values.size() + 3) / 4 * 4);
  b.uniform_bytes.resize(values.size() * 4);
  std::memcpy(b.uniform_bytes.data(), values.data(), b.uniform_bytes.size());
  return b;
}

// y[i] = x[i] * w[i] + params.x, one thread an element.
inline const char* kScaleShader = R"(
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read> w : array<f32>;
@group(0) @binding(2) var<storage, read_write> y : array<f32>;
struct Params { add : u32, count : u32 }
@group(0) @binding(3) var<uniform> params : Params;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < params.count) { y[id.x] = x[id.x] * w[id.x] + f32(params.add); }
}
)";

struct HandMade {
  Plan plan;
  std::map<std::string, std::string> shaders;  // by PassPlan::shader

  ShaderSource source() const {
    return [shaders = shaders](const PassPlan& pass) -> Result<std::string> { return shaders.at(pass.shader); };
  }
  Result<std::shared_ptr<PreparedCall>> prepare(const std::shared_ptr<Runtime>& runtime) const {
    return PreparedCall::create(runtime, std::make_shared<Plan>(plan), source());
  }
};

inline PassPlan make_pass(const std::string& shader, const std::string& wgsl, std::vector<PlanBinding> bindings,
                          uint32_t groups) {
  PassPlan pass;
  pass.id = "main";
  pass.shader = shader;
  pass.label = "hand_made/" + shader;
  pass.program = Hasher().add(shader).add(wgsl).finish();
  pass.bindings = std::move(bindings);
  pass.dispatch = {groups, 1, 1};
  return pass;
}

inline HandMade scale_plan(uint32_t count, uint32_t add) {
  HandMade made;
  made.plan.package = "hand_made";
  made.plan.variant = "scale";
  made.plan.outputs = {{"y", {DType::float32, {count}}}};
  made.plan.empty = count == 0;
  made.plan.passes = {make_pass("scale", kScaleShader,
                                {argument("x", Access::read), argument("w", Access::read),
                                 argument("y", Access::read_write), uniform({add, count})},
                                (count + 63) / 64)};
  made.shaders["scale"] = kScaleShader;
  made.plan.inputs = {{"x", {DType::float32, {count}}}, {"w", {DType::float32, {count}}}};
  return made;
}

inline std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

inline wgpu::Buffer filled(const Device& device, const std::vector<float>& values) {
  wgpu::Buffer buffer = value(create_buffer(device, "test data", values.size() * 4, kTensorUsage));
  const auto written = write_buffer(device, "test data", buffer, 0, bytes_of(values));
  if (!written) throw std::runtime_error(written.error().to_string());
  return buffer;
}

// Records the call into a pass of its own, submits and waits.
inline Result<void> run_once(PreparedCall& call, std::span<const TensorBinding> tensors) {
  const Device& device = call.runtime().device();
  const wgpu::CommandEncoder encoder = device.wgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  const Result<void> recorded = call.record(pass, tensors);
  pass.End();
  const wgpu::CommandBuffer commands = encoder.Finish();
  HB_CHECK(recorded);
  device.queue().Submit(1, &commands);
  return device.finish();
}

// One device for the tests that only use it; opening takes most of a second on some drivers.
inline std::shared_ptr<Runtime> shared_runtime() {
  static const std::shared_ptr<Runtime> runtime = Runtime::create(value(Device::open()));
  return runtime;
}

}  // namespace halfbyte::gpu::testing
