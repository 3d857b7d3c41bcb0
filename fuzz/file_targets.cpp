// Requests, cases, device profiles, tuning records, .npy and .onnx.
#include <array>
#include <cstring>

#include "io/files.hpp"
#include "select/problem.hpp"
#include "select/profile.hpp"
#include "targets.hpp"
#include "tensor/npy.hpp"
#include "tune/records.hpp"
#include "tune/tuner.hpp"
#include "verify/case.hpp"
#ifdef HALFBYTE_HAS_ONNX
#include "onnx/matmul_nbits.hpp"
#include "onnx/model.hpp"
#include "onnx/quantize.hpp"
#include "onnx/test_models.hpp"
#endif

namespace halfbyte::fuzz {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const Package* own_package() {
  static const Result<Package> package =
      load_package(HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits/manifest.json");
  return package ? &*package : nullptr;
}

}  // namespace

void requests(std::string_view input) {
  const auto problems = parse_problems(input, "requests.json");
  if (!problems) check_error(problems.error());
}

void cases(std::string_view input) {
  const auto parsed = parse_cases(input, "cases.json");
  if (!parsed) return check_error(parsed.error(), true);
  const Package* package = own_package();
  if (!package) finding("the project's own package does not load");
  int made = 0;
  for (const Case& c : *parsed) {
    double elements = 0;
    for (const auto& [key, desc] : c.problem.inputs)
      elements += static_cast<double>(element_count(desc.shape).value_or(0));
    // Data is only made of small cases, for speed; a huge one must be refused.
    if (elements > 20'000 && elements < 1e10) continue;
    const auto data = make_case_data(*package, c, 1);
    if (data && elements >= 1e10) finding("data was made of a case with more than 1e10 elements");
    if (++made == 4) break;
  }
}

void profile(std::string_view input) {
  const auto parsed = parse_profile(input, "profile.json");
  if (!parsed) return check_error(parsed.error());
  const std::string written = to_json_text(*parsed);
  const auto again = parse_profile(written, "again.json");
  if (!again) finding("a profile cannot be read again: " + again.error().to_string());
  if (to_json_text(*again) != written) finding("a profile changes when it is written and read");
}

void records(std::string_view input) {
  const auto parsed = TuningRecords::parse(input, "tuning.json");
  if (!parsed) {
    check_error(parsed.error(), true);
  } else {
    const std::string written = parsed->to_json_text();
    const auto again = TuningRecords::parse(written, "again.json");
    if (!again) finding("records cannot be read again: " + again.error().to_string());
  }
  Tuner tuner({{"gemv", {}}, {"tiled", {{"SIZE", 64}}}}, {});
  if (tuner.restore(input)) {
    (void)tuner.next();
    (void)tuner.result();
  }
}

std::vector<std::string> record_seeds() {
  TuningRecords all;
  RecordKey key;
  key.device.adapter = "a";
  key.package = "p";
  TunedPoint point;
  point.M = 4;
  point.measured = {{{"gemv", {{"SIZE", 64}}}, 1e-5, 0.01}, {{"tiled", {}}, 2e-5, 0.1}};
  point.default_variant = "tiled";
  point.ties = {"x"};
  all.set(key, "K64", point);
  Tuner tuner({{"gemv", {}}, {"tiled", {{"SIZE", 64}}}}, {});
  tuner.report_verified(0, true, "", 0.1);
  all.set_unfinished(key, "K64", 8, tuner.save());
  return {all.to_json_text(), tuner.save()};
}

void npy(std::string_view input) {
  const auto tensor = decode_npy(bytes_of(input), "a.npy");
  if (!tensor) return check_error(tensor.error(), true);
  const auto again = decode_npy(encode_npy(*tensor), "b.npy");
  if (!again || again->desc() != tensor->desc() || again->data != tensor->data)
    finding("an array changes when it is written and read");
}

std::vector<std::string> npy_seeds() {
  std::vector<std::string> seeds;
  for (const DType dtype : {DType::float32, DType::float16, DType::uint8, DType::int64})
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 0}, Shape{2, 3, 4}}) {
      HostTensor tensor{dtype, shape, {}};
      tensor.data.resize(static_cast<size_t>(*element_count(shape)) * byte_size(dtype), std::byte{7});
      seeds.push_back(text_of(encode_npy(tensor)));
    }
  return seeds;
}

#ifdef HALFBYTE_HAS_ONNX
void onnx(std::string_view input) {
  auto model = OnnxModel::parse(bytes_of(input), "m.onnx");
  if (!model) return check_error(model.error(), true);
  (void)find_matmul_nbits(*model);
  if (input.size() > 100'000) return;
  if (!quantize_model(*model, {})) return;
  (void)find_matmul_nbits(*model);
  const auto written = model->serialize();
  if (!written) return;
  if (!OnnxModel::parse(written->model, "again.onnx")) finding("a quantized model cannot be read again");
}

std::vector<std::string> onnx_seeds() {
  std::mt19937_64 random(7);
  std::vector<std::string> seeds;
  using Spec = onnx_test::NBitsSpec;
  for (const auto& spec : {Spec{}, Spec{.zero_points = Spec::packed, .bias = true},
                           Spec{.bits = 2, .zero_points = Spec::floating, .flat = true}})
    seeds.push_back(text_of(onnx_test::to_bytes(onnx_test::nbits_model(spec, random))));
  auto plain = onnx_test::empty_model();
  onnx_test::add_input(plain, "A", {-1, 64});
  onnx_test::add_output(plain, "Y", {-1, 8});
  *plain.mutable_graph()->add_initializer() = onnx_test::random_floats("W", {64, 8}, random);
  onnx_test::add_node(plain, "MatMul", "m", {"A", "W"}, "Y");
  seeds.push_back(text_of(onnx_test::to_bytes(plain)));
  return seeds;
}
#endif

}  // namespace halfbyte::fuzz
