// record() with buffers seen before: no heap allocation, no WebGPU object. Both are counted in this very program (webgpu_calls.hpp); on the
// Null backend, which has every feature and runs nothing, so that packing, several passes and every variant come along.
#include "halfbyte/halfbyte.h"
#include "problems.hpp"
#include "webgpu_calls.hpp"

namespace halfbyte::testing {
namespace {

class SteadyState : public ::testing::Test {
 protected:
  Device device = value(Device::open({.adapter = "null"}));
  Kernel kernel = value(Kernel::load(device, kMatMulNBits));

  Call prepared(int64_t M, DType dtype) const {
    MatmulCall call{.M = M, .K = 256, .N = 512, .dtype = dtype, .zero_points = dtype == DType::float32, .bias = true};
    return value(kernel.prepare(value(matmul_problem(own_package(), call))));
  }

  // What 300 rounds of `body` count. The pass's own memory is Dawn's and not counted.
  template <class Body>
  Counted counted_of(Body body) const {
    const wgpu::CommandEncoder encoder = device.webgpu().CreateCommandEncoder();
    const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
    const Counted before = counted();
    for (int i = 0; i < 300; ++i) body(pass);
    const Counted after = counted();
    pass.End();
    (void)encoder.Finish();
    return {after.objects - before.objects, after.commands - before.commands, after.allocations - before.allocations};
  }
};

TEST_F(SteadyState, RecordAllocatesNothingAndMakesNoObject) {
  std::vector<Call> calls;
  std::vector<Buffers> buffers;
  for (const DType dtype : {DType::float16, DType::float32})
    for (const int64_t M : {1, 4, 7, 64, 300}) {
      calls.push_back(prepared(M, dtype));
      buffers.emplace_back(device, calls.back());
    }
  bool good = true;
  const auto all = [&](const wgpu::ComputePassEncoder& pass) {
    for (size_t i = 0; i < calls.size(); ++i) good = good && calls[i].record(pass, buffers[i].bindings).has_value();
  };
  const Counted first = counted_of(all);
  ASSERT_TRUE(good);
  EXPECT_GT(first.objects, calls.size());  // bind groups at least, so the counter works
  EXPECT_GT(first.allocations, 0U);
  const Counted steady = counted_of(all);
  EXPECT_TRUE(good);
  EXPECT_EQ(steady.objects, 0U);
  EXPECT_EQ(steady.allocations, 0U);
  EXPECT_GE(steady.commands, 300 * 3 * calls.size());
  EXPECT_GT(device.statistics().packed_weights, 0U);
}

TEST_F(SteadyState, TheCAbiToo) {
  halfbyte_device* c_device = nullptr;
  halfbyte_kernel* c_kernel = nullptr;
  halfbyte_call* call = nullptr;
  ASSERT_EQ(halfbyte_device_adopt(device.webgpu().Get(), &c_device), HALFBYTE_OK) << halfbyte_last_error();
  ASSERT_EQ(halfbyte_kernel_load(c_device, kMatMulNBits.c_str(), &c_kernel), HALFBYTE_OK) << halfbyte_last_error();
  const halfbyte_attribute attributes[] = {
      {"K", 256, nullptr}, {"N", 512, nullptr}, {"bits", 4, nullptr}, {"block_size", 32, nullptr}};
  const int64_t a[] = {1, 256}, b[] = {512, 8, 16}, s[] = {512, 8};
  const halfbyte_tensor_desc inputs[] = {
      {"aT", HALFBYTE_FLOAT16, 2, a}, {"bT", HALFBYTE_UINT8, 3, b}, {"scalesT", HALFBYTE_FLOAT16, 2, s}};
  const char* const constant[] = {"bT", "scalesT"};
  halfbyte_problem problem = HALFBYTE_INIT(halfbyte_problem);
  problem.attributes = attributes, problem.attribute_count = 4;
  problem.inputs = inputs, problem.input_count = 3;
  problem.constant = constant, problem.constant_count = 2;
  ASSERT_EQ(halfbyte_kernel_prepare(c_kernel, &problem, &call), HALFBYTE_OK) << halfbyte_last_error();
  std::vector<wgpu::Buffer> buffers;
  std::vector<halfbyte_binding> bindings;
  for (size_t i = 0; i < halfbyte_call_tensor_count(call); ++i) {
    halfbyte_tensor_info info = HALFBYTE_INIT(halfbyte_tensor_info);
    ASSERT_EQ(halfbyte_call_tensor(call, i, &info), HALFBYTE_OK);
    buffers.push_back(make_buffer(device, info.bytes));
    bindings.push_back({info.desc.key, buffers.back().Get(), 0, 0});
  }
  halfbyte_status status = HALFBYTE_OK;
  const auto body = [&](const wgpu::ComputePassEncoder& pass) {
    if (status == HALFBYTE_OK) status = halfbyte_call_record(call, pass.Get(), bindings.data(), bindings.size());
  };
  EXPECT_GT(counted_of(body).objects, 0U);
  ASSERT_EQ(status, HALFBYTE_OK) << halfbyte_last_error();
  const Counted steady = counted_of(body);
  EXPECT_EQ(status, HALFBYTE_OK);
  EXPECT_EQ(steady.objects, 0U);
  EXPECT_EQ(steady.allocations, 0U);
  EXPECT_GE(steady.commands, 900U);
  halfbyte_call_release(call);
  halfbyte_kernel_release(c_kernel);
  halfbyte_device_release(c_device);
}

}  // namespace
}  // namespace halfbyte::testing
