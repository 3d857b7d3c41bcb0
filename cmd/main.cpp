#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <print>
#include <random>
#include <vector>

#include "command.hpp"

namespace halfbyte::cmd {
namespace {

struct Entry {
  std::string name;
  int order;
  std::string summary, example;
  AddCommand add;
};

std::vector<Entry>& entries() {
  static std::vector<Entry> list;
  return list;
}

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::device_lost:
    case ErrorCode::gpu:
    case ErrorCode::out_of_memory:
    case ErrorCode::timeout:
    case ErrorCode::internal: return 1;
    default: return 2;
  }
}

int run_program(int argc, char** argv) {
  CLI::App app{"N-bit block-quantized matrix multiplication on any WebGPU device", "halfbyte"};
  app.require_subcommand(1);
  app.fallthrough();
  Globals globals;
  app.add_option("--adapter", globals.adapter, "part of the adapter's name, its index, or a backend");
  app.add_option("--tuning", globals.tuning, "tuning records (default: the cache folder's)");
  app.add_option("--seed", globals.seed, "seed of random inputs (default: fresh, printed)");
  app.add_flag("--quiet", globals.quiet, "no progress, no remarks");

  std::ranges::sort(entries(), {}, &Entry::order);
  Action action;
  for (const Entry& entry : entries()) {
    CLI::App* sub = app.add_subcommand(entry.name, entry.summary);
    sub->footer("Example:\n  " + entry.example);
    sub->callback([&action, run = entry.add(*sub, globals)] { action = run; });
  }
  // CLI11 would only say that a subcommand is required.
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(entries(), argv[1], &Entry::name) == entries().end()) {
    std::string names;
    for (const Entry& entry : entries()) names += (names.empty() ? "" : ", ") + entry.name;
    std::println(stderr, "halfbyte: unknown subcommand \"{}\"; there are {}", argv[1], names);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const Result<int> code = action();
  if (code) return *code;
  progress_line("");
  std::println(stderr, "halfbyte: {}", code.error().to_string());
  return exit_code(code.error().code);
}

}  // namespace

Registration::Registration(const char* name, int order, const char* summary, const char* example, AddCommand add) {
  entries().push_back({name, order, summary, example, add});
}

uint64_t seed_or_fresh(const Globals& globals) { return globals.seed ? *globals.seed : std::random_device{}(); }

bool show_progress(const Globals& globals) { return !globals.quiet && isatty(STDERR_FILENO) == 1; }

void progress_line(const std::string& text) {
  static bool drawn = false;
  if (text.empty() && !drawn) return;
  std::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  drawn = !text.empty();
}

}  // namespace halfbyte::cmd

int main(int argc, char** argv) { return halfbyte::cmd::run_program(argc, argv); }
