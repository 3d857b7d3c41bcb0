// q, k and v in one call: each part's columns are held to what that part alone must give.
#include <gmock/gmock.h>

#include "problems.hpp"

namespace halfbyte::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Weights weights_of(const RandomProblem& random) {
  Weights weights{random.problem().attrs, random.data.inputs};
  weights.tensors.erase("aT");
  return weights;
}

// The same activations for all.
std::vector<RandomProblem> random_parts(int64_t M, std::initializer_list<MatmulCall> calls) {
  std::vector<RandomProblem> parts;
  for (MatmulCall call : calls) {
    call.M = M;
    parts.emplace_back(call);
    parts.back().activate(parts.front().data.inputs.at("aT"));
  }
  return parts;
}

TEST(Join, EveryPartIsWhatItIsAlone) {
  const Kernel kernel = value(Kernel::load(shared_device(), kMatMulNBits));
  for (const int64_t M : {1, 3, 40}) {
    for (const int64_t bits : {2, 4, 8}) {
      // K has a tail; only the second has zero points, only the third a bias; 50 columns of 2 bits are no whole words.
      const auto parts =
          random_parts(M, {{.K = 88, .N = 64, .bits = bits, .dtype = DType::float32},
                           {.K = 88, .N = 50, .bits = bits, .dtype = DType::float32, .zero_points = true},
                           {.K = 88, .N = 17, .bits = bits, .dtype = DType::float32, .bias = true}});
      std::vector<Weights> weights;
      for (const RandomProblem& part : parts) weights.push_back(weights_of(part));
      const TensorDesc a = parts.front().problem().inputs.at("aT");
      const JoinedWeights joined = value(kernel.join(a, weights));
      EXPECT_THAT(joined.first, ElementsAre(0, 64, 114, 131));
      HostTensors inputs = joined.weights.tensors;
      inputs["aT"] = parts.front().data.inputs.at("aT");
      const HostTensor y = value(kernel.run(joined.weights.attributes, inputs)).at("yT");
      EXPECT_EQ(y.shape, (Shape{M, 131}));
      for (size_t i = 0; i < parts.size(); ++i)
        EXPECT_EQ(parts[i].why_wrong(columns_of(y, joined.first[i], joined.first[i + 1] - joined.first[i])), "");
    }
  }
}

TEST(Join, IsPackedOnce) {
  const Device device = value(Device::open());
  const Kernel kernel = value(Kernel::load(device, kMatMulNBits));
  const auto parts =
      random_parts(1, {{.K = 256, .N = 128, .dtype = DType::float32}, {.K = 256, .N = 32, .dtype = DType::float32}});
  const std::vector<Weights> weights{weights_of(parts[0]), weights_of(parts[1])};
  const JoinedWeights joined = value(kernel.join({DType::float32, {1, 256}}, weights));
  Problem problem = parts[0].problem();
  problem.attrs = joined.weights.attributes;
  for (const auto& [key, tensor] : joined.weights.tensors) problem.inputs[key] = tensor.desc();
  const Call call = value(kernel.prepare(problem));
  HostTensors inputs = joined.weights.tensors;
  inputs["aT"] = parts[0].data.inputs.at("aT");
  Buffers buffers(device, call, &inputs);
  HB_ASSERT_OK(record_and_submit(device, call, buffers.bindings));
  const HostTensor y = read(device, buffers["yT"].buffer, call.tensors().back().desc);
  EXPECT_EQ(parts[0].why_wrong(columns_of(y, 0, 128)), "");
  EXPECT_EQ(parts[1].why_wrong(columns_of(y, 128, 32)), "");
  EXPECT_EQ(device.statistics().packed_weights, call.packed_inputs().empty() ? 0U : 1U);
}

// Scales that lie block by block, some padded with columns that must not come between the parts.
TEST(Join, ScalesByBlocks) {
  const Package package = value(built_in_package("et_vk.linear_q4gsw"));
  const Kernel kernel = Kernel::create(shared_device(), package);
  std::vector<Case> cases;
  std::vector<CaseData> data;
  std::vector<Weights> weights;
  for (const int64_t N : {40, 24}) {
    Case c;
    c.problem = value(matmul_problem(package, {.M = 5, .K = 64, .N = N, .dtype = DType::float32}));
    HostTensors given = value(make_case_data(package, c, test_seed())).inputs;
    if (!data.empty()) given["aT"] = data.front().inputs.at("aT");
    data.push_back(value(case_data_from_inputs(package, c.problem, std::move(given))));
    cases.push_back(c);
    Weights& part = weights.emplace_back(data.back().problem.attrs, data.back().inputs);
    part.tensors.erase("aT");
    HostTensor& scales = part.tensors.at("scalesT");
    const size_t pitch = scales.data.size() / static_cast<size_t>(scales.shape[0]);
    HostTensor padded{scales.dtype, {scales.shape[0], scales.shape[1] + 3}, {}};
    for (size_t row = 0; row < static_cast<size_t>(scales.shape[0]); ++row) {
      padded.data.append_range(std::span(scales.data).subspan(row * pitch, pitch));
      padded.data.resize(padded.data.size() + 3 * byte_size(scales.dtype), std::byte{0x7F});
    }
    scales = std::move(padded);
  }
  const JoinedWeights joined = value(kernel.join(data[0].problem.inputs.at("aT"), weights));
  HostTensors inputs = joined.weights.tensors;
  inputs["aT"] = data[0].inputs.at("aT");
  const HostTensor y = value(kernel.run(joined.weights.attributes, inputs)).at("yT");
  for (size_t i = 0; i < 2; ++i) {
    const auto seen =
        compare(cases[i], data[i], columns_of(y, joined.first[i], joined.first[i + 1] - joined.first[i]), {});
    EXPECT_TRUE(seen.pass) << seen.why;
  }
}

TEST(Join, SaysWhatIsWrongAndWhere) {
  const Kernel kernel = value(Kernel::load(shared_device(), kMatMulNBits));
  const auto parts = random_parts(1, {{.K = 64, .N = 4, .dtype = DType::float32, .accuracy_level = 4},
                                      {.K = 64, .N = 1, .dtype = DType::float32, .accuracy_level = 1}});
  const TensorDesc a{DType::float32, {1, 64}};
  const auto why = [&](std::vector<Weights> weights, const TensorDesc& activations) -> std::string {
    const auto joined = kernel.join(activations, weights);
    if (joined) return "";
    EXPECT_EQ(joined.error().code, ErrorCode::invalid_argument);
    return joined.error().message;
  };
  const Weights first = weights_of(parts[0]), second = weights_of(parts[1]);
  EXPECT_THAT(why({}, a), HasSubstr("no weights"));
  // N and accuracy_level change in step, and only one of them says what N is.
  EXPECT_THAT(why({first, second}, a), HasSubstr("part 1 of the weights: accuracy_level is 1, but 4 in part 0"));
  EXPECT_THAT(why({first, first}, {DType::float16, {1, 64}}), HasSubstr("part 0 of the weights"));
  EXPECT_THAT(why({first, first}, {DType::float32, {1, 96}}), HasSubstr("part 0 of the weights"));
  Weights bad = first;
  bad.tensors["aT"] = parts[0].data.inputs.at("aT");
  EXPECT_THAT(why({first, bad}, a), HasSubstr("the tensor aT is the activations"));
  bad = first;
  bad.tensors.at("scalesT").data.pop_back();
  EXPECT_THAT(why({first, bad}, a), HasSubstr("the tensor scalesT has 31 bytes"));
  bad = first;
  bad.tensors.erase("scalesT");
  EXPECT_THAT(why({first, bad}, a), HasSubstr("scalesT"));
  bad = first;
  bad.attributes.erase("accuracy_level");
  EXPECT_THAT(why({first, bad}, a), HasSubstr("no attribute accuracy_level"));
  EXPECT_THAT(why({bad, first}, a), HasSubstr("has the attribute accuracy_level"));
}

}  // namespace
}  // namespace halfbyte::testing
