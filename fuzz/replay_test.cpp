// Every target on its seeds, on the inputs that once were findings (fuzz/corpus), and for a second on mutations of them: what the tests can afford
// of ./dev fuzz, without its instrumentation. HALFBYTE_FUZZ_SECONDS: longer, for each target.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <print>
#include <random>

#include "targets.hpp"

namespace halfbyte::fuzz {
namespace {

// A crash leaves its input behind.
std::string current_input, input_path;
void leave_input(int signal) {
  const int fd = ::open(input_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd >= 0 && ::write(fd, current_input.data(), current_input.size()) >= 0) ::close(fd);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

uint64_t fresh_seed() {
  if (const char* given = std::getenv("HALFBYTE_TEST_SEED")) return std::strtoull(given, nullptr, 10);
  return std::random_device{}();
}

std::string mutated(const Target& target, const std::vector<std::string>& seeds, std::mt19937_64& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random() % n); };
  std::string text = seeds[below(seeds.size())];
  for (size_t changes = 1 + below(6); changes > 0; --changes) {
    const size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        if (!text.empty()) text[at % text.size()] = static_cast<char>(random());
        break;
      case 1: text.insert(at, target.words[below(target.words.size())]); break;
      case 2: text.erase(at, 1 + below(16)); break;
      case 3: text.insert(at, text.substr(below(text.size() + 1), 1 + below(64))); break;
      case 4: {
        const std::string& other = seeds[below(seeds.size())];
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
        break;
      }
      default: {
        const std::string piece = text.substr(at, 1 + below(8));
        std::string repeated;
        for (size_t i = 0; i < 200; ++i) repeated += piece;
        text.insert(at, repeated);
      }
    }
  }
  return text;
}

class Fuzz : public ::testing::TestWithParam<std::string_view> {
 protected:
  void one(const Target& target, const std::string& input) {
    current_input = input;
    const auto start = std::chrono::steady_clock::now();
    target.run(input);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (took < 20) return;
    leave_input(0);
    FAIL() << "one input took " << took << " s, it is in " << input_path;
  }
};

TEST_P(Fuzz, SeedsFindingsAndMutations) {
  const Target& target = *find_target(GetParam());
  input_path = std::format("fuzz-input-{}", target.name);
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, leave_input);
  std::vector<std::string> seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) one(target, seed);
  for (const std::string& found : files_of("fuzz/corpus/" + std::string(target.name), "")) one(target, found);
  const uint64_t seed = fresh_seed();
  std::mt19937_64 random(seed);
  RecordProperty("seed", std::to_string(seed));
  size_t runs = 0;
  const char* wanted = std::getenv("HALFBYTE_FUZZ_SECONDS");
  const std::chrono::seconds limit(wanted ? std::max(1, std::atoi(wanted)) : 1);
  for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < limit; ++runs)
    one(target, mutated(target, seeds, random));
  std::println("{}: {} seeds, {} mutations, HALFBYTE_TEST_SEED={}", target.name, seeds.size(), runs, seed);
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const Target& target : targets()) list.push_back(target.name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, ::testing::ValuesIn(names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace halfbyte::fuzz
