// Random problems of the built-in MatMulNBits, with what must come out.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/test_result.hpp"
#include "halfbyte/halfbyte.hpp"
#include "io/built_in.hpp"
#include "select/matmul_problem.hpp"
#include "tensor/test_seed.hpp"
#include "verify/case.hpp"

namespace halfbyte::testing {

using test::value;

inline const std::string kMatMulNBits = "com.microsoft.MatMulNBits";

inline const Package& own_package() {
  static const Package package = value(built_in_package(kMatMulNBits));
  return package;
}

struct RandomProblem {
  Case c;
  CaseData data;

  explicit RandomProblem(const MatmulCall& call, uint64_t seed = test_seed()) {
    c.problem = value(matmul_problem(own_package(), call));
    c.problem.id = describe(call);
    data = value(make_case_data(own_package(), c, seed));
  }
  const Problem& problem() const { return data.problem; }
  // The same weights with other activations.
  void activate(const HostTensor& a) {
    HostTensors inputs = data.inputs;
    inputs["aT"] = a;
    data = value(case_data_from_inputs(own_package(), data.problem, std::move(inputs)));
  }
  // One sentence when the output is wrong. For problems of accuracy_level 0 in f32, whose variants all accumulate in f32.
  std::string why_wrong(const HostTensor& output) const {
    const Comparison comparison = compare(c, data, output, {});
    return comparison.pass ? "" : c.problem.id + ": " + comparison.why;
  }
};

// Columns [first, first + columns) of every row.
inline HostTensor columns_of(const HostTensor& y, int64_t first, int64_t columns) {
  Shape shape = y.shape;
  shape.back() = columns;
  HostTensor part{y.dtype, shape, {}};
  const size_t each = byte_size(y.dtype), pitch = static_cast<size_t>(y.shape.back()) * each;
  for (size_t row = 0; row * pitch < y.data.size(); ++row)
    part.data.append_range(std::span(y.data).subspan(row * pitch + static_cast<size_t>(first) * each,
                                                     static_cast<size_t>(columns) * each));
  return part;
}

// One device for the tests that only use it.
inline const Device& shared_device() {
  static const Device device = value(Device::open());
  return device;
}

inline wgpu::Buffer make_buffer(const Device& device, uint64_t bytes) {
  wgpu::BufferDescriptor descriptor;
  descriptor.size = (bytes + 15) / 16 * 16;
  descriptor.usage = wgpu::BufferUsage::Storage | wgpu::BufferUsage::CopySrc | wgpu::BufferUsage::CopyDst;
  return device.webgpu().CreateBuffer(&descriptor);
}

// Buffers for every tensor of a call, the inputs filled.
struct Buffers {
  std::vector<wgpu::Buffer> buffers;
  std::vector<TensorBinding> bindings;

  Buffers(const Device& device, const Call& call, const HostTensors* inputs = nullptr) {
    for (const CallTensor& tensor : call.tensors()) {
      const wgpu::Buffer buffer = make_buffer(device, tensor.bytes);
      if (inputs != nullptr && !tensor.output) {
        std::vector<std::byte> bytes = inputs->at(tensor.key).data;
        bytes.resize((bytes.size() + 3) / 4 * 4);
        device.webgpu().GetQueue().WriteBuffer(buffer, 0, bytes.data(), bytes.size());
      }
      bindings.push_back({tensor.key, buffer});
    }
  }
  TensorBinding& operator[](std::string_view key) {
    for (TensorBinding& binding : bindings)
      if (binding.key == key) return binding;
    throw std::runtime_error("no tensor " + std::string(key));
  }
};

inline Result<void> record_and_submit(const Device& device, const Call& call, std::span<const TensorBinding> bindings) {
  const wgpu::CommandEncoder encoder = device.webgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  const Result<void> recorded = call.record(pass, bindings);
  pass.End();
  const wgpu::CommandBuffer commands = encoder.Finish();
  HB_CHECK(recorded);
  device.webgpu().GetQueue().Submit(1, &commands);
  return {};
}

// Reads a buffer by WebGPU's own means.
inline HostTensor read(const Device& device, const wgpu::Buffer& buffer, const TensorDesc& desc) {
  HostTensor tensor = HostTensor::zeros(desc.dtype, desc.shape);
  const uint64_t bytes = (tensor.data.size() + 3) / 4 * 4;
  wgpu::BufferDescriptor descriptor;
  descriptor.size = bytes;
  descriptor.usage = wgpu::BufferUsage::MapRead | wgpu::BufferUsage::CopyDst;
  const wgpu::Buffer staging = device.webgpu().CreateBuffer(&descriptor);
  const wgpu::CommandEncoder encoder = device.webgpu().CreateCommandEncoder();
  encoder.CopyBufferToBuffer(buffer, 0, staging, 0, bytes);
  const wgpu::CommandBuffer commands = encoder.Finish();
  device.webgpu().GetQueue().Submit(1, &commands);
  const wgpu::Instance instance = device.webgpu().GetAdapter().GetInstance();
  const wgpu::Future mapped = staging.MapAsync(wgpu::MapMode::Read, 0, bytes, wgpu::CallbackMode::WaitAnyOnly,
                                               [](wgpu::MapAsyncStatus, wgpu::StringView) {});
  (void)instance.WaitAny(mapped, UINT64_MAX);
  const void* data = staging.GetConstMappedRange();
  if (data == nullptr) throw std::runtime_error("the buffer could not be mapped");
  std::memcpy(tensor.data.data(), data, tensor.data.size());
  return tensor;
}

}  // namespace halfbyte::testing
