// How far a result may be from the exact one, derived from what the variant declares. docs/numerics.md explains each term.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/case.hpp"

namespace halfbyte {

struct ErrorBound {
  double frobenius = 0;         // of the whole output, absolute; not yet divided by the reference's norm
  std::vector<double> element;  // of each output, absolute
};

// How many consecutive k share the scale of int8 activations: "int8" 128, "int8/32" 32, "int8/row" K. Empty: not int8.
std::optional<int64_t> int8_group(const std::string& activations, int64_t K);

// A sentence when the problem's accuracy_level does not allow these numerics; empty when it does.
std::string forbidden_numerics(const CaseData& data, const Numerics& numerics);

ErrorBound error_bound(const CaseData& data, const Numerics& numerics);

double f16_ulp(double x);  // distance between binary16 numbers at |x|; 2^-24 below the normal ones

}  // namespace halfbyte
