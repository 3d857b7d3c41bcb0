// Runs the built halfbyte program as a user's shell would.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace halfbyte::cli_test {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal, which `err` then says
  std::string out, err;
};

// An empty folder of its own, which is also the program's current one; gone with the object.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view contents) const;
  // numpy's own header, written here and not by the code under test. descr: "<f4".
  void write_npy(const std::string& name, const std::string& descr, const std::vector<int64_t>& shape,
                 std::string_view data) const;
  std::string read(const std::string& name) const;
  // Relative path -> contents of every file there.
  std::map<std::string, std::string> files() const;

  Outcome halfbyte(const std::vector<std::string>& arguments) const;
  // Any program that is found in PATH.
  Outcome run(const std::vector<std::string>& command) const;

 private:
  std::filesystem::path path_;
};

}  // namespace halfbyte::cli_test
