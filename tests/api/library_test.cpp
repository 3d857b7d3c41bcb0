// What the public edge promises besides results: packages from memory, warm-up, statistics, packed weights whose originals go.
#include <gmock/gmock.h>

#include <cstdlib>
#include <thread>

#include "problems.hpp"

namespace halfbyte::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Library, VersionsAgree) { EXPECT_EQ(version(), static_cast<uint32_t>(HALFBYTE_VERSION_NUMBER)); }

TEST(Library, TheBuiltInPackagesAreThoseOfKernels) {
  EXPECT_THAT(Kernel::built_in(), Contains(kMatMulNBits));
  for (const std::string& name : Kernel::built_in()) {
    const auto built_in = built_in_package(name);
    ASSERT_TRUE(built_in) << built_in.error().to_string();
    ::setenv("HALFBYTE_KERNELS", HALFBYTE_SOURCE_DIR "/kernels", 1);
    EXPECT_TRUE(Kernel::load(shared_device(), name)) << name;
    ::unsetenv("HALFBYTE_KERNELS");
  }
}

TEST(Library, TheOverrideIsTheOnlyPlaceLookedAt) {
  ::setenv("HALFBYTE_KERNELS", "/nonexistent", 1);
  const auto kernel = Kernel::load(shared_device(), kMatMulNBits);
  ::unsetenv("HALFBYTE_KERNELS");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, ErrorCode::not_found);
  EXPECT_THAT(kernel.error().to_string(), HasSubstr("/nonexistent"));
  const auto unknown = Kernel::load(shared_device(), "no.such.Package");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
  EXPECT_THAT(unknown.error().to_string(), HasSubstr(kMatMulNBits));
}

TEST(Library, RunsRandomProblems) {
  const Kernel kernel = value(Kernel::load(shared_device(), kMatMulNBits));
  for (const MatmulCall& call :
       {MatmulCall{.M = 1, .K = 96, .N = 50, .dtype = DType::float32, .bias = true},
        MatmulCall{.M = 5, .K = 128, .N = 33, .bits = 8, .dtype = DType::float32, .zero_points = true}}) {
    const RandomProblem random(call);
    const HostTensors out = value(value(kernel.prepare(random.problem())).run(random.data.inputs));
    EXPECT_EQ(random.why_wrong(out.at("yT")), "");
  }
}

TEST(WarmUp, CompilesInTheBackgroundAndPrepareFindsIt) {
  const Device device = value(Device::open({.program_cache = false}));
  const Kernel kernel = value(Kernel::load(device, kMatMulNBits));
  std::vector<Problem> problems;
  for (const int64_t M : {1, 3, 40})
    problems.push_back(value(matmul_problem(own_package(), {.M = M, .K = 64, .N = 96, .dtype = DType::float32})));
  const WarmUp warm = kernel.warm_up(problems);
  EXPECT_EQ(warm.total(), 3U);
  HB_ASSERT_OK(warm.wait());
  EXPECT_EQ(warm.done(), 3U);
  const Statistics before = device.statistics();
  EXPECT_GT(before.programs_compiled, 0U);
  for (const Problem& problem : problems) EXPECT_TRUE(value(kernel.prepare(problem)).ready());
  EXPECT_EQ(device.statistics().programs_compiled, before.programs_compiled);
}

TEST(WarmUp, SaysWhichProblemIsWrongAndDoesTheOthers) {
  const Kernel kernel = value(Kernel::load(shared_device(), kMatMulNBits));
  Problem good = value(matmul_problem(own_package(), {.M = 2, .K = 64, .N = 64, .dtype = DType::float32}));
  Problem bad = good;
  bad.id = "the bad one";
  bad.attrs["N"] = 65.0;
  const WarmUp warm = kernel.warm_up({bad, good});
  const auto waited = warm.wait();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(waited.error().message, HasSubstr("warming up problem the bad one"));
  EXPECT_EQ(warm.done(), 2U);
}

TEST(WarmUp, GoesWithItsKernelAtAnyMoment) {
  for (int i = 0; i < 5; ++i) {
    const Kernel kernel = value(Kernel::load(shared_device(), kMatMulNBits));
    std::vector<Problem> problems;
    for (int64_t M = 1; M < 200; ++M)
      problems.push_back(value(matmul_problem(own_package(), {.M = M, .K = 64, .N = 64, .dtype = DType::float32})));
    (void)kernel.warm_up(std::move(problems));
    std::this_thread::sleep_for(std::chrono::milliseconds(i));
  }
}

// A call that packs, on this device, if there is one.
std::optional<std::pair<Call, RandomProblem>> packing_call(const Device& device, const Kernel& kernel, int64_t M) {
  for (const DType dtype : {DType::float32, DType::float16}) {
    if (dtype == DType::float16 && !device.profile_json().contains("shader-f16")) continue;
    RandomProblem random({.M = M, .K = 256, .N = 128, .dtype = dtype, .accuracy_level = 4});
    Call call = value(kernel.prepare(random.problem()));
    if (std::ranges::contains(call.packed_inputs(), "bT")) return std::pair(std::move(call), std::move(random));
  }
  return std::nullopt;
}

TEST(DropOriginal, CallsGoOnWithThePackedCopy) {
  const Device device = value(Device::open());
  const Kernel kernel = value(Kernel::load(device, kMatMulNBits));
  const auto found = packing_call(device, kernel, 1);
  if (!found) GTEST_SKIP() << "no variant packs weights on " << device.name();
  const auto& [call, random] = *found;
  Buffers buffers(device, call, &random.data.inputs);
  const auto unpacked = device.drop_original(buffers["bT"].buffer);
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().code, ErrorCode::invalid_argument);

  HB_ASSERT_OK(record_and_submit(device, call, buffers.bindings));
  const HostTensor before = read(device, buffers["yT"].buffer, call.tensors().back().desc);
  EXPECT_GT(device.statistics().packed_bytes, 0U);
  EXPECT_EQ(value(device.drop_original(buffers["bT"].buffer)), buffers["bT"].buffer.GetSize());
  EXPECT_EQ(value(device.drop_original(buffers["bT"].buffer)), 0U);
  EXPECT_EQ(device.statistics().dropped_bytes, buffers["bT"].buffer.GetSize());

  // The same call, and one of another M that says what is gone, compute from the packed copy. Nothing reads what was destroyed.
  buffers["yT"].buffer = make_buffer(device, call.tensors().back().bytes);
  HB_ASSERT_OK(record_and_submit(device, call, buffers.bindings));
  EXPECT_EQ(read(device, buffers["yT"].buffer, call.tensors().back().desc).data, before.data);
  EXPECT_EQ(device.statistics().prepack_runs, 1U);
  Problem two = random.problem();
  two.inputs["aT"].shape.front() = 2;
  const Call second = value(kernel.prepare(two, {.variant = "", .dropped = {"bT"}}));
  EXPECT_THAT(second.packed_inputs(), Contains("bT"));
  Buffers more(device, second);
  more["bT"] = buffers["bT"];
  more["scalesT"] = buffers["scalesT"];
  HostTensor rows = random.data.inputs.at("aT");
  rows.data.insert(rows.data.end(), rows.data.begin(), rows.data.end());
  device.webgpu().GetQueue().WriteBuffer(more["aT"].buffer, 0, rows.data.data(), rows.data.size());
  HB_ASSERT_OK(record_and_submit(device, second, more.bindings));
  EXPECT_EQ(device.statistics().packed_weights, 1U);
  const std::vector<float> one = before.to_floats(),
                           both = read(device, more["yT"].buffer, second.tensors().back().desc).to_floats();
  for (size_t i = 0; i < both.size(); ++i)
    EXPECT_NEAR(both[i], one[i % one.size()], 0.02 * std::abs(one[i % one.size()]) + 0.05) << i;

  // A variant that reads the original is refused before anything reaches WebGPU.
  const Call scalar = value(kernel.prepare(random.problem(), {.variant = "scalar", .dropped = {}}));
  Buffers plain(device, scalar);
  for (const char* key : {"aT", "bT", "scalesT"}) plain[key] = buffers[key];
  const auto refused = record_and_submit(device, scalar, plain.bindings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("bT was dropped"));
  const auto forced = kernel.prepare(random.problem(), {.variant = "scalar", .dropped = {"bT"}});
  ASSERT_FALSE(forced);
  EXPECT_EQ(forced.error().code, ErrorCode::not_eligible);

  device.forget(buffers["bT"].buffer);
  EXPECT_EQ(device.statistics().packed_bytes, 0U);
}

}  // namespace
}  // namespace halfbyte::testing
