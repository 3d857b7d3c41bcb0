// For tests: a fresh seed each run, printed so that a failure can be repeated with HALFBYTE_TEST_SEED=n.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace halfbyte {

inline uint64_t test_seed() {
  static const uint64_t seed = [] {
    const char* given = std::getenv("HALFBYTE_TEST_SEED");
    const uint64_t value = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::cout << "HALFBYTE_TEST_SEED=" << value << '\n';
    return value;
  }();
  return seed;
}

}  // namespace halfbyte
