// Correctness cases as data: cases.json of a package -> input tensors, the expected output, and whether a measured one passes.
// A case is a request (select/problem.hpp) plus
//   "fill": one of recipe_names() (docs/numerics.md describes them; default "random"), "seed": n (0: from the run's seed),
//   "tolerance": "bound" (default) | "exact" | "f16_ulp",
//   "expect": {"first":, "last":, "wsum":, "sum":} (shared field cases; checked against the reference), "note": text
// All inputs but `a` are taken as constant, so that prepacking variants are eligible.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "reference/matmul.hpp"
#include "reference/semantics.hpp"
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

// Errors: those of parse_problems, and an unknown fill, tolerance or key of expect.
Result<std::vector<Case>> parse_cases(std::string_view json_text, const std::string& file);

// Everything that compare() needs to bound the rounding errors of any variant; docs/numerics.md defines each.
struct ErrorTerms {
  bool structured = false;         // the products' order must not be taken as random
  bool fresh_digits = false;       // with `structured`: but the digits that each addition rounds away may
  double y2 = 0;                   // sum over outputs of Y^2
  double energy = 0;               // sum over outputs of sum_k a^2 w^2
  double rearranged_energy = 0;    // the same with code^2 + zp^2 for (code - zp)^2
  std::vector<double> rearranged;  // of each output: at least sum_k |a| (|code| + |zp|) |scale|
  std::vector<double> flushable;   // of each output: sum |a||w| of the terms with a subnormal a or scale; empty: none
};

struct CaseData {
  std::map<std::string, HostTensor, std::less<>> inputs;  // by manifest key, in the operator's own layout
  std::string output_key;
  TensorDesc output;
  std::vector<double> expected;   // row-major, of the output's shape
  std::vector<double> magnitude;  // sum_k |a| |w| of each element, for the bound
  // Ours: the problem with `constant` filled in (every input but `a`, unless the case names its own); select from this one.
  Problem problem;
  Semantics semantics;
  BlockShape shape;
  ErrorTerms terms;
};

// Fills the inputs (deterministic in case and run_seed) and computes the reference in double from the values as stored.
// Padding is poisoned: codes at k >= K and unused zero point slots are all ones, scales of padded columns NaN.
// Errors: invalid_argument (an input that the operator lacks, a shape that does not fit, a recipe that does not apply, an
// `expect` that the reference does not reproduce).
Result<CaseData> make_case_data(const Package& package, const Case& c, uint64_t run_seed);

// The same for inputs that the caller has (a model's layer). Their contents are taken as random, not as structured.
Result<CaseData> case_data_from_inputs(const Package& package, const Problem& problem,
                                       std::map<std::string, HostTensor, std::less<>> inputs);

// As above, with the semantics and sizes already known (tests, operators without a package).
Result<CaseData> make_case_data(const Semantics& semantics, const BlockShape& shape, const Case& c, uint64_t run_seed);
Result<CaseData> case_data_from_inputs(const Semantics& semantics, const BlockShape& shape, const Problem& problem,
                                       std::map<std::string, HostTensor, std::less<>> inputs, bool structured = false);

// The tensors of `data` as the reference sees them; valid as long as data.inputs is.
MatMulView view_of(const CaseData& data);

struct Numerics {  // what a variant declares (plan.hpp, docs/manifest.md)
  // "f32", "f16", "f16_block32" (f16 within 32 products, f32 beyond), "i32" (exact within a block, f32 beyond).
  std::string accumulate = "f32";
  std::string
      multiply;  // empty or "f32": products are f32; "f16": weights and products are rounded to f16; "i8": exact
  // Empty, "f16" (float32 A is rounded to it), "int8" (a scale for each 128 values of a row of A), "int8/32" (for each 32),
  // "int8/row" (one for a row).
  std::string activations;
};

struct Comparison {
  bool pass = false;
  // "bound": relative Frobenius error and its bound. "exact" and "f16_ulp": the largest error and allowance, in units of
  // the allowance (bound 1), or plain largest error and 0 where nothing is allowed.
  double error = 0;
  double bound = 0;
  double max_abs_error = 0;
  int64_t worst = -1;  // element with the largest error
  double worst_got = 0, worst_expected = 0;
  int64_t nans = 0;  // unexpected NaN or infinity
  std::string why;   // one sentence when it fails
};

// docs/numerics.md derives the bound. NaN never passes (unless the reference is NaN there). Fails too when the variant's
// numerics are not allowed by the problem's accuracy_level.
Comparison compare(const Case& c, const CaseData& data, const HostTensor& output, const Numerics& numerics);

}  // namespace halfbyte
