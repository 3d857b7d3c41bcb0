// What a process waits for before its first result, as one line of JSON: cold_start CACHE-FOLDER. tests/api/cold_start.sh runs it twice.
#include <chrono>
#include <print>

#include "halfbyte/halfbyte.hpp"

namespace {

using namespace halfbyte;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Problem problem_of(double M, double K, double N) {
  const auto m = static_cast<int64_t>(M), k = static_cast<int64_t>(K), n = static_cast<int64_t>(N);
  Problem p;
  p.attrs = {{"K", K}, {"N", N}, {"bits", 4.0}, {"block_size", 32.0}};
  p.inputs = {{"aT", {DType::float32, {m, k}}},
              {"bT", {DType::uint8, {n, k / 32, 16}}},
              {"scalesT", {DType::float32, {n, k / 32}}}};
  p.constant = {"bT", "scalesT"};
  return p;
}

Result<void> run(const std::string& folder) {
  const auto start = Clock::now();
  HB_TRY(const Device device, Device::open({.cache_folder = folder}));
  const double opened = ms_since(start);
  HB_TRY(const Kernel kernel, Kernel::load(device, "com.microsoft.MatMulNBits"));
  const double loaded = ms_since(start);
  std::vector<Problem> problems;
  for (const double M : {1, 8, 64})
    for (const double N : {64, 320}) problems.push_back(problem_of(M, 128, N));
  HB_CHECK(kernel.warm_up(problems).wait());
  const double compiled = ms_since(start);
  const std::vector<float> ones(128, 1), scales(256, 0.25F);
  HostTensor codes = HostTensor::zeros(DType::uint8, {64, 4, 16});
  for (std::byte& b : codes.data) b = std::byte{0x99};
  HB_TRY(const HostTensors out,
         kernel.run(problems[0].attrs, {{"aT", HostTensor::from_floats(DType::float32, {1, 128}, ones)},
                                        {"bT", codes},
                                        {"scalesT", HostTensor::from_floats(DType::float32, {64, 4}, scales)}}));
  const std::vector<float> y = out.at("yT").to_floats();
  const bool right = y == std::vector<float>(64, 32);
  const Statistics s = device.statistics();
  std::println(
      R"({{"device":"{}","right":{},"open_ms":{:.1f},"load_ms":{:.1f},"compile_ms":{:.1f},"first_result_ms":{:.1f},"programs":{},"hits":{},"misses":{},"bytes_read":{},"bytes_written":{}}})",
      device.name(), right, opened, loaded - opened, compiled - loaded, ms_since(start), s.programs_compiled,
      s.cache_hits, s.cache_misses, s.cache_bytes_read, s.cache_bytes_written);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::println(stderr, "cold_start CACHE-FOLDER");
    return 2;
  }
  const auto done = run(argv[1]);
  if (!done) std::println(stderr, "{}", done.error().to_string());
  return done ? 0 : 1;
}
