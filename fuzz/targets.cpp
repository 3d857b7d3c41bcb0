#include "targets.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "io/files.hpp"

namespace halfbyte::fuzz {
namespace {

const std::string kSource = HALFBYTE_SOURCE_DIR;

std::vector<std::string> manifest_seeds() {
  std::vector<std::string> seeds = files_of("kernels/com.microsoft.MatMulNBits", "manifest.json");
  for (std::string& text : files_of("kernels/halfbyte.peaks", "manifest.json")) seeds.push_back(std::move(text));
  for (std::string& text : files_of("fuzz/corpus/manifest", "")) seeds.push_back(std::move(text));
  return seeds;
}
std::vector<std::string> template_seeds() {
  std::vector<std::string> seeds = files_of("kernels/com.microsoft.MatMulNBits", ".jinja");
  for (std::string& text : files_of("fuzz/corpus/template", "")) seeds.push_back(std::move(text));
  return seeds;
}
std::vector<std::string> request_seeds() { return files_of("tests/golden", "requests.json"); }
std::vector<std::string> case_seeds() { return files_of("kernels/com.microsoft.MatMulNBits", "cases.json"); }
std::vector<std::string> profile_seeds() { return files_of("profiles", ".json"); }

const std::vector<std::string_view> kJsonWords{
    "{",       "}",       "[",        "]",       ",",     ":",      "\"\"",       "null",
    "true",    "false",   "0",        "-1",      "1e308", "1e-320", "4294967296", "9007199254740993",
    "\\u0000", "\\ud800", "[[[[[[[[", "{\"a\":", "-0",    "0.5"};
const std::vector<std::string_view> kExpressionWords{"and",
                                                     "or",
                                                     "not",
                                                     "if",
                                                     "else",
                                                     "min(",
                                                     "max(",
                                                     "ceilDiv(",
                                                     "numel(",
                                                     "dim(",
                                                     "has(",
                                                     "pow2ceil(",
                                                     "f16Ok(",
                                                     "matrixConfig(",
                                                     "constant(\"x\")",
                                                     "device.features.has(\"f\")",
                                                     "s0",
                                                     "n0",
                                                     "b0",
                                                     "t0",
                                                     "[",
                                                     "]",
                                                     ":",
                                                     "+",
                                                     "-",
                                                     "*",
                                                     "/",
                                                     "%",
                                                     "==",
                                                     "<=",
                                                     "1e308",
                                                     "(",
                                                     ")",
                                                     "\"",
                                                     "-1"};
const std::vector<std::string_view> kTemplateWords{"{% if ",
                                                   "{% endif %}",
                                                   "{% for i in ",
                                                   "{% endfor %}",
                                                   "{% set x = ",
                                                   "{% set x %}",
                                                   "{% endset %}",
                                                   "{% macro m(a) %}",
                                                   "{% endmacro %}",
                                                   "{{ m(1) }}",
                                                   "{{ ",
                                                   " }}",
                                                   " %}",
                                                   "{#",
                                                   "#}",
                                                   "{%-",
                                                   "-%}",
                                                   "range(",
                                                   "K",
                                                   "dtype",
                                                   "flag",
                                                   "attrs.K",
                                                   " ~ ",
                                                   " % ",
                                                   " * ",
                                                   "[",
                                                   "]",
                                                   "|join",
                                                   "|length",
                                                   " is defined",
                                                   " if ",
                                                   " else ",
                                                   "loop.last",
                                                   "{% else %}",
                                                   "{% elif ",
                                                   "'",
                                                   "\n"};
const std::vector<std::string_view> kWgslWords{"@workgroup_size(",
                                               "const a = ",
                                               "alias T = ",
                                               "array<",
                                               "vec4<f32>",
                                               "atomic<u32>",
                                               "var<workgroup> w: ",
                                               "a",
                                               "*",
                                               "%",
                                               "(",
                                               ")",
                                               ";",
                                               ",",
                                               ">",
                                               "4294967296",
                                               "/*",
                                               "*/",
                                               "//"};

const std::vector<Target>& all() {
  static const std::vector<Target> list{
      {"expression", expression, expression_seeds, kExpressionWords},
      {"manifest", manifest, manifest_seeds, kJsonWords},
      {"template", package_template, template_seeds, kTemplateWords},
      {"wgsl", wgsl, wgsl_seeds, kWgslWords},
      {"requests", requests, request_seeds, kJsonWords},
      {"cases", cases, case_seeds, kJsonWords},
      {"profile", profile, profile_seeds, kJsonWords},
      {"records", records, record_seeds, kJsonWords},
      {"npy", npy, npy_seeds, {"'descr': '<f4'", "'shape': (2, 3)", "(9223372036854775807,)", "True", ", ", "}"}},
#ifdef HALFBYTE_HAS_ONNX
      {"onnx", onnx, onnx_seeds, {"MatMulNBits", "com.microsoft", "block_size", "bits", "K", "N"}},
#endif
  };
  return list;
}

}  // namespace

std::span<const Target> targets() { return all(); }

const Target* find_target(std::string_view name) {
  const auto it = std::ranges::find(all(), name, &Target::name);
  return it == all().end() ? nullptr : &*it;
}

void finding(std::string_view what) {
  std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void check_error(const Error& error, bool whole_file) {
  if (error.message.empty()) finding("an error without a sentence");
  if (error.code == ErrorCode::internal) finding("an error that says it is a bug: " + error.message);
  if (whole_file ? error.where.file.empty() && error.message.find('"') == std::string::npos : error.where.line < 1)
    finding("an error without a place: " + error.to_string());
}

std::vector<std::string> files_of(const std::string& folder, std::string_view ending) {
  std::vector<std::string> paths, contents;
  std::error_code ec;
  for (std::filesystem::directory_iterator it(kSource + "/" + folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().string().ends_with(ending)) paths.push_back(it->path().string());
  std::ranges::sort(paths);
  for (const std::string& path : paths)
    if (auto text = read_text(path)) contents.push_back(std::move(*text));
  return contents;
}

}  // namespace halfbyte::fuzz
