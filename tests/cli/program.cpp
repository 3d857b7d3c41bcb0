#include "program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <format>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string npy_header(const std::string& descr, const std::vector<int64_t>& shape) {
  std::string dims;
  for (const int64_t d : shape) dims += std::to_string(d) + ", ";
  if (shape.size() > 1) dims.resize(dims.size() - 2);
  std::string header = std::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string front = std::string("\x93NUMPY\x01\x00", 8);
  front += static_cast<char>(length & 255);
  front += static_cast<char>(length >> 8);
  return front + header;
}

}  // namespace

Workspace::Workspace() {
  std::string pattern = (fs::temp_directory_path() / "halfbyte-cli-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder in " + pattern);
  path_ = pattern;
}

Workspace::~Workspace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Workspace::write(const std::string& name, std::string_view contents) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream file(path_ / name, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
}

void Workspace::write_npy(const std::string& name, const std::string& descr, const std::vector<int64_t>& shape,
                          std::string_view data) const {
  write(name, npy_header(descr, shape) + std::string(data));
}

std::string Workspace::read(const std::string& name) const { return slurp(path_ / name); }

std::map<std::string, std::string> Workspace::files() const {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(path_))
    if (entry.is_regular_file()) all[fs::relative(entry.path(), path_).string()] = slurp(entry.path());
  return all;
}

Outcome Workspace::halfbyte(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{HALFBYTE_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command);
}

Outcome Workspace::run(const std::vector<std::string>& command) const {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  // Beside the folder, which the test may look through for files that should not be there.
  const std::string out = path_.string() + ".out", err = path_.string() + ".err";

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, path_.c_str());
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);

  Outcome outcome;
  if (failed != 0) {
    outcome.exit_code = 127;
    outcome.err = std::format("cannot start {}: {}", command[0], std::strerror(failed));
    return outcome;
  }
  int status = 0;
  waitpid(child, &status, 0);
  outcome.out = slurp(out);
  outcome.err = slurp(err);
  fs::remove(out);
  fs::remove(err);
  if (WIFEXITED(status))
    outcome.exit_code = WEXITSTATUS(status);
  else
    outcome.err += std::format("ended by signal {}", WTERMSIG(status));
  return outcome;
}

}  // namespace halfbyte::cli_test
