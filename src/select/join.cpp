#include "select/join.hpp"

#include <cstdint>
#include <span>

#include "expr/expr.hpp"
#include "select/evaluation.hpp"
#include "select/semantics.hpp"

namespace halfbyte {
namespace {

std::unexpected<Error> wrong(size_t part, std::string message) {
  return fail(ErrorCode::invalid_argument, std::format("part {} of the weights: {}", part, message));
}

std::string text(const AttrValue& value) {
  if (const double* number = std::get_if<double>(&value)) return expr::format_number(*number);
  return std::format("\"{}\"", std::get<std::string>(value));
}

class Join {
 public:
  Join(const Package& package, const TensorDesc& activations, std::span<const Weights> parts)
      : package_(package), activations_(activations), parts_(parts) {}

  Result<JoinedWeights> run() {
    if (!package_.manifest().semantics)
      return fail(ErrorCode::unsupported,
                  std::format("the package {} does not say what it computes (\"semantics\")", package_.name()));
    if (parts_.empty()) return fail(ErrorCode::invalid_argument, "there are no weights to join");
    for (size_t i = 0; i < parts_.size(); ++i) HB_CHECK(look_at(i));
    for (const MatmulSemantics& part : semantics_) joined_.first.push_back(joined_.first.back() + part.N);
    if (joined_.first.back() > INT32_MAX)
      return fail(ErrorCode::invalid_argument,
                  std::format("the weights have {} columns together, there may be 2147483647", joined_.first.back()));
    const MatmulSemantics& s = semantics_.front();
    HB_CHECK(join(s.codes, false, 0));
    HB_CHECK(join(s.scales, s.scales_layout == "block_n", 0));
    HB_CHECK(join(s.zero_points, s.zero_points_layout == "block_n", static_cast<double>(int64_t{1} << (s.bits - 1))));
    HB_CHECK(join(s.bias, false, 0));
    Problem problem = problem_of(joined_.weights);
    problem.attrs = parts_.front().attributes;
    HB_CHECK(set_columns(package_, problem, s.N, joined_.first.back()));
    joined_.weights.attributes = std::move(problem.attrs);
    return std::move(joined_);
  }

 private:
  Problem problem_of(const Weights& weights) const {
    Problem problem;
    problem.attrs = weights.attributes;
    for (const auto& [key, tensor] : weights.tensors) problem.inputs[key] = tensor.desc();
    problem.inputs[package_.manifest().semantics->a] = activations_;
    return problem;
  }

  // The part's numbers and shapes, and its attributes against the first part's.
  Result<void> look_at(size_t i) {
    const Weights& part = parts_[i];
    const std::string& a = package_.manifest().semantics->a;
    for (const auto& [key, tensor] : part.tensors) {
      if (key == a) return wrong(i, std::format("the tensor {} is the activations, not weights", key));
      const auto elements = element_count(tensor.shape);
      if (!elements || tensor.data.size() != static_cast<uint64_t>(*elements) * byte_size(tensor.dtype))
        return wrong(i, std::format("the tensor {} has {} bytes, which are not those of the shape {} of {}", key,
                                    tensor.data.size(), to_string(tensor.shape), name(tensor.dtype)));
    }
    const Problem problem = problem_of(part);
    auto evaluation = Evaluation::make(package_, {}, problem);
    if (!evaluation) return wrong(i, evaluation.error().message);
    if (const auto checked = check_semantics(**evaluation); !checked) return wrong(i, checked.error().message);
    HB_TRY(MatmulSemantics s, matmul_semantics(package_, problem));
    semantics_.push_back(std::move(s));
    return check_attributes(i);
  }

  Result<void> check_attributes(size_t i) const {
    Problem problem = problem_of(parts_.front());
    problem.attrs = parts_[i].attributes;
    if (const auto set = set_columns(package_, problem, semantics_[i].N, semantics_.front().N); !set)
      return wrong(i, set.error().message);
    const auto& wanted = parts_.front().attributes;
    for (const auto& [name, value] : wanted) {
      const auto it = problem.attrs.find(name);
      if (it == problem.attrs.end()) return wrong(i, std::format("it has no attribute {}, which part 0 has", name));
      if (it->second != value)
        return wrong(i, std::format("{} is {}, but {} in part 0", name, text(it->second), text(value)));
    }
    for (const auto& [name, value] : problem.attrs)
      if (!wanted.contains(name))
        return wrong(i, std::format("it has the attribute {}, which part 0 does not have", name));
    return {};
  }

  // Appends the parts' `key` along N, which is the last dimension (padded or not) or the first; where it is absent, its elements are `otherwise`.
  Result<void> join(const std::string& key, bool last, double otherwise) {
    if (key.empty()) return {};
    const HostTensor* like = nullptr;
    bool some_absent = false;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const auto it = parts_[i].tensors.find(key);
      if (it == parts_[i].tensors.end()) {
        some_absent = true;
        continue;
      }
      if (like != nullptr && like->dtype != it->second.dtype)
        return wrong(i, std::format("the tensor {} is {}, it is {} in an earlier part", key, name(it->second.dtype),
                                    name(like->dtype)));
      like = &it->second;
    }
    if (like == nullptr) return {};
    if (some_absent && like->dtype != DType::float32 && like->dtype != DType::float16)
      return fail(
          ErrorCode::unsupported,
          std::format("some parts of the weights have no {}, whose {} cannot be filled in", key, name(like->dtype)));
    HostTensor joined{like->dtype, like->shape, {}};
    joined.shape[last ? joined.shape.size() - 1 : 0] = joined_.first.back();
    // Outside of N: rows of blocks, or nothing. Inside: the elements that go with one column.
    const auto outer = static_cast<size_t>(last ? joined.shape.front() : 1);
    const size_t inner = static_cast<size_t>(like->size()) / outer / static_cast<size_t>(like->shape[last ? 1 : 0]);
    joined.data.reserve(outer * inner * static_cast<size_t>(joined_.first.back()) * byte_size(like->dtype));
    for (size_t row = 0; row < outer; ++row) {
      for (size_t i = 0; i < parts_.size(); ++i) {
        const auto elements = inner * static_cast<size_t>(semantics_[i].N);
        const auto it = parts_[i].tensors.find(key);
        if (it == parts_[i].tensors.end()) {
          const HostTensor same = HostTensor::from_floats(like->dtype, {static_cast<int64_t>(elements)},
                                                          std::vector<float>(elements, static_cast<float>(otherwise)));
          joined.data.append_range(same.data);
        } else {
          const std::span<const std::byte> all(it->second.data);
          joined.data.append_range(all.subspan(row * (all.size() / outer), elements * byte_size(like->dtype)));
        }
      }
    }
    joined_.weights.tensors.emplace(key, std::move(joined));
    return {};
  }

  const Package& package_;
  const TensorDesc& activations_;
  std::span<const Weights> parts_;
  std::vector<MatmulSemantics> semantics_;
  JoinedWeights joined_{.weights = {}, .first = {0}};
};

}  // namespace

Result<JoinedWeights> join_weights(const Package& package, const TensorDesc& activations,
                                   std::span<const Weights> parts) {
  return Join(package, activations, parts).run();
}

}  // namespace halfbyte
