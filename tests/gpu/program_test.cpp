// Programs: shared, compiled side by side, refused with a message, kept between processes.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "gpu/lint_device.hpp"
#include "gpu/persistent_cache.hpp"
#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The same kernel with another constant in its text: a program of its own.
HandMade distinct(int number, uint32_t count = 4) {
  HandMade made = scale_plan(count, 0);
  const std::string wgsl = std::string(kScaleShader) + "\nconst kNumber = " + std::to_string(number) + ";";
  made.shaders["scale"] = wgsl;
  made.plan.passes[0].program = Hasher().add(wgsl).finish();
  return made;
}

TEST(Programs, AreCompiledOnceForEveryUniformAndShape) {
  const auto runtime = Runtime::create(value(Device::open()));
  for (uint32_t count = 1; count <= 50; ++count) HB_ASSERT_OK(value(scale_plan(count, count).prepare(runtime))->wait());
  const ProgramStats stats = runtime->stats().programs;
  EXPECT_EQ(stats.compiled, 1U);
  EXPECT_EQ(stats.hits, 49U);
  EXPECT_EQ(stats.failed, 0U);
  EXPECT_GT(stats.compile_seconds, 0);
}

TEST(Programs, UniformBuffersAreSharedByContent) {
  const auto runtime = Runtime::create(value(Device::open()));
  std::vector<std::shared_ptr<PreparedCall>> calls;
  for (int i = 0; i < 10; ++i) calls.push_back(value(scale_plan(8, i % 2).prepare(runtime)));
  EXPECT_EQ(runtime->stats().uniform_buffers, 2U);
}

TEST(Programs, PassesOfACallCompileTogether) {
  const auto runtime = Runtime::create(value(Device::open()));
  HandMade made = distinct(1);
  for (int i = 2; i <= 5; ++i) {
    const HandMade other = distinct(i);
    PassPlan pass = other.plan.passes[0];
    pass.shader = "scale" + std::to_string(i);
    made.shaders[pass.shader] = other.shaders.at("scale");
    made.plan.passes.push_back(pass);
  }
  HB_ASSERT_OK(value(made.prepare(runtime))->wait());
  EXPECT_EQ(runtime->stats().programs.compiled, 5U);
}

TEST(Programs, ThreadsThatWantOneProgramShareIt) {
  const auto runtime = Runtime::create(value(Device::open()));
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) {
          const auto call = distinct(i).prepare(runtime);
          if (call && (*call)->wait()) ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 40);
  EXPECT_EQ(runtime->stats().programs.compiled, 5U);
  EXPECT_EQ(runtime->stats().programs.hits, 35U);
}

TEST(Programs, BadWgslNamesTheShaderAndTheLine) {
  HandMade made = scale_plan(4, 0);
  const std::string wgsl = "\n@compute @workgroup_size(1) fn main() { let x = unknown_name; }\n";
  made.shaders["scale"] = wgsl;
  made.plan.passes[0].program = Hasher().add(wgsl).finish();
  const auto call = made.prepare(shared_runtime());
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().code, ErrorCode::gpu);
  EXPECT_THAT(call.error().message, HasSubstr("shader hand_made/scale"));
  EXPECT_THAT(call.error().message, HasSubstr(":2:49 error: unresolved value 'unknown_name'"));
  EXPECT_FALSE(call.error().notes.empty());
  // Not remembered as failed: the same program with a right text compiles.
  made.shaders["scale"] = kScaleShader;
  HB_ASSERT_OK(value(made.prepare(shared_runtime()))->wait());
}

TEST(Programs, BindingsThatTheShaderDoesNotFitAreAnError) {
  HandMade made = scale_plan(4, 0);
  made.plan.passes[0].bindings[2].access = Access::read;  // the shader writes it
  made.plan.passes[0].program = Hasher().add("read-only y").finish();
  const auto call = value(made.prepare(shared_runtime()));
  const auto compiled = call->wait();
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, ErrorCode::gpu);
  EXPECT_THAT(compiled.error().message, HasSubstr("pipeline of hand_made/scale"));
  EXPECT_TRUE(call->failed());
  // record() says the same, instead of dispatching nothing in silence.
  const wgpu::Buffer b = filled(shared_runtime()->device(), {1, 2, 3, 4});
  EXPECT_FALSE(run_once(*call, std::vector<TensorBinding>{{"x", b}, {"w", b}, {"y", b}}));
}

TEST(Programs, SourceErrorsComeBack) {
  const auto call = PreparedCall::create(
      shared_runtime(), std::make_shared<Plan>(distinct(77).plan),
      [](const PassPlan&) -> Result<std::string> { return fail(ErrorCode::parse, "no such template"); });
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().message, "no such template");
}

TEST(Lint, AcceptsEveryFeatureAndNamesErrors) {
  const LintDevice lint = value(LintDevice::open());
  HB_ASSERT_OK(lint.compile_check(
      "enable f16;\nenable subgroups;\nenable chromium_experimental_subgroup_matrix;\n"
      "@compute @workgroup_size(32) fn main() { var m : subgroup_matrix_result<f32, 8, 8>; _ = subgroupAdd(1.0h); }",
      "good"));
  const auto bad = lint.compile_check("@compute @workgroup_size(32) fn main() { let a : f32 = 1i; }", "bad");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("shader bad"));
}

class PersistentPrograms : public ::testing::Test {
 protected:
  PersistentPrograms() : folder_(::testing::TempDir() + "hb_programs_" + std::to_string(::getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~PersistentPrograms() override { std::filesystem::remove_all(folder_); }

  // Counts what the device reads and writes.
  struct Counting final : BlobCache {
    std::shared_ptr<BlobCache> inner;
    std::atomic<int> hits = 0, misses = 0, stores = 0;
    std::optional<std::vector<std::byte>> load(std::span<const std::byte> key) override {
      auto blob = inner->load(key);
      ++(blob ? hits : misses);
      return blob;
    }
    void store(std::span<const std::byte> key, std::span<const std::byte> bytes) override {
      ++stores;
      inner->store(key, bytes);
    }
  };

  std::shared_ptr<Counting> compile_with_cache(bool robustness = true) {
    auto cache = std::make_shared<Counting>();
    cache->inner = persistent_cache(folder_);
    OpenOptions options;
    options.cache = cache;
    options.robustness = robustness;
    const auto runtime = Runtime::create(value(Device::open(options)));
    const auto call = value(scale_plan(4, 1).prepare(runtime));
    const wgpu::Buffer y = filled(runtime->device(), {0, 0, 0, 0});
    const wgpu::Buffer x = filled(runtime->device(), {1, 2, 3, 4});
    const auto ran = run_once(*call, std::vector<TensorBinding>{{"x", x}, {"w", x}, {"y", y}});
    EXPECT_TRUE(ran);
    EXPECT_THAT(floats_of(value(read_buffer(runtime->device(), "y", y, 0, 16))), ElementsAre(2, 5, 10, 17));
    return cache;
  }
  std::string folder_;
};

TEST_F(PersistentPrograms, SecondDeviceReadsWhatTheFirstWrote) {
  const auto first = compile_with_cache();
  EXPECT_EQ(first->hits, 0);
  EXPECT_GT(first->stores, 0);
  const auto second = compile_with_cache();
  EXPECT_GT(second->hits, 0);
  EXPECT_EQ(second->misses, 0);
  // Other toggles, other programs.
  EXPECT_EQ(compile_with_cache(false)->hits, 0);
}

// A cache that is slow enough for the device to go while it is asked, and tells whether it was used after its end.
struct SlowCache final : BlobCache {
  struct Seen {
    std::atomic<bool> asked = false, gone = false, used_when_gone = false;
  };
  std::shared_ptr<Seen> seen = std::make_shared<Seen>();

  ~SlowCache() override { seen->gone = true; }
  std::optional<std::vector<std::byte>> load(std::span<const std::byte>) override {
    const auto kept = seen;
    kept->asked = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (kept->gone) kept->used_when_gone = true;
    return std::nullopt;
  }
  void store(std::span<const std::byte>, std::span<const std::byte>) override {}
};

// Dawn says first that the device is lost, then waits for its compilations, which still use the cache.
TEST(ProgramsAtTheEnd, TheCacheLivesWhileADyingDeviceUsesIt) {
  for (const bool caller_keeps_device : {false, true}) {
    OpenOptions options;
    auto cache = std::make_shared<SlowCache>();
    const auto seen = cache->seen;
    options.cache = std::move(cache);
    wgpu::Device kept;
    {
      const auto runtime = Runtime::create(value(Device::open(std::exchange(options, {}))));
      if (caller_keeps_device) kept = runtime->device().wgpu();
      const auto call = value(distinct(1).prepare(runtime));
      while (!seen->asked) std::this_thread::yield();
    }
    kept = nullptr;
    EXPECT_FALSE(seen->used_when_gone) << caller_keeps_device;
    EXPECT_TRUE(seen->gone) << caller_keeps_device;
  }
}

TEST_F(PersistentPrograms, DamagedFilesAreIgnoredAndReplaced) {
  compile_with_cache();
  int damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    std::ofstream(entry.path(), std::ios::binary) << "this is no program";
    ++damaged;
  }
  EXPECT_GT(damaged, 0);
  const auto second = compile_with_cache();
  EXPECT_EQ(second->hits, 0);
  EXPECT_GT(second->stores, 0);
  EXPECT_GT(compile_with_cache()->hits, 0);
}

}  // namespace
}  // namespace halfbyte::gpu::testing
