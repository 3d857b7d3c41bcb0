// C33 robustness: create, run and destroy again and again; threads with a context each, or one for both; a device that is lost.
#include <atomic>
#include <thread>

#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

// Recipe P: exact, so a result is right or it is not.
const Spec kSmall{.M = 3, .N = 24, .K = 64, .zp = true, .bias = true};

struct Expected {
  CaseData data;
  std::vector<float> y;
};

Expected expected_of(const CaseData& data) { return {data, {data.expected.begin(), data.expected.end()}}; }

// Runs until `runs` results were right, or says what the first wrong one was.
std::string runs_right(gpu::Kernel& kernel, const Expected& wanted, int runs, const std::string& variant = "") {
  for (int i = 0; i < runs; ++i) {
    const auto call = kernel.prepare(wanted.data.problem, {.variant = variant});
    if (!call) return call.error().to_string();
    const auto out = gpu::run(**call, wanted.data.inputs);
    if (!out) return out.error().to_string();
    if (out->at("yT").to_floats() != wanted.y) return std::format("run {} is wrong", i);
  }
  return {};
}

TEST_F(FieldCase, C33_CreateRunDestroyTwentyTimes) {
  HB_NEED_DEVICE();
  const Expected wanted = expected_of(value(make_case_data(package(), make_case(kSmall), test_seed())));
  // Each compiles anew; scalar does so in no time.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(runs_right(*kernel_on({}), wanted, 1, "scalar"), "") << "time " << i;
}

TEST_F(FieldCase, C33_TwoThreadsWithAContextEach) {
  HB_NEED_DEVICE();
  const Expected wanted = expected_of(value(make_case_data(package(), make_case(kSmall), test_seed())));
  std::vector<std::string> why(2, "did not run");
  {
    std::vector<std::jthread> threads;
    for (std::string& said : why) threads.emplace_back([&] { said = runs_right(*kernel_on({}), wanted, 200); });
  }
  EXPECT_THAT(why, ::testing::Each(""));
}

TEST_F(FieldCase, C33_TwoThreadsWithOneContext) {
  HB_NEED_DEVICE();
  const auto own = kernel_on({});
  if (!own->device().info().thread_safe)
    GTEST_SKIP() << "this device is for one thread at a time, which src/gpu/device.hpp documents";
  std::vector<Expected> wanted;
  for (const int64_t M : {1, 3})  // different problems, so that threads do not only repeat each other's work
    wanted.push_back(expected_of(value(
        make_case_data(package(), make_case({.M = M, .N = 24, .K = 64, .zp = true, .bias = true}), test_seed()))));
  std::vector<std::string> why(2, "did not run");
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 2; ++t) threads.emplace_back([&, t] { why[t] = runs_right(*own, wanted[t], 200); });
  }
  EXPECT_THAT(why, ::testing::Each(""));
}

TEST_F(FieldCase, C33_ALostDeviceIsSaidAndNeverZeros) {
  HB_NEED_DEVICE();
  const Expected wanted = expected_of(value(make_case_data(package(), make_case(kSmall), test_seed())));
  const auto own = kernel_on({});
  const auto call = value(own->prepare(wanted.data.problem));
  const auto pending = value(own->prepare(problem({.M = 1, .N = 40, .K = 64})));  // prepared, not run yet
  std::atomic<int> right = 0, wrong = 0;
  std::optional<Error> last;
  std::jthread worker([&] {
    while (!last) {
      const auto out = gpu::run(*call, wanted.data.inputs);
      if (!out)
        last = out.error();
      else
        ++(out->at("yT").to_floats() == wanted.y ? right : wrong);
    }
  });
  while (right < 3 && wrong == 0) std::this_thread::yield();
  own->device().wgpu().ForceLoss(wgpu::DeviceLostReason::Unknown, "pulled out");
  worker.join();
  EXPECT_EQ(wrong, 0);
  const auto expect_lost = [](const char* what, const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::device_lost) << what << ": " << error.to_string();
  };
  expect_lost("the run that was under way", *last);
  const gpu::HostTensors inputs =
      value(make_case_data(package(), make_case({.M = 1, .N = 40, .K = 64}), test_seed())).inputs;
  for (const auto& [what, result] : {std::pair{"a call prepared before", gpu::run(*pending, inputs)},
                                     std::pair{"the same call again", gpu::run(*call, wanted.data.inputs)}}) {
    ASSERT_FALSE(result) << what;
    expect_lost(what, result.error());
  }
  const auto fresh = own->prepare(problem({.M = 2, .N = 8, .K = 32}));
  ASSERT_FALSE(fresh);
  expect_lost("a new problem", fresh.error());
  EXPECT_EQ(runs_right(*kernel_on({}), wanted, 1), "");
}

}  // namespace
}  // namespace halfbyte::issues
