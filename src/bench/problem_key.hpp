// What two problems must share for a measurement of one to say something of the other: everything but the number of rows.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"

namespace halfbyte {

struct ProblemKey {
  // "K=4096 N=4096 accuracy_level=0 bits=4 block_size=32 | aT float16[*,4096] bT uint8[4096,128,16] ... | constant bT scalesT":
  // attributes with the manifest's defaults filled in, sorted. Rows in any number of dimensions fold into the star.
  std::string signature;
  int64_t M = 0;
};

// Errors: those of resolve_operator.
Result<ProblemKey> problem_key(const Package& package, const Problem& problem);

}  // namespace halfbyte
