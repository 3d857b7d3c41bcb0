// C39 performance cliff: what is compiled, and when. Counted; times are for tests/api/cold_start.sh, which also has the second process.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "field_case.hpp"
#include "gpu/persistent_cache.hpp"

namespace halfbyte::issues {
namespace {

namespace fs = std::filesystem;

size_t distinct_programs(const std::vector<std::shared_ptr<gpu::PreparedCall>>& calls) {
  std::set<std::string> programs;
  for (const auto& call : calls)
    for (const auto* passes : {&call->plan().prepack_passes, &call->plan().passes})
      for (const PassPlan& pass : *passes) programs.insert(pass.program.hex());
  return programs.size();
}

uint64_t compiled(const gpu::Kernel& kernel) { return kernel.runtime().stats().programs.compiled; }

TEST_F(FieldCase, C39_OnlyWhatIsUsedIsCompiledAndOnce) {
  HB_NEED_DEVICE();
  const auto own = kernel_on({});
  EXPECT_EQ(compiled(*own), 0U);
  const auto run_once = [&](int64_t M) {
    const CaseData data =
        value(make_case_data(package(), make_case({.M = M, .N = 40, .K = 64, .zp = true}), test_seed()));
    const auto call = value(own->prepare(data.problem, {.variant = "prefill_tile4x4"}));
    EXPECT_TRUE(gpu::run(*call, data.inputs));
    return call;
  };
  const auto first = run_once(5);
  EXPECT_EQ(compiled(*own), distinct_programs({first})) << "the first run compiles its own passes";
  const uint64_t after_first = compiled(*own);
  run_once(5);
  EXPECT_EQ(compiled(*own), after_first) << "the second run";
  run_once(9);
  EXPECT_EQ(compiled(*own), after_first) << "another M by the same variant";
}

// Every one is under way before the first is waited for.
TEST_F(FieldCase, C39_TenShapesCompileSideBySide) {
  HB_NEED_DEVICE();
  std::mutex mutex;
  std::vector<gpu::FaultPoint> events;
  const auto own = kernel_on({.faults = [&](gpu::FaultPoint point, std::string_view) {
    const std::scoped_lock lock(mutex);
    events.push_back(point);
    return gpu::Fault::none;
  }});
  std::vector<Problem> problems;
  for (int64_t i = 1; i <= 10; ++i) problems.push_back(problem({.M = 1, .N = 8 * i, .K = 32 * i}));
  const SelectOptions scalar{.variant = "scalar"};  // whose text depends on the shape, and which compiles quickly
  events.clear();
  const auto calls = value(own->warm_up(problems, scalar, /*wait=*/false));
  for (const auto& call : calls) ASSERT_TRUE(call->wait());
  const size_t programs = distinct_programs(calls);
  EXPECT_EQ(programs, 10U);
  EXPECT_EQ(compiled(*own), programs);
  const std::scoped_lock lock(mutex);
  const auto first_wait = std::ranges::find(events, gpu::FaultPoint::wait);
  EXPECT_EQ(std::count(events.begin(), first_wait, gpu::FaultPoint::pipeline), static_cast<ptrdiff_t>(programs));
}

struct Folder {
  fs::path path = fs::path(::testing::TempDir()) / std::format("c39-{}", ::getpid());
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

// A device of its own with the cache in `folder`, as a new process has it; computes three variants' results and says what the cache did.
gpu::CacheStats session(const std::string& folder, std::shared_ptr<gpu::Kernel> (*open)(const gpu::OpenOptions&),
                        const std::function<void(gpu::Kernel&)>& work) {
  gpu::OpenOptions options;
  options.cache = gpu::persistent_cache(folder);
  const auto kernel = open(options);
  work(*kernel);
  return kernel->device().cache_stats();
}

TEST_F(FieldCase, C39_TheCacheSavesCompilingAndADamagedOneIsIgnored) {
  HB_NEED_DEVICE();
  const Folder folder;
  const auto work = [](gpu::Kernel& kernel) {
    for (const int64_t M : {1, 5, 40}) run(kernel, {.M = M, .N = 40, .K = 64, .zp = true, .bias = true}, Which::chosen);
  };
  const auto next = [&] { return session(folder.path.string(), &kernel_on, work); };
  const gpu::CacheStats first = next(), second = next();
  EXPECT_EQ(first.hits, 0U);
  EXPECT_GT(first.stored, 0U);
  EXPECT_GT(second.hits, 0U);
  EXPECT_EQ(second.misses, 0U) << "all of it was found";

  int i = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path)) {
    if (!entry.is_regular_file()) continue;
    if (i++ % 2 == 0) {
      fs::resize_file(entry.path(), entry.file_size() / 2);
    } else {
      std::ofstream(entry.path(), std::ios::binary) << "something else";
    }
  }
  EXPECT_GT(i, 0);
  const gpu::CacheStats damaged = next();  // and its results are right
  EXPECT_EQ(damaged.hits, 0U);
  EXPECT_EQ(next().misses, 0U) << "mended";
}

}  // namespace
}  // namespace halfbyte::issues
