#include "bench/inputs.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <new>

#include "tensor/half.hpp"
#include "verify/operator.hpp"
#include "verify/rng.hpp"

namespace halfbyte {
namespace {

void fill_bits(HostTensor& tensor, Rng& rng) {
  size_t i = 0;
  for (; i + 8 <= tensor.data.size(); i += 8) {
    const uint64_t word = rng.next();
    std::memcpy(&tensor.data[i], &word, 8);
  }
  const uint64_t word = rng.next();
  std::memcpy(tensor.data.data() + i, &word, tensor.data.size() - i);
}

// Each element is one of 4096 values drawn from `draw`: drawing every one anew would take seconds for the weights of a model.
template <class Draw>
void fill_values(HostTensor& tensor, Rng& rng, const Draw& draw) {
  std::array<float, 4096> values;
  for (float& value : values) value = static_cast<float>(draw());
  std::array<uint16_t, 4096> halves;
  for (size_t i = 0; i < values.size(); ++i) halves[i] = float_to_half(values[i]);
  const bool half = tensor.dtype == DType::float16;
  const auto floats = half ? std::span<float>() : tensor.as<float>();
  const auto shorts = half ? tensor.as<uint16_t>() : std::span<uint16_t>();
  const size_t count = half ? shorts.size() : floats.size();
  uint64_t bits = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i % 5 == 0) bits = rng.next();
    const size_t pick = bits & 4095;
    bits >>= 12;
    if (half) {
      shorts[i] = halves[pick];
    } else {
      floats[i] = values[pick];
    }
  }
}

Result<HostTensor> fill(const Operator& op, const std::string& key, const TensorDesc& desc, Rng rng) {
  const Semantics& s = op.semantics;
  HostTensor tensor = HostTensor::zeros(desc.dtype, desc.shape);
  if (desc.dtype == DType::uint8) {
    fill_bits(tensor, rng);
    return tensor;
  }
  if (desc.dtype != DType::float32 && desc.dtype != DType::float16)
    return fail(ErrorCode::unsupported,
                std::format("no random values are known for input {} of dtype {}", key, name(desc.dtype)));
  // A random code is about 2^bits / sqrt(12) from its zero point, so this makes a weight about 1 / sqrt(K).
  const double scale = std::sqrt(12.0) / (op.shape.max_code() + 1) / std::sqrt(static_cast<double>(op.shape.K));
  if (key == s.scales.input) {
    fill_values(tensor, rng, [&] { return scale * rng.uniform(0.5, 1.5); });
  } else if (key == s.zero_points.input) {
    fill_values(tensor, rng, [&] { return static_cast<double>(rng.below(op.shape.max_code() + 1)); });
  } else if (key == s.a || key == s.bias) {
    fill_values(tensor, rng, [&] { return rng.normal(); });
  } else {
    return fail(ErrorCode::unsupported, std::format("the package's semantics do not say what input {} is", key));
  }
  return tensor;
}

}  // namespace

Result<std::map<std::string, HostTensor, std::less<>>> random_inputs(const Package& package, const Problem& problem,
                                                                     uint64_t seed) {
  HB_TRY(const Operator op, resolve_operator(package, problem));
  std::map<std::string, HostTensor, std::less<>> inputs;
  uint64_t stream = 0;
  try {
    for (const auto& [key, desc] : problem.inputs) {
      HB_TRY(inputs[key], fill(op, key, desc, Rng(seed, stream++)));
    }
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, std::format("the inputs of {} do not fit the host's memory", problem.id));
  }
  return inputs;
}

Result<Problem> with_constant_weights(const Package& package, Problem problem) {
  if (!problem.constant.empty()) return problem;
  HB_TRY(const Operator op, resolve_operator(package, problem));
  take_weights_as_constant(problem, op.semantics.a);
  return problem;
}

}  // namespace halfbyte
