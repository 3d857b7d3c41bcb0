// What a set of timings says, in figures that one bad sample does not move.
#pragma once

#include <span>
#include <vector>

namespace halfbyte {

struct Summary {
  int count = 0;
  double median = 0;
  double low = 0, high = 0;  // first and third quartile
  double min = 0, max = 0;

  // Width of the middle half, as a share of the median; 0 for a single sample.
  double spread() const { return median > 0 ? (high - low) / median : 0; }
  // Standard error of the median, were the middle half that of a normal distribution: 1.2533 * (high - low) / 1.349 / sqrt(count).
  // Infinite for fewer than three samples, which say nothing about their spread.
  double median_error() const;
};

// Of an empty list: all zero.
Summary summarize(std::span<const double> samples);

// Are the medians nearer than their errors (each taken twice) or than `floor`, a share of the smaller one?
bool within_noise(const Summary& a, const Summary& b, double floor);

}  // namespace halfbyte
