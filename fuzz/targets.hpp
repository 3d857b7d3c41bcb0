// What bytes from strangers reach, as functions that libFuzzer (fuzz/libfuzzer_main.cpp) and a plain test (fuzz/replay_test.cpp) call.
// A target returns when the bytes were read or refused, and ends the process with finding() when a promise is broken: an error without a place,
// a value that does not survive writing and reading.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace halfbyte::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
  std::vector<std::string> (*seeds)();  // real inputs: the project's own files, and ones made with its own writers
  std::vector<std::string_view> words;  // what mutations like to insert
};

std::span<const Target> targets();
const Target* find_target(std::string_view name);

[[noreturn]] void finding(std::string_view what);

// An error of reading a text must say where; `whole_file`: the file is enough (bytes, or the whole is wrong).
void check_error(const Error& error, bool whole_file = false);

// Contents of the files of a folder of the checkout whose names end so.
std::vector<std::string> files_of(const std::string& folder, std::string_view ending);

// ---- the targets, by what they read
void expression(std::string_view input);
void manifest(std::string_view input);
void package_template(std::string_view input);
void wgsl(std::string_view input);
void requests(std::string_view input);
void cases(std::string_view input);
void profile(std::string_view input);
void records(std::string_view input);
void npy(std::string_view input);
std::vector<std::string> expression_seeds();
std::vector<std::string> wgsl_seeds();
std::vector<std::string> record_seeds();
std::vector<std::string> npy_seeds();
#ifdef HALFBYTE_HAS_ONNX
void onnx(std::string_view input);
std::vector<std::string> onnx_seeds();
#endif

}  // namespace halfbyte::fuzz
