// baseline-no-features, float32-M512-K4096-N4096
struct params_struct {
  rows: u32,
  steps: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<u32, 2097152>;
@group(0) @binding(2) var<storage, read> scales: array<f32, 524288>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> params: params_struct;
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
const THREADS = 256u;
const TILE_ROWS = 128u;
const TILE_COLS = 64u;
const DEPTH = 16u;
const QUADS = DEPTH / 4u;              // vectors of four k in DEPTH
const WORDS = DEPTH / CODES_PER_WORD;  // words of one column in DEPTH
const COL_TILES = (N + TILE_COLS - 1u) / TILE_COLS;

var<workgroup> a_tile: array<array<vec4f, QUADS>, TILE_ROWS>;
var<workgroup> b_tile: array<array<vec4f, TILE_COLS>, QUADS>;

fn stage_a(li: u32, first_row: u32, rows: u32, k: u32) {
  for (var i = li; i < TILE_ROWS * QUADS; i += THREADS) {
    let row = i / QUADS;
    let q = i % QUADS;
    a_tile[row][q] = a4_at(min(first_row + row, rows - 1u), k + q * 4u);
  }
}

fn stage_b(li: u32, first_col: u32, k0: u32) {
  for (var i = li; i < TILE_COLS * WORDS; i += THREADS) {
    let col = i / WORDS;
    let w = i % WORDS;
    let n = min(first_col + col, N - 1u);
    let k = k0 + w * CODES_PER_WORD;
    let word = b[n * WORDS_PER_COL + k / CODES_PER_WORD];
    let scale = scale_at(n, k / BLOCK_SIZE);
    let zero = zero_at(n, k / BLOCK_SIZE);
    b_tile[w * (CODES_PER_WORD / 4u) + 0u][col] = centred4(word, 0u, zero) * scale;
    b_tile[w * (CODES_PER_WORD / 4u) + 1u][col] = centred4(word, 1u, zero) * scale;
  }
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
  let rows = u32(params.rows);
  let tile = wid.y * grid.x + wid.x;
  let first_col = (tile % COL_TILES) * TILE_COLS;
  let first_row = (tile / COL_TILES) * TILE_ROWS;
  if (first_row >= rows) { return; }
  let k_begin = wid.z * u32(params.steps) * 32u;
  let k_end = min(k_begin + u32(params.steps) * 32u, K);
  var sum0_0 = 0.0;
  var sum0_1 = 0.0;
  var sum0_2 = 0.0;
  var sum0_3 = 0.0;
  var sum1_0 = 0.0;
  var sum1_1 = 0.0;
  var sum1_2 = 0.0;
  var sum1_3 = 0.0;
  var sum2_0 = 0.0;
  var sum2_1 = 0.0;
  var sum2_2 = 0.0;
  var sum2_3 = 0.0;
  var sum3_0 = 0.0;
  var sum3_1 = 0.0;
  var sum3_2 = 0.0;
  var sum3_3 = 0.0;
  var sum4_0 = 0.0;
  var sum4_1 = 0.0;
  var sum4_2 = 0.0;
  var sum4_3 = 0.0;
  var sum5_0 = 0.0;
  var sum5_1 = 0.0;
  var sum5_2 = 0.0;
  var sum5_3 = 0.0;
  var sum6_0 = 0.0;
  var sum6_1 = 0.0;
  var sum6_2 = 0.0;
  var sum6_3 = 0.0;
  var sum7_0 = 0.0;
  var sum7_1 = 0.0;
  var sum7_2 = 0.0;
  var sum7_3 = 0.0;

  for (var k = k_begin; k < k_end; k += DEPTH) {
    stage_a(li, first_row, rows, k);
    stage_b(li, first_col, k);
    workgroupBarrier();
    for (var q = 0u; q < QUADS; q++) {
      let b0 = b_tile[q][id.x + 0u];
      let b1 = b_tile[q][id.x + 16u];
      let b2 = b_tile[q][id.x + 32u];
      let b3 = b_tile[q][id.x + 48u];
      let a0 = a_tile[id.y * 8u + 0u][q];
      sum0_0 = fma4(a0, b0, sum0_0);
      sum0_1 = fma4(a0, b1, sum0_1);
      sum0_2 = fma4(a0, b2, sum0_2);
      sum0_3 = fma4(a0, b3, sum0_3);
      let a1 = a_tile[id.y * 8u + 1u][q];
      sum1_0 = fma4(a1, b0, sum1_0);
      sum1_1 = fma4(a1, b1, sum1_1);
      sum1_2 = fma4(a1, b2, sum1_2);
      sum1_3 = fma4(a1, b3, sum1_3);
      let a2 = a_tile[id.y * 8u + 2u][q];
      sum2_0 = fma4(a2, b0, sum2_0);
      sum2_1 = fma4(a2, b1, sum2_1);
      sum2_2 = fma4(a2, b2, sum2_2);
      sum2_3 = fma4(a2, b3, sum2_3);
      let a3 = a_tile[id.y * 8u + 3u][q];
      sum3_0 = fma4(a3, b0, sum3_0);
      sum3_1 = fma4(a3, b1, sum3_1);
      sum3_2 = fma4(a3, b2, sum3_2);
      sum3_3 = fma4(a3, b3, sum3_3);
      let a4 = a_tile[id.y * 8u + 4u][q];
      sum4_0 = fma4(a4, b0, sum4_0);
      sum4_1 = fma4(a4, b1, sum4_1);
      sum4_2 = fma4(a4, b2, sum4_2);
      sum4_3 = fma4(a4, b3, sum4_3);
      let a5 = a_tile[id.y * 8u + 5u][q];
      sum5_0 = fma4(a5, b0, sum5_0);
      sum5_1 = fma4(a5, b1, sum5_1);
      sum5_2 = fma4(a5, b2, sum5_2);
      sum5_3 = fma4(a5, b3, sum5_3);
      let a6 = a_tile[id.y * 8u + 6u][q];
      sum6_0 = fma4(a6, b0, sum6_0);
      sum6_1 = fma4(a6, b1, sum6_1);
      sum6_2 = fma4(a6, b2, sum6_2);
      sum6_3 = fma4(a6, b3, sum6_3);
      let a7 = a_tile[id.y * 8u + 7u][q];
      sum7_0 = fma4(a7, b0, sum7_0);
      sum7_1 = fma4(a7, b1, sum7_1);
      sum7_2 = fma4(a7, b2, sum7_2);
      sum7_3 = fma4(a7, b3, sum7_3);
    }
    workgroupBarrier();
  }
  let y_row = wid.z * rows + first_row + id.y * 8u;  // y is partial sums, [split][rows][N]
  let room = rows - min(rows, first_row + id.y * 8u);  // rows of ours that exist
  let n0 = first_col + id.x + 0u;
  if (n0 < N) {
    let bias = bias_at(n0);
    if (0u < room) { store((y_row + 0u) * N + n0, sum0_0 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n0, sum1_0 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n0, sum2_0 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n0, sum3_0 + bias); }
    if (4u < room) { store((y_row + 4u) * N + n0, sum4_0 + bias); }
    if (5u < room) { store((y_row + 5u) * N + n0, sum5_0 + bias); }
    if (6u < room) { store((y_row + 6u) * N + n0, sum6_0 + bias); }
    if (7u < room) { store((y_row + 7u) * N + n0, sum7_0 + bias); }
  }
  let n1 = first_col + id.x + 16u;
  if (n1 < N) {
    let bias = bias_at(n1);
    if (0u < room) { store((y_row + 0u) * N + n1, sum0_1 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n1, sum1_1 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n1, sum2_1 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n1, sum3_1 + bias); }
    if (4u < room) { store((y_row + 4u) * N + n1, sum4_1 + bias); }
    if (5u < room) { store((y_row + 5u) * N + n1, sum5_1 + bias); }
    if (6u < room) { store((y_row + 6u) * N + n1, sum6_1 + bias); }
    if (7u < room) { store((y_row + 7u) * N + n1, sum7_1 + bias); }
  }
  let n2 = first_col + id.x + 32u;
  if (n2 < N) {
    let bias = bias_at(n2);
    if (0u < room) { store((y_row + 0u) * N + n2, sum0_2 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n2, sum1_2 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n2, sum2_2 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n2, sum3_2 + bias); }
    if (4u < room) { store((y_row + 4u) * N + n2, sum4_2 + bias); }
    if (5u < room) { store((y_row + 5u) * N + n2, sum5_2 + bias); }
    if (6u < room) { store((y_row + 6u) * N + n2, sum6_2 + bias); }
    if (7u < room) { store((y_row + 7u) * N + n2, sum7_2 + bias); }
  }
  let n3 = first_col + id.x + 48u;
  if (n3 < N) {
    let bias = bias_at(n3);
    if (0u < room) { store((y_row + 0u) * N + n3, sum0_3 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n3, sum1_3 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n3, sum2_3 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n3, sum3_3 + bias); }
    if (4u < room) { store((y_row + 4u) * N + n3, sum4_3 + bias); }
    if (5u < room) { store((y_row + 5u) * N + n3, sum5_3 + bias); }
    if (6u < room) { store((y_row + 6u) * N + n3, sum6_3 + bias); }
    if (7u < room) { store((y_row + 7u) * N + n3, sum7_3 + bias); }
  }
}
