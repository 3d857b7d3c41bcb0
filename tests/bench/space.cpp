#include "space.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace halfbyte::cli_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Shared {
  Workspace space;
  bool adapter = false;
  Outcome measured;
  std::string few;

  Shared() {
    setenv("XDG_CACHE_HOME", (space.path() / "cache").c_str(), 1);
    adapter = space.halfbyte({"device"}).exit_code == 0;
    if (!adapter) return;
    measured = space.halfbyte({"device", "--measure", "--json", "--seed", "5"});
    few = (space.path() / "few").string();
    fs::copy(kPackage, few, fs::copy_options::recursive);
    Json manifest = Json::parse(space.read("few/manifest.json"));
    // The others stay, since shared derives use their names, and never run.
    for (Json& variant : manifest.at("variants")) {
      const std::string id = variant.at("id");
      if (id != "scalar" && id != "prefill_tile4x4" && id != "gemv") variant["when"] = Json::array({"1 == 2"});
    }
    space.write("few/manifest.json", manifest.dump(1));
  }
};

// Made by the first test, gone with the last.
std::unique_ptr<Shared>& shared() {
  static auto all = std::make_unique<Shared>();
  return all;
}

class End : public ::testing::Environment {
  void TearDown() override { shared().reset(); }
};
[[maybe_unused]] const auto* const kEnd = ::testing::AddGlobalTestEnvironment(new End);

}  // namespace

void Bench::SetUp() {
  if (!shared()->adapter) GTEST_SKIP() << "no WebGPU adapter here";
}

const Workspace& Bench::space() { return shared()->space; }
const Outcome& Bench::measured() { return shared()->measured; }
const std::string& Bench::few() { return shared()->few; }

Outcome Bench::bench(const std::string& package, std::vector<std::string> more) {
  std::vector<std::string> arguments{"bench", package, "--cases", kTiny, "--stored-peaks"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return space().halfbyte(arguments);
}

}  // namespace halfbyte::cli_test
