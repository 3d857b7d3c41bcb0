#include <algorithm>
#include <filesystem>
#include <memory>
#include <print>

#include "command.hpp"
#include "gpu_options.hpp"
#include "io/files.hpp"
#include "io/profile_files.hpp"
#include "manifest/manifest.hpp"
#include "plan/lint.hpp"
#ifdef HALFBYTE_HAS_GPU
#include "gpu/lint_device.hpp"
#endif

namespace halfbyte::cmd::lint_command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string package, templates, cases;
  std::vector<std::string> profiles;
  bool no_compile = false;
};

// "profiles" in the package's folder, beside it, or beside the folder that holds it (as in our repository), with the folders in it.
Result<std::vector<std::string>> profile_places(const Options& options, const fs::path& folder) {
  if (!options.profiles.empty()) return options.profiles;
  std::error_code ec;
  for (const fs::path& place : {folder / "profiles", folder / ".." / "profiles", folder / ".." / ".." / "profiles"}) {
    if (!fs::is_directory(place, ec)) continue;
    std::vector<std::string> places{place.string()};
    for (fs::directory_iterator it(place, ec), end; !ec && it != end; it.increment(ec))
      if (it->is_directory(ec)) places.push_back(it->path().string());
    std::ranges::sort(places);
    return places;
  }
  return fail(ErrorCode::not_found,
              std::format("there are no device profiles beside {}, name a folder with --profiles", folder.string()));
}

Result<std::vector<Problem>> problems_of(const Options& options, const Package& package, const fs::path& folder) {
  std::vector<Problem> problems = lint_problems(package);
  const fs::path cases = options.cases.empty() ? folder / "cases.json" : fs::path(options.cases);
  std::error_code ec;
  if (options.cases.empty() && !fs::exists(cases, ec)) {
    if (problems.empty())
      return fail(
          ErrorCode::not_found,
          std::format(
              "{} has no cases.json, and the package does not say what it computes, so there is nothing to render",
              folder.string()));
    return problems;
  }
  HB_TRY(const std::string text, read_text(cases.string()));
  HB_TRY(std::vector<Problem> given,
         parse_problems(text, cases.string(), {"seed", "fill", "tolerance", "expect", "note"}));
  if (const auto& semantics = package.manifest().semantics)
    for (Problem& problem : given) take_weights_as_constant(problem, semantics->a);
  problems.insert(problems.end(), given.begin(), given.end());
  return problems;
}

Result<CompileCheck> compiler(const Options& options) {
  if (options.no_compile) return CompileCheck{};
#ifdef HALFBYTE_HAS_GPU
  HB_TRY(gpu::LintDevice opened, gpu::LintDevice::open());
  auto device = std::make_shared<gpu::LintDevice>(std::move(opened));
  return CompileCheck(
      [device](std::string_view wgsl, std::string_view label) { return device->compile_check(wgsl, label); });
#else
  return CompileCheck{};
#endif
}

Result<int> run(const Options& options, const Globals& globals) {
#ifdef HALFBYTE_HAS_GPU
  HB_TRY(const std::string path, package_path(options.package));
#else
  const std::string& path = options.package;
#endif
  HB_TRY(const Package package, load_package(path, options.templates));
  std::error_code ec;
  const fs::path folder = fs::is_directory(path, ec) ? fs::path(path) : fs::path(path).parent_path();
  HB_TRY(const std::vector<std::string> places, profile_places(options, folder));
  HB_TRY(const std::vector<Problem> problems, problems_of(options, package, folder));
  HB_TRY(const CompileCheck compile, compiler(options));
  std::vector<DeviceProfile> profiles;
  for (const std::string& place : places) {
    HB_TRY(const std::vector<ProfileFile> files, load_profiles(place));
    for (const ProfileFile& file : files) profiles.push_back(file.profile);
  }

  const bool draw = show_progress(globals);
  const LintReport report = lint(package, profiles, problems, compile, [&](double share) {
    if (draw) progress_line(std::format("lint {:.0f} %", share * 100));
  });
  progress_line("");
  if (!globals.quiet)
    for (const Error& warning : report.warnings) std::println(stderr, "warning: {}", warning.to_string());
  for (const Error& problem : report.problems) std::println("{}", problem.to_string());
  std::println(
      "{}: {} variants, {} profiles x {} problems = {} pairs, {} plans ({} over a limit), {} programs rendered, {} "
      "compiled, {} warnings, {} problems",
      package.name(), package.variant_ids().size(), profiles.size(), problems.size(), report.pairs, report.plans,
      report.refused, report.programs, report.compiled, report.warnings.size(), report.problems.size());
  if (report.nothing > 0 && !globals.quiet) {
    std::println("{} pairs have no variant that runs:", report.nothing);
    for (const Error& remark : report.remarks) std::println("{}", remark.to_string());
  }
  if (report.unsized > 0 && !globals.quiet)
    std::println("{} programs have workgroup memory whose size the text does not tell", report.unsized);
  return report.problems.empty() ? 0 : 1;
}

Action add(CLI::App& sub, const Globals& globals) {
  auto options = std::make_shared<Options>();
  sub.add_option("package", options->package, "a package's folder, its manifest.json, or its name")->required();
  sub.add_option("--templates", options->templates, "take the templates from this folder");
  sub.add_option("--profiles", options->profiles,
                 "device profiles: files or folders (default: the folder profiles near the package, and those in it)");
  sub.add_option("--cases", options->cases,
                 "problems to try besides the usual spread (default: the package's cases.json)");
  sub.add_flag("--no-compile", options->no_compile, "do not compile the shaders");
  return [options, &globals] { return run(*options, globals); };
}

const Registration registration{"lint", 25,
                                "check a package: manifest, every variant on every modelled profile, the shaders",
                                "halfbyte lint kernels/com.microsoft.MatMulNBits", add};

}  // namespace
}  // namespace halfbyte::cmd::lint_command
