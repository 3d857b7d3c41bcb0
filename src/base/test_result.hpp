// For tests and benchmarks: the value of a Result, or its error ends the test.
#pragma once

#include <stdexcept>
#include <utility>

#include "base/error.hpp"

// In a void function that GoogleTest calls.
#define HB_ASSERT_OK(expr) \
  if (auto hb_ok_ = (expr); !hb_ok_) FAIL() << #expr << ": " << hb_ok_.error().to_string()

namespace halfbyte::test {

// Throws, since FAIL() needs a void function.
template <class T>
T value(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return std::move(*result);
}

}  // namespace halfbyte::test
