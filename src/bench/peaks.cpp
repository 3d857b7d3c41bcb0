#include "bench/peaks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "tensor/half.hpp"
#include "verify/rng.hpp"

namespace halfbyte {
namespace {

constexpr int kKinds = 16;  // of invocations with different starting values (arithmetic.wgsl.jinja)
constexpr int kMostChains = 8;
constexpr int kStepPairs = 8;  // of each chain in an iteration
constexpr double kMatrixThreads = 128;
constexpr int64_t kSlowCheck = 4000;  // iterations past which dots are checked for two kinds of invocations only

double attr(const Problem& problem, std::string_view name) {
  const auto at = problem.attrs.find(name);
  return at == problem.attrs.end() ? 0 : std::get<double>(at->second);
}

double tunable(const Problem& problem, std::string_view name) { return problem.tunables.find(name)->second; }

double threads_of(const DeviceProfile& profile) {
  return std::min({256.0, profile.limit("maxComputeInvocationsPerWorkgroup").value_or(128),
                   profile.limit("maxComputeWorkgroupSizeX").value_or(128)});
}

HostTensor words(std::span<const uint32_t> values) {
  HostTensor tensor = HostTensor::zeros(DType::uint32, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.as<uint32_t>().begin());
  return tensor;
}

// ---- matrices

struct Matrices {
  int M = 0, N = 0, K = 0;
  std::vector<int> a[2], b[2];  // row by row

  // (A0 + A1) * B, what one iteration adds.
  std::vector<int64_t> added(int which_b) const {
    std::vector<int64_t> sum(static_cast<size_t>(M * N));
    for (int m = 0; m < M; ++m) {
      for (int n = 0; n < N; ++n) {
        for (int k = 0; k < K; ++k)
          sum[static_cast<size_t>(m * N + n)] +=
              int64_t{a[0][static_cast<size_t>(m * K + k)] + a[1][static_cast<size_t>(m * K + k)]} *
              b[which_b][static_cast<size_t>(k * N + n)];
      }
    }
    return sum;
  }
};

// A1 = -A0 but for its first column, so that sums grow slowly and stay whole numbers. Unsigned ones may wrap around.
Matrices make_matrices(const Peak& peak, int M, int N, int K, uint64_t seed) {
  Matrices m{M, N, K, {}, {}};
  Rng rng(seed, 0x3a7);
  const bool is_unsigned = peak.component == "u8";
  const auto draw = [&] { return static_cast<int>(rng.below(5)) - (is_unsigned ? 0 : 2); };
  for (int i = 0; i < M * K; ++i) {
    m.a[0].push_back(draw());
    m.a[1].push_back(is_unsigned ? draw() : -m.a[0].back() + (i % K == 0 ? static_cast<int>(rng.below(3)) - 1 : 0));
  }
  for (auto& b : m.b) {
    for (int i = 0; i < K * N; ++i) b.push_back(draw());
  }
  return m;
}

HostTensor pack(const Peak& peak, const Matrices& m) {
  std::vector<std::byte> bytes;
  const auto put = [&](const auto value) {
    const auto raw = std::bit_cast<std::array<std::byte, sizeof(value)>>(value);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  for (const auto* matrix : {&m.a[0], &m.a[1], &m.b[0], &m.b[1]}) {
    for (const int v : *matrix) {
      if (peak.component == "f32") put(static_cast<float>(v));
      if (peak.component == "f16") put(float_to_half(static_cast<float>(v)));
      if (peak.component == "i8" || peak.component == "u8") put(static_cast<int8_t>(v));
    }
  }
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return {DType::uint32, {static_cast<int64_t>(bytes.size() / 4)}, bytes};
}

double result_bytes(const Peak& peak) { return peak.result == "f16" ? 2 : 4; }

double value_at(const Peak& peak, const HostTensor& y, size_t i) {
  if (peak.result == "f16") return half_to_float(y.as<const uint16_t>()[i]);
  if (peak.result == "f32") return y.as<const float>()[i];
  return static_cast<double>(y.as<const uint32_t>()[i]);
}

Result<void> check_matrix(const Peak& peak, const PeakRun& run, const HostTensor& y, const HostTensor& info) {
  const int M = static_cast<int>(attr(run.problem, "M")), N = static_cast<int>(attr(run.problem, "N")),
            K = static_cast<int>(attr(run.problem, "K"));
  const Matrices matrices = make_matrices(peak, M, N, K, run.seed);
  const std::vector<int64_t> added[2] = {matrices.added(0), matrices.added(1)};
  const auto iterations = static_cast<int64_t>(attr(run.problem, "iterations"));
  int64_t largest = 0;
  for (const auto& list : added) {
    for (const int64_t v : list) largest = std::max(largest, std::abs(v));
  }
  const bool floats = peak.result == "f16" || peak.result == "f32";
  // In between, a sum is off by A0 * B, at most 4 * K.
  const double most = static_cast<double>(iterations * largest + 4 * K);
  const bool exact = !floats || most <= (peak.result == "f16" ? 2048.0 : 16777216.0);
  const auto tiles = static_cast<size_t>(tunable(run.problem, "TILES")), size = static_cast<size_t>(M * N);
  const auto subgroups = info.as<const uint32_t>()[0];
  const auto room = static_cast<size_t>(run.subgroup_room);
  if (subgroups < 1 || subgroups > room)
    return fail(ErrorCode::internal, std::format("{} says that a workgroup has {} subgroups, there is room for 1 to {}",
                                                 peak.id, subgroups, room));
  const auto groups = static_cast<size_t>(tunable(run.problem, "MATRIX_GROUPS"));
  for (size_t subgroup = 0; subgroup < groups * room; ++subgroup) {
    if (subgroup % room >= subgroups) continue;
    for (size_t i = 0; i < tiles * size; ++i) {
      const double got = value_at(peak, y, subgroup * tiles * size + i);
      const int64_t sum = iterations * added[i / size % 2][i % size];
      const double wanted = floats ? static_cast<double>(sum) : static_cast<double>(static_cast<uint32_t>(sum));
      if (exact ? got == wanted : std::isfinite(got)) continue;
      return fail(ErrorCode::internal,
                  std::format("{}: element {} of subgroup {} is {}, it must be {}", peak.id, i, subgroup, got, wanted));
    }
  }
  return {};
}

// ---- multiply-adds and dots

// A chain's two values after `steps` steps.
std::pair<uint32_t, uint32_t> run_dots(uint32_t u, uint32_t v, uint32_t k, int64_t steps) {
  const auto dot = [&](uint32_t a, uint32_t b) {
    uint32_t sum = b;
    for (int i = 0; i < 32; i += 8)
      sum += static_cast<uint32_t>(static_cast<int8_t>(a >> i) * static_cast<int8_t>(k >> i));
    return sum;
  };
  for (int64_t i = 0; i < steps; i += 2) {
    u = dot(u, v);
    v = dot(v, u);
  }
  return {u, v};
}

// x(n+1) = x(n) - x(n-1) comes back after six steps.
std::pair<int64_t, int64_t> run_fmas(int64_t u, int64_t v, int64_t steps) {
  for (int64_t i = 0; i < steps % 6; i += 2) {
    u = v - u;
    v = u - v;
  }
  return {u, v};
}

uint32_t expected_sum(const std::string& variant, std::span<const uint32_t> x, int kind, int chains, int64_t steps) {
  uint32_t sum = 0;
  for (int c = 0; c < chains; ++c) {
    const uint32_t u = x[static_cast<size_t>(1 + kind * 2 * kMostChains + 2 * c)],
                   v = x[static_cast<size_t>(2 + kind * 2 * kMostChains + 2 * c)];
    if (variant == "dot_i8") {
      const auto [a, b] = run_dots(u, v, x[0], steps);
      sum += a + 3 * b;
    } else if (variant == "fma_f32") {
      const auto [a, b] = run_fmas(u & 0xffff, v & 0xffff, steps);
      sum += static_cast<uint32_t>(a) + 3 * static_cast<uint32_t>(b);
    } else {
      for (uint32_t lane = 0; lane < 4; ++lane) {
        const auto [a, b] = run_fmas(u >> (8 * lane) & 255, v >> (8 * lane) & 255, steps);
        sum += (2 * lane + 1) * (static_cast<uint32_t>(a) + 3 * static_cast<uint32_t>(b));
      }
    }
  }
  return sum;
}

Result<void> check_arithmetic(const PeakRequest& request, const PeakRun& run, const HostTensor& y) {
  const auto iterations = static_cast<int64_t>(attr(run.problem, "iterations"));
  const int chains = static_cast<int>(tunable(run.problem, "CHAINS"));
  const int kinds = request.variant == "dot_i8" && iterations > kSlowCheck ? 2 : kKinds;
  std::array<uint32_t, kKinds> wanted{};
  for (int kind = 0; kind < kinds; ++kind)
    wanted[static_cast<size_t>(kind)] =
        expected_sum(request.variant, run.x.as<const uint32_t>(), kind, chains, iterations * 2 * kStepPairs);
  const auto got = y.as<const uint32_t>();
  for (size_t i = 0; i < got.size(); ++i) {
    const size_t kind = i % kKinds;
    if (kind >= static_cast<size_t>(kinds) || got[i] == wanted[kind]) continue;
    return fail(ErrorCode::internal,
                std::format("{}: invocation {} gives {}, it must be {}", request.peak.id, i, got[i], wanted[kind]));
  }
  return {};
}

HostTensor arithmetic_input(const std::string& variant, uint64_t seed) {
  Rng rng(seed, 0xf3a);
  std::vector<uint32_t> x(1 + kKinds * 2 * kMostChains);
  for (uint32_t& word : x) word = static_cast<uint32_t>(rng.next() >> 32);
  if (variant != "dot_i8") x[0] = 0xffffffff;  // -1
  return words(x);
}

// ---- memory

uint32_t sum_of_fill(uint64_t count) {
  const uint64_t pairs = count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;  // modulo 2^64 will do
  return static_cast<uint32_t>(pairs * 0x9e3779b1u + count * 0x7f4a7c15u);
}

Result<void> check_read(const PeakRequest& request, const PeakRun& run, const HostTensor& y) {
  uint32_t sum = 0;
  for (const uint32_t word : y.as<const uint32_t>()) sum += word;
  const uint32_t wanted = sum_of_fill(run.memory_bytes / 4);
  if (sum == wanted) return {};
  return fail(ErrorCode::internal,
              std::format("{}: the words read sum up to {}, it must be {}", request.peak.id, sum, wanted));
}

Result<void> check_copy(const PeakRequest& request, const HostTensor& y, uint64_t first) {
  const auto got = y.as<const uint32_t>();
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == fill_word(first + i)) continue;
    return fail(ErrorCode::internal, std::format("{}: word {} is {}, it must be {}", request.peak.id, first + i, got[i],
                                                 fill_word(first + i)));
  }
  return {};
}

PeakRequest arithmetic(std::string id, PeakKind kind, std::string component, std::string result) {
  PeakRequest request{{}, id};
  request.peak.id = std::move(id);
  request.peak.kind = kind;
  request.peak.component = std::move(component);
  request.peak.result = std::move(result);
  return request;
}

PeakRequest other(std::string id, PeakKind kind) { return arithmetic(std::move(id), kind, "", ""); }

}  // namespace

std::vector<PeakRequest> peak_requests(const DeviceProfile& profile) {
  std::vector<PeakRequest> requests{arithmetic("fma_f32", PeakKind::fma, "f32", "f32"),
                                    arithmetic("fma_f16", PeakKind::fma, "f16", "f16"),
                                    arithmetic("dot_i8", PeakKind::dot, "i8", "i32")};
  if (!profile.has_feature("shader-f16")) requests[1].peak.why = "the device lacks the feature shader-f16";
  if (!std::ranges::contains(profile.wgsl_language_features, "packed_4x8_integer_dot_product"))
    requests[2].peak.why = "the device lacks the WGSL language feature packed_4x8_integer_dot_product";
  for (const SubgroupMatrixConfig& config : profile.subgroup_matrix_configs) {
    PeakRequest request = arithmetic(std::format("matrix_{}_{}_{}x{}x{}", config.component_type,
                                                 config.result_component_type, config.M, config.N, config.K),
                                     PeakKind::matrix, config.component_type, config.result_component_type);
    request.variant = "matrix";
    request.peak.settings = {{"M", config.M}, {"N", config.N}, {"K", config.K}};
    requests.push_back(std::move(request));
  }
  requests.push_back(other("read", PeakKind::read));
  requests.push_back(other("copy", PeakKind::copy));
  requests.push_back(other("dispatch", PeakKind::dispatch));
  return requests;
}

PeakRun make_peak_run(const PeakRequest& request, const DeviceProfile& profile, const PeakSetting& setting,
                      uint64_t seed) {
  PeakRun run;
  Problem& problem = run.problem;
  problem.id = request.peak.id;
  problem.tunables = setting.tunables;
  const bool matrix = request.variant == "matrix";
  const double threads = matrix ? kMatrixThreads : threads_of(profile);
  problem.attrs = {
      {"measures", request.variant}, {"iterations", static_cast<double>(setting.iterations)}, {"threads", threads}};
  double outputs = 4;
  if (matrix) {
    const auto& shape = request.peak.settings;
    const double M = shape.find("M")->second, N = shape.find("N")->second, K = shape.find("K")->second;
    for (const auto& [name, value] : shape) problem.attrs[name] = value;
    problem.attrs["component"] = request.peak.component;
    problem.attrs["result"] = request.peak.result;
    const double room = std::floor(threads / std::max(profile.adapter.subgroup_min_size.value_or(4), 4));
    run.seed = seed;
    run.subgroup_room = static_cast<int64_t>(room);
    run.x = pack(request.peak,
                 make_matrices(request.peak, static_cast<int>(M), static_cast<int>(N), static_cast<int>(K), seed));
    outputs = std::ceil(tunable(problem, "MATRIX_GROUPS") * room * tunable(problem, "TILES") * M * N *
                        result_bytes(request.peak) / 4);
  } else if (request.peak.kind == PeakKind::fma || request.peak.kind == PeakKind::dot) {
    run.x = arithmetic_input(request.variant, seed);
    outputs = tunable(problem, "GROUPS") * threads;
  } else if (request.peak.kind != PeakKind::dispatch) {
    // Whole chunks for every number of loads that there is.
    const auto chunk = static_cast<uint64_t>(16 * threads * 8);
    run.memory_bytes = std::max(setting.memory_bytes / chunk, uint64_t{1}) * chunk;
    const auto count = static_cast<int64_t>(run.memory_bytes / 4);
    problem.inputs["xT"] = {DType::uint32, {count}};
    outputs =
        request.peak.kind == PeakKind::copy ? static_cast<double>(count) : tunable(problem, "MEMORY_GROUPS") * threads;
  }
  if (!run.x.data.empty()) problem.inputs["xT"] = run.x.desc();
  problem.attrs["outputs"] = outputs;
  return run;
}

PeakRun make_fill_run(const DeviceProfile& profile, uint64_t memory_bytes) {
  PeakRun run;
  run.problem.id = "fill";
  run.problem.attrs = {{"measures", std::string("fill")},
                       {"threads", threads_of(profile)},
                       {"outputs", static_cast<double>(memory_bytes / 4)}};
  run.memory_bytes = memory_bytes;
  return run;
}

uint32_t fill_word(uint64_t i) { return static_cast<uint32_t>(i) * 0x9e3779b1u + 0x7f4a7c15u; }

double peak_work(const PeakRequest& request, const PeakRun& run, double subgroups) {
  const Problem& p = run.problem;
  switch (request.peak.kind) {
    case PeakKind::fma:
    case PeakKind::dot: {
      const double lanes = request.variant == "fma_f32" ? 1 : 4;
      return tunable(p, "GROUPS") * attr(p, "threads") * attr(p, "iterations") * tunable(p, "CHAINS") * 2 * kStepPairs *
             2 * lanes;
    }
    case PeakKind::matrix:
      return tunable(p, "MATRIX_GROUPS") * subgroups * attr(p, "iterations") * tunable(p, "TILES") * 2 *
             (2 * attr(p, "M") * attr(p, "N") * attr(p, "K"));
    case PeakKind::read: return static_cast<double>(run.memory_bytes);
    case PeakKind::copy: return 2 * static_cast<double>(run.memory_bytes);
    case PeakKind::dispatch: return 1;
  }
  return 0;
}

Result<void> check_peak(const PeakRequest& request, const PeakRun& run, const HostTensor& y, const HostTensor& info,
                        int64_t dispatches, uint64_t y_first) {
  switch (request.peak.kind) {
    case PeakKind::fma:
    case PeakKind::dot: return check_arithmetic(request, run, y);
    case PeakKind::matrix: return check_matrix(request.peak, run, y, info);
    case PeakKind::read: return check_read(request, run, y);
    case PeakKind::copy: return check_copy(request, y, y_first);
    case PeakKind::dispatch: break;
  }
  const uint32_t count = y.as<const uint32_t>()[0];
  if (count == static_cast<uint32_t>(dispatches)) return {};
  return fail(ErrorCode::internal, std::format("dispatch: {} of {} dispatches saw the one before", count, dispatches));
}

}  // namespace halfbyte
