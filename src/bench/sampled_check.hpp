// Is a kernel's result right? Of a product as large as a model's only some rows and columns are computed on the host: those form a
// small product of their own, with its own exact reference and error bound. Every other element must at least be a number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "tensor/host_tensor.hpp"
#include "verify/case.hpp"

namespace halfbyte {

struct SampledCheck {
  std::vector<int64_t> rows, columns;  // ascending, of Y as [M][N]
  int64_t M = 0, N = 0;
  Case c;
  CaseData data;  // of the small product
};

// Rows and columns are picked at random, with the first and the last, and those beside multiples of 64 in between.
// Errors: those of case_data_from_inputs.
Result<SampledCheck> make_sampled_check(const Package& package, const Problem& problem,
                                        const std::map<std::string, HostTensor, std::less<>>& inputs, uint64_t seed,
                                        int64_t most_rows = 16, int64_t most_columns = 96);

// `output`: all of Y, poisoned with NaN before the kernel ran.
Comparison check(const SampledCheck& sampled, const HostTensor& output, const Numerics& numerics);

}  // namespace halfbyte
