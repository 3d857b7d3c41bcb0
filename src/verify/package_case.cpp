#include "verify/case.hpp"
#include "verify/operator.hpp"

namespace halfbyte {

Result<CaseData> make_case_data(const Package& package, const Case& c, uint64_t run_seed) {
  HB_TRY(const Operator op, resolve_operator(package, c.problem));
  return make_case_data(op.semantics, op.shape, c, run_seed);
}

Result<CaseData> case_data_from_inputs(const Package& package, const Problem& problem,
                                       std::map<std::string, HostTensor, std::less<>> inputs) {
  HB_TRY(const Operator op, resolve_operator(package, problem));
  return case_data_from_inputs(op.semantics, op.shape, problem, std::move(inputs));
}

}  // namespace halfbyte
