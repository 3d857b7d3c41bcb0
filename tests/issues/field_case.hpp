// Cases from the field in a line each. Every test of this folder is FieldCase.CNN_name; its file begins with the case it stands for.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/test_result.hpp"
#include "gpu/device.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"
#include "plan/plan.hpp"
#include "tensor/test_seed.hpp"
#include "verify/case.hpp"

namespace halfbyte::issues {

using Values = std::map<std::string, double>;  // Case::expect

// A call of MatMulNBits on the project's package. Zero points are unpacked, of A's dtype, as kernels take them.
struct Spec {
  std::string fill = "P";
  int64_t M = 1, N = 1, K = 16;
  int bits = 4;
  int64_t block = 32;
  bool zp = false, bias = false;
  Values expect = {};
  DType dtype = DType::float32;
  std::string tolerance = "exact";
  int level = 0;
  std::map<std::string, double, std::less<>> tunables = {};
  Shape a_shape = {};  // empty: [M, K]
};

enum class Which {
  chosen,  // the one that a user gets
  quick,   // every eligible one
  every,  // the sgmat family on a CPU adapter, too: compiling a matrix kernel takes seconds there, so the others leave it out
};

using Outputs = std::map<std::string, HostTensor>;  // by variant

using test::value;

class FieldCase : public ::testing::Test {
 protected:
  static std::string source(const std::string& path) { return std::string(HALFBYTE_SOURCE_DIR) + "/" + path; }
  static const Package& package();
  static std::map<std::string, std::string> templates();  // the package's, to be changed and loaded again
  static DeviceProfile profile(const std::string& stem);  // of profiles/, or "field/min" of profiles/field
  static std::vector<DeviceProfile> all_profiles();       // of both folders
  static std::shared_ptr<gpu::Kernel> kernel();           // on the default device; null where there is no adapter
  static std::shared_ptr<gpu::Kernel> kernel_on(const gpu::OpenOptions& options);  // a device of its own; throws

  static Case make_case(const Spec& spec);
  static Problem problem(const Spec& spec) { return make_case(spec).problem; }

  // Runs the case on poisoned outputs with guard bytes and holds it to the reference. Every failure is added to the test. Returns
  // what ran.
  static Outputs run(gpu::Kernel& kernel, const Spec& spec, Which which);
  static Outputs run(gpu::Kernel& kernel, const Case& c, const CaseData& data, Which which);
  // One variant, by name; it must be eligible.
  static HostTensor run_forced(gpu::Kernel& kernel, const Spec& spec, const std::string& variant);
  static Outputs run(const Spec& spec, Which which = Which::quick) { return run(*kernel(), spec, which); }

  static bool too_slow_for_sweeps();  // SwiftShader, unless HALFBYTE_LONG is set

  // WGSL of every pass.
  static std::vector<std::string> texts(const Plan& plan);
  // Sizes that are valid and unlike each other, with printed seed.
  static std::vector<Spec> random_specs(size_t count);
};

#define HB_NEED_DEVICE() \
  if (!kernel()) GTEST_SKIP() << "no WebGPU adapter here"

// For a sweep that compiles so much that all of them together would take SwiftShader minutes; lavapipe makes it every time.
#define HB_NEED_PATIENT_DEVICE() \
  HB_NEED_DEVICE();              \
  if (too_slow_for_sweeps())     \
  GTEST_SKIP() << "a sweep of minutes on SwiftShader, made on lavapipe (HALFBYTE_LONG=1 makes it here)"

}  // namespace halfbyte::issues
