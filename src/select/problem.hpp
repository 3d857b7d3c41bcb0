// One call of an operator: attributes, shapes and dtypes of the inputs, overrides of tunables. In JSON a "request"
// (compat/requests.json):
//   {"id": "...", "attrs": {"K": 4096}, "inputs": {"aT": {"shape": [1,4096], "dtype": "float32"}}, "tunables": {"X": 8},
//    "constant": ["bT","scalesT"]}
// `constant` is ours: inputs whose contents never change, so that prepacking variants may be chosen. Default: none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

using AttrValue = std::variant<double, std::string>;

struct Problem {
  std::string id;  // free text, for messages
  std::map<std::string, AttrValue, std::less<>> attrs;
  std::map<std::string, TensorDesc, std::less<>>
      inputs;  // by manifest key ("aT"); an absent optional input is not in the map
  std::map<std::string, double, std::less<>> tunables;
  std::set<std::string, std::less<>> constant;
};

// Takes every input but `activations` as constant, unless the problem names its own. A case of verify, bench, lint and self-check means
// this; without it prepacking variants would see no case.
void take_weights_as_constant(Problem& problem, std::string_view activations);

// A JSON array of requests, or one request. Unknown keys are errors, except those named in `extra` (cases.json has more).
Result<std::vector<Problem>> parse_problems(std::string_view json_text, const std::string& file,
                                            const std::vector<std::string>& extra = {});

}  // namespace halfbyte
