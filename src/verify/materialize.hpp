// Recipe -> tensors in the operator's layouts, padding poisoned.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "reference/semantics.hpp"
#include "select/problem.hpp"
#include "tensor/host_tensor.hpp"
#include "verify/recipe.hpp"

namespace halfbyte {

// Errors: an input of the problem whose shape does not fit `shape` and the layouts, or that the semantics do not know.
Result<std::map<std::string, HostTensor, std::less<>>> materialize(const Recipe& recipe, const Semantics& semantics,
                                                                   const BlockShape& shape, const Problem& problem);

}  // namespace halfbyte
