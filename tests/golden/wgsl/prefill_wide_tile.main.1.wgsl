// baseline-no-features, float32-M37-q2-zp-bias-tails
struct params_struct {
  rows: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<u32, 700>;
@group(0) @binding(2) var<storage, read> scales: array<f32, 350>;
@group(0) @binding(3) var<storage, read> zero_points: array<f32, 350>;
@group(0) @binding(4) var<storage, read> bias: array<f32, 70>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
@group(0) @binding(6) var<uniform> params: params_struct;
const K = 144u;
const N = 70u;
const K_BLOCKS = 5u;
const BLOCK_SIZE = 32u;
const CODES_PER_WORD = 16u;
const WORDS_PER_COL = K_BLOCKS * 2u;

// A[row, k..k+3]; k is a multiple of 4. Beyond the end of the row: 0, and nothing is read.
fn a4_at(row: u32, k: u32) -> vec4f {
  if (k >= K) { return vec4f(); }
  return vec4f(a[(row * K + k) >> 2u]);
}

fn scale_at(n: u32, block: u32) -> f32 {
  let i = n * K_BLOCKS + block;
  return f32(scales[i]);
}

fn zero_at(n: u32, block: u32) -> f32 {
  let i = n * K_BLOCKS + block;
  return f32(zero_points[i]);
}

// Codes 4i..4i+3 of a word, low bits first, less the zero point.
fn centred4(word: u32, i: u32, zero: f32) -> vec4f {
  let codes = (vec4u(word >> (i * 8u)) >> vec4u(0u, 2u, 4u, 6u)) & vec4u(3u);
  return vec4f(codes) - zero;
}

fn fma4(x: vec4f, y: vec4f, sum: f32) -> f32 {
  return fma(x.w, y.w, fma(x.z, y.z, fma(x.y, y.y, fma(x.x, y.x, sum))));
}fn store(i: u32, v: f32) { y[i] = f32(v); }
fn bias_at(n: u32) -> f32 { return f32(bias[n]); }
const ROWS = 16u;
const COLS = 128u;
const COL_TILES = (N + COLS - 1u) / COLS;
alias Vec = vec4<f32>;

var<workgroup> a_tile: array<array<array<Vec, 2>, ROWS>, 4>;

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32
) {
  let rows = params.rows;
  let tile = wid.y * grid.x + wid.x;
  let first_row = (tile / COL_TILES) * ROWS;
  if (first_row >= rows) { return; }
  let n = (tile % COL_TILES) * COLS + li;
  let col = min(n, N - 1u);
  var sum0 = 0.0;
  var sum1 = 0.0;
  var sum2 = 0.0;
  var sum3 = 0.0;
  var sum4 = 0.0;
  var sum5 = 0.0;
  var sum6 = 0.0;
  var sum7 = 0.0;
  var sum8 = 0.0;
  var sum9 = 0.0;
  var sum10 = 0.0;
  var sum11 = 0.0;
  var sum12 = 0.0;
  var sum13 = 0.0;
  var sum14 = 0.0;
  var sum15 = 0.0;

  for (var block = 0u; block < K_BLOCKS; block++) {
    for (var i = li; i < ROWS * 8u; i += COLS) {
      let r = i / 8u;
      let q = i % 8u;
      a_tile[q / 2u][r][q % 2u] = Vec(a4_at(min(first_row + r, rows - 1u), block * 32u + q * 4u));
    }
    workgroupBarrier();
    let scale = scale_at(col, block);
    let zero = zero_at(col, block);
    for (var p = 0u; p < 4u; p++) {
      // Eight codes.
      let codes = b[col * WORDS_PER_COL + block * 2u + p / 2u] >> ((p % 2u) * 16u);
      let b0 = centred4(codes, 0u, zero) * scale;
      let b1 = centred4(codes, 1u, zero) * scale;
      sum0 = fma4(vec4f(a_tile[p][0][1]), b1, fma4(vec4f(a_tile[p][0][0]), b0, sum0));
      sum1 = fma4(vec4f(a_tile[p][1][1]), b1, fma4(vec4f(a_tile[p][1][0]), b0, sum1));
      sum2 = fma4(vec4f(a_tile[p][2][1]), b1, fma4(vec4f(a_tile[p][2][0]), b0, sum2));
      sum3 = fma4(vec4f(a_tile[p][3][1]), b1, fma4(vec4f(a_tile[p][3][0]), b0, sum3));
      sum4 = fma4(vec4f(a_tile[p][4][1]), b1, fma4(vec4f(a_tile[p][4][0]), b0, sum4));
      sum5 = fma4(vec4f(a_tile[p][5][1]), b1, fma4(vec4f(a_tile[p][5][0]), b0, sum5));
      sum6 = fma4(vec4f(a_tile[p][6][1]), b1, fma4(vec4f(a_tile[p][6][0]), b0, sum6));
      sum7 = fma4(vec4f(a_tile[p][7][1]), b1, fma4(vec4f(a_tile[p][7][0]), b0, sum7));
      sum8 = fma4(vec4f(a_tile[p][8][1]), b1, fma4(vec4f(a_tile[p][8][0]), b0, sum8));
      sum9 = fma4(vec4f(a_tile[p][9][1]), b1, fma4(vec4f(a_tile[p][9][0]), b0, sum9));
      sum10 = fma4(vec4f(a_tile[p][10][1]), b1, fma4(vec4f(a_tile[p][10][0]), b0, sum10));
      sum11 = fma4(vec4f(a_tile[p][11][1]), b1, fma4(vec4f(a_tile[p][11][0]), b0, sum11));
      sum12 = fma4(vec4f(a_tile[p][12][1]), b1, fma4(vec4f(a_tile[p][12][0]), b0, sum12));
      sum13 = fma4(vec4f(a_tile[p][13][1]), b1, fma4(vec4f(a_tile[p][13][0]), b0, sum13));
      sum14 = fma4(vec4f(a_tile[p][14][1]), b1, fma4(vec4f(a_tile[p][14][0]), b0, sum14));
      sum15 = fma4(vec4f(a_tile[p][15][1]), b1, fma4(vec4f(a_tile[p][15][0]), b0, sum15));
    }
    workgroupBarrier();
  }
  if (n < N) {
    let bias = bias_at(n);
    if (first_row + 0u < rows) { store((first_row + 0u) * N + n, sum0 + bias); }
    if (first_row + 1u < rows) { store((first_row + 1u) * N + n, sum1 + bias); }
    if (first_row + 2u < rows) { store((first_row + 2u) * N + n, sum2 + bias); }
    if (first_row + 3u < rows) { store((first_row + 3u) * N + n, sum3 + bias); }
    if (first_row + 4u < rows) { store((first_row + 4u) * N + n, sum4 + bias); }
    if (first_row + 5u < rows) { store((first_row + 5u) * N + n, sum5 + bias); }
    if (first_row + 6u < rows) { store((first_row + 6u) * N + n, sum6 + bias); }
    if (first_row + 7u < rows) { store((first_row + 7u) * N + n, sum7 + bias); }
    if (first_row + 8u < rows) { store((first_row + 8u) * N + n, sum8 + bias); }
    if (first_row + 9u < rows) { store((first_row + 9u) * N + n, sum9 + bias); }
    if (first_row + 10u < rows) { store((first_row + 10u) * N + n, sum10 + bias); }
    if (first_row + 11u < rows) { store((first_row + 11u) * N + n, sum11 + bias); }
    if (first_row + 12u < rows) { store((first_row + 12u) * N + n, sum12 + bias); }
    if (first_row + 13u < rows) { store((first_row + 13u) * N + n, sum13 + bias); }
    if (first_row + 14u < rows) { store((first_row + 14u) * N + n, sum14 + bias); }
    if (first_row + 15u < rows) { store((first_row + 15u) * N + n, sum15 + bias); }
  }
}
