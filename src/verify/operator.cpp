#include "verify/operator.hpp"

#include "select/semantics.hpp"

namespace halfbyte {
namespace {

BlockLayout block_layout(const std::string& text) {
  return text == "block_n" ? BlockLayout::block_n : BlockLayout::n_block;
}

}  // namespace

Result<Operator> resolve_operator(const Package& package, const Problem& problem) {
  HB_TRY(const MatmulSemantics m, matmul_semantics(package, problem));
  if (m.bits != 2 && m.bits != 4 && m.bits != 8)
    return fail(ErrorCode::invalid_argument, std::format("bits of {} is {} but must be 2, 4 or 8", problem.id, m.bits));
  Operator op;
  op.semantics = {m.a,
                  m.y,
                  m.bias,
                  {m.codes, m.codes_layout == "rows" ? CodeLayout::rows : CodeLayout::onnx},
                  {m.scales, block_layout(m.scales_layout)},
                  {m.zero_points, block_layout(m.zero_points_layout)}};
  op.shape = {m.N, m.K, static_cast<int>(m.bits), m.block_size};
  return op;
}

}  // namespace halfbyte
