#include "gpu/kernel.hpp"

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

Hash128 identity(const Problem& problem, const SelectOptions& options) {
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

Result<std::shared_ptr<PreparedCall>> Kernel::prepare(const Problem& problem, const SelectOptions& given) {
  SelectOptions options = given;
  if (options.variant.empty())
    for (const auto& [variant, why] : disabled()) options.exclude.push_back(variant);
  HB_CHECK(device().check());
  const Hash128 key = identity(problem, options);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = calls_.find(key); found != calls_.end() && !found->second->failed()) return found->second;
  }
  HB_TRY(Plan plan, plan_problem(package_, device().profile(), problem, options));
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

}  // namespace halfbyte::gpu
