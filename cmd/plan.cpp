#include <map>
#include <memory>
#include <print>

#include "command.hpp"
#include "io/files.hpp"
#include "io/profile_files.hpp"
#include "manifest/json.hpp"
#include "plan/plan.hpp"

namespace halfbyte::cmd::plan_command {
namespace {

struct Options {
  std::string manifest, templates, profiles, requests;
  bool wgsl = false;
};

using ShaderHashes = std::map<Hash128, std::string>;  // by program; a text is rendered once

Result<std::string> shader_hashes(const Package& package, const Plan& plan, ShaderHashes& known) {
  std::string list;
  for (const auto* passes : {&plan.prepack_passes, &plan.passes})
    for (const PassPlan& pass : *passes) {
      std::string& hash = known[pass.program];
      if (hash.empty()) {
        HB_TRY(const std::string text, render(package, pass));
        hash = Hasher().add(text).finish().hex();
      }
      list += (list.empty() ? "" : ",") + json_quote(hash);
    }
  return list;
}

// The golden files were written by an oracle that knows no limits, so `plan` is select and make_plan alone.
std::string plan_line(const Package& package, const DeviceProfile& profile, const Problem& problem) {
  auto choice = select(package, profile, problem);
  if (!choice) return std::format("{{\"error\":{}}}", json_quote(choice.error().message));
  const auto plan = make_plan(package, *choice);
  if (!plan) return std::format("{{\"error\":{}}}", json_quote(plan.error().to_string()));
  return print(*plan);
}

// The line's last member with --wgsl: a hash of each pass's text, prepacking passes first; none where there is no plan.
std::string wgsl_member(const Package& package, const DeviceProfile& profile, const Problem& problem,
                        ShaderHashes& known) {
  const auto choice = select(package, profile, problem);
  const auto plan = choice ? make_plan(package, *choice) : fail(choice.error());
  if (!plan) return ",\"wgsl\":[]";
  const auto hashes = shader_hashes(package, *plan, known);
  if (!hashes) return std::format(",\"wgsl\":{{\"error\":{}}}", json_quote(hashes.error().to_string()));
  return std::format(",\"wgsl\":[{}]", *hashes);
}

Result<int> run(const Options& options) {
  HB_TRY(const Package package, load_package(options.manifest, options.templates));
  HB_TRY(const std::vector<ProfileFile> profiles, load_profiles(options.profiles));
  HB_TRY(const std::string text, read_text(options.requests));
  HB_TRY(const std::vector<Problem> problems, parse_problems(text, options.requests));
  ShaderHashes hashes;
  for (const ProfileFile& file : profiles)
    for (const Problem& problem : problems)
      std::println("{{\"profile\":{},\"request\":{},\"plan\":{}{}}}", json_quote(file.stem), json_quote(problem.id),
                   plan_line(package, file.profile, problem),
                   options.wgsl ? wgsl_member(package, file.profile, problem, hashes) : "");
  return 0;
}

Action add(CLI::App& sub, const Globals&) {
  auto options = std::make_shared<Options>();
  sub.add_option("manifest", options->manifest, "a package's folder or its manifest.json")->required();
  sub.add_option("--profile", options->profiles, "a device profile, or a folder of them")->required();
  sub.add_option("--requests", options->requests, "a JSON array of problems")->required();
  sub.add_option("--templates", options->templates, "take the templates from this folder");
  sub.add_flag("--wgsl", options->wgsl, "add a hash of every pass's WGSL");
  return [options] { return run(*options); };
}

const Registration registration{
    "plan", 30, "print the plan of every problem on every device profile, one JSON line each",
    "halfbyte plan kernels/com.microsoft.MatMulNBits --profile profiles --requests requests.json", add};

}  // namespace
}  // namespace halfbyte::cmd::plan_command
