#include "field_case.hpp"

#include <cstdlib>
#include <filesystem>

#include "io/files.hpp"
#include "io/profile_files.hpp"
#include "verify/rng.hpp"

namespace halfbyte::issues {

const Package& FieldCase::package() {
  static const Package loaded = value(load_package(source("kernels/com.microsoft.MatMulNBits")));
  return loaded;
}

std::map<std::string, std::string> FieldCase::templates() {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(source("kernels/com.microsoft.MatMulNBits")))
    if (entry.path().extension() == ".jinja")
      texts[entry.path().filename().string()] = value(read_text(entry.path().string()));
  return texts;
}

DeviceProfile FieldCase::profile(const std::string& stem) {
  return value(load_profiles(source("profiles/" + stem + ".json"))).front().profile;
}

std::vector<DeviceProfile> FieldCase::all_profiles() {
  std::vector<DeviceProfile> list;
  for (const char* folder : {"profiles", "profiles/field"})
    for (const ProfileFile& file : value(load_profiles(source(folder)))) list.push_back(file.profile);
  return list;
}

std::shared_ptr<gpu::Kernel> FieldCase::kernel() {
  static const std::shared_ptr<gpu::Kernel> shared = []() -> std::shared_ptr<gpu::Kernel> {
    auto device = gpu::Device::open();
    if (!device) return nullptr;
    return gpu::Kernel::create(gpu::Runtime::create(*device), package());
  }();
  return shared;
}

std::shared_ptr<gpu::Kernel> FieldCase::kernel_on(const gpu::OpenOptions& options) {
  return gpu::Kernel::create(gpu::Runtime::create(value(gpu::Device::open(options))), package());
}

Case FieldCase::make_case(const Spec& s) {
  Case c;
  const int64_t blocks = (s.K + s.block - 1) / s.block;
  c.problem.id = std::format("{} M{}-N{}-K{}-q{}b{}-{}{}{}-level{}", s.fill, s.M, s.N, s.K, s.bits, s.block,
                             name(s.dtype), s.zp ? "-zp" : "", s.bias ? "-bias" : "", s.level);
  c.problem.attrs = {{"K", static_cast<double>(s.K)},
                     {"N", static_cast<double>(s.N)},
                     {"bits", static_cast<double>(s.bits)},
                     {"block_size", static_cast<double>(s.block)},
                     {"accuracy_level", static_cast<double>(s.level)}};
  c.problem.inputs["aT"] = {s.dtype, s.a_shape.empty() ? Shape{s.M, s.K} : s.a_shape};
  c.problem.inputs["bT"] = {DType::uint8, {s.N, blocks, s.block * s.bits / 8}};
  c.problem.inputs["scalesT"] = {s.dtype, {s.N, blocks}};
  if (s.zp) c.problem.inputs["zeroPointsT"] = {s.dtype, {s.N, blocks}};
  if (s.bias) c.problem.inputs["biasT"] = {s.dtype, {s.N}};
  for (const auto& [key, desc] : c.problem.inputs)
    if (key != "aT") c.problem.constant.insert(key);
  c.problem.tunables = s.tunables;
  c.fill = s.fill;
  c.tolerance = s.tolerance;
  c.expect = s.expect;
  return c;
}

Outputs FieldCase::run(gpu::Kernel& kernel, const Spec& spec, Which which) {
  const Case c = make_case(spec);
  const auto data = make_case_data(package(), c, test_seed());
  if (!data) {
    ADD_FAILURE() << c.problem.id << ": " << data.error().to_string();
    return {};
  }
  return run(kernel, c, *data, which);
}

namespace {

std::vector<std::string> variants_of(const gpu::Kernel& kernel, const Problem& problem, Which which) {
  const DeviceProfile& profile = kernel.device().profile();
  const bool no_matrices = which != Which::every && kernel.device().info().adapter.type == "CPU";
  std::vector<std::string> list, left_out;
  for (const VariantVerdict& v : value(explain(kernel.package(), profile, problem)))
    if (no_matrices && v.variant.starts_with("sgmat")) {
      left_out.push_back(v.variant);
    } else if (v.verdict != Verdict::rejected) {
      list.push_back(v.variant);
    }
  if (which == Which::chosen)
    return {value(plan_problem(kernel.package(), profile, problem, {.exclude = left_out})).variant};
  return list;
}

// A sentence, empty when the output is right.
std::string run_one(gpu::PreparedCall& call, const gpu::DeviceTensors& tensors, const Case& c, const CaseData& data,
                    HostTensor& output) {
  const auto done = [&]() -> Result<std::string> {
    HB_TRY(const auto bindings, tensors.bindings(call));
    HB_CHECK(tensors.poison_outputs());
    HB_CHECK(call.poison_scratch());
    HB_CHECK(gpu::run_and_wait(call, bindings));
    HB_TRY(gpu::DeviceTensors::Read read, tensors.read(data.output_key));
    output = std::move(read.tensor);
    if (!read.guard.empty()) return read.guard;
    const Plan& plan = call.plan();
    return compare(c, data, output, {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations}).why;
  }();
  return done ? *done : done.error().to_string();
}

}  // namespace

namespace {

// False when the plan exceeds a limit of the device.
bool run_variant(gpu::Kernel& kernel, const gpu::DeviceTensors& tensors, const Case& c, const CaseData& data,
                 const std::string& variant, HostTensor& output) {
  const auto call = kernel.prepare(data.problem, {.variant = variant});
  if (!call && call.error().code == ErrorCode::limit) return false;
  const std::string why = call ? run_one(**call, tensors, c, data, output) : call.error().to_string();
  EXPECT_TRUE(why.empty()) << c.problem.id << " by " << variant << ": " << why;
  return true;
}

}  // namespace

HostTensor FieldCase::run_forced(gpu::Kernel& kernel, const Spec& spec, const std::string& variant) {
  const Case c = make_case(spec);
  const CaseData data = value(make_case_data(package(), c, test_seed()));
  const auto tensors = value(
      gpu::DeviceTensors::create(kernel.shared_runtime(), data.inputs, {{data.output_key, data.output}}, /*guard=*/64));
  HostTensor output;
  EXPECT_TRUE(run_variant(kernel, tensors, c, data, variant, output)) << c.problem.id << " by " << variant;
  return output;
}

Outputs FieldCase::run(gpu::Kernel& kernel, const Case& c, const CaseData& data, Which which) {
  Outputs outputs;
  const auto tensors = value(
      gpu::DeviceTensors::create(kernel.shared_runtime(), data.inputs, {{data.output_key, data.output}}, /*guard=*/64));
  for (const std::string& variant : variants_of(kernel, data.problem, which)) {
    HostTensor output;
    if (run_variant(kernel, tensors, c, data, variant, output)) outputs[variant] = std::move(output);
  }
  EXPECT_FALSE(outputs.empty()) << c.problem.id << ": nothing ran";
  return outputs;
}

bool FieldCase::too_slow_for_sweeps() {
  return std::getenv("HALFBYTE_LONG") == nullptr && kernel()->device().info().adapter.name.contains("SwiftShader");
}

std::vector<std::string> FieldCase::texts(const Plan& plan) {
  std::vector<std::string> list;
  for (const auto* passes : {&plan.prepack_passes, &plan.passes})
    for (const PassPlan& pass : *passes) list.push_back(value(render(package(), pass)));
  return list;
}

std::vector<Spec> FieldCase::random_specs(size_t count) {
  Rng rng(test_seed());
  std::vector<Spec> list;
  const int64_t rows[] = {1, 1, 2, 4, 5, 16, 17, 33, 64, 100, 513, 4096};
  for (size_t i = 0; i < count; ++i) {
    Spec s;
    s.M = rows[rng.below(12)];
    s.N = 1 + rng.below(rng.below(2) ? 64 : 9000);
    s.K = 1 + rng.below(rng.below(2) ? 100 : 9000);
    s.bits = 2 << rng.below(3);
    s.block = 16 << rng.below(5);
    s.zp = rng.below(2) != 0;
    s.bias = rng.below(2) != 0;
    s.dtype = rng.below(2) ? DType::float16 : DType::float32;
    s.level = static_cast<int>(rng.below(5));
    list.push_back(s);
  }
  return list;
}

}  // namespace halfbyte::issues
