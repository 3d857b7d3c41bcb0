// How far one set of numbers is from another.
#pragma once

#include <cstdint>

namespace halfbyte {

struct QuantError {
  double max_abs = 0;             // max |x - y|
  double relative_frobenius = 0;  // ||x - y|| / ||x||; 0 when both are all zero
  double cosine = 1;              // x.y / (||x|| ||y||); 1 when both are all zero, 0 when one is
};

class ErrorMeter {
 public:
  void add(double truth, double got);
  QuantError result() const;

 private:
  double max_ = 0, truth2_ = 0, got2_ = 0, dot_ = 0, error2_ = 0;
};

}  // namespace halfbyte
