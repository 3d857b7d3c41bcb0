// Several products of the same activations as one: q, k and v, or gate and up. One dispatch instead of several, and one problem for the engine to
// prepare; the arithmetic of each column stays what it was.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

// One product's constants: attributes, and tensors by manifest key, all but the activations.
struct Weights {
  std::map<std::string, AttrValue, std::less<>> attributes;
  std::map<std::string, HostTensor, std::less<>> tensors;
};

struct JoinedWeights {
  Weights weights;
  // Where the columns of each part begin in a row of Y, and after the last part the number of all columns.
  std::vector<int64_t> first;
};

// The parts' columns one after the other, in the order given. Attributes must be equal but for the one that says what N is, dtypes too.
// `activations`: what all of them read, any number of rows.
// Where some parts have a bias or zero points and others do not, those get what their absence means: 0, and 2^(bits - 1). Trailing columns that only pad
// scales are left out. A result may be summed in another order than alone (N is among what decides how K is split), never outside its error bound.
// Errors: invalid_argument (no parts; names the part's number, the attribute or tensor, what it is and what it must be), unsupported (the
// package does not say what it computes).
Result<JoinedWeights> join_weights(const Package& package, const TensorDesc& activations,
                                   std::span<const Weights> parts);

}  // namespace halfbyte
