// How a subcommand hooks into the halfbyte program. One file per subcommand:
//
//   namespace halfbyte::cmd::quantize_command {  // of its own: all of cmd is compiled together
//   namespace {
//   struct Options { ... };
//   Result<int> run(const Options& options, const Globals& globals);
//   Action add(CLI::App& sub, const Globals& globals) { auto o = std::make_shared<Options>(); sub.add_option(...); return [=, &globals] { return run(*o, globals); }; }
//   const Registration registration{"quantize", 80, "write a model with its MatMul weights quantized", "halfbyte quantize in.onnx out.onnx --bits 4", add};
//   }
//   }
//
// Data goes to stdout, progress and warnings to stderr (progress only when it is a terminal and not --quiet).
// Exit codes: 0 ok, 1 a check failed (or the GPU did), 2 bad usage or input.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace halfbyte::cmd {

struct Globals {
  std::string adapter;           // name part, index or backend; empty: the best one
  std::string tuning;            // tuning records
  std::optional<uint64_t> seed;  // empty: fresh, printed
  bool quiet = false;
};

using Action = std::function<Result<int>()>;
using AddCommand = Action (*)(CLI::App& sub, const Globals& globals);

struct Registration {
  // order: position in --help. example: one command line, shown by `--help` of the subcommand.
  Registration(const char* name, int order, const char* summary, const char* example, AddCommand add);
};

// The seed to use: the given one, or a fresh one. The caller prints it.
uint64_t seed_or_fresh(const Globals& globals);

// True when progress may be drawn.
bool show_progress(const Globals& globals);

// Redraws one line on stderr; an empty text clears it.
void progress_line(const std::string& text);

}  // namespace halfbyte::cmd
