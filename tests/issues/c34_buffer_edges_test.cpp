// C34 robustness: the edges of the caller's buffers. Tensors at offsets of one buffer, one buffer bound for several tensors, outputs that end
// within a word: right or an error that names the tensor, and the bytes beside the output stay.
#include "field_case.hpp"
#include "gpu/buffers.hpp"

namespace halfbyte::issues {
namespace {

using ::testing::HasSubstr;

struct Placed {
  CaseData data;
  std::shared_ptr<gpu::PreparedCall> call;
  gpu::DeviceTensors tensors;
  std::vector<gpu::TensorBinding> bindings;

  gpu::TensorBinding& operator[](std::string_view key) {
    return *std::ranges::find(bindings, key, &gpu::TensorBinding::key);
  }
  Error refused() const {
    const auto ran = gpu::run_and_wait(*call, bindings);
    EXPECT_FALSE(ran);
    // Found by us: WebGPU's own validation never saw it.
    EXPECT_TRUE(call->runtime().device().take_uncaptured_errors().empty());
    return ran ? Error{} : ran.error();
  }
};

Placed place(gpu::Kernel& kernel, const CaseData& data) {
  auto call = value(kernel.prepare(data.problem));
  auto tensors =
      value(gpu::DeviceTensors::create(kernel.shared_runtime(), data.inputs, {{data.output_key, data.output}}, 64));
  auto bindings = value(tensors.bindings(*call));
  return {data, std::move(call), std::move(tensors), std::move(bindings)};
}

// A, the scales and Y in one buffer, as an engine with one arena has them.
wgpu::Buffer arena(const gpu::Device& device, const CaseData& data, uint64_t a_at, uint64_t scales_at) {
  std::vector<std::byte> bytes(8192, std::byte{0xA5});
  for (const auto& [key, at] : {std::pair<const char*, uint64_t>{"aT", a_at}, {"scalesT", scales_at}})
    std::ranges::copy(data.inputs.at(key).data, bytes.begin() + static_cast<ptrdiff_t>(at));
  const wgpu::Buffer buffer = value(gpu::create_buffer(device, "arena", bytes.size(), gpu::kTensorUsage));
  EXPECT_TRUE(gpu::write_buffer(device, "arena", buffer, 0, bytes));
  return buffer;
}

const Spec kSpec{.M = 3, .N = 12, .K = 64, .zp = true, .bias = true};

TEST_F(FieldCase, C34_PartsOfOneBuffer) {
  HB_NEED_DEVICE();
  const gpu::Device& device = kernel()->device();
  Placed placed = place(*kernel(), value(make_case_data(package(), make_case(kSpec), test_seed())));
  const wgpu::Buffer shared = arena(device, placed.data, 256, 2048);
  placed["aT"] = {"aT", shared, 256, 0};
  placed["scalesT"] = {"scalesT", shared, 2048, 0};
  ASSERT_TRUE(placed.tensors.poison_outputs());
  ASSERT_TRUE(gpu::run_and_wait(*placed.call, placed.bindings));
  const auto read = value(placed.tensors.read("yT"));
  EXPECT_EQ(read.guard, "");
  EXPECT_EQ(read.tensor.to_floats(), std::vector<float>(placed.data.expected.begin(), placed.data.expected.end()));

  // Y there, too: WebGPU does not let one dispatch read and write a buffer.
  placed["yT"] = {"yT", shared, 4096, 0};
  Error error = placed.refused();
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_THAT(error.message, HasSubstr("and yT lie in one buffer"));
  EXPECT_THAT(error.message, HasSubstr("a buffer of its own"));
  placed.call->forget(shared);
}

TEST_F(FieldCase, C34_OffsetsThatCannotBeBound) {
  HB_NEED_DEVICE();
  const gpu::Device& device = kernel()->device();
  const uint64_t alignment = device.limit("minStorageBufferOffsetAlignment");
  for (const char* key : {"aT", "scalesT", "yT"})
    for (const uint64_t offset : {uint64_t{260}, uint64_t{257}}) {  // of 4 bytes but not of 256; odd
      ASSERT_NE(offset % alignment, 0U) << "this device binds at any offset: nothing to refuse";
      Placed placed = place(*kernel(), value(make_case_data(package(), make_case(kSpec), test_seed())));
      const wgpu::Buffer shared = arena(device, placed.data, 0, 2048);
      placed[key] = {key, shared, offset, 0};
      const Error error = placed.refused();
      EXPECT_EQ(error.code, ErrorCode::invalid_argument);
      EXPECT_THAT(error.message, HasSubstr(std::format("{} starts at offset {}", key, offset)));
      EXPECT_THAT(error.message, HasSubstr(std::format("multiple of {}", alignment)));
    }
}

// The scales are their own zero points: two inputs, one range.
TEST_F(FieldCase, C34_OneBufferForSeveralInputs) {
  HB_NEED_DEVICE();
  CaseData data = value(make_case_data(package(), make_case(kSpec), test_seed()));
  data.inputs.at("zeroPointsT") = data.inputs.at("scalesT");
  data = value(case_data_from_inputs(package(), data.problem, data.inputs));
  Placed placed = place(*kernel(), data);
  placed["zeroPointsT"].buffer = placed["scalesT"].buffer;
  ASSERT_TRUE(placed.tensors.poison_outputs());
  ASSERT_TRUE(gpu::run_and_wait(*placed.call, placed.bindings));
  const Plan& plan = placed.call->plan();
  const Comparison seen = compare({}, data, value(placed.tensors.read("yT")).tensor,
                                  {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations});
  EXPECT_TRUE(seen.pass) << seen.why;
}

// 6 and 30 bytes of f16: the last word is half the output's and half the neighbour's.
TEST_F(FieldCase, C34_OutputsThatEndWithinAWord) {
  HB_NEED_DEVICE();
  const gpu::Device& device = kernel()->device();
  for (const auto& [M, N] : {std::pair<int64_t, int64_t>{1, 3}, {3, 5}}) {
    const Case c = make_case({.M = M, .N = N, .K = 17, .block = 16, .zp = true, .bias = true, .dtype = DType::float16});
    Placed placed = place(*kernel(), value(make_case_data(package(), c, test_seed())));
    const auto bytes = static_cast<size_t>(M * N) * 2;
    constexpr size_t kBefore = 256, kAfter = 66;  // 66: so that the buffer is of whole words
    const std::vector<std::byte> alive(kBefore + bytes + kAfter, std::byte{0xA5});
    const wgpu::Buffer y = value(gpu::create_buffer(device, "y", alive.size(), gpu::kTensorUsage));
    ASSERT_TRUE(gpu::write_buffer(device, "y", y, 0, alive));
    placed["yT"] = {"yT", y, kBefore, 0};
    ASSERT_TRUE(gpu::run_and_wait(*placed.call, placed.bindings));
    const std::vector<std::byte> read = value(gpu::read_buffer(device, "y", y, 0, alive.size()));
    for (size_t i = 0; i < read.size(); ++i)
      if (i < kBefore || i >= kBefore + bytes) {
        EXPECT_EQ(read[i], std::byte{0xA5}) << "byte " << i << " beside an output of " << bytes << " bytes";
      }
    HostTensor output = HostTensor::zeros(DType::float16, {M, N});
    std::copy_n(read.begin() + kBefore, bytes, output.data.begin());
    const Plan& plan = placed.call->plan();
    const Comparison seen =
        compare(c, placed.data, output, {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations});
    EXPECT_TRUE(seen.pass) << seen.why;
    placed.call->forget(y);
  }
}

}  // namespace
}  // namespace halfbyte::issues
