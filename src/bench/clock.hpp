// How many repetitions make a sample that a coarse clock can be trusted with. Some devices' timestamps move in steps of 65536 ns:
// a short kernel then takes 0 or 65536 ns, whichever it is.
#pragma once

#include <cstdint>

namespace halfbyte {

struct SamplingRules {
  double target_seconds = 500e-6;  // length of a sample
  double clock_step = 0;
  double steps = 100;  // a sample spans at least so many steps of the clock
  int64_t min_repetitions = 1;
  int64_t max_repetitions = 20000;  // in one submit
  double max_seconds = 1;           // a sample is never meant to be longer: a long submit can get the device reset
  int samples = 9;

  double needed_seconds() const;
};

struct Repetitions {
  int64_t count = 1;
  bool enough = false;  // samples of `count` repetitions are long enough, or nothing longer is allowed
};

// Given that `count` repetitions took `seconds`: whether that will do, or how many to try next. Grows at most 16-fold, so
// that a first measurement gone wrong cannot ask for minutes; ends after a few steps for any `seconds`.
Repetitions next_repetitions(int64_t count, double seconds, const SamplingRules& rules);

}  // namespace halfbyte
