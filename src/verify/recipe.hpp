// What to put into a case's inputs: one rule for each tensor, in the words of the formula and free of layouts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "quant/block_shape.hpp"
#include "tensor/dtype.hpp"

namespace halfbyte {

struct Recipe {
  std::function<double(int64_t r, int64_t k)>
      a;  // r: flattened row. Every rule is called once for each element, in order
  std::function<int(int64_t n, int64_t k)> code;
  std::function<double(int64_t n, int64_t block)> scale;
  std::function<double(int64_t n, int64_t block)> zero_point;
  std::function<double(int64_t n)> bias;
  // The products of one output keep an order that a rounding-error analysis must not take as random (docs/numerics.md).
  bool structured = false;
  // With `structured`: A has random digits of its type at every k, and each output weights of its own, so that what additions round away is
  // independent from one to the next although the signs are not.
  bool fresh_digits = false;
};

struct RecipeInput {
  BlockShape shape;
  int64_t M = 0;
  DType dtype = DType::float32;  // of A
  bool has_zero_points = false;
  bool packed_zero_points = false;  // uint8: whole numbers from 0 to 2^bits-1 only
  uint64_t seed = 0;
};

// Errors: an unknown name (the message lists the known ones), a problem that the recipe is not made for.
Result<Recipe> make_recipe(const std::string& name, const RecipeInput& input);

const std::vector<std::string>& recipe_names();

}  // namespace halfbyte
