#include "quant/error_meter.hpp"

#include <cmath>
#include <limits>

namespace halfbyte {

void ErrorMeter::add(double truth, double got) {
  const double error = std::fabs(got - truth);
  if (!(error <= max_)) max_ = error;  // NaN stays
  truth2_ += truth * truth;
  got2_ += got * got;
  dot_ += truth * got;
  error2_ += error * error;
}

QuantError ErrorMeter::result() const {
  QuantError out;
  out.max_abs = max_;
  if (error2_ == 0) return out;
  out.relative_frobenius = truth2_ > 0 ? std::sqrt(error2_ / truth2_) : std::numeric_limits<double>::infinity();
  out.cosine = truth2_ > 0 && got2_ > 0 ? dot_ / std::sqrt(truth2_) / std::sqrt(got2_) : 0;
  return out;
}

}  // namespace halfbyte
