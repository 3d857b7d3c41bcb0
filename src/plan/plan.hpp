// Choice -> Plan: everything the GPU part needs, and nothing it has to decide. Immutable, printable, comparable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "select/select.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

enum class BindingKind : uint8_t {
  argument,   // the caller's tensor, `source` is its manifest key
  scratch,    // `source` is the id of one of Plan::scratch
  prepacked,  // `source` is the id of one of Plan::prepacked
  uniform,    // `uniform_bytes`
};
enum class Access : uint8_t { read, read_write };

struct UniformField {
  std::string name, type;  // type: "u32", "i32", "f32"
  double value = 0;
};

// Bytes of an argument from `offset` on.
struct Slice {
  uint64_t offset = 0, bytes = 0;
};

struct PlanBinding {
  std::string name;  // the WGSL variable
  BindingKind kind = BindingKind::argument;
  std::string source;
  Access access = Access::read;
  std::string element_type;               // WGSL type of the runtime or sized array's element; empty for a uniform
  bool element_type_in_manifest = false;  // print() writes elementType only then (compat/golden's form)
  std::optional<uint64_t> length;         // sized array of this many elements when given
  std::optional<Slice> slice;             // of an argument that is too large for one binding: the part that is bound
  std::vector<UniformField> fields;
  std::vector<std::byte> uniform_bytes;  // laid out as WGSL does, padded to 16
};

struct PassPlan {
  std::string id, shader;
  std::string label;  // "com.microsoft.MatMulNBits/gemv/main 1f3a..": one identity for log, shader, profiler
  Hash128 program;    // of everything that decides the WGSL: template, parameters, bindings' declarations
  std::vector<PlanBinding> bindings;  // @group(0) @binding(i) in this order
  std::array<uint32_t, 3> dispatch{1, 1, 1};
  std::string parameters_json;  // values the template reads, as a JSON object; input of render()
};

struct BufferPlan {
  std::string id;
  DType dtype = DType::float32;
  Shape shape;
  uint64_t byte_size = 0;  // multiple of 4, at least 4
  std::optional<size_t>
      slot;  // scratch: buffers of one slot share memory; none: a slot of its own position in the list
};

struct Plan {
  std::string package, variant;
  bool demoted = false;
  std::vector<std::pair<std::string, TensorDesc>> inputs;  // the present ones, by manifest key, in the manifest's order
  std::vector<std::pair<std::string, TensorDesc>> outputs;  // by manifest key
  std::vector<BufferPlan> scratch;
  std::vector<PassPlan> passes;
  // A prepacking variant: `prepack_passes` write `prepacked` from constant inputs, once for each set of weights.
  std::vector<BufferPlan> prepacked;
  std::vector<PassPlan> prepack_passes;
  Hash128 prepack_key;                        // equal keys on the same input buffers mean the same packed contents
  std::vector<std::string> prepacked_inputs;  // constant inputs that `passes` no longer read
  // Declared by the variant, for the error bound (docs/numerics.md): e.g. accumulate "f32", activations "int8".
  std::string numerics_accumulate = "f32", numerics_multiply, numerics_activations;
  // Tunables that decide the order of sums, with the values that this call has (the manifest's "hold"): a call for some of its rows or columns
  // that is given these adds up in the same order, so its results are the same bits.
  std::map<std::string, double, std::less<>> hold;
  bool empty = false;  // an output has no elements: nothing to dispatch
  uint64_t parts = 1;  // of N, each with passes of its own, where the weights exceed one binding
};

// Errors: invalid_argument with the place in the manifest when a value of the chosen variant cannot be computed, is not an integer
// where one is needed, or a binding's argument is absent.
Result<Plan> make_plan(const Package& package, const Choice& choice);

// Binding sizes, dispatch, number of storage buffers and uniform size against the device. Errors: limit; names the tensor or pass,
// the limit, its value and what is needed. A limit that the profile lacks is not checked.
Result<void> check_limits(const Plan& plan, const DeviceProfile& profile);

// select, make_plan and check_limits. A variant whose plan exceeds a limit is passed over for the next eligible one, unless
// options.variant forces it. Weights that exceed maxStorageBufferBindingSize are split by rows of N (Plan::parts). When an output has no elements and no variant is eligible, the plan has no variant and is empty.
// `gone`: constant inputs whose buffers no longer exist; a variant that reads one of them in passes other than prepacking is passed over too
// (not_eligible).
Result<Plan> plan_problem(const Package& package, const DeviceProfile& profile, const Problem& problem,
                          const SelectOptions& options = {}, const std::set<std::string, std::less<>>& gone = {});

// The columns of the result in parts of at most `most_columns` (but of no fewer than every weight can be bound at), each a plan of its own over the
// whole problem's tensors; run in any order they give Y. options.variant computes all of them, each output's sum in the order of the whole, so
// the bits are those of one call. Errors: as plan_problem; unsupported (the weights do not lie row of N by row of N).
Result<std::vector<Plan>> plan_columns(const Package& package, const DeviceProfile& profile, const Problem& problem,
                                       const SelectOptions& options, uint64_t most_columns);

// The WGSL of one pass: prologue (directives, uniform struct, bindings) written by us, then the rendered template.
// Not needed again for a program that is cached under PassPlan::program.
Result<std::string> render(const Package& package, const PassPlan& pass);

// compat/golden's form: one line of JSON.
std::string print(const Plan& plan);

}  // namespace halfbyte
