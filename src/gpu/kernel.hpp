// A kernel package on a device: problems in, prepared calls out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "gpu/prepared_call.hpp"
#include "gpu/runtime.hpp"
#include "manifest/package.hpp"
#include "plan/plan.hpp"

namespace halfbyte::gpu {

// How far a warm-up is. Thread-safe.
class WarmUp {
 public:
  size_t total() const { return total_; }
  size_t done() const;  // problems whose programs are there, or that failed
  // Waits for the end. The first error, with the problem's id or number in its message; the other problems are warmed up all the same.
  Result<void> wait() const;

 private:
  friend class Kernel;
  explicit WarmUp(size_t total) : total_(total) {}
  void count(size_t problem, const std::string& id, Result<void> result);
  void stopped();
  struct Shared;
  const size_t total_;
  std::shared_ptr<Shared> shared_;
};

// Thread-safe.
class Kernel {
 public:
  static std::shared_ptr<Kernel> create(std::shared_ptr<Runtime> runtime, Package package);

  const Package& package() const { return package_; }
  Runtime& runtime() const { return *runtime_; }
  const std::shared_ptr<Runtime>& shared_runtime() const { return runtime_; }
  const Device& device() const { return runtime_->device(); }

  // plan_problem(), then its programs: compiling starts here and goes on in the background. Equal problems with equal options get
  // the same call. Errors: those of plan_problem and PreparedCall::create.
  // `gone`: as in plan_problem.
  Result<std::shared_ptr<PreparedCall>> prepare(const Problem& problem, const SelectOptions& options = {},
                                                const std::set<std::string, std::less<>>& gone = {});

  // The same for a plan that is there already (of this package, for this device's profile); not cached.
  Result<std::shared_ptr<PreparedCall>> prepare(std::shared_ptr<const Plan> plan);

  // Prepares all, so that their programs compile side by side, and waits for them unless told not to. The calls stay cached.
  Result<std::vector<std::shared_ptr<PreparedCall>>> warm_up(std::span<const Problem> problems,
                                                             const SelectOptions& options = {}, bool wait = true);

  // Variants that were found wrong on this device (self_check.hpp), with the reason: never chosen from now on unless asked for by name. Adds
  // to those disabled before; calls prepared before stay as they are.
  void disable(const std::map<std::string, std::string>& variants);
  std::map<std::string, std::string> disabled() const;

  // The same on a thread of its own, which ends with the Kernel at the latest (after the problem it is at). On a device that may be used from
  // one thread only (DeviceInfo::thread_safe) all is done before this returns.
  struct Wanted {
    Problem problem;
    SelectOptions options;
    std::set<std::string, std::less<>> gone;
  };
  std::shared_ptr<WarmUp> warm_up_in_background(std::vector<Wanted> problems);

  // The WGSL of a pass of one of this package's plans.
  ShaderSource source() const;

 private:
  Kernel(std::shared_ptr<Runtime> runtime, Package package)
      : runtime_(std::move(runtime)), package_(std::move(package)) {}

  std::shared_ptr<Runtime> runtime_;
  Package package_;
  mutable std::mutex mutex_;
  std::map<Hash128, std::shared_ptr<PreparedCall>> calls_;
  std::map<std::string, std::string> disabled_;
  struct Background {
    std::shared_ptr<WarmUp> progress;
    std::jthread thread;
  };
  void warm(std::span<const Wanted> problems, WarmUp& progress, const std::stop_token& stop);
  std::vector<Background> background_;  // last: its threads use what is above
};

}  // namespace halfbyte::gpu
