#include "gpu/kernel.hpp"

#include <condition_variable>
#include <optional>

namespace halfbyte::gpu {
namespace {

// Prompts of every length make a call each; past this many the cache starts afresh (calls in use stay with their users).
constexpr size_t kMostCalls = 4096;

void add(Hasher& hash, const AttrValue& value) {
  if (const double* number = std::get_if<double>(&value)) {
    hash.add(uint64_t{0}).add(*number);
  } else {
    hash.add(uint64_t{1}).add(std::get<std::string>(value));
  }
}

Hash128 identity(const Problem& problem, const SelectOptions& options, const std::set<std::string, std::less<>>& gone) {
  Hasher hash;
  hash.add(problem.attrs.size());
  for (const auto& [name, value] : problem.attrs) add(hash.add(name), value);
  hash.add(problem.inputs.size());
  for (const auto& [key, desc] : problem.inputs) {
    hash.add(key).add(static_cast<uint64_t>(desc.dtype)).add(desc.shape.size());
    for (const int64_t extent : desc.shape) hash.add(static_cast<uint64_t>(extent));
  }
  hash.add(problem.tunables.size());
  for (const auto& [name, value] : problem.tunables) hash.add(name).add(value);
  hash.add(problem.constant.size());
  for (const std::string& key : problem.constant) hash.add(key);
  hash.add(gone.size());
  for (const std::string& key : gone) hash.add(key);
  hash.add(options.variant);
  for (const auto* list : {&options.prefer, &options.exclude}) {
    hash.add(list->size());
    for (const std::string& id : *list) hash.add(id);
  }
  return hash.finish();
}

}  // namespace

std::shared_ptr<Kernel> Kernel::create(std::shared_ptr<Runtime> runtime, Package package) {
  return std::shared_ptr<Kernel>(new Kernel(std::move(runtime), std::move(package)));
}

ShaderSource Kernel::source() const {
  return [package = package_](const PassPlan& pass) { return render(package, pass); };
}

Result<std::shared_ptr<PreparedCall>> Kernel::prepare(std::shared_ptr<const Plan> plan) {
  return PreparedCall::create(runtime_, std::move(plan), source());
}

void Kernel::disable(const std::map<std::string, std::string>& variants) {
  const std::scoped_lock lock(mutex_);
  disabled_.insert(variants.begin(), variants.end());
}

std::map<std::string, std::string> Kernel::disabled() const {
  const std::scoped_lock lock(mutex_);
  return disabled_;
}

Result<std::shared_ptr<PreparedCall>> Kernel::prepare(const Problem& problem, const SelectOptions& given,
                                                      const std::set<std::string, std::less<>>& gone) {
  SelectOptions options = given;
  if (options.variant.empty())
    for (const auto& [variant, why] : disabled()) options.exclude.push_back(variant);
  HB_CHECK(device().check());
  const Hash128 key = identity(problem, options, gone);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = calls_.find(key); found != calls_.end() && !found->second->failed()) return found->second;
  }
  HB_TRY(Plan plan, plan_problem(package_, device().profile(), problem, options, gone));
  HB_TRY(std::shared_ptr<PreparedCall> call, prepare(std::make_shared<const Plan>(std::move(plan))));
  const std::scoped_lock lock(mutex_);
  if (calls_.size() >= kMostCalls) calls_.clear();
  return calls_.insert_or_assign(key, std::move(call)).first->second;
}

Result<std::vector<std::shared_ptr<PreparedCall>>> Kernel::warm_up(std::span<const Problem> problems,
                                                                   const SelectOptions& options, bool wait) {
  std::vector<std::shared_ptr<PreparedCall>> calls;
  for (const Problem& problem : problems) {
    HB_TRY(calls.emplace_back(), prepare(problem, options));
  }
  if (!wait) return calls;
  for (const auto& call : calls) HB_CHECK(call->wait());
  return calls;
}

struct WarmUp::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  size_t done = 0;
  bool ended = false;
  std::optional<Error> first;
};

size_t WarmUp::done() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->done;
}

Result<void> WarmUp::wait() const {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] { return shared_->ended; });
  if (shared_->first) return fail(*shared_->first);
  return {};
}

void WarmUp::count(size_t problem, const std::string& id, Result<void> result) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->done += 1;
  if (result || shared_->first) return;
  shared_->first = std::move(result).error();
  shared_->first->message =
      std::format("warming up problem {}: {}", id.empty() ? std::to_string(problem) : id, shared_->first->message);
}

void WarmUp::stopped() {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->ended = true;
    if (shared_->done < total_ && !shared_->first) {
      shared_->first =
          Error{ErrorCode::invalid_argument,
                std::format("the kernel was let go after {} of {} problems had been warmed up", shared_->done, total_),
                {},
                {}};
    }
  }
  shared_->changed.notify_all();
}

void Kernel::warm(std::span<const Wanted> problems, WarmUp& progress, const std::stop_token& stop) {
  // All are started before the first is waited for, so that they compile side by side.
  std::vector<std::pair<size_t, std::shared_ptr<PreparedCall>>> calls;
  for (size_t i = 0; i < problems.size() && !stop.stop_requested(); ++i) {
    auto call = prepare(problems[i].problem, problems[i].options, problems[i].gone);
    if (call) {
      calls.emplace_back(i, std::move(*call));
    } else {
      progress.count(i, problems[i].problem.id, fail(std::move(call).error()));
    }
  }
  for (const auto& [i, call] : calls) {
    if (stop.stop_requested()) break;
    progress.count(i, problems[i].problem.id, call->wait());
  }
  progress.stopped();
}

std::shared_ptr<WarmUp> Kernel::warm_up_in_background(std::vector<Wanted> problems) {
  const std::shared_ptr<WarmUp> progress(new WarmUp(problems.size()));
  progress->shared_ = std::make_shared<WarmUp::Shared>();
  if (!device().info().thread_safe) {
    warm(problems, *progress, {});
    return progress;
  }
  const std::scoped_lock lock(mutex_);
  std::erase_if(background_, [](const Background& b) {
    const std::scoped_lock ended(b.progress->shared_->mutex);
    return b.progress->shared_->ended;
  });
  background_.push_back(
      {progress, std::jthread([this, progress, problems = std::move(problems)](const std::stop_token& stop) {
         warm(problems, *progress, stop);
       })});
  return progress;
}

}  // namespace halfbyte::gpu
