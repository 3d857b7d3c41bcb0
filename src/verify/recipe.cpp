#include "verify/recipe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

#include "verify/rng.hpp"

namespace halfbyte {
namespace {

// One generator for each tensor, so that a present bias does not change the codes.
struct Streams {
  explicit Streams(uint64_t seed) : a(seed, 0), code(seed, 1), scale(seed, 2), zero_point(seed, 3), bias(seed, 4) {}
  Rng a, code, scale, zero_point, bias;
};
using Shared = std::shared_ptr<Streams>;

// Recipes P, Q and R: every value is exact in f16, every f32 sum of products is exact in any order.
Recipe recipe_p(const RecipeInput& in) {
  const int64_t codes = in.shape.max_code() + 1;
  Recipe recipe;
  recipe.a = [](int64_t r, int64_t k) { return (static_cast<double>((5 * r + 3 * k) % 11) - 5) / 8; };
  recipe.code = [codes](int64_t n, int64_t k) { return static_cast<int>((7 * n + 5 * k + k / 9) % codes); };
  recipe.scale = [](int64_t n, int64_t b) { return std::ldexp(1.0, -5 - static_cast<int>((n + 2 * b) % 3)); };
  recipe.zero_point = [codes](int64_t n, int64_t b) { return static_cast<double>((3 * n + 5 * b + 1) % codes); };
  recipe.bias = [](int64_t n) { return (static_cast<double>(n % 7) - 3) / 2; };
  recipe.structured = true;
  return recipe;
}

Recipe recipe_q(const RecipeInput& in) {  // blocks of 16 or more hold a 127, so int8 activations lose nothing
  Recipe recipe = recipe_p(in);
  recipe.a = [](int64_t r, int64_t k) {
    return k % 16 == 0 ? 127.0 : static_cast<double>((37 * r + 29 * k) % 255) - 127;
  };
  recipe.scale = [](int64_t, int64_t) { return 0x1p-5; };
  return recipe;
}

Recipe recipe_r(const RecipeInput& in) {
  Recipe recipe = recipe_p(in);
  const int middle = in.shape.default_zero_point();
  recipe.a = [](int64_t, int64_t) { return 1.0; };
  recipe.code = [middle](int64_t, int64_t) { return middle + 1; };  // 9 at 4 bits
  recipe.scale = [](int64_t n, int64_t) { return static_cast<double>(1 + n % 1021) / 1024; };
  recipe.zero_point = [middle](int64_t, int64_t) { return middle; };
  return recipe;
}

// Weights of the size that trained models have (standard deviation about 0.03); negative scales too, since ONNX Runtime's
// symmetric quantizer makes them; fractional zero points where the type can hold them.
Recipe recipe_random(const RecipeInput& in) {
  auto s = std::make_shared<Streams>(in.seed);
  const int codes = in.shape.max_code() + 1;
  const int middle = in.shape.default_zero_point();
  const double unit = 0.05 / middle;
  const bool packed = in.packed_zero_points;
  Recipe recipe;
  recipe.a = [s](int64_t, int64_t) { return s->a.normal(); };
  recipe.code = [s, codes](int64_t, int64_t) {
    return static_cast<int>(s->code.next() % static_cast<unsigned>(codes));
  };
  recipe.scale = [s, unit](int64_t, int64_t) {
    const double size = unit * s->scale.uniform(0.5, 1.5);
    return s->scale.uniform() < 0.5 ? size : -size;
  };
  recipe.zero_point = [s, codes, packed](int64_t, int64_t) {
    const auto whole = static_cast<double>(s->zero_point.below(codes));
    const auto quarters = static_cast<double>(s->zero_point.below(8));  // half of the values get a fraction
    return packed || quarters >= 4 ? whole : whole + quarters / 4;
  };
  recipe.bias = [s](int64_t) { return s->bias.normal(); };
  return recipe;
}

// A = I: the output is the dequantized weight, bit for bit. Scales of 3 significant bits, so that (code - zp) * scale, and
// code * scale and zp * scale each, are exact in f16 at every number of bits: no way of computing them may differ.
Recipe recipe_identity(const RecipeInput& in) {
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const int64_t K = in.shape.K;
  const int codes = in.shape.max_code() + 1;
  recipe.a = [K](int64_t r, int64_t k) { return r % K == k ? 1.0 : 0.0; };
  recipe.scale = [s](int64_t, int64_t) {
    const double size =
        std::ldexp(static_cast<double>(4 + s->scale.below(4)), -4 - static_cast<int>(s->scale.below(4)));
    return s->scale.uniform() < 0.5 ? size : -size;
  };
  recipe.zero_point = [s, codes](int64_t, int64_t) { return static_cast<double>(s->zero_point.below(codes)); };
  recipe.bias = recipe_p(in).bias;
  recipe.structured = true;
  return recipe;
}

Recipe recipe_max_codes(const RecipeInput& in) {  // the largest sums, without any cancellation
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const int top = in.shape.max_code();
  recipe.a = [s](int64_t, int64_t) { return s->a.uniform(0.5, 1); };
  recipe.code = [top](int64_t, int64_t) { return top; };
  recipe.scale = [s, top](int64_t, int64_t) { return s->scale.uniform(0.5, 1) / (top + 1); };
  recipe.zero_point = [](int64_t, int64_t) { return 0.0; };
  recipe.structured = true;
  recipe.fresh_digits = true;
  return recipe;
}

Recipe recipe_alternating(const RecipeInput& in) {  // neighbours cancel; what is left is 1/1000 of the terms' size
  Recipe recipe = recipe_max_codes(in);
  auto s = std::make_shared<Streams>(in.seed);
  recipe.a = [s](int64_t, int64_t k) { return (k % 2 ? -1 : 1) * (1 + 0.004 * s->a.normal()); };
  return recipe;
}

Recipe recipe_zero_scales(const RecipeInput& in) {  // whole rows too: their output is the bias
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  auto scale = recipe.scale;
  recipe.a = [s](int64_t, int64_t) { return 100 * s->a.normal(); };
  recipe.scale = [scale](int64_t n, int64_t b) {
    const double value = scale(n, b);
    return n % 5 == 0 || (n + b) % 2 == 0 ? 0.0 : value;
  };
  return recipe;
}

// The first half of K adds up to 2^18, beyond f16's 65504, and the second half takes it back, up to a rest of the size of
// the random part; a variant that keeps its sums in f16 gives infinity or NaN.
Recipe recipe_huge(const RecipeInput& in) {
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const int64_t K = in.shape.K;
  const int top = in.shape.max_code();
  const int middle = in.shape.default_zero_point();
  const double weight = 0x1p18 / (static_cast<double>(std::max<int64_t>(K / 2, 1)) * 64);
  recipe.a = [s](int64_t, int64_t) { return 64 * (1 + 0.004 * s->a.normal()); };
  recipe.code = [K, top](int64_t, int64_t k) { return 2 * k < K ? top : 1; };
  recipe.scale = [weight, middle](int64_t, int64_t) { return weight / (middle - 1); };
  recipe.zero_point = [middle](int64_t, int64_t) { return middle; };
  recipe.structured = true;
  return recipe;
}

// A third of A and a quarter of the scales below the smallest normal number of their type.
Recipe recipe_denormal(const RecipeInput& in) {
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const double tiny = in.dtype == DType::float16 ? 0x1p-15 : 0x1p-130;
  recipe.a = [s, tiny](int64_t, int64_t) {
    const double value = s->a.normal();
    return s->a.below(3) == 0 ? tiny * std::min(std::fabs(value), 1.9) : value;
  };
  recipe.scale = [s, tiny](int64_t, int64_t) {
    const double value = s->scale.uniform(0.5, 1.5);
    return s->scale.below(4) == 0 ? tiny * value : 0.01 * value;
  };
  return recipe;
}

Recipe recipe_outlier(const RecipeInput& in) {  // one activation of each row a thousand times the others
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const int64_t K = in.shape.K;
  recipe.a = [s, K](int64_t r, int64_t k) { return s->a.normal() * ((r * 7919 + 13) % K == k ? 1000 : 1); };
  return recipe;
}

Recipe recipe_fractional_zp(const RecipeInput& in) {
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const double top = in.shape.max_code();
  recipe.zero_point = [s, top](int64_t, int64_t) { return s->zero_point.uniform(0, top); };
  return recipe;
}

Recipe recipe_out_of_range_zp(const RecipeInput& in) {  // a float zero point need not be a code
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const double top = in.shape.max_code();
  const std::array<double, 6> values{-1, -7.5, top + 1, top + 20.25, -300, 2 * top + 3};
  recipe.zero_point = [s, values](int64_t, int64_t) {
    return values[static_cast<size_t>(s->zero_point.below(static_cast<int64_t>(values.size())))];
  };
  return recipe;
}

// Rows 0 and 1 of A are all 0 and all -0; the other rows are 0 in every other run of 32; odd blocks of B hold the zero point.
Recipe recipe_zero_blocks(const RecipeInput& in) {
  Recipe recipe = recipe_random(in);
  auto s = std::make_shared<Streams>(in.seed);
  const int64_t block_size = in.shape.block_size;
  const int codes = in.shape.max_code() + 1;
  const bool given = in.has_zero_points;
  const int middle = in.shape.default_zero_point();
  const auto zero_point = [codes, given, middle](int64_t n, int64_t b) {
    return given ? static_cast<int>((3 * n + 5 * b + 1) % codes) : middle;
  };
  auto code = recipe.code;
  recipe.a = [s](int64_t r, int64_t k) {
    const double value = s->a.normal();
    if (r == 0) return 0.0;
    if (r == 1) return -0.0;
    return (k / 32 + r) % 2 == 0 ? 0.0 : value;
  };
  recipe.code = [code, zero_point, block_size](int64_t n, int64_t k) {
    const int value = code(n, k);
    return (k / block_size) % 2 ? zero_point(n, k / block_size) : value;
  };
  recipe.zero_point = zero_point;
  return recipe;
}

// field-case C01: A = 8, scale 0.5, +3.5 * 8 for one half of K and -3.5 * 8 for the other: Y is the bias exactly.
// runs = 0: halves; else signs change every `runs` elements.
Recipe recipe_c01(const RecipeInput& in, int64_t runs) {
  Recipe recipe = recipe_p(in);
  const int64_t K = in.shape.K;
  const int top = in.shape.max_code();
  const int middle = in.shape.default_zero_point();
  recipe.a = [](int64_t, int64_t) { return 8.0; };
  recipe.code = [K, top, runs](int64_t, int64_t k) { return (runs ? (k / runs) % 2 == 0 : 2 * k < K) ? top : 1; };
  recipe.scale = [](int64_t, int64_t) { return 0.5; };
  recipe.zero_point = [middle](int64_t, int64_t) { return middle; };
  return recipe;
}

Recipe recipe_c03(const RecipeInput& in) {  // one huge channel that only int8 activations get wrong
  Recipe recipe = recipe_p(in);
  const int middle = in.shape.default_zero_point();
  recipe.a = [](int64_t, int64_t k) { return k == 0 ? 1000.0 : 0.9; };
  recipe.code = [middle](int64_t n, int64_t k) {
    return n % 2 == 0 ? (k == 0 ? middle : middle + 1) : (k == 0 ? middle + 1 : middle);
  };
  recipe.scale = [](int64_t n, int64_t) { return n % 2 == 0 ? 1.0 : 0.01; };
  recipe.zero_point = [middle](int64_t, int64_t) { return middle; };
  return recipe;
}

Recipe recipe_c04(const RecipeInput& in) {  // rows whose int8 scale would be 0/0
  Recipe recipe = recipe_p(in);
  auto a = recipe.a;
  recipe.a = [a](int64_t r, int64_t k) {
    if (r == 0 || (r == 1 && k < 32)) return 0.0;
    if (r == 2) return -0.0;
    return r == 3 ? 1e-38 : a(r, k);
  };
  return recipe;
}

Recipe recipe_c12(const RecipeInput& in) {  // 2-bit levels -1, -1/3, 1/3, 1 need the zero point 1.5
  Recipe recipe = recipe_identity(in);
  const int codes = in.shape.max_code() + 1;
  recipe.code = [codes](int64_t, int64_t k) { return static_cast<int>(k % codes); };
  recipe.scale = [](int64_t, int64_t) { return 0.5; };
  recipe.zero_point = [](int64_t, int64_t) { return 1.5; };
  return recipe;
}

// Weights are 1 and each row of A has one non-zero element: a special number of f16, which must come out as it went in.
Recipe recipe_c27(const RecipeInput& in) {
  Recipe recipe = recipe_p(in);
  const int64_t K = in.shape.K;
  const int middle = in.shape.default_zero_point();
  const std::array<double, 6> specials{0x1p-24, 65504, -0.0, -0x1p-24, 0x1.ffcp-15, -65504};
  recipe.a = [K, specials](int64_t r, int64_t k) { return r % K == k ? specials[static_cast<size_t>(r % 6)] : 0.0; };
  recipe.code = [middle](int64_t, int64_t) { return middle + 1; };
  recipe.scale = [](int64_t, int64_t) { return 1.0; };
  recipe.zero_point = [middle](int64_t, int64_t) { return middle; };
  return recipe;
}

Recipe recipe_c42(const RecipeInput& in) {  // a bias that shows at once where it is added twice, or not at all
  Recipe recipe = recipe_p(in);
  recipe.bias = [](int64_t n) { return 1000.0 * static_cast<double>(n); };
  return recipe;
}

struct Entry {
  std::string_view name;
  Recipe (*make)(const RecipeInput&);
  bool float_zero_points;  // makes no sense without an input for zero points that can hold any number
};

constexpr std::array kEntries{
    Entry{"random", recipe_random, false},
    Entry{"P", recipe_p, false},
    Entry{"Q", recipe_q, false},
    Entry{"R", recipe_r, false},
    Entry{"identity", recipe_identity, false},
    Entry{"max_codes", recipe_max_codes, false},
    Entry{"alternating", recipe_alternating, false},
    Entry{"zero_scales", recipe_zero_scales, false},
    Entry{"huge", recipe_huge, false},
    Entry{"denormal", recipe_denormal, false},
    Entry{"outlier", recipe_outlier, false},
    Entry{"fractional_zp", recipe_fractional_zp, true},
    Entry{"out_of_range_zp", recipe_out_of_range_zp, true},
    Entry{"zero_blocks", recipe_zero_blocks, false},
    Entry{"C01", [](const RecipeInput& in) { return recipe_c01(in, 0); }, false},
    Entry{"C01_runs", [](const RecipeInput& in) { return recipe_c01(in, 128); }, false},
    Entry{"C03", recipe_c03, false},
    Entry{"C04", recipe_c04, false},
    Entry{"C12", recipe_c12, true},
    Entry{"C27", recipe_c27, false},
    Entry{"C42", recipe_c42, false},
};

}  // namespace

const std::vector<std::string>& recipe_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Entry& e : kEntries) list.emplace_back(e.name);
    return list;
  }();
  return names;
}

Result<Recipe> make_recipe(const std::string& name, const RecipeInput& input) {
  for (const Entry& e : kEntries) {
    if (e.name != name) continue;
    if (e.float_zero_points && (!input.has_zero_points || input.packed_zero_points))
      return fail(ErrorCode::invalid_argument,
                  std::format("fill {} needs zero points of a float type, but the case has {}", name,
                              input.has_zero_points ? "packed uint8 ones" : "none"));
    return e.make(input);
  }
  std::string known;
  for (const Entry& e : kEntries) known += (known.empty() ? "" : ", ") + std::string(e.name);
  return fail(ErrorCode::invalid_argument, std::format("fill \"{}\" is not known; known are {}", name, known));
}

}  // namespace halfbyte
