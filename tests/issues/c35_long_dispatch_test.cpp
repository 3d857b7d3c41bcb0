// C35 robustness: a dispatch so long that it takes the device down. Work is bounded for each submit, and the result is that of slices of 64
// rows, bit for bit, whichever variant computes it. The case's M = N = K = 4096 takes a CPU minutes; here M = 256.
#include <atomic>
#include <nlohmann/json.hpp>

#include "field_case.hpp"
#include "gpu/row_chunks.hpp"

namespace halfbyte::issues {
namespace {

constexpr int64_t kLongRows = 256, kSlice = 64;

HostTensor rows_of(const HostTensor& a, int64_t first, int64_t count) {
  HostTensor part = HostTensor::zeros(a.dtype, {count, a.shape[1]});
  const size_t row = static_cast<size_t>(a.shape[1]) * byte_size(a.dtype);
  std::copy_n(a.data.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(first) * row), part.data.size(),
              part.data.begin());
  return part;
}

// Every slice a problem of its own by the same variant, with nothing else said.
std::vector<std::byte> by_slices(gpu::Kernel& kernel, const CaseData& data, const SelectOptions& options) {
  std::vector<std::byte> y;
  for (int64_t first = 0; first < kLongRows; first += kSlice) {
    Problem part = data.problem;
    gpu::HostTensors inputs = data.inputs;
    inputs["aT"] = rows_of(data.inputs.at("aT"), first, kSlice);
    part.inputs["aT"].shape = {kSlice, data.inputs.at("aT").shape[1]};
    const HostTensor out = value(gpu::run(*value(kernel.prepare(part, options)), inputs)).at("yT");
    y.insert(y.end(), out.data.begin(), out.data.end());
  }
  return y;
}

TEST_F(FieldCase, C35_BoundedSubmitsGiveTheBitsOfTheWhole) {
  HB_NEED_PATIENT_DEVICE();
  std::atomic<int> submits = 0;
  const auto own = kernel_on({.faults = [&](gpu::FaultPoint point, std::string_view) {
    submits += point == gpu::FaultPoint::submitted ? 1 : 0;
    return gpu::Fault::none;
  }});
  // K so long and the tiles so few that variants which split K would split the whole and a slice differently.
  const Spec spec{
      .fill = "random", .M = kLongRows, .N = 128, .K = 1024, .tolerance = "bound", .tunables = {{"FMA_WORKGROUPS", 4}}};
  const Case c = make_case(spec);
  const CaseData data = value(make_case_data(package(), c, test_seed()));
  const double bound = static_cast<double>(kSlice) * static_cast<double>(spec.N) * static_cast<double>(spec.K);
  for (const auto& [variant, whole] : run(*own, c, data, Which::quick)) {
    const auto chunked = value(gpu::ChunkedCall::create(*own, data.problem, bound, {.variant = variant}));
    ASSERT_EQ(chunked.chunks().size(), static_cast<size_t>(kLongRows / kSlice)) << variant;
    for (const gpu::RowChunk& chunk : chunked.chunks()) EXPECT_LE(chunk.rows, kSlice) << variant;
    const int before = submits;
    const HostTensor y = value(chunked.run(data.inputs)).at("yT");
    EXPECT_GE(submits - before, kLongRows / kSlice) << variant;
    EXPECT_EQ(y.data, whole.data) << variant << ": chunks and the whole";
  }
}

// Matrix tiles and splits of K are chosen by the number of rows; no device here has them all. What decides the order of sums must be the whole's.
TEST_F(FieldCase, C35_PartsAddUpInTheOrderOfTheWholeOnEveryProfile) {
  int compared = 0, held = 0;
  for (const DeviceProfile& device : all_profiles())
    for (Spec spec : random_specs(60)) {
      if (spec.M < 16) continue;
      const auto whole = plan_problem(package(), device, problem(spec));
      if (!whole || whole->parts > 1) continue;
      spec.M /= 4;
      spec.tunables.insert(whole->hold.begin(), whole->hold.end());
      const auto part = plan_problem(package(), device, problem(spec), {.variant = whole->variant});
      if (!part) continue;  // the next best one computes it then
      SCOPED_TRACE(problem(spec).id + " by " + whole->variant + " on " + device.name);
      ++compared;
      held += whole->hold.empty() ? 0 : 1;
      EXPECT_EQ(part->hold, whole->hold);
      ASSERT_EQ(part->passes.size(), whole->passes.size());
      for (size_t i = 0; i < part->passes.size(); ++i) {
        const auto a = nlohmann::json::parse(part->passes[i].parameters_json),
                   b = nlohmann::json::parse(whole->passes[i].parameters_json);
        for (const char* name : {"splitSg", "tileK", "prefetch", "kParts", "unroll", "slabChunks"})
          EXPECT_EQ(a.value(name, 0), b.value(name, 0)) << name;
        if (whole->variant.ends_with("_splitk")) {
          EXPECT_EQ(part->passes[i].dispatch[2], whole->passes[i].dispatch[2]) << "splits of K";
        }
      }
    }
  EXPECT_GT(compared, 200);
  EXPECT_GT(held, 50);
}

// Slices that the caller makes by hand are further problems, with nothing said of the whole. Where K is too short to be split, they too give the same bits.
TEST_F(FieldCase, C35_SlicesOf64RowsGiveTheBitsOfTheWhole) {
  HB_NEED_DEVICE();
  const Case c =
      make_case({.fill = "random", .M = kLongRows, .N = 72, .K = 96, .zp = true, .bias = true, .tolerance = "bound"});
  const CaseData data = value(make_case_data(package(), c, test_seed()));
  for (const auto& [variant, whole] : run(*kernel(), c, data, too_slow_for_sweeps() ? Which::chosen : Which::quick))
    EXPECT_EQ(by_slices(*kernel(), data, {.variant = variant}), whole.data) << variant;
}

}  // namespace
}  // namespace halfbyte::issues
