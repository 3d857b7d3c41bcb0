// What an operator computes, as the manifest's `semantics` says it (docs/manifest.md): which tensor is which, and in what
// layout; sizes are a BlockShape beside it. Resolved from a manifest, used by verify to build inputs and by reference to compute the truth.
#pragma once

#include <string>

#include "quant/block_shape.hpp"

namespace halfbyte {

struct Semantics {
  struct Codes {
    std::string input = "bT";
    CodeLayout layout = CodeLayout::onnx;
  };
  struct Blocks {
    std::string input;  // empty: the operator has no such input
    BlockLayout layout = BlockLayout::n_block;
  };
  // Keys of the manifest; an optional input (bias, zero points) may be absent from a problem.
  std::string a = "aT", y = "yT", bias = "biasT";
  Codes codes;
  Blocks scales{"scalesT", BlockLayout::n_block};
  Blocks zero_points{"zeroPointsT", BlockLayout::n_block};
};

}  // namespace halfbyte
