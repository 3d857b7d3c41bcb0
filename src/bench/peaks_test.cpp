#include "bench/peaks.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tensor/half.hpp"

namespace halfbyte {
namespace {

// What the kernels of halfbyte.peaks do, written down a second time, step by step.
HostTensor run_arithmetic(const PeakRequest& request, const PeakRun& run) {
  const auto x = run.x.as<const uint32_t>();
  const auto iterations = static_cast<int>(std::get<double>(run.problem.attrs.at("iterations")));
  const auto chains = static_cast<size_t>(run.problem.tunables.at("CHAINS"));
  HostTensor y =
      HostTensor::zeros(DType::uint32, {static_cast<int64_t>(std::get<double>(run.problem.attrs.at("outputs")))});
  for (size_t i = 0; i < y.as<uint32_t>().size(); ++i) {
    const size_t kind = 1 + i % 16 * 16;
    uint32_t sum = 0;
    for (size_t c = 0; c < chains; ++c) {
      const uint32_t u0 = x[kind + 2 * c], v0 = x[kind + 2 * c + 1];
      if (request.variant == "dot_i8") {
        uint32_t u = u0, v = v0;
        const auto dot = [&](uint32_t a, uint32_t b) {
          int32_t total = 0;
          for (int s = 0; s < 32; s += 8)
            total += int32_t{static_cast<int8_t>(a >> s)} * int32_t{static_cast<int8_t>(x[0] >> s)};
          return static_cast<uint32_t>(total) + b;
        };
        for (int s = 0; s < 8 * iterations; ++s) {
          u = dot(u, v);
          v = dot(v, u);
        }
        sum += u + 3 * v;
        continue;
      }
      const bool f32 = request.variant == "fma_f32";
      for (uint32_t lane = 0; lane < (f32 ? 1u : 4u); ++lane) {
        float u = static_cast<float>(f32 ? u0 & 0xffff : u0 >> (8 * lane) & 255),
              v = static_cast<float>(f32 ? v0 & 0xffff : v0 >> (8 * lane) & 255);
        for (int s = 0; s < 8 * iterations; ++s) {
          u = u * -1.0f + v;
          v = v * -1.0f + u;
        }
        sum += (2 * lane + 1) *
               (static_cast<uint32_t>(static_cast<int32_t>(u)) + 3 * static_cast<uint32_t>(static_cast<int32_t>(v)));
      }
    }
    y.as<uint32_t>()[i] = sum;
  }
  return y;
}

DeviceProfile full_profile() {
  DeviceProfile profile;
  profile.features = {"shader-f16"};
  profile.wgsl_language_features = {"packed_4x8_integer_dot_product"};
  profile.limits = {{"maxComputeInvocationsPerWorkgroup", 256}, {"maxComputeWorkgroupSizeX", 256}};
  profile.adapter.subgroup_min_size = 32;
  profile.adapter.subgroup_max_size = 32;
  profile.subgroup_matrix_configs = {{"f16", "f32", 16, 16, 16},
                                     {"f16", "f16", 16, 8, 8},
                                     {"i8", "i32", 8, 8, 32},
                                     {"u8", "u32", 8, 8, 8},
                                     {"f32", "f32", 8, 8, 8}};
  return profile;
}

PeakSetting small(int64_t iterations) {
  PeakSetting s;
  s.tunables = {{"GROUPS", 1}, {"CHAINS", 4}, {"MATRIX_GROUPS", 2}, {"TILES", 4}, {"MEMORY_GROUPS", 2}, {"LOADS", 4}};
  s.iterations = iterations;
  s.memory_bytes = 1 << 20;
  return s;
}

class Peaks : public testing::Test {
 protected:
  void SetUp() override {
    seed = std::random_device{}();
    RecordProperty("seed", std::to_string(seed));
    profile = full_profile();
  }
  PeakRequest find(const std::string& id) {
    for (const PeakRequest& request : peak_requests(profile)) {
      if (request.peak.id == id) return request;
    }
    ADD_FAILURE() << id;
    return {};
  }
  uint64_t seed = 0;
  DeviceProfile profile;
  HostTensor no_info = HostTensor::zeros(DType::uint32, {4});
};

TEST_F(Peaks, EveryUnitOfTheDeviceIsAsked) {
  const auto requests = peak_requests(profile);
  ASSERT_EQ(requests.size(), 11u);
  for (const PeakRequest& request : requests) EXPECT_EQ(request.peak.why, "") << request.peak.id;
  EXPECT_EQ(requests[3].peak.id, "matrix_f16_f32_16x16x16");
  EXPECT_EQ(requests[10].peak.id, "dispatch");
  for (const PeakRequest& request : peak_requests(DeviceProfile{})) {
    const bool missing = request.peak.id == "fma_f16" || request.peak.id == "dot_i8";
    EXPECT_EQ(request.peak.why.empty(), !missing) << request.peak.id;
  }
}

TEST_F(Peaks, ArithmeticIsCheckedStepByStep) {
  for (const char* id : {"fma_f32", "fma_f16", "dot_i8"}) {
    const PeakRequest request = find(id);
    for (const int64_t iterations : {1, 2, 3, 5, 17}) {
      SCOPED_TRACE(testing::Message() << id << " iterations " << iterations << " seed " << seed);
      const PeakRun run = make_peak_run(request, profile, small(iterations), seed);
      HostTensor y = run_arithmetic(request, run);
      const auto right = check_peak(request, run, y, no_info, 1);
      EXPECT_TRUE(right) << right.error().to_string();
      y.as<uint32_t>()[77] ^= 4;
      EXPECT_FALSE(check_peak(request, run, y, no_info, 1));
      // A loop that stops one iteration early shows.
      const PeakRun shorter = make_peak_run(request, profile, small(iterations - 1), seed);
      EXPECT_FALSE(check_peak(request, run, run_arithmetic(request, shorter), no_info, 1));
    }
    const PeakRun run = make_peak_run(request, profile, small(3), seed);
    EXPECT_DOUBLE_EQ(peak_work(request, run, 0), 256.0 * 3 * 4 * 16 * 2 * (request.variant == "fma_f32" ? 1 : 4)) << id;
  }
}

// The sums are computed here from the input's bytes alone.
TEST_F(Peaks, MatricesAreCheckedElementByElement) {
  for (const PeakRequest& request : peak_requests(profile)) {
    if (request.peak.kind != PeakKind::matrix) continue;
    SCOPED_TRACE(testing::Message() << request.peak.id << " seed " << seed);
    const int64_t iterations = 7;
    const PeakRun run = make_peak_run(request, profile, small(iterations), seed);
    const auto M = static_cast<size_t>(std::get<double>(run.problem.attrs.at("M"))),
               N = static_cast<size_t>(std::get<double>(run.problem.attrs.at("N"))),
               K = static_cast<size_t>(std::get<double>(run.problem.attrs.at("K")));
    const auto element = [&](size_t i) -> double {
      if (request.peak.component == "f32") return run.x.as<const float>()[i];
      if (request.peak.component == "f16") return half_to_float(run.x.as<const uint16_t>()[i]);
      return run.x.as<const int8_t>()[i];
    };
    ASSERT_EQ(run.subgroup_room, 4);
    HostTensor info = HostTensor::zeros(DType::uint32, {4});
    info.as<uint32_t>()[0] = 3;  // less than there is room for: the rest stays unwritten
    const auto words = static_cast<int64_t>(std::get<double>(run.problem.attrs.at("outputs")));
    HostTensor y = HostTensor::zeros(DType::uint32, {words});
    for (std::byte& b : y.data) b = std::byte{0xff};
    for (size_t subgroup = 0; subgroup < 8; ++subgroup) {
      if (subgroup % 4 == 3) continue;
      for (size_t tile = 0; tile < 4; ++tile) {
        for (size_t m = 0; m < M; ++m) {
          for (size_t n = 0; n < N; ++n) {
            double sum = 0;
            for (size_t k = 0; k < K; ++k) {
              const double b = element(2 * M * K + tile % 2 * K * N + k * N + n);
              sum += (element(m * K + k) + element(M * K + m * K + k)) * b;
            }
            sum *= static_cast<double>(iterations);
            const size_t at = (subgroup * 4 + tile) * M * N + m * N + n;
            if (request.peak.result == "f16")
              y.as<uint16_t>()[at] = float_to_half(static_cast<float>(sum));
            else if (request.peak.result == "f32")
              y.as<float>()[at] = static_cast<float>(sum);
            else
              y.as<uint32_t>()[at] = static_cast<uint32_t>(static_cast<int64_t>(sum));
          }
        }
      }
    }
    const auto right = check_peak(request, run, y, info, 1);
    EXPECT_TRUE(right) << right.error().to_string();
    HostTensor one_off = y;
    one_off.data[0] ^= std::byte{0x40};
    EXPECT_FALSE(check_peak(request, run, one_off, info, 1));
    EXPECT_FALSE(check_peak(request, run, y, no_info, 1));  // no subgroups
    info.as<uint32_t>()[0] = 4;
    EXPECT_FALSE(check_peak(request, run, y, info, 1));  // the fourth wrote nothing
    EXPECT_DOUBLE_EQ(peak_work(request, run, 4), 2.0 * 4 * 7 * 4 * 2 * 2 * static_cast<double>(M * N * K));
  }
}

TEST_F(Peaks, MemoryIsCheckedBySumAndByWord) {
  const PeakRequest read = find("read");
  const PeakRun run = make_peak_run(read, profile, small(1), seed);
  EXPECT_EQ(run.memory_bytes, uint64_t{1} << 20);
  HostTensor y = HostTensor::zeros(DType::uint32, {512});
  for (uint64_t i = 0; i < run.memory_bytes / 4; ++i) y.as<uint32_t>()[i % 512] += fill_word(i);
  EXPECT_TRUE(check_peak(read, run, y, no_info, 1));
  y.as<uint32_t>()[511] += 1;
  EXPECT_FALSE(check_peak(read, run, y, no_info, 1));
  EXPECT_DOUBLE_EQ(peak_work(read, run, 0), 1 << 20);

  const PeakRequest copy = find("copy");
  HostTensor part = HostTensor::zeros(DType::uint32, {100});
  for (uint64_t i = 0; i < 100; ++i) part.as<uint32_t>()[i] = fill_word(5000 + i);
  const PeakRun copied = make_peak_run(copy, profile, small(1), seed);
  EXPECT_TRUE(check_peak(copy, copied, part, no_info, 1, 5000));
  EXPECT_FALSE(check_peak(copy, copied, part, no_info, 1, 5001));
  EXPECT_DOUBLE_EQ(peak_work(copy, copied, 0), 2 << 20);

  const PeakRequest dispatch = find("dispatch");
  HostTensor count = HostTensor::zeros(DType::uint32, {4});
  count.as<uint32_t>()[0] = 1000;
  EXPECT_TRUE(check_peak(dispatch, make_peak_run(dispatch, profile, small(1), seed), count, no_info, 1000));
  EXPECT_FALSE(check_peak(dispatch, make_peak_run(dispatch, profile, small(1), seed), count, no_info, 1001));
}

TEST_F(Peaks, F16SumsThatLeaveTheIntegersMustStayFinite) {
  const PeakRequest request = find("matrix_f16_f16_16x8x8");
  const PeakRun run = make_peak_run(request, profile, small(1000000), seed);
  HostTensor info = HostTensor::zeros(DType::uint32, {4});
  info.as<uint32_t>()[0] = 4;
  HostTensor y =
      HostTensor::zeros(DType::uint32, {static_cast<int64_t>(std::get<double>(run.problem.attrs.at("outputs")))});
  EXPECT_TRUE(check_peak(request, run, y, info, 1));
  y.as<uint16_t>()[3] = 0x7c00;
  EXPECT_FALSE(check_peak(request, run, y, info, 1));
}

}  // namespace
}  // namespace halfbyte
