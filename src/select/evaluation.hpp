// The environment of one problem on one device: the manifest's slots filled in, derived values found on demand.
// For src/select and src/plan. Not thread-safe: one Evaluation belongs to one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "manifest/manifest.hpp"
#include "manifest/package.hpp"
#include "select/problem.hpp"
#include "select/profile.hpp"

namespace halfbyte {

class Evaluation {
 public:
  // Errors: invalid_argument, about the problem: an attribute missing, out of range or of the wrong kind, an input missing, unknown, or
  // with a dtype, rank or shape that the manifest does not allow.
  static Result<std::shared_ptr<Evaluation>> make(const Package& package, const DeviceProfile& profile,
                                                  const Problem& problem);

  const Manifest& manifest() const { return package_.manifest(); }
  const Package& package() const { return package_; }
  expr::Machine& machine() { return machine_; }

  // By position in Manifest::tensors; an absent input has none.
  const TensorDesc* tensor(int index) const {
    return tensors_[static_cast<size_t>(index)].present ? &tensors_[static_cast<size_t>(index)].desc : nullptr;
  }

  // The value of a formula, as an Error with its place when it has none.
  Result<double> number(const Formula& formula);
  Result<std::string> string(const Formula& formula);
  Result<Shape> shape(const Formula& formula);  // dimensions are integers from 0 below 2^53

  bool constant(int input) const { return constant_[static_cast<size_t>(input)]; }
  const DeviceProfile& profile() const { return profile_; }

 private:
  struct Tensor {
    bool present = false;
    TensorDesc desc;
  };

  Evaluation(const Package& package, const DeviceProfile& profile);
  Result<void> set_attributes(const Problem& problem);
  Result<void> set_inputs(const Problem& problem);
  Result<void> set_input(const TensorSpec& spec, size_t index, const TensorDesc& desc);
  Result<void> set_tunables(const Problem& problem);
  Result<void> set_outputs();
  void set_device();

  Package package_;
  DeviceProfile profile_;
  std::vector<AttrValue> attributes_;  // owns the strings that slots refer to
  std::vector<Tensor> tensors_;
  std::vector<bool> constant_;
  std::vector<int> constraint_dtype_;  // by type constraint: the input that decides it, or -1
  expr::Machine machine_;
};

}  // namespace halfbyte
