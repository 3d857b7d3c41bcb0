#include "bench/clock.hpp"

#include <algorithm>
#include <cmath>

namespace halfbyte {
double SamplingRules::needed_seconds() const {
  return std::min(std::max(target_seconds, steps * clock_step), std::max(max_seconds, 0.0));
}

Repetitions next_repetitions(int64_t count, double seconds, const SamplingRules& rules) {
  const int64_t most = std::max(rules.max_repetitions, int64_t{1});
  if (count < rules.min_repetitions) {
    // Unless that many would take too long.
    if (seconds <= 0 ||
        seconds / static_cast<double>(count) * static_cast<double>(rules.min_repetitions) <= rules.max_seconds)
      return {std::min(rules.min_repetitions, most), false};
  }
  // Ten per cent short will do: the next one would be measured anew just to be a little longer.
  const double needed = rules.needed_seconds();
  if (seconds >= 0.9 * needed || count >= most) return {std::min(count, most), true};
  double factor = 16;
  if (seconds > 0) factor = std::clamp(1.1 * needed / seconds, 1.0, 16.0);
  // At least one more, so that the growth ends.
  const auto grown = static_cast<int64_t>(std::ceil(static_cast<double>(count) * factor));
  return {std::min(std::max(grown, count + 1), most), false};
}

}  // namespace halfbyte
