#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halfbyte {
namespace {

// Linear between the neighbours in rank.
double quantile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
}

}  // namespace

double Summary::median_error() const {
  if (count < 3) return std::numeric_limits<double>::infinity();
  return 1.2533 * (high - low) / 1.349 / std::sqrt(static_cast<double>(count));
}

Summary summarize(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return {static_cast<int>(sorted.size()), quantile(sorted, 0.5), quantile(sorted, 0.25),
          quantile(sorted, 0.75),          sorted.front(),        sorted.back()};
}

bool within_noise(const Summary& a, const Summary& b, double floor) {
  const double error = 2 * std::hypot(a.median_error(), b.median_error());
  return std::abs(a.median - b.median) <= std::max(error, floor * std::min(a.median, b.median));
}

}  // namespace halfbyte
