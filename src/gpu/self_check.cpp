#include "gpu/self_check.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/inputs.hpp"
#include "gpu/measure_peaks.hpp"
#include "gpu/verify_run.hpp"
#include "io/blob_store.hpp"
#include "io/files.hpp"
#include "manifest/json.hpp"
#include "select/matmul_problem.hpp"
#include "select/semantics.hpp"

namespace halfbyte::gpu {
namespace {

constexpr const char* kSelfCheckSchema = "halfbyte.self-check/1";

class SelfChecker {
 public:
  SelfChecker(Kernel& kernel, uint64_t seed) : kernel_(kernel) { report_.seed = seed; }

  Result<void> check(const Case& c) {
    HB_TRY(const Problem problem, with_constant_weights(kernel_.package(), c.problem));
    problems_.push_back(problem);
    SelectOptions options;
    for (const auto& [variant, why] : report_.disabled) options.exclude.push_back(variant);
    while (true) {
      const auto plan = plan_problem(kernel_.package(), kernel_.device().profile(), problem, options);
      if (!plan && options.exclude.empty()) {
        report_.unsupported.push_back(std::format("{}: {}", c.problem.id, plan.error().message));
        return {};
      }
      if (!plan) {
        report_.rows.push_back({c.problem.id, "", false, plan.error().message});
        return {};
      }
      if (plan->empty || !is_new(*plan)) return {};
      const std::string reason = compile(problem, plan->variant);
      HB_CHECK(kernel_.device().check());
      SelfCheckRow row{c.problem.id, plan->variant, false, reason};
      if (reason.empty()) {
        HB_TRY(row, run(c, plan->variant));
      }
      report_.rows.push_back(row);
      if (row.pass) {
        remember(*plan);
        passed_.insert(plan->variant);
        return {};
      }
      (reason.empty() ? report_.disabled : uncompiled_)[plan->variant] = std::format("{}: {}", c.problem.id, row.why);
      options.exclude.push_back(plan->variant);
    }
  }

  // A variant that does not compile for some problem (f16 that is announced and not there) says so whenever it is asked for: it is left
  // out only when it compiles for no case, chosen there or not. One that computed something wrong is left out always.
  SelfCheckReport take() {
    for (const auto& [variant, why] : uncompiled_)
      if (!passed_.contains(variant) && !compiles_somewhere(variant)) report_.disabled.emplace(variant, why);
    return std::move(report_);
  }

 private:
  static std::set<Hash128> programs_of(const Plan& plan) {
    std::set<Hash128> programs;
    for (const auto* passes : {&plan.prepack_passes, &plan.passes})
      for (const PassPlan& pass : *passes) programs.insert(pass.program);
    return programs;
  }
  bool is_new(const Plan& plan) const {
    return std::ranges::any_of(programs_of(plan), [&](const Hash128& program) { return !right_.contains(program); });
  }
  void remember(const Plan& plan) { right_.merge(programs_of(plan)); }

  // Why it does not compile; empty when it does.
  std::string compile(const Problem& problem, const std::string& variant) {
    SelectOptions options;
    options.variant = variant;
    const auto call = kernel_.prepare(problem, options);
    if (!call) return call.error().to_string();
    const auto compiled = (*call)->wait();
    return compiled ? "" : compiled.error().to_string();
  }

  bool compiles_somewhere(const std::string& variant) {
    return std::ranges::any_of(problems_, [&](const Problem& problem) { return compile(problem, variant).empty(); });
  }

  Result<SelfCheckRow> run(const Case& c, const std::string& variant) {
    VerifyOptions options;
    options.variant = variant;
    options.run_seed = report_.seed;
    HB_TRY(const VerifyReport report, verify_package(kernel_, std::span(&c, 1), options));
    for (const VerifyRow& row : report.rows) return SelfCheckRow{c.problem.id, variant, row.pass, row.why};
    return SelfCheckRow{c.problem.id, variant, false,
                        report.skips.empty() ? "it did not run" : "it did not run: " + report.skips.front().why};
  }

  Kernel& kernel_;
  SelfCheckReport report_;
  std::set<Hash128> right_;  // programs that were part of a right result
  std::set<std::string> passed_;
  std::vector<Problem> problems_;
  std::map<std::string, std::string> uncompiled_;  // variant -> case and reason
};

}  // namespace

Result<SelfCheckReport> self_check(Kernel& kernel, std::span<const Case> cases, uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  SelfChecker checker(kernel, seed);
  for (const Case& c : cases) HB_CHECK(checker.check(c));
  SelfCheckReport report = checker.take();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  kernel.disable(report.disabled);
  return report;
}

Result<std::vector<Case>> self_check_cases(const Package& package, const DeviceProfile& profile) {
  std::vector<Case> cases;
  // K and N are no multiples of the tiles, and span two blocks of rows and several of K.
  const auto add = [&](int64_t M, DType dtype, bool zero_points, std::optional<int64_t> accuracy) -> Result<void> {
    MatmulCall call{
        .M = M, .K = 352, .N = 200, .bits = 4, .block_size = 32, .dtype = dtype, .zero_points = zero_points};
    call.bias = zero_points;
    call.accuracy_level = accuracy;
    auto problem = matmul_problem(package, call);
    if (!problem && problem.error().code == ErrorCode::invalid_argument) return {};  // an operator without zero points
    HB_CHECK(problem);
    Case c;
    c.problem = std::move(*problem);
    cases.push_back(std::move(c));
    return {};
  };
  std::vector<DType> dtypes{DType::float32};
  if (profile.has_feature("shader-f16")) dtypes.insert(dtypes.begin(), DType::float16);
  for (const DType dtype : dtypes)
    for (const int64_t M : {1, 6, 70}) {
      HB_CHECK(add(M, dtype, false, std::nullopt));
      HB_CHECK(add(M, dtype, true, 4));
    }
  return cases;
}

std::string to_json_text(const SelfCheckRecord& record) {
  const DeviceKey& d = record.device;
  nlohmann::ordered_json json{{"schema", kSelfCheckSchema},
                              {"device",
                               {{"adapter", d.adapter},
                                {"vendor", d.vendor},
                                {"architecture", d.architecture},
                                {"backend", d.backend},
                                {"driver", d.driver},
                                {"webgpu", d.webgpu}}},
                              {"package", record.package},
                              {"package_hash", record.package_hash.hex()},
                              {"seed", std::to_string(record.seed)},
                              {"cases", record.cases}};
  json["disabled"] = nlohmann::ordered_json::array();
  for (const auto& [variant, why] : record.disabled) json["disabled"].push_back({{"variant", variant}, {"why", why}});
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<SelfCheckRecord> parse_self_check(std::string_view json_text, const std::string& file) {
  HB_CHECK(JsonDocument::parse(json_text, file));  // says where a text is no JSON, and bounds its nesting
  try {
    const auto json = nlohmann::json::parse(json_text);
    if (json.value("schema", "") != kSelfCheckSchema)
      return fail(ErrorCode::parse, std::format("not a self-check: \"schema\" must be \"{}\"", kSelfCheckSchema),
                  {file});
    SelfCheckRecord record;
    const auto& device = json.at("device");
    record.device = {device.at("adapter"), device.at("vendor"), device.at("architecture"),
                     device.at("backend"), device.at("driver"), device.at("webgpu")};
    record.package = json.at("package");
    const std::string hash = json.at("package_hash");
    if (hash.size() != 32 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
      return fail(ErrorCode::parse, std::format("\"{}\" is not a package hash of 32 hexadecimal digits", hash), {file});
    record.package_hash = {std::stoull(hash.substr(0, 16), nullptr, 16), std::stoull(hash.substr(16), nullptr, 16)};
    for (const auto& entry : json.at("disabled")) record.disabled[entry.at("variant")] = entry.at("why");
    return record;
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::parse, std::format("not a self-check: {}", error.what()), {file});
  }
}

std::string self_check_path(const DeviceKey& device, const Package& package) {
  const std::string folder = cache_folder("self-check");
  if (folder.empty()) return {};
  return folder + "/" + Hasher().add(device.hash()).add(package.name()).add(package.hash()).finish().hex() + ".json";
}

std::map<std::string, std::string> recorded_failures(const Device& device, const Package& package) {
  const DeviceKey key = device_key(device);
  const std::string path = self_check_path(key, package);
  if (path.empty()) return {};
  const auto text = read_text(path);
  if (!text) return {};
  auto record = parse_self_check(*text, path);
  if (!record || record->device != key || record->package_hash != package.hash()) return {};
  return std::move(record->disabled);
}

}  // namespace halfbyte::gpu
