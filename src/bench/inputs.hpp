// Tensors to measure with: as large as a model's, so made quickly, and with bits like a model's, since power and clocks follow the data.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

// Every input of the problem: codes and packed zero points are random bits, activations and bias normal(0, 1), scales such that
// outputs are about as large as activations. The same seed gives the same tensors. Errors: those of resolve_operator;
// unsupported: an input that the package's semantics do not name; out_of_memory.
Result<std::map<std::string, HostTensor, std::less<>>> random_inputs(const Package& package, const Problem& problem,
                                                                     uint64_t seed);

// The problem with every input but the activations taken as constant, unless it names constant inputs itself.
Result<Problem> with_constant_weights(const Package& package, Problem problem);

}  // namespace halfbyte
