// Correctness cases as data: cases.json of a package -> input tensors, the expected output, and whether a measured one passes.
// A case is a request (select/problem.hpp) plus
//   "fill": "random" | "P" | "Q" | "R" | "identity" | adversarial sets ... (docs/numerics.md lists them), "seed": n,
//   "tolerance": "bound" (default) | "exact" | "f16_ulp", "expect": {"first":, "last":, "wsum":} (field-cases.md), "note"
// All inputs but `a` are taken as constant, so that prepacking variants are eligible.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

struct Case {
  Problem problem;
  std::string fill = "random";
  uint64_t seed = 0;  // 0: derived from the run's seed
  std::string tolerance = "bound";
  std::map<std::string, double> expect;
  std::string note;
};

Result<std::vector<Case>> parse_cases(std::string_view json_text, const std::string& file);

struct CaseData {
  std::map<std::string, HostTensor, std::less<>> inputs;  // by manifest key, in the operator's own layout
  std::string output_key;
  TensorDesc output;
  std::vector<double> expected;  // row-major, of the output's shape
  std::vector<double> magnitude; // sum_k |a| |w| of each element, for the bound
};

// Fills the inputs (deterministic in case and run_seed) and computes the reference in double from the values as stored.
Result<CaseData> make_case_data(const Package& package, const Case& c, uint64_t run_seed);

struct Numerics {  // what a variant declares (plan.hpp)
  std::string accumulate = "f32", multiply, activations;
};

struct Comparison {
  bool pass = false;
  double error = 0;   // relative Frobenius, or the element-wise excess where tolerance asks for it
  double bound = 0;
  double max_abs_error = 0;
  int64_t worst = -1;          // element with the largest error
  double worst_got = 0, worst_expected = 0;
  int64_t nans = 0;            // unexpected NaN or infinity
  std::string why;             // one sentence when it fails
};

// docs/numerics.md derives the bound. NaN never passes (unless the reference is NaN there).
Comparison compare(const Case& c, const CaseData& data, const HostTensor& output, const Numerics& numerics);

}  // namespace halfbyte
