// The field cases' universal probes on every variant that this device can run: identity (the output is the dequantized weight, bit for bit),
// canary (bytes before and after Y stay), sentinel (no NaN of before is left), repeat (200 runs, the same bits).
#include <cstdio>
#include <cstring>
#include <set>

#include "field_case.hpp"
#include "gpu/buffers.hpp"

namespace halfbyte::issues {
namespace {

constexpr int64_t kRows = 64, kColumns = 40;

// Together they make every variant eligible somewhere. A matrix kernel is compiled for seconds on a CPU, so all here is one shape.
std::vector<Spec> candidates() {
  std::vector<Spec> list;
  for (const int64_t M : {kRows, int64_t{8}, int64_t{1}})
    for (const DType dtype : {DType::float32, DType::float16})
      for (const int level : {0, 4})
        for (const bool zp : {true, false})
          for (const double split : {1, 2})
            list.push_back({.fill = "identity",
                            .M = M,
                            .N = kColumns,
                            .K = kRows,
                            .zp = zp,
                            .bias = true,
                            .dtype = dtype,
                            .level = level,
                            .tunables = {{"SGMAT_SPLITK", split}, {"FMA_SPLITK", split}, {"REGISTER_TILE_SPLITK", 2}}});
  return list;
}

class Probe {
 public:
  Probe(gpu::Kernel& kernel, const Package& package, Spec spec, Case c, std::string variant)
      : kernel_(kernel), spec_(std::move(spec)), case_(std::move(c)), variant_(std::move(variant)) {
    Case whole = case_;
    whole.problem.inputs["aT"].shape = {kRows, kRows};
    identity_ = value(make_case_data(package, whole, test_seed()));
    call_ = value(kernel_.prepare(case_.problem, {.variant = variant_}));
  }

  // Rows r .. r+M-1 of the identity; the variant may take fewer rows than there are.
  void identity() {
    const HostTensor& a = identity_.inputs.at("aT");
    const size_t row_bytes = static_cast<size_t>(kRows) * byte_size(spec_.dtype);
    for (int64_t r = 0; r < kRows; r += spec_.M) {
      gpu::HostTensors inputs = identity_.inputs;
      HostTensor& part = inputs["aT"] = HostTensor::zeros(spec_.dtype, {spec_.M, kRows});
      std::memcpy(part.data.data(), a.data.data() + static_cast<size_t>(r) * row_bytes, part.data.size());
      const HostTensor y = value(gpu::run(*call_, inputs)).at("yT");
      // Bit for bit; int8 activations within their own bound.
      const CaseData data = value(case_data_from_inputs(kernel_.package(), case_.problem, inputs));
      const Comparison seen = compare(case_, data, y, numerics());
      ASSERT_TRUE(seen.pass) << variant_ << ", rows from " << r << ": " << seen.why;
    }
  }

  // Y in the middle of a buffer of 0xA5.
  void canary() {
    const gpu::Device& device = kernel_.device();
    const uint64_t bytes = static_cast<uint64_t>(spec_.M * kColumns) * byte_size(spec_.dtype), before = 256, after = 64;
    const wgpu::Buffer y = value(gpu::create_buffer(device, "canary", before + bytes + after, gpu::kTensorUsage));
    const std::vector<std::byte> alive(before + bytes + after, std::byte{0xA5});
    ASSERT_TRUE(gpu::write_buffer(device, "canary", y, 0, alive));
    gpu::HostTensors inputs = identity_.inputs;
    inputs["aT"] = HostTensor::zeros(spec_.dtype, {spec_.M, kRows});
    const auto tensors = value(
        gpu::DeviceTensors::create(kernel_.shared_runtime(), inputs, {{"yT", {spec_.dtype, {spec_.M, kColumns}}}}));
    auto bindings = value(tensors.bindings(*call_));
    for (gpu::TensorBinding& binding : bindings)
      if (binding.key == "yT") binding = {"yT", y, before, 0};
    ASSERT_TRUE(gpu::run_and_wait(*call_, bindings));
    const std::vector<std::byte> read = value(gpu::read_buffer(device, "canary", y, 0, alive.size()));
    for (size_t i = 0; i < read.size(); ++i)
      if (i < before || i >= before + bytes) {
        ASSERT_EQ(read[i], std::byte{0xA5})
            << variant_ << ": byte " << static_cast<int64_t>(i) - static_cast<int64_t>(before) << " of an output of "
            << bytes << " bytes was written";
      }
    call_->forget(y);
  }

  void repeat(int runs) {
    Case random = case_;
    random.fill = "random";
    random.tolerance = "bound";
    const CaseData data = value(make_case_data(kernel_.package(), random, test_seed()));
    const auto tensors =
        value(gpu::DeviceTensors::create(kernel_.shared_runtime(), data.inputs, {{data.output_key, data.output}}, 64));
    const auto bindings = value(tensors.bindings(*call_));
    HostTensor first;
    for (int i = 0; i < runs; ++i) {
      ASSERT_TRUE(tensors.poison_outputs());
      ASSERT_TRUE(gpu::run_and_wait(*call_, bindings));
      const auto read = value(tensors.read(data.output_key));
      ASSERT_EQ(read.guard, "") << variant_;
      if (i == 0) {
        const Comparison seen = compare(random, data, read.tensor, numerics());
        ASSERT_TRUE(seen.pass) << variant_ << ": " << seen.why;  // a NaN that is left never passes
        first = read.tensor;
      }
      ASSERT_EQ(first.data, read.tensor.data) << variant_ << ", run " << i;
    }
  }

 private:
  Numerics numerics() const {
    const Plan& plan = call_->plan();
    return {plan.numerics_accumulate, plan.numerics_multiply, plan.numerics_activations};
  }

  gpu::Kernel& kernel_;
  Spec spec_;
  Case case_;
  std::string variant_;
  CaseData identity_;
  std::shared_ptr<gpu::PreparedCall> call_;
};

TEST_F(FieldCase, Probes_IdentityCanarySentinelAndRepeatOnEveryVariant) {
  HB_NEED_PATIENT_DEVICE();
  const DeviceProfile& device = kernel()->device().profile();
  std::set<std::string> probed;
  std::map<std::string, std::string> why_not;
  for (const Spec& spec : candidates()) {
    const Case c = make_case(spec);
    for (const VariantVerdict& v : value(explain(package(), device, c.problem))) {
      if (probed.contains(v.variant)) continue;
      if (v.verdict == Verdict::rejected) {
        why_not[v.variant] = v.why;
        continue;
      }
      probed.insert(v.variant);
      SCOPED_TRACE(v.variant + " with " + c.problem.id);
      Probe probe(*kernel(), package(), spec, c, v.variant);
      probe.identity();
      probe.canary();
      probe.repeat(200);
    }
  }
  std::printf("%zu of %zu variants probed\n", probed.size(), package().variant_ids().size());
  for (const std::string& id : package().variant_ids())
    if (!probed.contains(id)) std::printf("not probed: %s (%s)\n", id.c_str(), why_not[id].c_str());
  // What every WebGPU device can run; more depends on features.
  for (const char* id : {"gemv", "prefill_tile4x4", "scalar"})
    EXPECT_TRUE(probed.contains(id)) << id << ": " << why_not[id];
}

}  // namespace
}  // namespace halfbyte::issues
