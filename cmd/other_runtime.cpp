#include "other_runtime.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/roofline.hpp"
#include "io/files.hpp"
#include "verify/operator.hpp"

extern char** environ;

namespace halfbyte::cmd {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Result<std::string> find_script() {
  std::vector<fs::path> folders;
  std::error_code ignored;
  if (const char* given = std::getenv("HALFBYTE_ORT"); given != nullptr && *given != '\0') {
    folders = {given};
  } else {
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    folders = {"bench/ort", program / "bench/ort", program / "../bench/ort", program / "../../bench/ort"};
  }
  Error error{ErrorCode::not_found,
              "the script that runs ONNX Runtime, run.mjs, was not found; HALFBYTE_ORT can name its folder",
              {},
              {}};
  for (const fs::path& folder : folders) {
    const fs::path script = folder / "run.mjs";
    if (fs::exists(script, ignored)) return fs::absolute(script, ignored).string();
    error.notes.push_back(script.string() + " is not there");
  }
  return fail(std::move(error));
}

Result<std::string> cases_text(const Package& package, std::span<const BenchCase> cases) {
  Json list = Json::array();
  std::set<std::string> seen;
  for (const BenchCase& c : cases) {
    HB_TRY(const Work work, work_of(package, c.problem));
    HB_TRY(const Operator op, resolve_operator(package, c.problem));
    Json item{{"M", work.M}, {"K", work.K}, {"N", work.N}, {"bits", work.bits}, {"block_size", work.block_size}};
    item["dtype"] = name(c.problem.inputs.find(op.semantics.a)->second.dtype);
    item["zero_points"] = c.problem.inputs.contains(op.semantics.zero_points.input);
    const auto level = c.problem.attrs.find("accuracy_level");
    item["accuracy_level"] = level == c.problem.attrs.end() ? 0.0 : std::get<double>(level->second);
    if (seen.insert(item.dump()).second) list.push_back(std::move(item));
  }
  return list.dump();
}

// Runs a program and waits. Errors: not_found (it is not there), gpu (it ended with another code than 0).
Result<void> run_program(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  // What it prints is progress: to our stderr, since our stdout is for data.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return fail(ErrorCode::not_found, std::format("{} cannot be run: {}", arguments[0], std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how =
      WIFEXITED(status) ? std::format("exit code {}", WEXITSTATUS(status)) : std::format("signal {}", WTERMSIG(status));
  return fail(ErrorCode::gpu, std::format("{} ended with {}", arguments.size() > 1 ? arguments[1] : arguments[0], how));
}

}  // namespace

Result<std::string> run_onnxruntime(const Package& package, std::span<const BenchCase> cases, const Globals& globals) {
  HB_TRY(const std::string script, find_script());
  HB_TRY(const std::string text, cases_text(package, cases));
  std::error_code ignored;
  const fs::path folder = fs::temp_directory_path(ignored);
  const std::string base = (folder / std::format("halfbyte-ort-{}", getpid())).string();
  const std::string in = base + ".in.json", out = base + ".out.json";
  HB_CHECK(write_file(in, text));
  // A bundle has its own node beside the script.
  const fs::path bundled = fs::path(script).parent_path() / "node";
  std::vector<std::string> arguments{
      fs::exists(bundled, ignored) ? bundled.string() : "node", script, "--cases", in, "--out", out};
  if (!show_progress(globals)) arguments.emplace_back("--quiet");
  const Result<void> ran = run_program(arguments);
  auto result = ran ? read_text(out) : Result<std::string>(std::unexpected(ran.error()));
  fs::remove(in, ignored);
  fs::remove(out, ignored);
  return result;
}

}  // namespace halfbyte::cmd
