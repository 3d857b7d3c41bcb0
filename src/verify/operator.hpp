// A package's semantics, made concrete for one problem.
#pragma once

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "reference/semantics.hpp"
#include "select/problem.hpp"

namespace halfbyte {

struct Operator {
  Semantics semantics;
  BlockShape shape;
};

// Errors: unsupported (the package says nothing of its semantics), invalid_argument (K, N, bits or block_size cannot be
// evaluated for this problem, or are not positive integers).
Result<Operator> resolve_operator(const Package& package, const Problem& problem);

}  // namespace halfbyte
