// What the tests of measuring share: a folder with a cache of its own, this device's record (it takes seconds to measure), and a package
// with a few of the real one's variants.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.hpp"

namespace halfbyte::cli_test {

inline const std::string kSource = HALFBYTE_SOURCE_DIR;
inline const std::string kPackage = kSource + "/kernels/com.microsoft.MatMulNBits";
inline const std::string kTiny = kSource + "/tests/bench/tiny.json";

// Skips every test where there is no adapter. No time is asserted anywhere.
class Bench : public ::testing::Test {
 protected:
  void SetUp() override;

  static const Workspace& space();
  static const Outcome& measured();  // device --measure --json --seed 5
  static const std::string& few();   // the real package with none but scalar, prefill_tile4x4 and gemv ever eligible
  static nlohmann::json read_json(const std::string& name) { return nlohmann::json::parse(space().read(name)); }
  // `halfbyte bench PACKAGE --cases tiny.json --stored-peaks MORE`
  static Outcome bench(const std::string& package, std::vector<std::string> more);
};

}  // namespace halfbyte::cli_test
