#include "select/matmul_problem.hpp"

#include <algorithm>

#include "manifest/manifest.hpp"

namespace halfbyte {
namespace {

constexpr int64_t kMostElements = 2147483647;

Result<void> check(const MatmulCall& call) {
  for (const auto& [what, value, least] : {std::tuple<const char*, int64_t, int64_t>{"M", call.M, 0},
                                           {"K", call.K, 1},
                                           {"N", call.N, 1},
                                           {"bits", call.bits, 1},
                                           {"block_size", call.block_size, 1}})
    if (value < least || value > kMostElements)
      return fail(ErrorCode::invalid_argument,
                  std::format("{} is {}, it must be an integer from {} to {}", what, value, least, kMostElements));
  return {};
}

Shape blocks_shape(const MatmulCall& call, const std::string& layout) {
  const int64_t blocks = (call.K + call.block_size - 1) / call.block_size;
  if (layout == "block_n") return {blocks, (call.N + 3) / 4 * 4};  // columns padded to 4, as linear_q4gsw's
  return {call.N, blocks};
}

class ProblemBuilder {
 public:
  ProblemBuilder(const Package& package, const MatmulCall& call) : manifest_(package.manifest()), call_(call) {}

  Result<Problem> run() {
    const SemanticsSpec& s = *manifest_.semantics;
    set_attributes();
    add(s.a, {call_.M, call_.K});
    const int64_t blocks = (call_.K + call_.block_size - 1) / call_.block_size;
    if (s.codes_layout == "rows") {
      add(s.codes, {call_.N, (call_.K * call_.bits + 7) / 8});
    } else {
      add(s.codes, {call_.N, blocks, (call_.block_size * call_.bits + 7) / 8});
    }
    add(s.scales, blocks_shape(call_, s.scales_layout));
    if (call_.zero_points) {
      if (s.zero_points.empty())
        return fail(ErrorCode::invalid_argument, std::format("the operator {} has no zero points", manifest_.name));
      add(s.zero_points, blocks_shape(call_, s.zero_points_layout));
    }
    if (call_.bias) {
      if (s.bias.empty())
        return fail(ErrorCode::invalid_argument, std::format("the operator {} has no bias", manifest_.name));
      add(s.bias, {call_.N});
    }
    if (call_.constant_weights) take_weights_as_constant(problem_, s.a);
    problem_.id = describe(call_);
    return std::move(problem_);
  }

 private:
  void set_attributes() {
    const auto set = [&](std::string_view name, int64_t value) {
      if (std::ranges::contains(manifest_.attributes, name, &AttributeSpec::name))
        problem_.attrs.emplace(name, static_cast<double>(value));
    };
    set("K", call_.K);
    set("N", call_.N);
    set("bits", call_.bits);
    set("block_size", call_.block_size);
    set("group_size", call_.block_size);  // the same thing elsewhere
    if (call_.accuracy_level) set("accuracy_level", *call_.accuracy_level);
  }

  void add(const std::string& key, Shape shape) {
    const TensorSpec* spec = manifest_.find_tensor(key);
    problem_.inputs[key] = {spec && spec->dtype ? *spec->dtype : call_.dtype, std::move(shape)};
  }

  const Manifest& manifest_;
  const MatmulCall& call_;
  Problem problem_;
};

}  // namespace

std::string describe(const MatmulCall& call) {
  return std::format("M{}-K{}-N{}-q{}b{}-{}{}{}", call.M, call.K, call.N, call.bits, call.block_size, name(call.dtype),
                     call.zero_points ? "-zp" : "", call.bias ? "-bias" : "");
}

Result<Problem> matmul_problem(const Package& package, const MatmulCall& call) {
  if (!package.manifest().semantics)
    return fail(ErrorCode::unsupported,
                std::format("the package {} does not say what it computes (\"semantics\")", package.name()));
  HB_CHECK(check(call));
  return ProblemBuilder(package, call).run();
}

}  // namespace halfbyte
