// nvidia-h200, float32-M300-group16
struct params_struct {
  rows: u32,
  steps: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<u32, 262144>;
@group(0) @binding(2) var<storage, read> scales: array<f32, 131072>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> params: params_struct;
const K = 2048u;
const N = 1024u;
const K_BLOCKS = 128u;
const BLOCK_SIZE = 16u;
const CODES_PER_WORD = 8u;
const WORDS_PER_COL = K_BLOCKS * 2u;

// A[row, k..k+3]; k is a multiple of 4. Beyond the end of the row: 0, and nothing is read.
fn a4_at(row: u32, k: u32) -> vec4f {
  return vec4f(a[(row * K + k) >> 2u]);
}

fn scale_at(n: u32, block: u32) -> f32 {
  let i = block * 1024u + n;
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
const TILE_ROWS = 64u;
const COL_TILES = (N + 127u) / 128u;

var<workgroup> a_tile: array<array<vec4f, 4>, TILE_ROWS>;  // [row][k / 4]
var<workgroup> b_tile: array<array<vec4f, 128>, 4>;        // [k / 4][column]


@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
  let rows = params.rows;
  let tile = wid.y * grid.x + wid.x;
  let first_col = (tile % COL_TILES) * 128u;
  let first_row = (tile / COL_TILES) * TILE_ROWS;
  if (first_row >= rows) { return; }
  let n = min(first_col + li % 128u, N - 1u);
  let k_begin = wid.z * params.steps * 16u;
  let k_end = min(k_begin + params.steps * 16u, K);
  var next_a0 = vec4f();
  var next_word = 0u;
  var next_scale = 0.0;
  var sum0_0 = 0.0;
  var sum0_1 = 0.0;
  var sum0_2 = 0.0;
  var sum0_3 = 0.0;
  var sum0_4 = 0.0;
  var sum0_5 = 0.0;
  var sum0_6 = 0.0;
  var sum0_7 = 0.0;
  var sum1_0 = 0.0;
  var sum1_1 = 0.0;
  var sum1_2 = 0.0;
  var sum1_3 = 0.0;
  var sum1_4 = 0.0;
  var sum1_5 = 0.0;
  var sum1_6 = 0.0;
  var sum1_7 = 0.0;
  var sum2_0 = 0.0;
  var sum2_1 = 0.0;
  var sum2_2 = 0.0;
  var sum2_3 = 0.0;
  var sum2_4 = 0.0;
  var sum2_5 = 0.0;
  var sum2_6 = 0.0;
  var sum2_7 = 0.0;
  var sum3_0 = 0.0;
  var sum3_1 = 0.0;
  var sum3_2 = 0.0;
  var sum3_3 = 0.0;
  var sum3_4 = 0.0;
  var sum3_5 = 0.0;
  var sum3_6 = 0.0;
  var sum3_7 = 0.0;

  if (k_begin < k_end) {
    next_a0 = a4_at(min(first_row + li / 4u + 0u, rows - 1u), k_begin + (li % 4u) * 4u);
    next_word = b[n * WORDS_PER_COL + k_begin / 8u + li / 128u];
    next_scale = scale_at(n, (k_begin + (li / 128u) * 8u) / BLOCK_SIZE);

  }
  for (var k = k_begin; k < k_end; k += 16u) {
    a_tile[li / 4u + 0u][li % 4u] = next_a0;
    b_tile[(li / 128u) * 2u + 0u][li % 128u] = centred4(next_word, 0u, 8.0) * next_scale;
    b_tile[(li / 128u) * 2u + 1u][li % 128u] = centred4(next_word, 1u, 8.0) * next_scale;
    workgroupBarrier();
    if (k + 16u < k_end) {
    next_a0 = a4_at(min(first_row + li / 4u + 0u, rows - 1u), (k + 16u) + (li % 4u) * 4u);
    next_word = b[n * WORDS_PER_COL + (k + 16u) / 8u + li / 128u];
    next_scale = scale_at(n, ((k + 16u) + (li / 128u) * 8u) / BLOCK_SIZE);

    }
    for (var q = 0u; q < 4u; q++) {
      let b0 = b_tile[q][id.x + 0u];
      let b1 = b_tile[q][id.x + 16u];
      let b2 = b_tile[q][id.x + 32u];
      let b3 = b_tile[q][id.x + 48u];
      let b4 = b_tile[q][id.x + 64u];
      let b5 = b_tile[q][id.x + 80u];
      let b6 = b_tile[q][id.x + 96u];
      let b7 = b_tile[q][id.x + 112u];
      let a0 = a_tile[id.y * 4u + 0u][q];
      sum0_0 = fma4(a0, b0, sum0_0);
      sum0_1 = fma4(a0, b1, sum0_1);
      sum0_2 = fma4(a0, b2, sum0_2);
      sum0_3 = fma4(a0, b3, sum0_3);
      sum0_4 = fma4(a0, b4, sum0_4);
      sum0_5 = fma4(a0, b5, sum0_5);
      sum0_6 = fma4(a0, b6, sum0_6);
      sum0_7 = fma4(a0, b7, sum0_7);
      let a1 = a_tile[id.y * 4u + 1u][q];
      sum1_0 = fma4(a1, b0, sum1_0);
      sum1_1 = fma4(a1, b1, sum1_1);
      sum1_2 = fma4(a1, b2, sum1_2);
      sum1_3 = fma4(a1, b3, sum1_3);
      sum1_4 = fma4(a1, b4, sum1_4);
      sum1_5 = fma4(a1, b5, sum1_5);
      sum1_6 = fma4(a1, b6, sum1_6);
      sum1_7 = fma4(a1, b7, sum1_7);
      let a2 = a_tile[id.y * 4u + 2u][q];
      sum2_0 = fma4(a2, b0, sum2_0);
      sum2_1 = fma4(a2, b1, sum2_1);
      sum2_2 = fma4(a2, b2, sum2_2);
      sum2_3 = fma4(a2, b3, sum2_3);
      sum2_4 = fma4(a2, b4, sum2_4);
      sum2_5 = fma4(a2, b5, sum2_5);
      sum2_6 = fma4(a2, b6, sum2_6);
      sum2_7 = fma4(a2, b7, sum2_7);
      let a3 = a_tile[id.y * 4u + 3u][q];
      sum3_0 = fma4(a3, b0, sum3_0);
      sum3_1 = fma4(a3, b1, sum3_1);
      sum3_2 = fma4(a3, b2, sum3_2);
      sum3_3 = fma4(a3, b3, sum3_3);
      sum3_4 = fma4(a3, b4, sum3_4);
      sum3_5 = fma4(a3, b5, sum3_5);
      sum3_6 = fma4(a3, b6, sum3_6);
      sum3_7 = fma4(a3, b7, sum3_7);
    }
    workgroupBarrier();
  }
  let room = rows - min(rows, first_row + id.y * 4u);  // rows of ours that exist
  let y_row = wid.z * rows + first_row + id.y * 4u;
  let n0 = first_col + id.x + 0u;
  if (n0 < N) {
    let bias = bias_at(n0);
    if (0u < room) { store((y_row + 0u) * N + n0, sum0_0 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n0, sum1_0 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n0, sum2_0 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n0, sum3_0 + bias); }
  }
  let n1 = first_col + id.x + 16u;
  if (n1 < N) {
    let bias = bias_at(n1);
    if (0u < room) { store((y_row + 0u) * N + n1, sum0_1 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n1, sum1_1 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n1, sum2_1 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n1, sum3_1 + bias); }
  }
  let n2 = first_col + id.x + 32u;
  if (n2 < N) {
    let bias = bias_at(n2);
    if (0u < room) { store((y_row + 0u) * N + n2, sum0_2 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n2, sum1_2 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n2, sum2_2 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n2, sum3_2 + bias); }
  }
  let n3 = first_col + id.x + 48u;
  if (n3 < N) {
    let bias = bias_at(n3);
    if (0u < room) { store((y_row + 0u) * N + n3, sum0_3 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n3, sum1_3 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n3, sum2_3 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n3, sum3_3 + bias); }
  }
  let n4 = first_col + id.x + 64u;
  if (n4 < N) {
    let bias = bias_at(n4);
    if (0u < room) { store((y_row + 0u) * N + n4, sum0_4 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n4, sum1_4 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n4, sum2_4 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n4, sum3_4 + bias); }
  }
  let n5 = first_col + id.x + 80u;
  if (n5 < N) {
    let bias = bias_at(n5);
    if (0u < room) { store((y_row + 0u) * N + n5, sum0_5 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n5, sum1_5 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n5, sum2_5 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n5, sum3_5 + bias); }
  }
  let n6 = first_col + id.x + 96u;
  if (n6 < N) {
    let bias = bias_at(n6);
    if (0u < room) { store((y_row + 0u) * N + n6, sum0_6 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n6, sum1_6 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n6, sum2_6 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n6, sum3_6 + bias); }
  }
  let n7 = first_col + id.x + 112u;
  if (n7 < N) {
    let bias = bias_at(n7);
    if (0u < room) { store((y_row + 0u) * N + n7, sum0_7 + bias); }
    if (1u < room) { store((y_row + 1u) * N + n7, sum1_7 + bias); }
    if (2u < room) { store((y_row + 2u) * N + n7, sum2_7 + bias); }
    if (3u < room) { store((y_row + 3u) * N + n7, sum3_7 + bias); }
  }
}
