#include "gpu/row_chunks.hpp"

#include <algorithm>
#include <numeric>

#include "select/semantics.hpp"

namespace halfbyte::gpu {
namespace {

uint64_t row_bytes(const TensorDesc& desc, int64_t columns) {
  return static_cast<uint64_t>(columns) * byte_size(desc.dtype);
}

// The fewest rows whose bytes are a multiple of the alignment, for A and for Y.
int64_t aligned_rows(const Device& device, uint64_t a_row, uint64_t y_row) {
  const uint64_t alignment = device.limit("minStorageBufferOffsetAlignment");
  const auto rows = [&](uint64_t bytes) { return alignment / std::gcd(alignment, bytes); };
  return static_cast<int64_t>(std::lcm(rows(a_row), rows(y_row)));
}

// The rows of `part` in one call, or in one for each part of at most `most_columns` columns; 0: columns need not be split. `same`: by the whole's
// variant, which is tried first.
Result<std::vector<std::shared_ptr<PreparedCall>>> chunk_calls(Kernel& kernel, const Problem& part,
                                                               const SelectOptions& same,
                                                               const SelectOptions& otherwise, uint64_t most_columns) {
  std::vector<std::shared_ptr<PreparedCall>> calls;
  if (most_columns > 0) {
    auto plans = plan_columns(kernel.package(), kernel.device().profile(), part, same, most_columns);
    if (plans) {
      for (Plan& plan : *plans) {
        HB_TRY(calls.emplace_back(), kernel.prepare(std::make_shared<const Plan>(std::move(plan))));
      }
      return calls;
    }
  }
  auto call = kernel.prepare(part, same);
  if (!call) call = kernel.prepare(part, otherwise);
  if (!call) return fail(call.error());
  calls.push_back(std::move(*call));
  return calls;
}

}  // namespace

Result<ChunkedCall> ChunkedCall::create(Kernel& kernel, const Problem& problem, double max_products,
                                        const SelectOptions& options) {
  HB_TRY(const std::shared_ptr<PreparedCall> whole, kernel.prepare(problem, options));
  ChunkedCall result;
  result.whole_ = whole;
  result.chunks_ = {{0, 0, {whole}, 0, 0}};
  if (!(max_products > 0) || whole->plan().empty) return result;
  HB_TRY(const MatmulSemantics semantics, matmul_semantics(kernel.package(), problem));
  result.a_ = semantics.a;
  result.y_ = semantics.y;
  const TensorDesc& a = problem.inputs.find(semantics.a)->second;
  const int64_t M = element_count(a.shape).value_or(0) / std::max<int64_t>(semantics.K, 1);
  const double row_products = static_cast<double>(semantics.K) * static_cast<double>(semantics.N);
  const uint64_t a_row = row_bytes(a, semantics.K),
                 y_row = row_bytes(whole->plan().outputs.front().second, semantics.N);
  const int64_t step = aligned_rows(kernel.device(), a_row, y_row);
  const double wanted = max_products / std::max(row_products, 1.0);
  result.chunks_.front().rows = M;
  if (wanted >= static_cast<double>(M)) return result;
  result.chunks_.clear();
  const int64_t rows = std::min(std::max<int64_t>(static_cast<int64_t>(wanted) / step, 1) * step, M);
  SelectOptions same = options;
  same.variant = whole->plan().variant;
  for (int64_t first = 0; first < M; first += rows) {
    RowChunk chunk{first,
                   std::min(rows, M - first),
                   {},
                   static_cast<uint64_t>(first) * a_row,
                   static_cast<uint64_t>(first) * y_row};
    if (!result.chunks_.empty() && result.chunks_.back().rows == chunk.rows) {
      chunk.calls = result.chunks_.back().calls;
    } else {
      Problem part = problem;
      part.inputs[semantics.a].shape = {chunk.rows, semantics.K};
      for (const auto& [tunable, value] : whole->plan().hold) part.tunables[tunable] = value;
      const double columns = max_products / (static_cast<double>(chunk.rows) * static_cast<double>(semantics.K));
      const bool too_many = columns < static_cast<double>(semantics.N);
      HB_TRY(chunk.calls, chunk_calls(kernel, part, same, options,
                                      too_many ? std::max<uint64_t>(static_cast<uint64_t>(columns), 1) : 0));
    }
    result.chunks_.push_back(std::move(chunk));
  }
  return result;
}

Result<void> ChunkedCall::run_and_wait(std::span<const TensorBinding> tensors) const {
  for (const RowChunk& chunk : chunks_) {
    std::vector<TensorBinding> part(tensors.begin(), tensors.end());
    for (TensorBinding& tensor : part) {
      const bool is_a = tensor.key == a_;
      if (!is_a && tensor.key != y_) continue;
      tensor.offset += is_a ? chunk.a_offset : chunk.y_offset;
      if (tensor.size > 0) tensor.size -= std::min(tensor.size, is_a ? chunk.a_offset : chunk.y_offset);
    }
    for (const auto& call : chunk.calls) HB_CHECK(gpu::run_and_wait(*call, part));
  }
  return {};
}

Result<HostTensors> ChunkedCall::run(const HostTensors& inputs) const {
  HB_TRY(const DeviceTensors tensors,
         DeviceTensors::create(whole_->runtime().shared_from_this(), inputs, whole_->plan().outputs));
  HB_TRY(const std::vector<TensorBinding> bindings, tensors.bindings(*whole_));
  HB_CHECK(run_and_wait(bindings));
  HostTensors outputs;
  for (const auto& [key, desc] : whole_->plan().outputs) {
    HB_TRY(DeviceTensors::Read read, tensors.read(key));
    outputs.emplace(key, std::move(read.tensor));
  }
  return outputs;
}

}  // namespace halfbyte::gpu
