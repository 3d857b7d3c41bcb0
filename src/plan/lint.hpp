// Every variant of a package on every profile: does it plan, render, fit the device that it claims to fit, and compile?
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "select/profile.hpp"

namespace halfbyte {

struct LintReport {
  std::vector<Error> problems;  // what is wrong. Equal ones are given once, notes hold an example
  std::vector<Error> warnings;  // the package's: what is superfluous in it. No reason to refuse it
  // Why pairs have no variant that runs, each once with an example: a limit with its numbers, or why the variant preferred most
  // among those that came closest (the last in the manifest, where operators keep their fallback) is not eligible.
  std::vector<Error> remarks;
  size_t pairs = 0;     // profile x problem
  size_t plans = 0;     // of eligible variants
  size_t refused = 0;   // plans over a limit: not a fault, the next variant is taken
  size_t nothing = 0;   // pairs that no variant can run (a remark, as f16 without shader-f16)
  size_t programs = 0;  // distinct WGSL texts
  size_t compiled = 0;  // of them, checked by `compile`
  size_t unsized = 0;   // programs whose workgroup memory could not be read off the text
};

// Every variant that a profile can choose is rendered, checked against the profile's limits and features, and compiled.
//
// Checks a WGSL text; the label names it in messages. Empty: not compiled.
using CompileCheck = std::function<Result<void>(std::string_view wgsl, std::string_view label)>;

// `progress` is called with the share done, 0..1; may be empty. A variant that no pair makes eligible is a problem: it went unchecked.
LintReport lint(const Package& package, const std::vector<DeviceProfile>& profiles,
                const std::vector<Problem>& problems, const CompileCheck& compile,
                const std::function<void(double)>& progress = {});

// Dtypes x bits x epilogues x M in {1, 4, 64, 512} x accuracy_level {unset, 4}, at sizes with and without tails, weights constant (so that
// prepacking variants are eligible; the others are anyway); empty when the package does not say what it computes.
std::vector<Problem> lint_problems(const Package& package);

}  // namespace halfbyte
