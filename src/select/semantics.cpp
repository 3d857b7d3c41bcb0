#include "select/semantics.hpp"

#include <bit>
#include <cmath>

#include "select/evaluation.hpp"

namespace halfbyte {
namespace {

constexpr double kMaxNumber = 2147483647;  // WGSL indexes with u32 and i32

Result<MatmulSemantics> semantics_of(Evaluation& evaluation) {
  const SemanticsSpec& spec = *evaluation.manifest().semantics;
  MatmulSemantics result;
  result.a = spec.a;
  result.y = spec.y;
  result.bias = spec.bias;
  result.codes = spec.codes;
  result.scales = spec.scales;
  result.zero_points = spec.zero_points;
  result.codes_layout = spec.codes_layout;
  result.scales_layout = spec.scales_layout;
  result.zero_points_layout = spec.zero_points_layout;
  const auto take = [&](std::string_view what, const Formula& formula, int64_t& target) -> Result<void> {
    HB_TRY(const double value, evaluation.number(formula));
    if (!(value >= 1 && value <= kMaxNumber && value == std::floor(value)))
      return fail(ErrorCode::invalid_argument, std::format("{} is {}, it must be an integer from 1 to 2147483647", what,
                                                           expr::format_number(value)));
    target = static_cast<int64_t>(value);
    return {};
  };
  HB_CHECK(take("K", spec.K, result.K));
  HB_CHECK(take("N", spec.N, result.N));
  HB_CHECK(take("bits", spec.bits, result.bits));
  HB_CHECK(take("block_size", spec.block_size, result.block_size));
  return result;
}

class ShapeCheck {
 public:
  ShapeCheck(const Evaluation& evaluation, const MatmulSemantics& semantics) : evaluation_(evaluation), s_(semantics) {}

  Result<void> run() const {
    if (s_.block_size < 16 && s_.codes_layout == "onnx")
      return wrong(std::format("block_size is {}, it must be a power of two from 16", s_.block_size));
    if (!std::has_single_bit(static_cast<uint64_t>(s_.block_size)) && s_.codes_layout == "onnx")
      return wrong(std::format("block_size is {}, it must be a power of two from 16", s_.block_size));
    HB_CHECK(check_a());
    HB_CHECK(check_codes());
    HB_CHECK(check_blocks(s_.scales, s_.scales_layout));
    HB_CHECK(check_blocks(s_.zero_points, s_.zero_points_layout));
    if (const TensorDesc* bias = find(s_.bias)) HB_CHECK(expect(s_.bias, *bias, {s_.N}, std::format("N={}", s_.N)));
    return {};
  }

 private:
  static std::unexpected<Error> wrong(std::string message) {
    return fail(ErrorCode::invalid_argument, std::move(message));
  }

  const TensorDesc* find(const std::string& key) const {
    if (key.empty()) return nullptr;
    const TensorSpec* spec = evaluation_.manifest().find_tensor(key);
    return spec ? evaluation_.tensor(static_cast<int>(spec - evaluation_.manifest().tensors.data())) : nullptr;
  }

  Result<void> expect(const std::string& key, const TensorDesc& got, const Shape& wanted,
                      const std::string& because) const {
    if (got.shape == wanted) return {};
    return wrong(std::format("the input {} has the shape {}, but {} needs {}", key, to_string(got.shape), because,
                             to_string(wanted)));
  }

  Result<void> check_a() const {
    const TensorDesc* a = find(s_.a);
    if (!a) return {};
    if (a->shape.size() < 2)
      return wrong(std::format("the input {} has the shape {} of rank {}, its rank must be at least 2", s_.a,
                               to_string(a->shape), a->shape.size()));
    if (a->shape.back() == s_.K) return {};
    Shape wanted = a->shape;
    wanted.back() = s_.K;
    return expect(s_.a, *a, wanted, std::format("K={}", s_.K));
  }

  Result<void> check_codes() const {
    const TensorDesc* codes = find(s_.codes);
    if (!codes) return {};
    if (s_.codes_layout == "rows")
      return expect(s_.codes, *codes, {s_.N, (s_.K * s_.bits + 7) / 8},
                    std::format("N={}, K={} with {} bits", s_.N, s_.K, s_.bits));
    return expect(s_.codes, *codes, {s_.N, s_.blocks(), s_.block_size * s_.bits / 8},
                  std::format("N={}, K={} with block_size {} and {} bits", s_.N, s_.K, s_.block_size, s_.bits));
  }

  Result<void> check_blocks(const std::string& key, const std::string& layout) const {
    const TensorDesc* tensor = find(key);
    if (!tensor) return {};
    const std::string because = std::format("N={}, K={} with block_size {}", s_.N, s_.K, s_.block_size);
    if (layout == "n_block") return expect(key, *tensor, {s_.N, s_.blocks()}, because);
    const Shape& shape = tensor->shape;
    if (shape.size() == 2 && shape[0] == s_.blocks() && shape[1] >= s_.N) return {};
    return wrong(std::format("the input {} has the shape {}, but {} needs [{},{}] with the columns padded or not", key,
                             to_string(shape), because, s_.blocks(), s_.N));
  }

  const Evaluation& evaluation_;
  const MatmulSemantics& s_;
};

}  // namespace

Result<MatmulSemantics> matmul_semantics(const Package& package, const Problem& problem) {
  if (!package.manifest().semantics)
    return fail(ErrorCode::unsupported,
                std::format("the package {} does not say what it computes (\"semantics\")", package.name()));
  HB_TRY(const std::shared_ptr<Evaluation> evaluation, Evaluation::make(package, {}, problem));
  return semantics_of(*evaluation);
}

Result<void> set_columns(const Package& package, Problem& problem, int64_t from, int64_t to) {
  const auto right = [&] {
    const auto s = matmul_semantics(package, problem);
    return s && s->N == to;
  };
  if (right()) return {};  // N comes from a shape
  for (auto& [name, value] : problem.attrs) {
    const AttrValue before = value;
    if (before != AttrValue(static_cast<double>(from))) continue;
    value = static_cast<double>(to);
    if (right()) return {};
    value = before;
  }
  return fail(ErrorCode::unsupported, std::format("no attribute of {} says what N is", package.name()));
}

Result<std::vector<std::pair<std::string, TensorDesc>>> output_descs(const Package& package, const Problem& problem) {
  HB_TRY(const std::shared_ptr<Evaluation> evaluation, Evaluation::make(package, {}, problem));
  std::vector<std::pair<std::string, TensorDesc>> outputs;
  const Manifest& manifest = package.manifest();
  for (size_t i = manifest.input_count; i < manifest.tensors.size(); ++i)
    outputs.emplace_back(manifest.tensors[i].key, *evaluation->tensor(static_cast<int>(i)));
  return outputs;
}

Result<void> check_semantics(Evaluation& evaluation) {
  if (!evaluation.manifest().semantics) return {};
  HB_TRY(const MatmulSemantics semantics, semantics_of(evaluation));
  return ShapeCheck(evaluation, semantics).run();
}

}  // namespace halfbyte
