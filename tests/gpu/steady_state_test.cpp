// record() with buffers seen before: no heap allocation of its own, no WebGPU object. Dawn allocates inside the same calls, so
// they are counted by hand once and compared.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "hand_made.hpp"

namespace {
thread_local uint64_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// A sanitizer's would not fit our delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace halfbyte::gpu::testing {
namespace {

// Allocations of 1000 rounds of `body` in one compute pass on the Null backend, which runs nothing. Dawn's command memory
// grows with what is encoded, the same for equal commands.
template <class Body>
uint64_t allocations_of(const Device& device, Body body) {
  const wgpu::CommandEncoder encoder = device.wgpu().CreateCommandEncoder();
  const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
  const uint64_t before = allocations;
  for (int i = 0; i < 1000; ++i) body(pass);
  const uint64_t after = allocations;
  pass.End();
  (void)encoder.Finish();
  return after - before;
}

TEST(SteadyState, RecordAllocatesNothingAndMakesNoObject) {
  OpenOptions options;
  options.adapter = "null";
  const auto runtime = Runtime::create(value(Device::open(options)));
  const Device& device = runtime->device();
  const HandMade made = scale_plan(64, 1);
  const auto call = value(made.prepare(runtime));
  const wgpu::Buffer x = value(create_buffer(device, "x", 256, kTensorUsage));
  const wgpu::Buffer w = value(create_buffer(device, "w", 256, kTensorUsage));
  const wgpu::Buffer y = value(create_buffer(device, "y", 256, kTensorUsage));
  const TensorBinding tensors[] = {{"x", x}, {"w", w}, {"y", y}};
  const TensorBinding shuffled[] = {{"y", y}, {"x", x}, {"w", w}};

  // The same commands by hand.
  const Program program = value(runtime->programs().get(made.plan.passes, made.source()))[0];
  const wgpu::Buffer params = value(runtime->uniform(made.plan.passes[0].bindings[3].uniform_bytes));
  const auto resolve = [&](const PlanBinding& binding) -> Result<TensorRange> {
    if (binding.kind == BindingKind::uniform) return TensorRange{params, 0, 16, 16};
    return TensorRange{binding.name == "x" ? x : binding.name == "w" ? w : y, 0, 256, 256};
  };
  const BoundPass by_hand = value(bind_pass(device, made.plan.passes[0], program, resolve));

  HB_ASSERT_OK(run_once(*call, tensors));
  const RuntimeStats before = runtime->stats();
  const auto hand = [&](const wgpu::ComputePassEncoder& pass) { record(pass, std::span(&by_hand, 1)); };
  bool good = true;
  const auto ours = [&](const wgpu::ComputePassEncoder& pass) {
    good = good && call->record(pass, tensors).has_value();
  };
  const auto in_any_order = [&](const wgpu::ComputePassEncoder& pass) {
    good = good && call->record(pass, shuffled).has_value();
  };
  allocations_of(device, hand);  // whatever Dawn sets up once
  const uint64_t expected = allocations_of(device, hand);
  EXPECT_EQ(allocations_of(device, ours), expected);
  EXPECT_EQ(allocations_of(device, in_any_order), expected);
  EXPECT_TRUE(good);
  const RuntimeStats after = runtime->stats();
  EXPECT_EQ(after.bind_groups, before.bind_groups);
  EXPECT_EQ(after.uniform_buffers, before.uniform_buffers);
  EXPECT_EQ(after.programs.compiled, before.programs.compiled);
  // The counter works: a first record with other buffers does allocate.
  const TensorBinding others[] = {{"x", w}, {"w", x}, {"y", y}};
  const uint64_t start = allocations;
  HB_ASSERT_OK(run_once(*call, others));
  EXPECT_GT(allocations, start);
}

}  // namespace
}  // namespace halfbyte::gpu::testing
