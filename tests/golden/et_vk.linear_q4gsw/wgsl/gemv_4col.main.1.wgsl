// baseline-no-features, float32-M1-K4096-N4096
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<u32>, 524288>;
@group(0) @binding(2) var<storage, read> scales: array<f32, 524288>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
const K = 4096u;
const N = 4096u;
const K_BLOCKS = 128u;
const BLOCK_SIZE = 32u;
const CODES_PER_WORD = 8u;
const WORDS_PER_COL = K_BLOCKS * 4u;

// A[row, k..k+3]; k is a multiple of 4. Beyond the end of the row: 0, and nothing is read.
fn a4_at(row: u32, k: u32) -> vec4f {
  return vec4f(a[(row * K + k) >> 2u]);
}

fn scale_at(n: u32, block: u32) -> f32 {
  let i = block * 4096u + n;
  return f32(scales[i]);
}

fn zero_at(n: u32, block: u32) -> f32 {
  return 8.0;
}

// Codes 4i..4i+3 of a word, low bits first, less the zero point.
fn centred4(word: u32, i: u32, zero: f32) -> vec4f {
  let codes = (vec4u(word >> (i * 16u)) >> vec4u(0u, 4u, 8u, 12u)) & vec4u(15u);
  // The f32 with bits 0x4b000000 | code is 2^23 + code: exact, and cheaper than a conversion where those run at half rate.
  return bitcast<vec4f>(codes | vec4u(0x4b000000u)) - (8388608.0 + 8.0);
}

fn fma4(x: vec4f, y: vec4f, sum: f32) -> f32 {
  return fma(x.w, y.w, fma(x.z, y.z, fma(x.y, y.y, fma(x.x, y.x, sum))));
}fn store(i: u32, v: f32) { y[i] = f32(v); }
fn bias_at(n: u32) -> f32 { return 0.0; }
const COLS = 4u;
const GROUPS = 1u;
const LANES = 64u / GROUPS;
const VEC_PER_COL = 128u;
const VECS = (K + 31u) / 32u;  // of them, those that hold a code below K
// WGSL fixes no order of subgroups in a workgroup, but subgroups have 4 invocations or more and are consecutive in one dimension.
const SUM_STEP = 1u;

var<workgroup> sums: array<array<f32, LANES>, COLS>;

fn finish(n: u32, sum: f32) -> f32 { return sum + bias_at(min(n, N - 1u)); }

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32
) {
  let first_group = (wid.y * grid.x + wid.x) * GROUPS;
  if (first_group * COLS >= N) { return; }
  let lane = li % LANES;
  let n = (first_group + li / LANES) * COLS;
  let col0 = min(n + 0u, N - 1u);
  var sum0 = 0.0;
  let col1 = min(n + 1u, N - 1u);
  var sum1 = 0.0;
  let col2 = min(n + 2u, N - 1u);
  var sum2 = 0.0;
  let col3 = min(n + 3u, N - 1u);
  var sum3 = 0.0;

  for (var v = lane; v < VECS; v += LANES) {
    let block = v / 1u;
    let k = v * 32u;
    let a0 = a4_at(0u, k + 0u);
    let a1 = a4_at(0u, k + 4u);
    let a2 = a4_at(0u, k + 8u);
    let a3 = a4_at(0u, k + 12u);
    let a4 = a4_at(0u, k + 16u);
    let a5 = a4_at(0u, k + 20u);
    let a6 = a4_at(0u, k + 24u);
    let a7 = a4_at(0u, k + 28u);
    {
      let codes = b[col0 * VEC_PER_COL + v];
      let zero = zero_at(col0, block);
      var part = vec4f();
      part = fma(a0, centred4(codes.x, 0u, zero), part);
      part = fma(a1, centred4(codes.x, 1u, zero), part);
      part = fma(a2, centred4(codes.y, 0u, zero), part);
      part = fma(a3, centred4(codes.y, 1u, zero), part);
      part = fma(a4, centred4(codes.z, 0u, zero), part);
      part = fma(a5, centred4(codes.z, 1u, zero), part);
      part = fma(a6, centred4(codes.w, 0u, zero), part);
      part = fma(a7, centred4(codes.w, 1u, zero), part);
      sum0 = fma(scale_at(col0, block), (part.x + part.y) + (part.z + part.w), sum0);
    }
    {
      let codes = b[col1 * VEC_PER_COL + v];
      let zero = zero_at(col1, block);
      var part = vec4f();
      part = fma(a0, centred4(codes.x, 0u, zero), part);
      part = fma(a1, centred4(codes.x, 1u, zero), part);
      part = fma(a2, centred4(codes.y, 0u, zero), part);
      part = fma(a3, centred4(codes.y, 1u, zero), part);
      part = fma(a4, centred4(codes.z, 0u, zero), part);
      part = fma(a5, centred4(codes.z, 1u, zero), part);
      part = fma(a6, centred4(codes.w, 0u, zero), part);
      part = fma(a7, centred4(codes.w, 1u, zero), part);
      sum1 = fma(scale_at(col1, block), (part.x + part.y) + (part.z + part.w), sum1);
    }
    {
      let codes = b[col2 * VEC_PER_COL + v];
      let zero = zero_at(col2, block);
      var part = vec4f();
      part = fma(a0, centred4(codes.x, 0u, zero), part);
      part = fma(a1, centred4(codes.x, 1u, zero), part);
      part = fma(a2, centred4(codes.y, 0u, zero), part);
      part = fma(a3, centred4(codes.y, 1u, zero), part);
      part = fma(a4, centred4(codes.z, 0u, zero), part);
      part = fma(a5, centred4(codes.z, 1u, zero), part);
      part = fma(a6, centred4(codes.w, 0u, zero), part);
      part = fma(a7, centred4(codes.w, 1u, zero), part);
      sum2 = fma(scale_at(col2, block), (part.x + part.y) + (part.z + part.w), sum2);
    }
    {
      let codes = b[col3 * VEC_PER_COL + v];
      let zero = zero_at(col3, block);
      var part = vec4f();
      part = fma(a0, centred4(codes.x, 0u, zero), part);
      part = fma(a1, centred4(codes.x, 1u, zero), part);
      part = fma(a2, centred4(codes.y, 0u, zero), part);
      part = fma(a3, centred4(codes.y, 1u, zero), part);
      part = fma(a4, centred4(codes.z, 0u, zero), part);
      part = fma(a5, centred4(codes.z, 1u, zero), part);
      part = fma(a6, centred4(codes.w, 0u, zero), part);
      part = fma(a7, centred4(codes.w, 1u, zero), part);
      sum3 = fma(scale_at(col3, block), (part.x + part.y) + (part.z + part.w), sum3);
    }
  }
  sums[0][lane] = sum0;
  sums[1][lane] = sum1;
  sums[2][lane] = sum2;
  sums[3][lane] = sum3;
  workgroupBarrier();
  for (var c = lane; c < COLS; c += LANES) {
    if (n + c < N) { store(n + c, finish(n + c, column_sum(c))); }
  }
}

fn column_sum(c: u32) -> f32 {
  var total = 0.0;
  for (var l = 0u; l < LANES; l += SUM_STEP) { total += sums[c][l]; }
  return total;
}
