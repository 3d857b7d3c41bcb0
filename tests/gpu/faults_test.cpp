// What the GPU can refuse, on purpose, at every place where it can: an Error that says what, and the same objects work afterwards.
#include <gmock/gmock.h>

#include <mutex>

#include "gpu/host_run.hpp"
#include "gpu/timer.hpp"
#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Fails at `point` for things whose name contains `what`, `times` times.
class FaultList {
 public:
  void arm(FaultPoint point, Fault fault, std::string what = "", int times = 1) {
    const std::scoped_lock lock(mutex_);
    point_ = point;
    fault_ = fault;
    what_ = std::move(what);
    left_ = times;
    hits_ = 0;
  }
  int hits() const {
    const std::scoped_lock lock(mutex_);
    return hits_;
  }
  Fault operator()(FaultPoint point, std::string_view what) {
    const std::scoped_lock lock(mutex_);
    if (point != point_ || left_ <= 0 || what.find(what_) == std::string_view::npos) return Fault::none;
    --left_;
    ++hits_;
    return fault_;
  }

 private:
  mutable std::mutex mutex_;
  FaultPoint point_ = FaultPoint::buffer;
  Fault fault_ = Fault::none;
  std::string what_;
  int left_ = 0, hits_ = 0;
};

struct Faulty {
  std::shared_ptr<FaultList> faults = std::make_shared<FaultList>();
  std::shared_ptr<Runtime> runtime;

  explicit Faulty(std::chrono::milliseconds timeout = std::chrono::minutes(10)) {
    OpenOptions options;
    options.timeout = timeout;
    options.faults = [faults = faults](FaultPoint point, std::string_view what) { return (*faults)(point, what); };
    runtime = Runtime::create(value(Device::open(options)));
  }
  Result<HostTensors> compute(uint32_t add) const {
    HB_TRY(const auto call, scale_plan(4, add).prepare(runtime));
    const std::vector<float> x{1, 2, 3, 4}, w{5, 6, 7, 8};
    return run(*call, {{"x", HostTensor::from_floats(DType::float32, {4}, x)},
                       {"w", HostTensor::from_floats(DType::float32, {4}, w)}});
  }
  void expect_works(uint32_t add) const {
    const auto outputs = compute(add);
    ASSERT_TRUE(outputs) << outputs.error().to_string();
    const auto a = static_cast<float>(add);
    EXPECT_THAT(outputs->at("y").to_floats(), ::testing::ElementsAre(5 + a, 12 + a, 21 + a, 32 + a));
    EXPECT_THAT(runtime->device().take_uncaptured_errors(), ::testing::IsEmpty());
  }
};

TEST(Faults, AllocationFailsThenWorks) {
  const Faulty f;
  for (const char* what : {"x", "y (read back)", "uniforms"}) {
    f.faults->arm(FaultPoint::buffer, Fault::out_of_memory, what);
    static uint32_t add = 100;  // fresh uniforms each time
    const auto failed = f.compute(++add);
    ASSERT_FALSE(failed) << what;
    EXPECT_EQ(failed.error().code, ErrorCode::out_of_memory) << failed.error().to_string();
    EXPECT_THAT(failed.error().message, HasSubstr(what));
    EXPECT_EQ(f.faults->hits(), 1);
    f.expect_works(add);
  }
}

TEST(Faults, PipelineCreationFailsOnceThenWorks) {
  const Faulty f;
  f.faults->arm(FaultPoint::pipeline, Fault::refuse, "scale");
  const auto failed = f.compute(1);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::gpu);
  EXPECT_THAT(failed.error().message, HasSubstr("pipeline of hand_made/scale"));
  EXPECT_EQ(f.runtime->stats().programs.failed, 1u);
  f.expect_works(1);
  EXPECT_EQ(f.runtime->stats().programs.compiled, 1u);
}

TEST(Faults, TheDriversValidationErrorIsReturnedByTheCallThatCausedIt) {
  const Faulty f;
  for (const FaultPoint point : {FaultPoint::buffer, FaultPoint::submit, FaultPoint::submitted}) {
    f.faults->arm(point, Fault::validation);
    const auto failed = f.compute(2);
    ASSERT_FALSE(failed) << static_cast<int>(point);
    EXPECT_EQ(failed.error().code, ErrorCode::gpu);
    EXPECT_THAT(failed.error().message, HasSubstr("not valid, as a test wants it"));
    f.expect_works(2);
  }
}

TEST(Faults, MappingFailsThenWorks) {
  const Faulty f;
  f.faults->arm(FaultPoint::map, Fault::refuse);
  const auto failed = f.compute(3);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::gpu) << failed.error().to_string();
  EXPECT_THAT(failed.error().message, AnyOf(HasSubstr("could not be mapped"), HasSubstr("reading y back")));
  f.expect_works(3);
}

TEST(Faults, TheDeviceIsLostBeforeDuringAndAfterSubmit) {
  for (const FaultPoint point : {FaultPoint::buffer, FaultPoint::pipeline, FaultPoint::submit, FaultPoint::submitted,
                                 FaultPoint::map, FaultPoint::wait}) {
    const Faulty f;
    if (point != FaultPoint::pipeline) f.expect_works(4);
    f.faults->arm(point, Fault::lose_device);
    const auto failed = f.compute(5);
    ASSERT_FALSE(failed) << static_cast<int>(point);
    EXPECT_EQ(failed.error().code, ErrorCode::device_lost) << failed.error().to_string();
    EXPECT_EQ(f.compute(4).error().code, ErrorCode::device_lost);
    EXPECT_EQ(f.compute(6).error().message, failed.error().message);
  }
  Faulty().expect_works(7);  // a new device works
}

TEST(Faults, AQueueThatNeverEndsIsATimeoutThatNamesTheDispatch) {
  const Faulty f(std::chrono::milliseconds(1000));
  f.faults->arm(FaultPoint::wait, Fault::never, "hand_made/scale (dispatch", 1'000'000);
  const auto failed = f.compute(8);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::timeout);
  EXPECT_THAT(failed.error().message, HasSubstr("hand_made/scale (dispatch main 1x1x1) did not end within 1 s"));
  f.faults->arm(FaultPoint::wait, Fault::none);
  f.expect_works(8);
}

TEST(Faults, CompilingThatNeverEndsIsATimeoutAndMayBeAskedAgain) {
  const Faulty f(std::chrono::milliseconds(50));
  f.faults->arm(FaultPoint::wait, Fault::never, "compiling", 1'000'000);
  const auto failed = f.compute(9);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::timeout);
  EXPECT_THAT(failed.error().message, HasSubstr("compiling hand_made/scale"));
  f.faults->arm(FaultPoint::wait, Fault::none);
}

TEST(Faults, TimestampsThatCannotBeMadeAreAnError) {
  const Faulty f;
  if (!f.runtime->device().profile().has_feature("timestamp-query"))
    GTEST_SKIP() << "the device has no timestamp-query";
  f.faults->arm(FaultPoint::buffer, Fault::out_of_memory, "timestamps");
  const auto timer = Timer::create(f.runtime->shared_device());
  ASSERT_FALSE(timer);
  EXPECT_EQ(timer.error().code, ErrorCode::out_of_memory);
  EXPECT_TRUE(Timer::create(f.runtime->shared_device()));
}

TEST(Faults, NothingIsCountedOrKeptForWhatFailed) {
  const Faulty f;
  f.expect_works(10);
  const RuntimeStats before = f.runtime->stats();
  for (int i = 0; i < 20; ++i) {
    f.faults->arm(FaultPoint::submit, Fault::validation);
    EXPECT_FALSE(f.compute(10));
    f.faults->arm(FaultPoint::buffer, Fault::out_of_memory);
    EXPECT_FALSE(f.compute(10));
  }
  f.faults->arm(FaultPoint::buffer, Fault::none);
  f.expect_works(10);
  const RuntimeStats after = f.runtime->stats();
  EXPECT_EQ(after.programs.compiled, before.programs.compiled);
  EXPECT_EQ(after.uniform_buffers, before.uniform_buffers);
  EXPECT_EQ(after.scratch_bytes, before.scratch_bytes);
  EXPECT_EQ(after.packed_copies, before.packed_copies);
}

}  // namespace
}  // namespace halfbyte::gpu::testing
