// The C ABI: codes, messages, sized structs, nulls. Its results are the example's to show (examples/c_api.c).
#include <gmock/gmock.h>

#include <thread>

#include "halfbyte/halfbyte.h"
#include "problems.hpp"

namespace halfbyte::testing {
namespace {

using ::testing::HasSubstr;

struct CAbi : ::testing::Test {
  halfbyte_device* device = nullptr;
  halfbyte_kernel* kernel = nullptr;
  const halfbyte_attribute attributes[4] = {
      {"K", 64, nullptr}, {"N", 2, nullptr}, {"bits", 4, nullptr}, {"block_size", 32, nullptr}};
  const int64_t a[2] = {1, 64}, b[3] = {2, 2, 16}, s[2] = {2, 2};
  const halfbyte_tensor_desc inputs[3] = {
      {"aT", HALFBYTE_FLOAT32, 2, a}, {"bT", HALFBYTE_UINT8, 3, b}, {"scalesT", HALFBYTE_FLOAT32, 2, s}};
  halfbyte_problem problem = HALFBYTE_INIT(halfbyte_problem);

  CAbi() {
    problem.attributes = attributes, problem.attribute_count = 4;
    problem.inputs = inputs, problem.input_count = 3;
    if (halfbyte_device_adopt(shared_device().webgpu().Get(), &device) != HALFBYTE_OK ||
        halfbyte_kernel_load(device, kMatMulNBits.c_str(), &kernel) != HALFBYTE_OK)
      throw std::runtime_error(halfbyte_last_error());
  }
  ~CAbi() override {
    halfbyte_kernel_release(kernel);
    halfbyte_device_release(device);
  }
  void expect_wrong(halfbyte_status got, halfbyte_status wanted, const char* says) {
    EXPECT_EQ(got, wanted) << halfbyte_status_name(got);
    EXPECT_THAT(halfbyte_last_error(), HasSubstr(says));
  }
};

TEST_F(CAbi, EveryStatusHasTheNameOfItsCode) {
  EXPECT_EQ(halfbyte_version(), version());
  EXPECT_STREQ(halfbyte_status_name(HALFBYTE_OK), "ok");
  EXPECT_STREQ(halfbyte_status_name(HALFBYTE_DEVICE_LOST), to_string(ErrorCode::device_lost));
  EXPECT_STREQ(halfbyte_status_name(HALFBYTE_INTERNAL), to_string(ErrorCode::internal));
  EXPECT_STREQ(halfbyte_status_name(static_cast<halfbyte_status>(4711)), "unknown");
}

TEST_F(CAbi, RunsAndTellsWhatACallWants) {
  halfbyte_call* call = nullptr;
  ASSERT_EQ(halfbyte_kernel_prepare(kernel, &problem, &call), HALFBYTE_OK) << halfbyte_last_error();
  EXPECT_EQ(halfbyte_call_wait(call), HALFBYTE_OK);
  EXPECT_TRUE(halfbyte_call_ready(call));
  EXPECT_EQ(halfbyte_call_tensor_count(call), 4U);
  halfbyte_tensor_info info = HALFBYTE_INIT(halfbyte_tensor_info);
  ASSERT_EQ(halfbyte_call_tensor(call, 3, &info), HALFBYTE_OK);
  EXPECT_STREQ(info.desc.key, "yT");
  EXPECT_TRUE(info.output);
  EXPECT_EQ(info.bytes, 8U);
  EXPECT_EQ(info.desc.shape[1], 2);
  expect_wrong(halfbyte_call_tensor(call, 4, &info), HALFBYTE_INVALID_ARGUMENT, "no tensor 4");

  std::vector<float> x(64, 1), scales(4, 0.25F), y(2, -1);
  std::vector<uint8_t> codes(64, 0x99);
  const halfbyte_host_tensor in[] = {{"aT", x.data(), 256}, {"bT", codes.data(), 64}, {"scalesT", scales.data(), 16}};
  halfbyte_host_tensor out{"yT", y.data(), 8};
  ASSERT_EQ(halfbyte_call_run(call, in, 3, &out, 1), HALFBYTE_OK) << halfbyte_last_error();
  EXPECT_EQ(y, std::vector<float>({16, 16}));
  out.bytes = 4;
  expect_wrong(halfbyte_call_run(call, in, 3, &out, 1), HALFBYTE_INVALID_ARGUMENT,
               "yT [1,2] has 8 bytes, 4 were given");
  expect_wrong(halfbyte_call_run(call, in, 2, &out, 0), HALFBYTE_INVALID_ARGUMENT, "scalesT");
  expect_wrong(halfbyte_call_run(call, &out, 1, nullptr, 0), HALFBYTE_INVALID_ARGUMENT, "yT is no input");
  halfbyte_call_release(call);
}

TEST_F(CAbi, DropsAnOriginalAndGoesOnWithThePackedCopy) {
  const char* const constant[] = {"bT", "scalesT"};
  problem.constant = constant, problem.constant_count = 2;
  halfbyte_call* call = nullptr;
  ASSERT_EQ(halfbyte_kernel_prepare(kernel, &problem, &call), HALFBYTE_OK) << halfbyte_last_error();
  halfbyte_tensor_info info = HALFBYTE_INIT(halfbyte_tensor_info);
  bool packed = false;
  std::vector<wgpu::Buffer> buffers;
  std::vector<halfbyte_binding> bindings;
  for (size_t i = 0; i < halfbyte_call_tensor_count(call); ++i) {
    ASSERT_EQ(halfbyte_call_tensor(call, i, &info), HALFBYTE_OK);
    if (std::string_view(info.desc.key) == "bT") packed = info.packed;
    buffers.push_back(make_buffer(shared_device(), info.bytes));
    bindings.push_back({info.desc.key, buffers.back().Get(), 0, 0});
  }
  if (!packed) GTEST_SKIP() << halfbyte_call_variant(call) << " packs no weights on " << halfbyte_device_name(device);
  const wgpu::Queue queue = shared_device().webgpu().GetQueue();
  const std::vector<float> x(64, 1), scales(4, 0.25F);
  const std::vector<uint8_t> codes(64, 0x99);
  queue.WriteBuffer(buffers[0], 0, x.data(), 256);
  queue.WriteBuffer(buffers[1], 0, codes.data(), 64);
  queue.WriteBuffer(buffers[2], 0, scales.data(), 16);
  const auto result = [&](const halfbyte_call* of) {
    const wgpu::CommandEncoder encoder = shared_device().webgpu().CreateCommandEncoder();
    const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
    EXPECT_EQ(halfbyte_call_record(of, pass.Get(), bindings.data(), bindings.size()), HALFBYTE_OK)
        << halfbyte_last_error();
    pass.End();
    const wgpu::CommandBuffer commands = encoder.Finish();
    queue.Submit(1, &commands);
    return read(shared_device(), buffers[3], {DType::float32, {1, 2}}).to_floats();
  };

  uint64_t freed = 1;
  EXPECT_EQ(halfbyte_device_drop_original(device, buffers[1].Get(), &freed), HALFBYTE_INVALID_ARGUMENT);
  EXPECT_EQ(result(call), std::vector<float>({16, 16}));
  ASSERT_EQ(halfbyte_device_drop_original(device, buffers[1].Get(), &freed), HALFBYTE_OK) << halfbyte_last_error();
  EXPECT_EQ(freed, buffers[1].GetSize());
  EXPECT_EQ(halfbyte_device_drop_original(device, buffers[1].Get(), nullptr), HALFBYTE_OK);

  const char* const dropped[] = {"bT"};
  problem.dropped = dropped, problem.dropped_count = 1;
  halfbyte_call* after = nullptr;
  ASSERT_EQ(halfbyte_kernel_prepare(kernel, &problem, &after), HALFBYTE_OK) << halfbyte_last_error();
  queue.WriteBuffer(buffers[3], 0, x.data(), 8);
  EXPECT_EQ(result(after), std::vector<float>({16, 16}));
  EXPECT_EQ(halfbyte_device_forget(device, buffers[1].Get()), HALFBYTE_OK);
  halfbyte_call_release(after);
  halfbyte_call_release(call);
}

TEST_F(CAbi, StructsOfOlderAndNewerCallers) {
  struct {
    halfbyte_statistics known;
    uint64_t later = 7;
  } newer;
  newer.known.struct_size = sizeof newer;
  ASSERT_EQ(halfbyte_device_statistics(device, &newer.known), HALFBYTE_OK);
  EXPECT_EQ(newer.known.struct_size, sizeof newer);
  EXPECT_EQ(newer.later, 7U);
  halfbyte_statistics older;
  std::memset(&older, 0x5a, sizeof older);
  older.struct_size = offsetof(halfbyte_statistics, program_hits);
  ASSERT_EQ(halfbyte_device_statistics(device, &older), HALFBYTE_OK);
  EXPECT_NE(older.programs_compiled, 0x5a5a5a5a5a5a5a5aU);
  EXPECT_EQ(older.program_hits, 0x5a5a5a5a5a5a5a5aU);

  // A caller who does not know `variant` yet: what lies there is not read.
  halfbyte_problem before = problem;
  before.struct_size = offsetof(halfbyte_problem, variant);
  before.variant = reinterpret_cast<const char*>(uintptr_t{1});  // NOLINT(performance-no-int-to-ptr): must not be read
  halfbyte_call* call = nullptr;
  EXPECT_EQ(halfbyte_kernel_prepare(kernel, &before, &call), HALFBYTE_OK) << halfbyte_last_error();
  halfbyte_call_release(call);
  before.struct_size = 0;
  expect_wrong(halfbyte_kernel_prepare(kernel, &before, &call), HALFBYTE_INVALID_ARGUMENT, "struct_size");
}

TEST_F(CAbi, WhatIsWrongHasACodeAndAMessage) {
  halfbyte_call* call = nullptr;
  expect_wrong(halfbyte_kernel_prepare(nullptr, &problem, &call), HALFBYTE_INVALID_ARGUMENT, "the kernel is null");
  expect_wrong(halfbyte_kernel_prepare(kernel, nullptr, &call), HALFBYTE_INVALID_ARGUMENT, "the problem is null");
  expect_wrong(halfbyte_kernel_prepare(kernel, &problem, nullptr), HALFBYTE_INVALID_ARGUMENT, "out is null");
  halfbyte_problem odd = problem;
  odd.inputs = nullptr;
  expect_wrong(halfbyte_kernel_prepare(kernel, &odd, &call), HALFBYTE_INVALID_ARGUMENT,
               "inputs is null, but its count is 3");
  halfbyte_tensor_desc twice[3] = {inputs[0], inputs[1], inputs[1]};
  odd.inputs = twice;
  expect_wrong(halfbyte_kernel_prepare(kernel, &odd, &call), HALFBYTE_INVALID_ARGUMENT, "bT is given twice");
  twice[2] = {"scalesT", static_cast<halfbyte_dtype>(99), 2, s};
  expect_wrong(halfbyte_kernel_prepare(kernel, &odd, &call), HALFBYTE_INVALID_ARGUMENT, "dtype 99");
  twice[2] = {"scalesT", HALFBYTE_FLOAT16, 2, s};
  EXPECT_NE(halfbyte_kernel_prepare(kernel, &odd, &call), HALFBYTE_OK);
  odd = problem;
  odd.variant = "no_such_variant";
  EXPECT_NE(halfbyte_kernel_prepare(kernel, &odd, &call), HALFBYTE_OK);
  EXPECT_THAT(halfbyte_last_error(), HasSubstr("no_such_variant"));
  EXPECT_EQ(call, nullptr);

  halfbyte_device* none = nullptr;
  expect_wrong(halfbyte_device_adopt(nullptr, &none), HALFBYTE_INVALID_ARGUMENT, "null");
  halfbyte_device_options options = HALFBYTE_INIT(halfbyte_device_options);
  options.adapter = "no such thing";
  expect_wrong(halfbyte_device_open(&options, &none), HALFBYTE_NOT_FOUND, "no such thing");
  const halfbyte_limit limit{"maxSomething", 5};
  options.adapter = nullptr, options.limits = &limit, options.limit_count = 1;
  expect_wrong(halfbyte_device_open(&options, &none), HALFBYTE_INVALID_ARGUMENT, "maxSomething");
  EXPECT_EQ(none, nullptr);

  halfbyte_kernel* nothing = nullptr;
  const halfbyte_file broken{"mine/manifest.json", "{\n  \"name\": 5", 13};
  expect_wrong(halfbyte_kernel_load_memory(device, &broken, nullptr, 0, &nothing), HALFBYTE_PARSE,
               "mine/manifest.json:2");
  expect_wrong(halfbyte_kernel_load(device, "no.such.Package", &nothing), HALFBYTE_NOT_FOUND, kMatMulNBits.c_str());
  expect_wrong(halfbyte_call_record(nullptr, nullptr, nullptr, 0), HALFBYTE_INVALID_ARGUMENT, "the call is null");
  EXPECT_EQ(nothing, nullptr);
  // Nothing to release, nothing happens.
  halfbyte_call_release(nullptr);
  halfbyte_kernel_release(nullptr);
  halfbyte_device_release(nullptr);
  halfbyte_warm_up_release(nullptr);
}

TEST_F(CAbi, AnExceptionBecomesAStatus) {
  // A text of more bytes than there is memory for: copying it throws inside.
  halfbyte_kernel* nothing = nullptr;
  const char* text = "x";
  const halfbyte_file enormous{"t", text, size_t{1} << 62};
  const halfbyte_file manifest{"m", text, 1};
  EXPECT_EQ(halfbyte_kernel_load_memory(device, &manifest, &enormous, 1, &nothing), HALFBYTE_OUT_OF_MEMORY);
}

TEST_F(CAbi, MessagesAreOfTheThread) {
  halfbyte_call* call = nullptr;
  EXPECT_EQ(halfbyte_kernel_prepare(kernel, nullptr, &call), HALFBYTE_INVALID_ARGUMENT);
  std::jthread([] { EXPECT_STREQ(halfbyte_last_error(), ""); }).join();
  EXPECT_THAT(halfbyte_last_error(), HasSubstr("the problem is null"));
}

TEST_F(CAbi, WarmsUp) {
  const halfbyte_problem* problems[] = {&problem};
  halfbyte_warm_up* warm = nullptr;
  ASSERT_EQ(halfbyte_kernel_warm_up(kernel, problems, 1, &warm), HALFBYTE_OK) << halfbyte_last_error();
  EXPECT_EQ(halfbyte_warm_up_wait(warm), HALFBYTE_OK);
  EXPECT_EQ(halfbyte_warm_up_done(warm), 1U);
  halfbyte_warm_up_release(warm);
}

}  // namespace
}  // namespace halfbyte::testing
