#include "reference/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <thread>

namespace halfbyte {
namespace {

// Eight rows of A at a time, k outermost: the innermost loop is then eight independent sums, which vectorize without
// reordering any of them. A vector type keeps that from depending on the optimization level.
constexpr int64_t kRows = 8;
constexpr int64_t kCols = 4;  // weight rows sharing one pass over A
using Double4 = double __attribute__((vector_size(32)));

struct PackedRows {  // [groups][K][8], rows past M are zero
  int64_t M = 0, K = 0;
  std::vector<double> values;
  const double* group(int64_t g) const { return values.data() + g * K * kRows; }
};

PackedRows pack_rows(const std::vector<double>& a, int64_t M, int64_t K) {
  PackedRows packed{M, K, {}};
  packed.values.resize(static_cast<size_t>((M + kRows - 1) / kRows * kRows * K));
  for (int64_t m = 0; m < M; ++m)
    for (int64_t k = 0; k < K; ++k)
      packed.values[static_cast<size_t>((m / kRows * K + k) * kRows + m % kRows)] = a[static_cast<size_t>(m * K + k)];
  return packed;
}

__attribute__((always_inline)) inline void tile_body(const double* a, const double* w, int64_t K, double* sums) {
  Double4 acc[kCols][2] = {};
  for (int64_t k = 0; k < K; ++k) {
    Double4 lo, hi;
    __builtin_memcpy(&lo, a + k * kRows, sizeof lo);
    __builtin_memcpy(&hi, a + k * kRows + 4, sizeof hi);
    for (int64_t c = 0; c < kCols; ++c) {
      acc[c][0] += lo * w[c * K + k];
      acc[c][1] += hi * w[c * K + k];
    }
  }
  __builtin_memcpy(sums, acc, sizeof acc);
}

// One row of A against one weight row, four sums along k.
__attribute__((always_inline)) inline double dot_body(const double* a, const double* w, int64_t K) {
  Double4 acc[4] = {};
  int64_t k = 0;
  for (; k + 16 <= K; k += 16) {
    for (int64_t j = 0; j < 4; ++j) {
      Double4 x, y;
      __builtin_memcpy(&x, a + k + 4 * j, sizeof x);
      __builtin_memcpy(&y, w + k + 4 * j, sizeof y);
      acc[j] += x * y;
    }
  }
  const Double4 all = (acc[0] + acc[1]) + (acc[2] + acc[3]);
  double sum = (all[0] + all[1]) + (all[2] + all[3]);
  for (; k < K; ++k) sum += a[k] * w[k];
  return sum;
}

void tile_plain(const double* a, const double* w, int64_t K, double* sums) { tile_body(a, w, K, sums); }
double dot_plain(const double* a, const double* w, int64_t K) { return dot_body(a, w, K); }

struct Inner {
  void (*tile)(const double* a, const double* w, int64_t K, double* sums);  // sums [kCols][kRows]
  double (*dot)(const double* a, const double* w, int64_t K);
};

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void tile_avx2(const double* a, const double* w, int64_t K, double* sums) {
  tile_body(a, w, K, sums);
}
__attribute__((target("avx2,fma"))) double dot_avx2(const double* a, const double* w, int64_t K) {
  return dot_body(a, w, K);
}
Inner choose_inner() {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {tile_avx2, dot_avx2};
  return {tile_plain, dot_plain};
}
#else
Inner choose_inner() { return {tile_plain, dot_plain}; }
#endif

// Few rows: dot products along k waste no padding. More: tiles.
constexpr int64_t kDotMaxRows = 2;

struct Job {
  const WeightReader* weights;
  Inner inner;
  int64_t M, N, K;
  std::vector<double> a;  // [M][K]
  PackedRows packed, packed_abs;
  std::vector<double> bias;  // empty or [N]
  double* y;
  double* magnitude;  // or null
};

void store_tile(const Job& job, int64_t n, int64_t columns, int64_t group, const double* sums, bool with_bias,
                double* out) {
  const int64_t m0 = group * kRows;
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < kRows && m0 + r < job.M; ++r)
      out[(m0 + r) * job.N + n + c] = sums[c * kRows + r] + (with_bias ? job.bias[static_cast<size_t>(n + c)] : 0.0);
}

void run_columns(const Job& job, int64_t begin, int64_t end) {
  std::vector<double> w(static_cast<size_t>(kCols * job.K));
  std::vector<double> sums(static_cast<size_t>(kCols * kRows));
  const bool with_bias = !job.bias.empty();
  for (int64_t n = begin; n < end; n += kCols) {
    const int64_t columns = std::min(kCols, end - n);
    for (int64_t c = 0; c < columns; ++c) job.weights->dequantize(n + c, w.data() + c * job.K);
    for (int pass = 0; pass < (job.magnitude ? 2 : 1); ++pass) {
      if (pass == 1)
        for (double& x : w) x = std::fabs(x);
      double* out = pass == 0 ? job.y : job.magnitude;
      if (job.M <= kDotMaxRows) {
        const double* a = pass == 0 ? job.a.data() : job.packed_abs.values.data();
        for (int64_t m = 0; m < job.M; ++m)
          for (int64_t c = 0; c < columns; ++c)
            out[m * job.N + n + c] = job.inner.dot(a + m * job.K, w.data() + c * job.K, job.K) +
                                     (pass == 0 && with_bias ? job.bias[static_cast<size_t>(n + c)] : 0.0);
        continue;
      }
      const PackedRows& a = pass == 0 ? job.packed : job.packed_abs;
      for (int64_t g = 0; g * kRows < job.M; ++g) {
        job.inner.tile(a.group(g), w.data(), job.K, sums.data());
        store_tile(job, n, columns, g, sums.data(), pass == 0 && with_bias, out);
      }
    }
  }
}

void run_threads(const Job& job, int threads) {
  const int64_t share = (job.N / threads + kCols) / kCols * kCols;
  std::vector<std::thread> running;
  int64_t begin = 0;
  for (; begin + share < job.N && static_cast<int>(running.size()) + 1 < threads; begin += share) {
    try {
      running.emplace_back([&job, begin, share] { run_columns(job, begin, begin + share); });
    } catch (const std::system_error&) {
      break;  // no more threads to be had: the rest is done here
    }
  }
  run_columns(job, begin, job.N);
  for (auto& t : running) t.join();
}

int thread_count(const ReferenceOptions& options, const Job& job) {
  if (options.threads > 0) return options.threads;
  constexpr double kWorthAThread = 2e7;  // multiplications; about 10 ms
  const double work = static_cast<double>(job.M) * static_cast<double>(job.N) * static_cast<double>(job.K);
  const int most = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  return std::clamp(static_cast<int>(std::min(work / kWorthAThread, 64.0)), 1, most);
}

}  // namespace

Result<ReferenceResult> reference_matmul(const MatMulView& view, const ReferenceOptions& options) {
  HB_TRY(const WeightReader weights, WeightReader::make(view));
  const HostTensor& a = *view.a;
  const BlockShape& s = view.shape;
  if ((a.dtype != DType::float32 && a.dtype != DType::float16) || s.K < 1 || a.size() % s.K != 0)
    return fail(ErrorCode::invalid_argument, std::format("A has dtype {} and shape {} but must be float rows of K={}",
                                                         name(a.dtype), to_string(a.shape), s.K));
  Job job{&weights, choose_inner(), view.M(), s.N, s.K, {}, {}, {}, {}, nullptr, nullptr};
  if (view.bias) {
    if (view.bias->size() != s.N)
      return fail(ErrorCode::invalid_argument,
                  std::format("the bias has shape {} but N is {}", to_string(view.bias->shape), s.N));
    job.bias.resize(static_cast<size_t>(s.N));
    for (int64_t n = 0; n < s.N; ++n) job.bias[static_cast<size_t>(n)] = view.bias->at(n);
  }
  job.a.resize(static_cast<size_t>(a.size()));
  for (int64_t i = 0; i < a.size(); ++i) job.a[static_cast<size_t>(i)] = a.at(i);
  const bool dots = job.M <= kDotMaxRows;
  if (!dots) job.packed = pack_rows(job.a, job.M, job.K);
  if (options.magnitude) {
    if (dots)
      job.packed_abs.values = job.a;
    else
      job.packed_abs = job.packed;
    for (double& x : job.packed_abs.values) x = std::fabs(x);
  }
  ReferenceResult result;
  result.y.resize(static_cast<size_t>(job.M * s.N));
  job.y = result.y.data();
  if (options.magnitude) {
    result.magnitude.resize(result.y.size());
    job.magnitude = result.magnitude.data();
  }
  if (job.M > 0) run_threads(job, thread_count(options, job));
  return result;
}

}  // namespace halfbyte
