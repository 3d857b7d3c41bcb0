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
const TILE_ROWS = 160u;
const TILE_COLS = 128u;
const COL_TILES = (N + TILE_COLS - 1u) / TILE_COLS;

var<workgroup> a_tile: array<array<array<vec4f, 5>, 16>, 10>;  // [row / 16][row % 16][k / 4]
var<workgroup> b_tile: array<array<array<vec4f, 5>, 16>, 8>;  // [column / 16][column % 16][k / 4]

struct Word { bits: u32, scale: f32, zero: f32 }
fn load_word(n: u32, k: u32) -> Word {
  return Word(b[n * WORDS_PER_COL + k / CODES_PER_WORD], scale_at(n, k / BLOCK_SIZE), zero_at(n, k / BLOCK_SIZE));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32) {
  let rows = params.rows;
  let tile = wid.y * grid.x + wid.x;
  let first_col = (tile % COL_TILES) * TILE_COLS;
  let first_row = (tile / COL_TILES) * TILE_ROWS;
  if (first_row >= rows) { return; }
  let k_begin = wid.z * u32(params.steps) * 16u;
  let k_end = min(k_begin + u32(params.steps) * 16u, K);
  let tx = (li & 7u) | ((li >> 2u) & 8u);
  let ty = ((li >> 3u) & 3u) | ((li >> 4u) & 12u);

  // Staging: vector li % 4 of rows li / 4 + 64i of A, word li % 2 of columns li / 2 + 128i of B.
  let aq = li & 3u;
  let ar = (li >> 2u) & 15u;
  let ag = li / 64u;
  let a_row0 = min(first_row + (ag + 0u) * 16u + ar, rows - 1u);
  let a_row1 = min(first_row + (ag + 4u) * 16u + ar, rows - 1u);
  let a_row2 = min(first_row + (ag + 8u) * 16u + ar, rows - 1u);
  let bw = li % 2u;
  let bc = li / 2u;
  let n0 = min(first_col + bc + 0u, N - 1u);
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
  var sum4_0 = 0.0;
  var sum4_1 = 0.0;
  var sum4_2 = 0.0;
  var sum4_3 = 0.0;
  var sum4_4 = 0.0;
  var sum4_5 = 0.0;
  var sum4_6 = 0.0;
  var sum4_7 = 0.0;
  var sum5_0 = 0.0;
  var sum5_1 = 0.0;
  var sum5_2 = 0.0;
  var sum5_3 = 0.0;
  var sum5_4 = 0.0;
  var sum5_5 = 0.0;
  var sum5_6 = 0.0;
  var sum5_7 = 0.0;
  var sum6_0 = 0.0;
  var sum6_1 = 0.0;
  var sum6_2 = 0.0;
  var sum6_3 = 0.0;
  var sum6_4 = 0.0;
  var sum6_5 = 0.0;
  var sum6_6 = 0.0;
  var sum6_7 = 0.0;
  var sum7_0 = 0.0;
  var sum7_1 = 0.0;
  var sum7_2 = 0.0;
  var sum7_3 = 0.0;
  var sum7_4 = 0.0;
  var sum7_5 = 0.0;
  var sum7_6 = 0.0;
  var sum7_7 = 0.0;
  var sum8_0 = 0.0;
  var sum8_1 = 0.0;
  var sum8_2 = 0.0;
  var sum8_3 = 0.0;
  var sum8_4 = 0.0;
  var sum8_5 = 0.0;
  var sum8_6 = 0.0;
  var sum8_7 = 0.0;
  var sum9_0 = 0.0;
  var sum9_1 = 0.0;
  var sum9_2 = 0.0;
  var sum9_3 = 0.0;
  var sum9_4 = 0.0;
  var sum9_5 = 0.0;
  var sum9_6 = 0.0;
  var sum9_7 = 0.0;
  let first = min(k_begin, K - 16u);  // the last slices may be empty
  var va0 = a4_at(a_row0, first + aq * 4u);
  var va1 = a4_at(a_row1, first + aq * 4u);
  var va2 = a4_at(a_row2, first + aq * 4u);
  var vb0 = load_word(n0, first + bw * CODES_PER_WORD);

  for (var k = k_begin; k < k_end; k += 16u) {
a_tile[ag + 0u][ar][aq] = va0;
a_tile[ag + 4u][ar][aq] = va1;
if (ag + 8u < 10u) { a_tile[ag + 8u][ar][aq] = va2; }
{
      b_tile[bc / 16u + 0u][bc % 16u][bw * 2u + 0u] = centred4(vb0.bits, 0u, vb0.zero) * vb0.scale;
      b_tile[bc / 16u + 0u][bc % 16u][bw * 2u + 1u] = centred4(vb0.bits, 1u, vb0.zero) * vb0.scale;
    }
    workgroupBarrier();
    let next = select(k, k + 16u, k + 16u < k_end);
    va0 = a4_at(a_row0, next + aq * 4u);
    va1 = a4_at(a_row1, next + aq * 4u);
    va2 = a4_at(a_row2, next + aq * 4u);
    vb0 = load_word(n0, next + bw * CODES_PER_WORD);
    {
      let b0 = b_tile[0u][tx][0u];
      let b1 = b_tile[1u][tx][0u];
      let b2 = b_tile[2u][tx][0u];
      let b3 = b_tile[3u][tx][0u];
      let b4 = b_tile[4u][tx][0u];
      let b5 = b_tile[5u][tx][0u];
      let b6 = b_tile[6u][tx][0u];
      let b7 = b_tile[7u][tx][0u];
      let a0 = a_tile[0u][ty][0u];
      sum0_0 = fma(a0.x, b0.x, sum0_0);
      sum0_1 = fma(a0.x, b1.x, sum0_1);
      sum0_2 = fma(a0.x, b2.x, sum0_2);
      sum0_3 = fma(a0.x, b3.x, sum0_3);
      sum0_4 = fma(a0.x, b4.x, sum0_4);
      sum0_5 = fma(a0.x, b5.x, sum0_5);
      sum0_6 = fma(a0.x, b6.x, sum0_6);
      sum0_7 = fma(a0.x, b7.x, sum0_7);
      sum0_0 = fma(a0.y, b0.y, sum0_0);
      sum0_1 = fma(a0.y, b1.y, sum0_1);
      sum0_2 = fma(a0.y, b2.y, sum0_2);
      sum0_3 = fma(a0.y, b3.y, sum0_3);
      sum0_4 = fma(a0.y, b4.y, sum0_4);
      sum0_5 = fma(a0.y, b5.y, sum0_5);
      sum0_6 = fma(a0.y, b6.y, sum0_6);
      sum0_7 = fma(a0.y, b7.y, sum0_7);
      sum0_0 = fma(a0.z, b0.z, sum0_0);
      sum0_1 = fma(a0.z, b1.z, sum0_1);
      sum0_2 = fma(a0.z, b2.z, sum0_2);
      sum0_3 = fma(a0.z, b3.z, sum0_3);
      sum0_4 = fma(a0.z, b4.z, sum0_4);
      sum0_5 = fma(a0.z, b5.z, sum0_5);
      sum0_6 = fma(a0.z, b6.z, sum0_6);
      sum0_7 = fma(a0.z, b7.z, sum0_7);
      sum0_0 = fma(a0.w, b0.w, sum0_0);
      sum0_1 = fma(a0.w, b1.w, sum0_1);
      sum0_2 = fma(a0.w, b2.w, sum0_2);
      sum0_3 = fma(a0.w, b3.w, sum0_3);
      sum0_4 = fma(a0.w, b4.w, sum0_4);
      sum0_5 = fma(a0.w, b5.w, sum0_5);
      sum0_6 = fma(a0.w, b6.w, sum0_6);
      sum0_7 = fma(a0.w, b7.w, sum0_7);
      let a1 = a_tile[1u][ty][0u];
      sum1_0 = fma(a1.x, b0.x, sum1_0);
      sum1_1 = fma(a1.x, b1.x, sum1_1);
      sum1_2 = fma(a1.x, b2.x, sum1_2);
      sum1_3 = fma(a1.x, b3.x, sum1_3);
      sum1_4 = fma(a1.x, b4.x, sum1_4);
      sum1_5 = fma(a1.x, b5.x, sum1_5);
      sum1_6 = fma(a1.x, b6.x, sum1_6);
      sum1_7 = fma(a1.x, b7.x, sum1_7);
      sum1_0 = fma(a1.y, b0.y, sum1_0);
      sum1_1 = fma(a1.y, b1.y, sum1_1);
      sum1_2 = fma(a1.y, b2.y, sum1_2);
      sum1_3 = fma(a1.y, b3.y, sum1_3);
      sum1_4 = fma(a1.y, b4.y, sum1_4);
      sum1_5 = fma(a1.y, b5.y, sum1_5);
      sum1_6 = fma(a1.y, b6.y, sum1_6);
      sum1_7 = fma(a1.y, b7.y, sum1_7);
      sum1_0 = fma(a1.z, b0.z, sum1_0);
      sum1_1 = fma(a1.z, b1.z, sum1_1);
      sum1_2 = fma(a1.z, b2.z, sum1_2);
      sum1_3 = fma(a1.z, b3.z, sum1_3);
      sum1_4 = fma(a1.z, b4.z, sum1_4);
      sum1_5 = fma(a1.z, b5.z, sum1_5);
      sum1_6 = fma(a1.z, b6.z, sum1_6);
      sum1_7 = fma(a1.z, b7.z, sum1_7);
      sum1_0 = fma(a1.w, b0.w, sum1_0);
      sum1_1 = fma(a1.w, b1.w, sum1_1);
      sum1_2 = fma(a1.w, b2.w, sum1_2);
      sum1_3 = fma(a1.w, b3.w, sum1_3);
      sum1_4 = fma(a1.w, b4.w, sum1_4);
      sum1_5 = fma(a1.w, b5.w, sum1_5);
      sum1_6 = fma(a1.w, b6.w, sum1_6);
      sum1_7 = fma(a1.w, b7.w, sum1_7);
      let a2 = a_tile[2u][ty][0u];
      sum2_0 = fma(a2.x, b0.x, sum2_0);
      sum2_1 = fma(a2.x, b1.x, sum2_1);
      sum2_2 = fma(a2.x, b2.x, sum2_2);
      sum2_3 = fma(a2.x, b3.x, sum2_3);
      sum2_4 = fma(a2.x, b4.x, sum2_4);
      sum2_5 = fma(a2.x, b5.x, sum2_5);
      sum2_6 = fma(a2.x, b6.x, sum2_6);
      sum2_7 = fma(a2.x, b7.x, sum2_7);
      sum2_0 = fma(a2.y, b0.y, sum2_0);
      sum2_1 = fma(a2.y, b1.y, sum2_1);
      sum2_2 = fma(a2.y, b2.y, sum2_2);
      sum2_3 = fma(a2.y, b3.y, sum2_3);
      sum2_4 = fma(a2.y, b4.y, sum2_4);
      sum2_5 = fma(a2.y, b5.y, sum2_5);
      sum2_6 = fma(a2.y, b6.y, sum2_6);
      sum2_7 = fma(a2.y, b7.y, sum2_7);
      sum2_0 = fma(a2.z, b0.z, sum2_0);
      sum2_1 = fma(a2.z, b1.z, sum2_1);
      sum2_2 = fma(a2.z, b2.z, sum2_2);
      sum2_3 = fma(a2.z, b3.z, sum2_3);
      sum2_4 = fma(a2.z, b4.z, sum2_4);
      sum2_5 = fma(a2.z, b5.z, sum2_5);
      sum2_6 = fma(a2.z, b6.z, sum2_6);
      sum2_7 = fma(a2.z, b7.z, sum2_7);
      sum2_0 = fma(a2.w, b0.w, sum2_0);
      sum2_1 = fma(a2.w, b1.w, sum2_1);
      sum2_2 = fma(a2.w, b2.w, sum2_2);
      sum2_3 = fma(a2.w, b3.w, sum2_3);
      sum2_4 = fma(a2.w, b4.w, sum2_4);
      sum2_5 = fma(a2.w, b5.w, sum2_5);
      sum2_6 = fma(a2.w, b6.w, sum2_6);
      sum2_7 = fma(a2.w, b7.w, sum2_7);
      let a3 = a_tile[3u][ty][0u];
      sum3_0 = fma(a3.x, b0.x, sum3_0);
      sum3_1 = fma(a3.x, b1.x, sum3_1);
      sum3_2 = fma(a3.x, b2.x, sum3_2);
      sum3_3 = fma(a3.x, b3.x, sum3_3);
      sum3_4 = fma(a3.x, b4.x, sum3_4);
      sum3_5 = fma(a3.x, b5.x, sum3_5);
      sum3_6 = fma(a3.x, b6.x, sum3_6);
      sum3_7 = fma(a3.x, b7.x, sum3_7);
      sum3_0 = fma(a3.y, b0.y, sum3_0);
      sum3_1 = fma(a3.y, b1.y, sum3_1);
      sum3_2 = fma(a3.y, b2.y, sum3_2);
      sum3_3 = fma(a3.y, b3.y, sum3_3);
      sum3_4 = fma(a3.y, b4.y, sum3_4);
      sum3_5 = fma(a3.y, b5.y, sum3_5);
      sum3_6 = fma(a3.y, b6.y, sum3_6);
      sum3_7 = fma(a3.y, b7.y, sum3_7);
      sum3_0 = fma(a3.z, b0.z, sum3_0);
      sum3_1 = fma(a3.z, b1.z, sum3_1);
      sum3_2 = fma(a3.z, b2.z, sum3_2);
      sum3_3 = fma(a3.z, b3.z, sum3_3);
      sum3_4 = fma(a3.z, b4.z, sum3_4);
      sum3_5 = fma(a3.z, b5.z, sum3_5);
      sum3_6 = fma(a3.z, b6.z, sum3_6);
      sum3_7 = fma(a3.z, b7.z, sum3_7);
      sum3_0 = fma(a3.w, b0.w, sum3_0);
      sum3_1 = fma(a3.w, b1.w, sum3_1);
      sum3_2 = fma(a3.w, b2.w, sum3_2);
      sum3_3 = fma(a3.w, b3.w, sum3_3);
      sum3_4 = fma(a3.w, b4.w, sum3_4);
      sum3_5 = fma(a3.w, b5.w, sum3_5);
      sum3_6 = fma(a3.w, b6.w, sum3_6);
      sum3_7 = fma(a3.w, b7.w, sum3_7);
      let a4 = a_tile[4u][ty][0u];
      sum4_0 = fma(a4.x, b0.x, sum4_0);
      sum4_1 = fma(a4.x, b1.x, sum4_1);
      sum4_2 = fma(a4.x, b2.x, sum4_2);
      sum4_3 = fma(a4.x, b3.x, sum4_3);
      sum4_4 = fma(a4.x, b4.x, sum4_4);
      sum4_5 = fma(a4.x, b5.x, sum4_5);
      sum4_6 = fma(a4.x, b6.x, sum4_6);
      sum4_7 = fma(a4.x, b7.x, sum4_7);
      sum4_0 = fma(a4.y, b0.y, sum4_0);
      sum4_1 = fma(a4.y, b1.y, sum4_1);
      sum4_2 = fma(a4.y, b2.y, sum4_2);
      sum4_3 = fma(a4.y, b3.y, sum4_3);
      sum4_4 = fma(a4.y, b4.y, sum4_4);
      sum4_5 = fma(a4.y, b5.y, sum4_5);
      sum4_6 = fma(a4.y, b6.y, sum4_6);
      sum4_7 = fma(a4.y, b7.y, sum4_7);
      sum4_0 = fma(a4.z, b0.z, sum4_0);
      sum4_1 = fma(a4.z, b1.z, sum4_1);
      sum4_2 = fma(a4.z, b2.z, sum4_2);
      sum4_3 = fma(a4.z, b3.z, sum4_3);
      sum4_4 = fma(a4.z, b4.z, sum4_4);
      sum4_5 = fma(a4.z, b5.z, sum4_5);
      sum4_6 = fma(a4.z, b6.z, sum4_6);
      sum4_7 = fma(a4.z, b7.z, sum4_7);
      sum4_0 = fma(a4.w, b0.w, sum4_0);
      sum4_1 = fma(a4.w, b1.w, sum4_1);
      sum4_2 = fma(a4.w, b2.w, sum4_2);
      sum4_3 = fma(a4.w, b3.w, sum4_3);
      sum4_4 = fma(a4.w, b4.w, sum4_4);
      sum4_5 = fma(a4.w, b5.w, sum4_5);
      sum4_6 = fma(a4.w, b6.w, sum4_6);
      sum4_7 = fma(a4.w, b7.w, sum4_7);
      let a5 = a_tile[5u][ty][0u];
      sum5_0 = fma(a5.x, b0.x, sum5_0);
      sum5_1 = fma(a5.x, b1.x, sum5_1);
      sum5_2 = fma(a5.x, b2.x, sum5_2);
      sum5_3 = fma(a5.x, b3.x, sum5_3);
      sum5_4 = fma(a5.x, b4.x, sum5_4);
      sum5_5 = fma(a5.x, b5.x, sum5_5);
      sum5_6 = fma(a5.x, b6.x, sum5_6);
      sum5_7 = fma(a5.x, b7.x, sum5_7);
      sum5_0 = fma(a5.y, b0.y, sum5_0);
      sum5_1 = fma(a5.y, b1.y, sum5_1);
      sum5_2 = fma(a5.y, b2.y, sum5_2);
      sum5_3 = fma(a5.y, b3.y, sum5_3);
      sum5_4 = fma(a5.y, b4.y, sum5_4);
      sum5_5 = fma(a5.y, b5.y, sum5_5);
      sum5_6 = fma(a5.y, b6.y, sum5_6);
      sum5_7 = fma(a5.y, b7.y, sum5_7);
      sum5_0 = fma(a5.z, b0.z, sum5_0);
      sum5_1 = fma(a5.z, b1.z, sum5_1);
      sum5_2 = fma(a5.z, b2.z, sum5_2);
      sum5_3 = fma(a5.z, b3.z, sum5_3);
      sum5_4 = fma(a5.z, b4.z, sum5_4);
      sum5_5 = fma(a5.z, b5.z, sum5_5);
      sum5_6 = fma(a5.z, b6.z, sum5_6);
      sum5_7 = fma(a5.z, b7.z, sum5_7);
      sum5_0 = fma(a5.w, b0.w, sum5_0);
      sum5_1 = fma(a5.w, b1.w, sum5_1);
      sum5_2 = fma(a5.w, b2.w, sum5_2);
      sum5_3 = fma(a5.w, b3.w, sum5_3);
      sum5_4 = fma(a5.w, b4.w, sum5_4);
      sum5_5 = fma(a5.w, b5.w, sum5_5);
      sum5_6 = fma(a5.w, b6.w, sum5_6);
      sum5_7 = fma(a5.w, b7.w, sum5_7);
      let a6 = a_tile[6u][ty][0u];
      sum6_0 = fma(a6.x, b0.x, sum6_0);
      sum6_1 = fma(a6.x, b1.x, sum6_1);
      sum6_2 = fma(a6.x, b2.x, sum6_2);
      sum6_3 = fma(a6.x, b3.x, sum6_3);
      sum6_4 = fma(a6.x, b4.x, sum6_4);
      sum6_5 = fma(a6.x, b5.x, sum6_5);
      sum6_6 = fma(a6.x, b6.x, sum6_6);
      sum6_7 = fma(a6.x, b7.x, sum6_7);
      sum6_0 = fma(a6.y, b0.y, sum6_0);
      sum6_1 = fma(a6.y, b1.y, sum6_1);
      sum6_2 = fma(a6.y, b2.y, sum6_2);
      sum6_3 = fma(a6.y, b3.y, sum6_3);
      sum6_4 = fma(a6.y, b4.y, sum6_4);
      sum6_5 = fma(a6.y, b5.y, sum6_5);
      sum6_6 = fma(a6.y, b6.y, sum6_6);
      sum6_7 = fma(a6.y, b7.y, sum6_7);
      sum6_0 = fma(a6.z, b0.z, sum6_0);
      sum6_1 = fma(a6.z, b1.z, sum6_1);
      sum6_2 = fma(a6.z, b2.z, sum6_2);
      sum6_3 = fma(a6.z, b3.z, sum6_3);
      sum6_4 = fma(a6.z, b4.z, sum6_4);
      sum6_5 = fma(a6.z, b5.z, sum6_5);
      sum6_6 = fma(a6.z, b6.z, sum6_6);
      sum6_7 = fma(a6.z, b7.z, sum6_7);
      sum6_0 = fma(a6.w, b0.w, sum6_0);
      sum6_1 = fma(a6.w, b1.w, sum6_1);
      sum6_2 = fma(a6.w, b2.w, sum6_2);
      sum6_3 = fma(a6.w, b3.w, sum6_3);
      sum6_4 = fma(a6.w, b4.w, sum6_4);
      sum6_5 = fma(a6.w, b5.w, sum6_5);
      sum6_6 = fma(a6.w, b6.w, sum6_6);
      sum6_7 = fma(a6.w, b7.w, sum6_7);
      let a7 = a_tile[7u][ty][0u];
      sum7_0 = fma(a7.x, b0.x, sum7_0);
      sum7_1 = fma(a7.x, b1.x, sum7_1);
      sum7_2 = fma(a7.x, b2.x, sum7_2);
      sum7_3 = fma(a7.x, b3.x, sum7_3);
      sum7_4 = fma(a7.x, b4.x, sum7_4);
      sum7_5 = fma(a7.x, b5.x, sum7_5);
      sum7_6 = fma(a7.x, b6.x, sum7_6);
      sum7_7 = fma(a7.x, b7.x, sum7_7);
      sum7_0 = fma(a7.y, b0.y, sum7_0);
      sum7_1 = fma(a7.y, b1.y, sum7_1);
      sum7_2 = fma(a7.y, b2.y, sum7_2);
      sum7_3 = fma(a7.y, b3.y, sum7_3);
      sum7_4 = fma(a7.y, b4.y, sum7_4);
      sum7_5 = fma(a7.y, b5.y, sum7_5);
      sum7_6 = fma(a7.y, b6.y, sum7_6);
      sum7_7 = fma(a7.y, b7.y, sum7_7);
      sum7_0 = fma(a7.z, b0.z, sum7_0);
      sum7_1 = fma(a7.z, b1.z, sum7_1);
      sum7_2 = fma(a7.z, b2.z, sum7_2);
      sum7_3 = fma(a7.z, b3.z, sum7_3);
      sum7_4 = fma(a7.z, b4.z, sum7_4);
      sum7_5 = fma(a7.z, b5.z, sum7_5);
      sum7_6 = fma(a7.z, b6.z, sum7_6);
      sum7_7 = fma(a7.z, b7.z, sum7_7);
      sum7_0 = fma(a7.w, b0.w, sum7_0);
      sum7_1 = fma(a7.w, b1.w, sum7_1);
      sum7_2 = fma(a7.w, b2.w, sum7_2);
      sum7_3 = fma(a7.w, b3.w, sum7_3);
      sum7_4 = fma(a7.w, b4.w, sum7_4);
      sum7_5 = fma(a7.w, b5.w, sum7_5);
      sum7_6 = fma(a7.w, b6.w, sum7_6);
      sum7_7 = fma(a7.w, b7.w, sum7_7);
      let a8 = a_tile[8u][ty][0u];
      sum8_0 = fma(a8.x, b0.x, sum8_0);
      sum8_1 = fma(a8.x, b1.x, sum8_1);
      sum8_2 = fma(a8.x, b2.x, sum8_2);
      sum8_3 = fma(a8.x, b3.x, sum8_3);
      sum8_4 = fma(a8.x, b4.x, sum8_4);
      sum8_5 = fma(a8.x, b5.x, sum8_5);
      sum8_6 = fma(a8.x, b6.x, sum8_6);
      sum8_7 = fma(a8.x, b7.x, sum8_7);
      sum8_0 = fma(a8.y, b0.y, sum8_0);
      sum8_1 = fma(a8.y, b1.y, sum8_1);
      sum8_2 = fma(a8.y, b2.y, sum8_2);
      sum8_3 = fma(a8.y, b3.y, sum8_3);
      sum8_4 = fma(a8.y, b4.y, sum8_4);
      sum8_5 = fma(a8.y, b5.y, sum8_5);
      sum8_6 = fma(a8.y, b6.y, sum8_6);
      sum8_7 = fma(a8.y, b7.y, sum8_7);
      sum8_0 = fma(a8.z, b0.z, sum8_0);
      sum8_1 = fma(a8.z, b1.z, sum8_1);
      sum8_2 = fma(a8.z, b2.z, sum8_2);
      sum8_3 = fma(a8.z, b3.z, sum8_3);
      sum8_4 = fma(a8.z, b4.z, sum8_4);
      sum8_5 = fma(a8.z, b5.z, sum8_5);
      sum8_6 = fma(a8.z, b6.z, sum8_6);
      sum8_7 = fma(a8.z, b7.z, sum8_7);
      sum8_0 = fma(a8.w, b0.w, sum8_0);
      sum8_1 = fma(a8.w, b1.w, sum8_1);
      sum8_2 = fma(a8.w, b2.w, sum8_2);
      sum8_3 = fma(a8.w, b3.w, sum8_3);
      sum8_4 = fma(a8.w, b4.w, sum8_4);
      sum8_5 = fma(a8.w, b5.w, sum8_5);
      sum8_6 = fma(a8.w, b6.w, sum8_6);
      sum8_7 = fma(a8.w, b7.w, sum8_7);
      let a9 = a_tile[9u][ty][0u];
      sum9_0 = fma(a9.x, b0.x, sum9_0);
      sum9_1 = fma(a9.x, b1.x, sum9_1);
      sum9_2 = fma(a9.x, b2.x, sum9_2);
      sum9_3 = fma(a9.x, b3.x, sum9_3);
      sum9_4 = fma(a9.x, b4.x, sum9_4);
      sum9_5 = fma(a9.x, b5.x, sum9_5);
      sum9_6 = fma(a9.x, b6.x, sum9_6);
      sum9_7 = fma(a9.x, b7.x, sum9_7);
      sum9_0 = fma(a9.y, b0.y, sum9_0);
      sum9_1 = fma(a9.y, b1.y, sum9_1);
      sum9_2 = fma(a9.y, b2.y, sum9_2);
      sum9_3 = fma(a9.y, b3.y, sum9_3);
      sum9_4 = fma(a9.y, b4.y, sum9_4);
      sum9_5 = fma(a9.y, b5.y, sum9_5);
      sum9_6 = fma(a9.y, b6.y, sum9_6);
      sum9_7 = fma(a9.y, b7.y, sum9_7);
      sum9_0 = fma(a9.z, b0.z, sum9_0);
      sum9_1 = fma(a9.z, b1.z, sum9_1);
      sum9_2 = fma(a9.z, b2.z, sum9_2);
      sum9_3 = fma(a9.z, b3.z, sum9_3);
      sum9_4 = fma(a9.z, b4.z, sum9_4);
      sum9_5 = fma(a9.z, b5.z, sum9_5);
      sum9_6 = fma(a9.z, b6.z, sum9_6);
      sum9_7 = fma(a9.z, b7.z, sum9_7);
      sum9_0 = fma(a9.w, b0.w, sum9_0);
      sum9_1 = fma(a9.w, b1.w, sum9_1);
      sum9_2 = fma(a9.w, b2.w, sum9_2);
      sum9_3 = fma(a9.w, b3.w, sum9_3);
      sum9_4 = fma(a9.w, b4.w, sum9_4);
      sum9_5 = fma(a9.w, b5.w, sum9_5);
      sum9_6 = fma(a9.w, b6.w, sum9_6);
      sum9_7 = fma(a9.w, b7.w, sum9_7);
    }
    {
      let b0 = b_tile[0u][tx][1u];
      let b1 = b_tile[1u][tx][1u];
      let b2 = b_tile[2u][tx][1u];
      let b3 = b_tile[3u][tx][1u];
      let b4 = b_tile[4u][tx][1u];
      let b5 = b_tile[5u][tx][1u];
      let b6 = b_tile[6u][tx][1u];
      let b7 = b_tile[7u][tx][1u];
      let a0 = a_tile[0u][ty][1u];
      sum0_0 = fma(a0.x, b0.x, sum0_0);
      sum0_1 = fma(a0.x, b1.x, sum0_1);
      sum0_2 = fma(a0.x, b2.x, sum0_2);
      sum0_3 = fma(a0.x, b3.x, sum0_3);
      sum0_4 = fma(a0.x, b4.x, sum0_4);
      sum0_5 = fma(a0.x, b5.x, sum0_5);
      sum0_6 = fma(a0.x, b6.x, sum0_6);
      sum0_7 = fma(a0.x, b7.x, sum0_7);
      sum0_0 = fma(a0.y, b0.y, sum0_0);
      sum0_1 = fma(a0.y, b1.y, sum0_1);
      sum0_2 = fma(a0.y, b2.y, sum0_2);
      sum0_3 = fma(a0.y, b3.y, sum0_3);
      sum0_4 = fma(a0.y, b4.y, sum0_4);
      sum0_5 = fma(a0.y, b5.y, sum0_5);
      sum0_6 = fma(a0.y, b6.y, sum0_6);
      sum0_7 = fma(a0.y, b7.y, sum0_7);
      sum0_0 = fma(a0.z, b0.z, sum0_0);
      sum0_1 = fma(a0.z, b1.z, sum0_1);
      sum0_2 = fma(a0.z, b2.z, sum0_2);
      sum0_3 = fma(a0.z, b3.z, sum0_3);
      sum0_4 = fma(a0.z, b4.z, sum0_4);
      sum0_5 = fma(a0.z, b5.z, sum0_5);
      sum0_6 = fma(a0.z, b6.z, sum0_6);
      sum0_7 = fma(a0.z, b7.z, sum0_7);
      sum0_0 = fma(a0.w, b0.w, sum0_0);
      sum0_1 = fma(a0.w, b1.w, sum0_1);
      sum0_2 = fma(a0.w, b2.w, sum0_2);
      sum0_3 = fma(a0.w, b3.w, sum0_3);
      sum0_4 = fma(a0.w, b4.w, sum0_4);
      sum0_5 = fma(a0.w, b5.w, sum0_5);
      sum0_6 = fma(a0.w, b6.w, sum0_6);
      sum0_7 = fma(a0.w, b7.w, sum0_7);
      let a1 = a_tile[1u][ty][1u];
      sum1_0 = fma(a1.x, b0.x, sum1_0);
      sum1_1 = fma(a1.x, b1.x, sum1_1);
      sum1_2 = fma(a1.x, b2.x, sum1_2);
      sum1_3 = fma(a1.x, b3.x, sum1_3);
      sum1_4 = fma(a1.x, b4.x, sum1_4);
      sum1_5 = fma(a1.x, b5.x, sum1_5);
      sum1_6 = fma(a1.x, b6.x, sum1_6);
      sum1_7 = fma(a1.x, b7.x, sum1_7);
      sum1_0 = fma(a1.y, b0.y, sum1_0);
      sum1_1 = fma(a1.y, b1.y, sum1_1);
      sum1_2 = fma(a1.y, b2.y, sum1_2);
      sum1_3 = fma(a1.y, b3.y, sum1_3);
      sum1_4 = fma(a1.y, b4.y, sum1_4);
      sum1_5 = fma(a1.y, b5.y, sum1_5);
      sum1_6 = fma(a1.y, b6.y, sum1_6);
      sum1_7 = fma(a1.y, b7.y, sum1_7);
      sum1_0 = fma(a1.z, b0.z, sum1_0);
      sum1_1 = fma(a1.z, b1.z, sum1_1);
      sum1_2 = fma(a1.z, b2.z, sum1_2);
      sum1_3 = fma(a1.z, b3.z, sum1_3);
      sum1_4 = fma(a1.z, b4.z, sum1_4);
      sum1_5 = fma(a1.z, b5.z, sum1_5);
      sum1_6 = fma(a1.z, b6.z, sum1_6);
      sum1_7 = fma(a1.z, b7.z, sum1_7);
      sum1_0 = fma(a1.w, b0.w, sum1_0);
      sum1_1 = fma(a1.w, b1.w, sum1_1);
      sum1_2 = fma(a1.w, b2.w, sum1_2);
      sum1_3 = fma(a1.w, b3.w, sum1_3);
      sum1_4 = fma(a1.w, b4.w, sum1_4);
      sum1_5 = fma(a1.w, b5.w, sum1_5);
      sum1_6 = fma(a1.w, b6.w, sum1_6);
      sum1_7 = fma(a1.w, b7.w, sum1_7);
      let a2 = a_tile[2u][ty][1u];
      sum2_0 = fma(a2.x, b0.x, sum2_0);
      sum2_1 = fma(a2.x, b1.x, sum2_1);
      sum2_2 = fma(a2.x, b2.x, sum2_2);
      sum2_3 = fma(a2.x, b3.x, sum2_3);
      sum2_4 = fma(a2.x, b4.x, sum2_4);
      sum2_5 = fma(a2.x, b5.x, sum2_5);
      sum2_6 = fma(a2.x, b6.x, sum2_6);
      sum2_7 = fma(a2.x, b7.x, sum2_7);
      sum2_0 = fma(a2.y, b0.y, sum2_0);
      sum2_1 = fma(a2.y, b1.y, sum2_1);
      sum2_2 = fma(a2.y, b2.y, sum2_2);
      sum2_3 = fma(a2.y, b3.y, sum2_3);
      sum2_4 = fma(a2.y, b4.y, sum2_4);
      sum2_5 = fma(a2.y, b5.y, sum2_5);
      sum2_6 = fma(a2.y, b6.y, sum2_6);
      sum2_7 = fma(a2.y, b7.y, sum2_7);
      sum2_0 = fma(a2.z, b0.z, sum2_0);
      sum2_1 = fma(a2.z, b1.z, sum2_1);
      sum2_2 = fma(a2.z, b2.z, sum2_2);
      sum2_3 = fma(a2.z, b3.z, sum2_3);
      sum2_4 = fma(a2.z, b4.z, sum2_4);
      sum2_5 = fma(a2.z, b5.z, sum2_5);
      sum2_6 = fma(a2.z, b6.z, sum2_6);
      sum2_7 = fma(a2.z, b7.z, sum2_7);
      sum2_0 = fma(a2.w, b0.w, sum2_0);
      sum2_1 = fma(a2.w, b1.w, sum2_1);
      sum2_2 = fma(a2.w, b2.w, sum2_2);
      sum2_3 = fma(a2.w, b3.w, sum2_3);
      sum2_4 = fma(a2.w, b4.w, sum2_4);
      sum2_5 = fma(a2.w, b5.w, sum2_5);
      sum2_6 = fma(a2.w, b6.w, sum2_6);
      sum2_7 = fma(a2.w, b7.w, sum2_7);
      let a3 = a_tile[3u][ty][1u];
      sum3_0 = fma(a3.x, b0.x, sum3_0);
      sum3_1 = fma(a3.x, b1.x, sum3_1);
      sum3_2 = fma(a3.x, b2.x, sum3_2);
      sum3_3 = fma(a3.x, b3.x, sum3_3);
      sum3_4 = fma(a3.x, b4.x, sum3_4);
      sum3_5 = fma(a3.x, b5.x, sum3_5);
      sum3_6 = fma(a3.x, b6.x, sum3_6);
      sum3_7 = fma(a3.x, b7.x, sum3_7);
      sum3_0 = fma(a3.y, b0.y, sum3_0);
      sum3_1 = fma(a3.y, b1.y, sum3_1);
      sum3_2 = fma(a3.y, b2.y, sum3_2);
      sum3_3 = fma(a3.y, b3.y, sum3_3);
      sum3_4 = fma(a3.y, b4.y, sum3_4);
      sum3_5 = fma(a3.y, b5.y, sum3_5);
      sum3_6 = fma(a3.y, b6.y, sum3_6);
      sum3_7 = fma(a3.y, b7.y, sum3_7);
      sum3_0 = fma(a3.z, b0.z, sum3_0);
      sum3_1 = fma(a3.z, b1.z, sum3_1);
      sum3_2 = fma(a3.z, b2.z, sum3_2);
      sum3_3 = fma(a3.z, b3.z, sum3_3);
      sum3_4 = fma(a3.z, b4.z, sum3_4);
      sum3_5 = fma(a3.z, b5.z, sum3_5);
      sum3_6 = fma(a3.z, b6.z, sum3_6);
      sum3_7 = fma(a3.z, b7.z, sum3_7);
      sum3_0 = fma(a3.w, b0.w, sum3_0);
      sum3_1 = fma(a3.w, b1.w, sum3_1);
      sum3_2 = fma(a3.w, b2.w, sum3_2);
      sum3_3 = fma(a3.w, b3.w, sum3_3);
      sum3_4 = fma(a3.w, b4.w, sum3_4);
      sum3_5 = fma(a3.w, b5.w, sum3_5);
      sum3_6 = fma(a3.w, b6.w, sum3_6);
      sum3_7 = fma(a3.w, b7.w, sum3_7);
      let a4 = a_tile[4u][ty][1u];
      sum4_0 = fma(a4.x, b0.x, sum4_0);
      sum4_1 = fma(a4.x, b1.x, sum4_1);
      sum4_2 = fma(a4.x, b2.x, sum4_2);
      sum4_3 = fma(a4.x, b3.x, sum4_3);
      sum4_4 = fma(a4.x, b4.x, sum4_4);
      sum4_5 = fma(a4.x, b5.x, sum4_5);
      sum4_6 = fma(a4.x, b6.x, sum4_6);
      sum4_7 = fma(a4.x, b7.x, sum4_7);
      sum4_0 = fma(a4.y, b0.y, sum4_0);
      sum4_1 = fma(a4.y, b1.y, sum4_1);
      sum4_2 = fma(a4.y, b2.y, sum4_2);
      sum4_3 = fma(a4.y, b3.y, sum4_3);
      sum4_4 = fma(a4.y, b4.y, sum4_4);
      sum4_5 = fma(a4.y, b5.y, sum4_5);
      sum4_6 = fma(a4.y, b6.y, sum4_6);
      sum4_7 = fma(a4.y, b7.y, sum4_7);
      sum4_0 = fma(a4.z, b0.z, sum4_0);
      sum4_1 = fma(a4.z, b1.z, sum4_1);
      sum4_2 = fma(a4.z, b2.z, sum4_2);
      sum4_3 = fma(a4.z, b3.z, sum4_3);
      sum4_4 = fma(a4.z, b4.z, sum4_4);
      sum4_5 = fma(a4.z, b5.z, sum4_5);
      sum4_6 = fma(a4.z, b6.z, sum4_6);
      sum4_7 = fma(a4.z, b7.z, sum4_7);
      sum4_0 = fma(a4.w, b0.w, sum4_0);
      sum4_1 = fma(a4.w, b1.w, sum4_1);
      sum4_2 = fma(a4.w, b2.w, sum4_2);
      sum4_3 = fma(a4.w, b3.w, sum4_3);
      sum4_4 = fma(a4.w, b4.w, sum4_4);
      sum4_5 = fma(a4.w, b5.w, sum4_5);
      sum4_6 = fma(a4.w, b6.w, sum4_6);
      sum4_7 = fma(a4.w, b7.w, sum4_7);
      let a5 = a_tile[5u][ty][1u];
      sum5_0 = fma(a5.x, b0.x, sum5_0);
      sum5_1 = fma(a5.x, b1.x, sum5_1);
      sum5_2 = fma(a5.x, b2.x, sum5_2);
      sum5_3 = fma(a5.x, b3.x, sum5_3);
      sum5_4 = fma(a5.x, b4.x, sum5_4);
      sum5_5 = fma(a5.x, b5.x, sum5_5);
      sum5_6 = fma(a5.x, b6.x, sum5_6);
      sum5_7 = fma(a5.x, b7.x, sum5_7);
      sum5_0 = fma(a5.y, b0.y, sum5_0);
      sum5_1 = fma(a5.y, b1.y, sum5_1);
      sum5_2 = fma(a5.y, b2.y, sum5_2);
      sum5_3 = fma(a5.y, b3.y, sum5_3);
      sum5_4 = fma(a5.y, b4.y, sum5_4);
      sum5_5 = fma(a5.y, b5.y, sum5_5);
      sum5_6 = fma(a5.y, b6.y, sum5_6);
      sum5_7 = fma(a5.y, b7.y, sum5_7);
      sum5_0 = fma(a5.z, b0.z, sum5_0);
      sum5_1 = fma(a5.z, b1.z, sum5_1);
      sum5_2 = fma(a5.z, b2.z, sum5_2);
      sum5_3 = fma(a5.z, b3.z, sum5_3);
      sum5_4 = fma(a5.z, b4.z, sum5_4);
      sum5_5 = fma(a5.z, b5.z, sum5_5);
      sum5_6 = fma(a5.z, b6.z, sum5_6);
      sum5_7 = fma(a5.z, b7.z, sum5_7);
      sum5_0 = fma(a5.w, b0.w, sum5_0);
      sum5_1 = fma(a5.w, b1.w, sum5_1);
      sum5_2 = fma(a5.w, b2.w, sum5_2);
      sum5_3 = fma(a5.w, b3.w, sum5_3);
      sum5_4 = fma(a5.w, b4.w, sum5_4);
      sum5_5 = fma(a5.w, b5.w, sum5_5);
      sum5_6 = fma(a5.w, b6.w, sum5_6);
      sum5_7 = fma(a5.w, b7.w, sum5_7);
      let a6 = a_tile[6u][ty][1u];
      sum6_0 = fma(a6.x, b0.x, sum6_0);
      sum6_1 = fma(a6.x, b1.x, sum6_1);
      sum6_2 = fma(a6.x, b2.x, sum6_2);
      sum6_3 = fma(a6.x, b3.x, sum6_3);
      sum6_4 = fma(a6.x, b4.x, sum6_4);
      sum6_5 = fma(a6.x, b5.x, sum6_5);
      sum6_6 = fma(a6.x, b6.x, sum6_6);
      sum6_7 = fma(a6.x, b7.x, sum6_7);
      sum6_0 = fma(a6.y, b0.y, sum6_0);
      sum6_1 = fma(a6.y, b1.y, sum6_1);
      sum6_2 = fma(a6.y, b2.y, sum6_2);
      sum6_3 = fma(a6.y, b3.y, sum6_3);
      sum6_4 = fma(a6.y, b4.y, sum6_4);
      sum6_5 = fma(a6.y, b5.y, sum6_5);
      sum6_6 = fma(a6.y, b6.y, sum6_6);
      sum6_7 = fma(a6.y, b7.y, sum6_7);
      sum6_0 = fma(a6.z, b0.z, sum6_0);
      sum6_1 = fma(a6.z, b1.z, sum6_1);
      sum6_2 = fma(a6.z, b2.z, sum6_2);
      sum6_3 = fma(a6.z, b3.z, sum6_3);
      sum6_4 = fma(a6.z, b4.z, sum6_4);
      sum6_5 = fma(a6.z, b5.z, sum6_5);
      sum6_6 = fma(a6.z, b6.z, sum6_6);
      sum6_7 = fma(a6.z, b7.z, sum6_7);
      sum6_0 = fma(a6.w, b0.w, sum6_0);
      sum6_1 = fma(a6.w, b1.w, sum6_1);
      sum6_2 = fma(a6.w, b2.w, sum6_2);
      sum6_3 = fma(a6.w, b3.w, sum6_3);
      sum6_4 = fma(a6.w, b4.w, sum6_4);
      sum6_5 = fma(a6.w, b5.w, sum6_5);
      sum6_6 = fma(a6.w, b6.w, sum6_6);
      sum6_7 = fma(a6.w, b7.w, sum6_7);
      let a7 = a_tile[7u][ty][1u];
      sum7_0 = fma(a7.x, b0.x, sum7_0);
      sum7_1 = fma(a7.x, b1.x, sum7_1);
      sum7_2 = fma(a7.x, b2.x, sum7_2);
      sum7_3 = fma(a7.x, b3.x, sum7_3);
      sum7_4 = fma(a7.x, b4.x, sum7_4);
      sum7_5 = fma(a7.x, b5.x, sum7_5);
      sum7_6 = fma(a7.x, b6.x, sum7_6);
      sum7_7 = fma(a7.x, b7.x, sum7_7);
      sum7_0 = fma(a7.y, b0.y, sum7_0);
      sum7_1 = fma(a7.y, b1.y, sum7_1);
      sum7_2 = fma(a7.y, b2.y, sum7_2);
      sum7_3 = fma(a7.y, b3.y, sum7_3);
      sum7_4 = fma(a7.y, b4.y, sum7_4);
      sum7_5 = fma(a7.y, b5.y, sum7_5);
      sum7_6 = fma(a7.y, b6.y, sum7_6);
      sum7_7 = fma(a7.y, b7.y, sum7_7);
      sum7_0 = fma(a7.z, b0.z, sum7_0);
      sum7_1 = fma(a7.z, b1.z, sum7_1);
      sum7_2 = fma(a7.z, b2.z, sum7_2);
      sum7_3 = fma(a7.z, b3.z, sum7_3);
      sum7_4 = fma(a7.z, b4.z, sum7_4);
      sum7_5 = fma(a7.z, b5.z, sum7_5);
      sum7_6 = fma(a7.z, b6.z, sum7_6);
      sum7_7 = fma(a7.z, b7.z, sum7_7);
      sum7_0 = fma(a7.w, b0.w, sum7_0);
      sum7_1 = fma(a7.w, b1.w, sum7_1);
      sum7_2 = fma(a7.w, b2.w, sum7_2);
      sum7_3 = fma(a7.w, b3.w, sum7_3);
      sum7_4 = fma(a7.w, b4.w, sum7_4);
      sum7_5 = fma(a7.w, b5.w, sum7_5);
      sum7_6 = fma(a7.w, b6.w, sum7_6);
      sum7_7 = fma(a7.w, b7.w, sum7_7);
      let a8 = a_tile[8u][ty][1u];
      sum8_0 = fma(a8.x, b0.x, sum8_0);
      sum8_1 = fma(a8.x, b1.x, sum8_1);
      sum8_2 = fma(a8.x, b2.x, sum8_2);
      sum8_3 = fma(a8.x, b3.x, sum8_3);
      sum8_4 = fma(a8.x, b4.x, sum8_4);
      sum8_5 = fma(a8.x, b5.x, sum8_5);
      sum8_6 = fma(a8.x, b6.x, sum8_6);
      sum8_7 = fma(a8.x, b7.x, sum8_7);
      sum8_0 = fma(a8.y, b0.y, sum8_0);
      sum8_1 = fma(a8.y, b1.y, sum8_1);
      sum8_2 = fma(a8.y, b2.y, sum8_2);
      sum8_3 = fma(a8.y, b3.y, sum8_3);
      sum8_4 = fma(a8.y, b4.y, sum8_4);
      sum8_5 = fma(a8.y, b5.y, sum8_5);
      sum8_6 = fma(a8.y, b6.y, sum8_6);
      sum8_7 = fma(a8.y, b7.y, sum8_7);
      sum8_0 = fma(a8.z, b0.z, sum8_0);
      sum8_1 = fma(a8.z, b1.z, sum8_1);
      sum8_2 = fma(a8.z, b2.z, sum8_2);
      sum8_3 = fma(a8.z, b3.z, sum8_3);
      sum8_4 = fma(a8.z, b4.z, sum8_4);
      sum8_5 = fma(a8.z, b5.z, sum8_5);
      sum8_6 = fma(a8.z, b6.z, sum8_6);
      sum8_7 = fma(a8.z, b7.z, sum8_7);
      sum8_0 = fma(a8.w, b0.w, sum8_0);
      sum8_1 = fma(a8.w, b1.w, sum8_1);
      sum8_2 = fma(a8.w, b2.w, sum8_2);
      sum8_3 = fma(a8.w, b3.w, sum8_3);
      sum8_4 = fma(a8.w, b4.w, sum8_4);
      sum8_5 = fma(a8.w, b5.w, sum8_5);
      sum8_6 = fma(a8.w, b6.w, sum8_6);
      sum8_7 = fma(a8.w, b7.w, sum8_7);
      let a9 = a_tile[9u][ty][1u];
      sum9_0 = fma(a9.x, b0.x, sum9_0);
      sum9_1 = fma(a9.x, b1.x, sum9_1);
      sum9_2 = fma(a9.x, b2.x, sum9_2);
      sum9_3 = fma(a9.x, b3.x, sum9_3);
      sum9_4 = fma(a9.x, b4.x, sum9_4);
      sum9_5 = fma(a9.x, b5.x, sum9_5);
      sum9_6 = fma(a9.x, b6.x, sum9_6);
      sum9_7 = fma(a9.x, b7.x, sum9_7);
      sum9_0 = fma(a9.y, b0.y, sum9_0);
      sum9_1 = fma(a9.y, b1.y, sum9_1);
      sum9_2 = fma(a9.y, b2.y, sum9_2);
      sum9_3 = fma(a9.y, b3.y, sum9_3);
      sum9_4 = fma(a9.y, b4.y, sum9_4);
      sum9_5 = fma(a9.y, b5.y, sum9_5);
      sum9_6 = fma(a9.y, b6.y, sum9_6);
      sum9_7 = fma(a9.y, b7.y, sum9_7);
      sum9_0 = fma(a9.z, b0.z, sum9_0);
      sum9_1 = fma(a9.z, b1.z, sum9_1);
      sum9_2 = fma(a9.z, b2.z, sum9_2);
      sum9_3 = fma(a9.z, b3.z, sum9_3);
      sum9_4 = fma(a9.z, b4.z, sum9_4);
      sum9_5 = fma(a9.z, b5.z, sum9_5);
      sum9_6 = fma(a9.z, b6.z, sum9_6);
      sum9_7 = fma(a9.z, b7.z, sum9_7);
      sum9_0 = fma(a9.w, b0.w, sum9_0);
      sum9_1 = fma(a9.w, b1.w, sum9_1);
      sum9_2 = fma(a9.w, b2.w, sum9_2);
      sum9_3 = fma(a9.w, b3.w, sum9_3);
      sum9_4 = fma(a9.w, b4.w, sum9_4);
      sum9_5 = fma(a9.w, b5.w, sum9_5);
      sum9_6 = fma(a9.w, b6.w, sum9_6);
      sum9_7 = fma(a9.w, b7.w, sum9_7);
    }
    {
      let b0 = b_tile[0u][tx][2u];
      let b1 = b_tile[1u][tx][2u];
      let b2 = b_tile[2u][tx][2u];
      let b3 = b_tile[3u][tx][2u];
      let b4 = b_tile[4u][tx][2u];
      let b5 = b_tile[5u][tx][2u];
      let b6 = b_tile[6u][tx][2u];
      let b7 = b_tile[7u][tx][2u];
      let a0 = a_tile[0u][ty][2u];
      sum0_0 = fma(a0.x, b0.x, sum0_0);
      sum0_1 = fma(a0.x, b1.x, sum0_1);
      sum0_2 = fma(a0.x, b2.x, sum0_2);
      sum0_3 = fma(a0.x, b3.x, sum0_3);
      sum0_4 = fma(a0.x, b4.x, sum0_4);
      sum0_5 = fma(a0.x, b5.x, sum0_5);
      sum0_6 = fma(a0.x, b6.x, sum0_6);
      sum0_7 = fma(a0.x, b7.x, sum0_7);
      sum0_0 = fma(a0.y, b0.y, sum0_0);
      sum0_1 = fma(a0.y, b1.y, sum0_1);
      sum0_2 = fma(a0.y, b2.y, sum0_2);
      sum0_3 = fma(a0.y, b3.y, sum0_3);
      sum0_4 = fma(a0.y, b4.y, sum0_4);
      sum0_5 = fma(a0.y, b5.y, sum0_5);
      sum0_6 = fma(a0.y, b6.y, sum0_6);
      sum0_7 = fma(a0.y, b7.y, sum0_7);
      sum0_0 = fma(a0.z, b0.z, sum0_0);
      sum0_1 = fma(a0.z, b1.z, sum0_1);
      sum0_2 = fma(a0.z, b2.z, sum0_2);
      sum0_3 = fma(a0.z, b3.z, sum0_3);
      sum0_4 = fma(a0.z, b4.z, sum0_4);
      sum0_5 = fma(a0.z, b5.z, sum0_5);
      sum0_6 = fma(a0.z, b6.z, sum0_6);
      sum0_7 = fma(a0.z, b7.z, sum0_7);
      sum0_0 = fma(a0.w, b0.w, sum0_0);
      sum0_1 = fma(a0.w, b1.w, sum0_1);
      sum0_2 = fma(a0.w, b2.w, sum0_2);
      sum0_3 = fma(a0.w, b3.w, sum0_3);
      sum0_4 = fma(a0.w, b4.w, sum0_4);
      sum0_5 = fma(a0.w, b5.w, sum0_5);
      sum0_6 = fma(a0.w, b6.w, sum0_6);
      sum0_7 = fma(a0.w, b7.w, sum0_7);
      let a1 = a_tile[1u][ty][2u];
      sum1_0 = fma(a1.x, b0.x, sum1_0);
      sum1_1 = fma(a1.x, b1.x, sum1_1);
      sum1_2 = fma(a1.x, b2.x, sum1_2);
      sum1_3 = fma(a1.x, b3.x, sum1_3);
      sum1_4 = fma(a1.x, b4.x, sum1_4);
      sum1_5 = fma(a1.x, b5.x, sum1_5);
      sum1_6 = fma(a1.x, b6.x, sum1_6);
      sum1_7 = fma(a1.x, b7.x, sum1_7);
      sum1_0 = fma(a1.y, b0.y, sum1_0);
      sum1_1 = fma(a1.y, b1.y, sum1_1);
      sum1_2 = fma(a1.y, b2.y, sum1_2);
      sum1_3 = fma(a1.y, b3.y, sum1_3);
      sum1_4 = fma(a1.y, b4.y, sum1_4);
      sum1_5 = fma(a1.y, b5.y, sum1_5);
      sum1_6 = fma(a1.y, b6.y, sum1_6);
      sum1_7 = fma(a1.y, b7.y, sum1_7);
      sum1_0 = fma(a1.z, b0.z, sum1_0);
      sum1_1 = fma(a1.z, b1.z, sum1_1);
      sum1_2 = fma(a1.z, b2.z, sum1_2);
      sum1_3 = fma(a1.z, b3.z, sum1_3);
      sum1_4 = fma(a1.z, b4.z, sum1_4);
      sum1_5 = fma(a1.z, b5.z, sum1_5);
      sum1_6 = fma(a1.z, b6.z, sum1_6);
      sum1_7 = fma(a1.z, b7.z, sum1_7);
      sum1_0 = fma(a1.w, b0.w, sum1_0);
      sum1_1 = fma(a1.w, b1.w, sum1_1);
      sum1_2 = fma(a1.w, b2.w, sum1_2);
      sum1_3 = fma(a1.w, b3.w, sum1_3);
      sum1_4 = fma(a1.w, b4.w, sum1_4);
      sum1_5 = fma(a1.w, b5.w, sum1_5);
      sum1_6 = fma(a1.w, b6.w, sum1_6);
      sum1_7 = fma(a1.w, b7.w, sum1_7);
      let a2 = a_tile[2u][ty][2u];
      sum2_0 = fma(a2.x, b0.x, sum2_0);
      sum2_1 = fma(a2.x, b1.x, sum2_1);
      sum2_2 = fma(a2.x, b2.x, sum2_2);
      sum2_3 = fma(a2.x, b3.x, sum2_3);
      sum2_4 = fma(a2.x, b4.x, sum2_4);
      sum2_5 = fma(a2.x, b5.x, sum2_5);
      sum2_6 = fma(a2.x, b6.x, sum2_6);
      sum2_7 = fma(a2.x, b7.x, sum2_7);
      sum2_0 = fma(a2.y, b0.y, sum2_0);
      sum2_1 = fma(a2.y, b1.y, sum2_1);
      sum2_2 = fma(a2.y, b2.y, sum2_2);
      sum2_3 = fma(a2.y, b3.y, sum2_3);
      sum2_4 = fma(a2.y, b4.y, sum2_4);
      sum2_5 = fma(a2.y, b5.y, sum2_5);
      sum2_6 = fma(a2.y, b6.y, sum2_6);
      sum2_7 = fma(a2.y, b7.y, sum2_7);
      sum2_0 = fma(a2.z, b0.z, sum2_0);
      sum2_1 = fma(a2.z, b1.z, sum2_1);
      sum2_2 = fma(a2.z, b2.z, sum2_2);
      sum2_3 = fma(a2.z, b3.z, sum2_3);
      sum2_4 = fma(a2.z, b4.z, sum2_4);
      sum2_5 = fma(a2.z, b5.z, sum2_5);
      sum2_6 = fma(a2.z, b6.z, sum2_6);
      sum2_7 = fma(a2.z, b7.z, sum2_7);
      sum2_0 = fma(a2.w, b0.w, sum2_0);
      sum2_1 = fma(a2.w, b1.w, sum2_1);
      sum2_2 = fma(a2.w, b2.w, sum2_2);
      sum2_3 = fma(a2.w, b3.w, sum2_3);
      sum2_4 = fma(a2.w, b4.w, sum2_4);
      sum2_5 = fma(a2.w, b5.w, sum2_5);
      sum2_6 = fma(a2.w, b6.w, sum2_6);
      sum2_7 = fma(a2.w, b7.w, sum2_7);
      let a3 = a_tile[3u][ty][2u];
      sum3_0 = fma(a3.x, b0.x, sum3_0);
      sum3_1 = fma(a3.x, b1.x, sum3_1);
      sum3_2 = fma(a3.x, b2.x, sum3_2);
      sum3_3 = fma(a3.x, b3.x, sum3_3);
      sum3_4 = fma(a3.x, b4.x, sum3_4);
      sum3_5 = fma(a3.x, b5.x, sum3_5);
      sum3_6 = fma(a3.x, b6.x, sum3_6);
      sum3_7 = fma(a3.x, b7.x, sum3_7);
      sum3_0 = fma(a3.y, b0.y, sum3_0);
      sum3_1 = fma(a3.y, b1.y, sum3_1);
      sum3_2 = fma(a3.y, b2.y, sum3_2);
      sum3_3 = fma(a3.y, b3.y, sum3_3);
      sum3_4 = fma(a3.y, b4.y, sum3_4);
      sum3_5 = fma(a3.y, b5.y, sum3_5);
      sum3_6 = fma(a3.y, b6.y, sum3_6);
      sum3_7 = fma(a3.y, b7.y, sum3_7);
      sum3_0 = fma(a3.z, b0.z, sum3_0);
      sum3_1 = fma(a3.z, b1.z, sum3_1);
      sum3_2 = fma(a3.z, b2.z, sum3_2);
      sum3_3 = fma(a3.z, b3.z, sum3_3);
      sum3_4 = fma(a3.z, b4.z, sum3_4);
      sum3_5 = fma(a3.z, b5.z, sum3_5);
      sum3_6 = fma(a3.z, b6.z, sum3_6);
      sum3_7 = fma(a3.z, b7.z, sum3_7);
      sum3_0 = fma(a3.w, b0.w, sum3_0);
      sum3_1 = fma(a3.w, b1.w, sum3_1);
      sum3_2 = fma(a3.w, b2.w, sum3_2);
      sum3_3 = fma(a3.w, b3.w, sum3_3);
      sum3_4 = fma(a3.w, b4.w, sum3_4);
      sum3_5 = fma(a3.w, b5.w, sum3_5);
      sum3_6 = fma(a3.w, b6.w, sum3_6);
      sum3_7 = fma(a3.w, b7.w, sum3_7);
      let a4 = a_tile[4u][ty][2u];
      sum4_0 = fma(a4.x, b0.x, sum4_0);
      sum4_1 = fma(a4.x, b1.x, sum4_1);
      sum4_2 = fma(a4.x, b2.x, sum4_2);
      sum4_3 = fma(a4.x, b3.x, sum4_3);
      sum4_4 = fma(a4.x, b4.x, sum4_4);
      sum4_5 = fma(a4.x, b5.x, sum4_5);
      sum4_6 = fma(a4.x, b6.x, sum4_6);
      sum4_7 = fma(a4.x, b7.x, sum4_7);
      sum4_0 = fma(a4.y, b0.y, sum4_0);
      sum4_1 = fma(a4.y, b1.y, sum4_1);
      sum4_2 = fma(a4.y, b2.y, sum4_2);
      sum4_3 = fma(a4.y, b3.y, sum4_3);
      sum4_4 = fma(a4.y, b4.y, sum4_4);
      sum4_5 = fma(a4.y, b5.y, sum4_5);
      sum4_6 = fma(a4.y, b6.y, sum4_6);
      sum4_7 = fma(a4.y, b7.y, sum4_7);
      sum4_0 = fma(a4.z, b0.z, sum4_0);
      sum4_1 = fma(a4.z, b1.z, sum4_1);
      sum4_2 = fma(a4.z, b2.z, sum4_2);
      sum4_3 = fma(a4.z, b3.z, sum4_3);
      sum4_4 = fma(a4.z, b4.z, sum4_4);
      sum4_5 = fma(a4.z, b5.z, sum4_5);
      sum4_6 = fma(a4.z, b6.z, sum4_6);
      sum4_7 = fma(a4.z, b7.z, sum4_7);
      sum4_0 = fma(a4.w, b0.w, sum4_0);
      sum4_1 = fma(a4.w, b1.w, sum4_1);
      sum4_2 = fma(a4.w, b2.w, sum4_2);
      sum4_3 = fma(a4.w, b3.w, sum4_3);
      sum4_4 = fma(a4.w, b4.w, sum4_4);
      sum4_5 = fma(a4.w, b5.w, sum4_5);
      sum4_6 = fma(a4.w, b6.w, sum4_6);
      sum4_7 = fma(a4.w, b7.w, sum4_7);
      let a5 = a_tile[5u][ty][2u];
      sum5_0 = fma(a5.x, b0.x, sum5_0);
      sum5_1 = fma(a5.x, b1.x, sum5_1);
      sum5_2 = fma(a5.x, b2.x, sum5_2);
      sum5_3 = fma(a5.x, b3.x, sum5_3);
      sum5_4 = fma(a5.x, b4.x, sum5_4);
      sum5_5 = fma(a5.x, b5.x, sum5_5);
      sum5_6 = fma(a5.x, b6.x, sum5_6);
      sum5_7 = fma(a5.x, b7.x, sum5_7);
      sum5_0 = fma(a5.y, b0.y, sum5_0);
      sum5_1 = fma(a5.y, b1.y, sum5_1);
      sum5_2 = fma(a5.y, b2.y, sum5_2);
      sum5_3 = fma(a5.y, b3.y, sum5_3);
      sum5_4 = fma(a5.y, b4.y, sum5_4);
      sum5_5 = fma(a5.y, b5.y, sum5_5);
      sum5_6 = fma(a5.y, b6.y, sum5_6);
      sum5_7 = fma(a5.y, b7.y, sum5_7);
      sum5_0 = fma(a5.z, b0.z, sum5_0);
      sum5_1 = fma(a5.z, b1.z, sum5_1);
      sum5_2 = fma(a5.z, b2.z, sum5_2);
      sum5_3 = fma(a5.z, b3.z, sum5_3);
      sum5_4 = fma(a5.z, b4.z, sum5_4);
      sum5_5 = fma(a5.z, b5.z, sum5_5);
      sum5_6 = fma(a5.z, b6.z, sum5_6);
      sum5_7 = fma(a5.z, b7.z, sum5_7);
      sum5_0 = fma(a5.w, b0.w, sum5_0);
      sum5_1 = fma(a5.w, b1.w, sum5_1);
      sum5_2 = fma(a5.w, b2.w, sum5_2);
      sum5_3 = fma(a5.w, b3.w, sum5_3);
      sum5_4 = fma(a5.w, b4.w, sum5_4);
      sum5_5 = fma(a5.w, b5.w, sum5_5);
      sum5_6 = fma(a5.w, b6.w, sum5_6);
      sum5_7 = fma(a5.w, b7.w, sum5_7);
      let a6 = a_tile[6u][ty][2u];
      sum6_0 = fma(a6.x, b0.x, sum6_0);
      sum6_1 = fma(a6.x, b1.x, sum6_1);
      sum6_2 = fma(a6.x, b2.x, sum6_2);
      sum6_3 = fma(a6.x, b3.x, sum6_3);
      sum6_4 = fma(a6.x, b4.x, sum6_4);
      sum6_5 = fma(a6.x, b5.x, sum6_5);
      sum6_6 = fma(a6.x, b6.x, sum6_6);
      sum6_7 = fma(a6.x, b7.x, sum6_7);
      sum6_0 = fma(a6.y, b0.y, sum6_0);
      sum6_1 = fma(a6.y, b1.y, sum6_1);
      sum6_2 = fma(a6.y, b2.y, sum6_2);
      sum6_3 = fma(a6.y, b3.y, sum6_3);
      sum6_4 = fma(a6.y, b4.y, sum6_4);
      sum6_5 = fma(a6.y, b5.y, sum6_5);
      sum6_6 = fma(a6.y, b6.y, sum6_6);
      sum6_7 = fma(a6.y, b7.y, sum6_7);
      sum6_0 = fma(a6.z, b0.z, sum6_0);
      sum6_1 = fma(a6.z, b1.z, sum6_1);
      sum6_2 = fma(a6.z, b2.z, sum6_2);
      sum6_3 = fma(a6.z, b3.z, sum6_3);
      sum6_4 = fma(a6.z, b4.z, sum6_4);
      sum6_5 = fma(a6.z, b5.z, sum6_5);
      sum6_6 = fma(a6.z, b6.z, sum6_6);
      sum6_7 = fma(a6.z, b7.z, sum6_7);
      sum6_0 = fma(a6.w, b0.w, sum6_0);
      sum6_1 = fma(a6.w, b1.w, sum6_1);
      sum6_2 = fma(a6.w, b2.w, sum6_2);
      sum6_3 = fma(a6.w, b3.w, sum6_3);
      sum6_4 = fma(a6.w, b4.w, sum6_4);
      sum6_5 = fma(a6.w, b5.w, sum6_5);
      sum6_6 = fma(a6.w, b6.w, sum6_6);
      sum6_7 = fma(a6.w, b7.w, sum6_7);
      let a7 = a_tile[7u][ty][2u];
      sum7_0 = fma(a7.x, b0.x, sum7_0);
      sum7_1 = fma(a7.x, b1.x, sum7_1);
      sum7_2 = fma(a7.x, b2.x, sum7_2);
      sum7_3 = fma(a7.x, b3.x, sum7_3);
      sum7_4 = fma(a7.x, b4.x, sum7_4);
      sum7_5 = fma(a7.x, b5.x, sum7_5);
      sum7_6 = fma(a7.x, b6.x, sum7_6);
      sum7_7 = fma(a7.x, b7.x, sum7_7);
      sum7_0 = fma(a7.y, b0.y, sum7_0);
      sum7_1 = fma(a7.y, b1.y, sum7_1);
      sum7_2 = fma(a7.y, b2.y, sum7_2);
      sum7_3 = fma(a7.y, b3.y, sum7_3);
      sum7_4 = fma(a7.y, b4.y, sum7_4);
      sum7_5 = fma(a7.y, b5.y, sum7_5);
      sum7_6 = fma(a7.y, b6.y, sum7_6);
      sum7_7 = fma(a7.y, b7.y, sum7_7);
      sum7_0 = fma(a7.z, b0.z, sum7_0);
      sum7_1 = fma(a7.z, b1.z, sum7_1);
      sum7_2 = fma(a7.z, b2.z, sum7_2);
      sum7_3 = fma(a7.z, b3.z, sum7_3);
      sum7_4 = fma(a7.z, b4.z, sum7_4);
      sum7_5 = fma(a7.z, b5.z, sum7_5);
      sum7_6 = fma(a7.z, b6.z, sum7_6);
      sum7_7 = fma(a7.z, b7.z, sum7_7);
      sum7_0 = fma(a7.w, b0.w, sum7_0);
      sum7_1 = fma(a7.w, b1.w, sum7_1);
      sum7_2 = fma(a7.w, b2.w, sum7_2);
      sum7_3 = fma(a7.w, b3.w, sum7_3);
      sum7_4 = fma(a7.w, b4.w, sum7_4);
      sum7_5 = fma(a7.w, b5.w, sum7_5);
      sum7_6 = fma(a7.w, b6.w, sum7_6);
      sum7_7 = fma(a7.w, b7.w, sum7_7);
      let a8 = a_tile[8u][ty][2u];
      sum8_0 = fma(a8.x, b0.x, sum8_0);
      sum8_1 = fma(a8.x, b1.x, sum8_1);
      sum8_2 = fma(a8.x, b2.x, sum8_2);
      sum8_3 = fma(a8.x, b3.x, sum8_3);
      sum8_4 = fma(a8.x, b4.x, sum8_4);
      sum8_5 = fma(a8.x, b5.x, sum8_5);
      sum8_6 = fma(a8.x, b6.x, sum8_6);
      sum8_7 = fma(a8.x, b7.x, sum8_7);
      sum8_0 = fma(a8.y, b0.y, sum8_0);
      sum8_1 = fma(a8.y, b1.y, sum8_1);
      sum8_2 = fma(a8.y, b2.y, sum8_2);
      sum8_3 = fma(a8.y, b3.y, sum8_3);
      sum8_4 = fma(a8.y, b4.y, sum8_4);
      sum8_5 = fma(a8.y, b5.y, sum8_5);
      sum8_6 = fma(a8.y, b6.y, sum8_6);
      sum8_7 = fma(a8.y, b7.y, sum8_7);
      sum8_0 = fma(a8.z, b0.z, sum8_0);
      sum8_1 = fma(a8.z, b1.z, sum8_1);
      sum8_2 = fma(a8.z, b2.z, sum8_2);
      sum8_3 = fma(a8.z, b3.z, sum8_3);
      sum8_4 = fma(a8.z, b4.z, sum8_4);
      sum8_5 = fma(a8.z, b5.z, sum8_5);
      sum8_6 = fma(a8.z, b6.z, sum8_6);
      sum8_7 = fma(a8.z, b7.z, sum8_7);
      sum8_0 = fma(a8.w, b0.w, sum8_0);
      sum8_1 = fma(a8.w, b1.w, sum8_1);
      sum8_2 = fma(a8.w, b2.w, sum8_2);
      sum8_3 = fma(a8.w, b3.w, sum8_3);
      sum8_4 = fma(a8.w, b4.w, sum8_4);
      sum8_5 = fma(a8.w, b5.w, sum8_5);
      sum8_6 = fma(a8.w, b6.w, sum8_6);
      sum8_7 = fma(a8.w, b7.w, sum8_7);
      let a9 = a_tile[9u][ty][2u];
      sum9_0 = fma(a9.x, b0.x, sum9_0);
      sum9_1 = fma(a9.x, b1.x, sum9_1);
      sum9_2 = fma(a9.x, b2.x, sum9_2);
      sum9_3 = fma(a9.x, b3.x, sum9_3);
      sum9_4 = fma(a9.x, b4.x, sum9_4);
      sum9_5 = fma(a9.x, b5.x, sum9_5);
      sum9_6 = fma(a9.x, b6.x, sum9_6);
      sum9_7 = fma(a9.x, b7.x, sum9_7);
      sum9_0 = fma(a9.y, b0.y, sum9_0);
      sum9_1 = fma(a9.y, b1.y, sum9_1);
      sum9_2 = fma(a9.y, b2.y, sum9_2);
      sum9_3 = fma(a9.y, b3.y, sum9_3);
      sum9_4 = fma(a9.y, b4.y, sum9_4);
      sum9_5 = fma(a9.y, b5.y, sum9_5);
      sum9_6 = fma(a9.y, b6.y, sum9_6);
      sum9_7 = fma(a9.y, b7.y, sum9_7);
      sum9_0 = fma(a9.z, b0.z, sum9_0);
      sum9_1 = fma(a9.z, b1.z, sum9_1);
      sum9_2 = fma(a9.z, b2.z, sum9_2);
      sum9_3 = fma(a9.z, b3.z, sum9_3);
      sum9_4 = fma(a9.z, b4.z, sum9_4);
      sum9_5 = fma(a9.z, b5.z, sum9_5);
      sum9_6 = fma(a9.z, b6.z, sum9_6);
      sum9_7 = fma(a9.z, b7.z, sum9_7);
      sum9_0 = fma(a9.w, b0.w, sum9_0);
      sum9_1 = fma(a9.w, b1.w, sum9_1);
      sum9_2 = fma(a9.w, b2.w, sum9_2);
      sum9_3 = fma(a9.w, b3.w, sum9_3);
      sum9_4 = fma(a9.w, b4.w, sum9_4);
      sum9_5 = fma(a9.w, b5.w, sum9_5);
      sum9_6 = fma(a9.w, b6.w, sum9_6);
      sum9_7 = fma(a9.w, b7.w, sum9_7);
    }
    {
      let b0 = b_tile[0u][tx][3u];
      let b1 = b_tile[1u][tx][3u];
      let b2 = b_tile[2u][tx][3u];
      let b3 = b_tile[3u][tx][3u];
      let b4 = b_tile[4u][tx][3u];
      let b5 = b_tile[5u][tx][3u];
      let b6 = b_tile[6u][tx][3u];
      let b7 = b_tile[7u][tx][3u];
      let a0 = a_tile[0u][ty][3u];
      sum0_0 = fma(a0.x, b0.x, sum0_0);
      sum0_1 = fma(a0.x, b1.x, sum0_1);
      sum0_2 = fma(a0.x, b2.x, sum0_2);
      sum0_3 = fma(a0.x, b3.x, sum0_3);
      sum0_4 = fma(a0.x, b4.x, sum0_4);
      sum0_5 = fma(a0.x, b5.x, sum0_5);
      sum0_6 = fma(a0.x, b6.x, sum0_6);
      sum0_7 = fma(a0.x, b7.x, sum0_7);
      sum0_0 = fma(a0.y, b0.y, sum0_0);
      sum0_1 = fma(a0.y, b1.y, sum0_1);
      sum0_2 = fma(a0.y, b2.y, sum0_2);
      sum0_3 = fma(a0.y, b3.y, sum0_3);
      sum0_4 = fma(a0.y, b4.y, sum0_4);
      sum0_5 = fma(a0.y, b5.y, sum0_5);
      sum0_6 = fma(a0.y, b6.y, sum0_6);
      sum0_7 = fma(a0.y, b7.y, sum0_7);
      sum0_0 = fma(a0.z, b0.z, sum0_0);
      sum0_1 = fma(a0.z, b1.z, sum0_1);
      sum0_2 = fma(a0.z, b2.z, sum0_2);
      sum0_3 = fma(a0.z, b3.z, sum0_3);
      sum0_4 = fma(a0.z, b4.z, sum0_4);
      sum0_5 = fma(a0.z, b5.z, sum0_5);
      sum0_6 = fma(a0.z, b6.z, sum0_6);
      sum0_7 = fma(a0.z, b7.z, sum0_7);
      sum0_0 = fma(a0.w, b0.w, sum0_0);
      sum0_1 = fma(a0.w, b1.w, sum0_1);
      sum0_2 = fma(a0.w, b2.w, sum0_2);
      sum0_3 = fma(a0.w, b3.w, sum0_3);
      sum0_4 = fma(a0.w, b4.w, sum0_4);
      sum0_5 = fma(a0.w, b5.w, sum0_5);
      sum0_6 = fma(a0.w, b6.w, sum0_6);
      sum0_7 = fma(a0.w, b7.w, sum0_7);
      let a1 = a_tile[1u][ty][3u];
      sum1_0 = fma(a1.x, b0.x, sum1_0);
      sum1_1 = fma(a1.x, b1.x, sum1_1);
      sum1_2 = fma(a1.x, b2.x, sum1_2);
      sum1_3 = fma(a1.x, b3.x, sum1_3);
      sum1_4 = fma(a1.x, b4.x, sum1_4);
      sum1_5 = fma(a1.x, b5.x, sum1_5);
      sum1_6 = fma(a1.x, b6.x, sum1_6);
      sum1_7 = fma(a1.x, b7.x, sum1_7);
      sum1_0 = fma(a1.y, b0.y, sum1_0);
      sum1_1 = fma(a1.y, b1.y, sum1_1);
      sum1_2 = fma(a1.y, b2.y, sum1_2);
      sum1_3 = fma(a1.y, b3.y, sum1_3);
      sum1_4 = fma(a1.y, b4.y, sum1_4);
      sum1_5 = fma(a1.y, b5.y, sum1_5);
      sum1_6 = fma(a1.y, b6.y, sum1_6);
      sum1_7 = fma(a1.y, b7.y, sum1_7);
      sum1_0 = fma(a1.z, b0.z, sum1_0);
      sum1_1 = fma(a1.z, b1.z, sum1_1);
      sum1_2 = fma(a1.z, b2.z, sum1_2);
      sum1_3 = fma(a1.z, b3.z, sum1_3);
      sum1_4 = fma(a1.z, b4.z, sum1_4);
      sum1_5 = fma(a1.z, b5.z, sum1_5);
      sum1_6 = fma(a1.z, b6.z, sum1_6);
      sum1_7 = fma(a1.z, b7.z, sum1_7);
      sum1_0 = fma(a1.w, b0.w, sum1_0);
      sum1_1 = fma(a1.w, b1.w, sum1_1);
      sum1_2 = fma(a1.w, b2.w, sum1_2);
      sum1_3 = fma(a1.w, b3.w, sum1_3);
      sum1_4 = fma(a1.w, b4.w, sum1_4);
      sum1_5 = fma(a1.w, b5.w, sum1_5);
      sum1_6 = fma(a1.w, b6.w, sum1_6);
      sum1_7 = fma(a1.w, b7.w, sum1_7);
      let a2 = a_tile[2u][ty][3u];
      sum2_0 = fma(a2.x, b0.x, sum2_0);
      sum2_1 = fma(a2.x, b1.x, sum2_1);
      sum2_2 = fma(a2.x, b2.x, sum2_2);
      sum2_3 = fma(a2.x, b3.x, sum2_3);
      sum2_4 = fma(a2.x, b4.x, sum2_4);
      sum2_5 = fma(a2.x, b5.x, sum2_5);
      sum2_6 = fma(a2.x, b6.x, sum2_6);
      sum2_7 = fma(a2.x, b7.x, sum2_7);
      sum2_0 = fma(a2.y, b0.y, sum2_0);
      sum2_1 = fma(a2.y, b1.y, sum2_1);
      sum2_2 = fma(a2.y, b2.y, sum2_2);
      sum2_3 = fma(a2.y, b3.y, sum2_3);
      sum2_4 = fma(a2.y, b4.y, sum2_4);
      sum2_5 = fma(a2.y, b5.y, sum2_5);
      sum2_6 = fma(a2.y, b6.y, sum2_6);
      sum2_7 = fma(a2.y, b7.y, sum2_7);
      sum2_0 = fma(a2.z, b0.z, sum2_0);
      sum2_1 = fma(a2.z, b1.z, sum2_1);
      sum2_2 = fma(a2.z, b2.z, sum2_2);
      sum2_3 = fma(a2.z, b3.z, sum2_3);
      sum2_4 = fma(a2.z, b4.z, sum2_4);
      sum2_5 = fma(a2.z, b5.z, sum2_5);
      sum2_6 = fma(a2.z, b6.z, sum2_6);
      sum2_7 = fma(a2.z, b7.z, sum2_7);
      sum2_0 = fma(a2.w, b0.w, sum2_0);
      sum2_1 = fma(a2.w, b1.w, sum2_1);
      sum2_2 = fma(a2.w, b2.w, sum2_2);
      sum2_3 = fma(a2.w, b3.w, sum2_3);
      sum2_4 = fma(a2.w, b4.w, sum2_4);
      sum2_5 = fma(a2.w, b5.w, sum2_5);
      sum2_6 = fma(a2.w, b6.w, sum2_6);
      sum2_7 = fma(a2.w, b7.w, sum2_7);
      let a3 = a_tile[3u][ty][3u];
      sum3_0 = fma(a3.x, b0.x, sum3_0);
      sum3_1 = fma(a3.x, b1.x, sum3_1);
      sum3_2 = fma(a3.x, b2.x, sum3_2);
      sum3_3 = fma(a3.x, b3.x, sum3_3);
      sum3_4 = fma(a3.x, b4.x, sum3_4);
      sum3_5 = fma(a3.x, b5.x, sum3_5);
      sum3_6 = fma(a3.x, b6.x, sum3_6);
      sum3_7 = fma(a3.x, b7.x, sum3_7);
      sum3_0 = fma(a3.y, b0.y, sum3_0);
      sum3_1 = fma(a3.y, b1.y, sum3_1);
      sum3_2 = fma(a3.y, b2.y, sum3_2);
      sum3_3 = fma(a3.y, b3.y, sum3_3);
      sum3_4 = fma(a3.y, b4.y, sum3_4);
      sum3_5 = fma(a3.y, b5.y, sum3_5);
      sum3_6 = fma(a3.y, b6.y, sum3_6);
      sum3_7 = fma(a3.y, b7.y, sum3_7);
      sum3_0 = fma(a3.z, b0.z, sum3_0);
      sum3_1 = fma(a3.z, b1.z, sum3_1);
      sum3_2 = fma(a3.z, b2.z, sum3_2);
      sum3_3 = fma(a3.z, b3.z, sum3_3);
      sum3_4 = fma(a3.z, b4.z, sum3_4);
      sum3_5 = fma(a3.z, b5.z, sum3_5);
      sum3_6 = fma(a3.z, b6.z, sum3_6);
      sum3_7 = fma(a3.z, b7.z, sum3_7);
      sum3_0 = fma(a3.w, b0.w, sum3_0);
      sum3_1 = fma(a3.w, b1.w, sum3_1);
      sum3_2 = fma(a3.w, b2.w, sum3_2);
      sum3_3 = fma(a3.w, b3.w, sum3_3);
      sum3_4 = fma(a3.w, b4.w, sum3_4);
      sum3_5 = fma(a3.w, b5.w, sum3_5);
      sum3_6 = fma(a3.w, b6.w, sum3_6);
      sum3_7 = fma(a3.w, b7.w, sum3_7);
      let a4 = a_tile[4u][ty][3u];
      sum4_0 = fma(a4.x, b0.x, sum4_0);
      sum4_1 = fma(a4.x, b1.x, sum4_1);
      sum4_2 = fma(a4.x, b2.x, sum4_2);
      sum4_3 = fma(a4.x, b3.x, sum4_3);
      sum4_4 = fma(a4.x, b4.x, sum4_4);
      sum4_5 = fma(a4.x, b5.x, sum4_5);
      sum4_6 = fma(a4.x, b6.x, sum4_6);
      sum4_7 = fma(a4.x, b7.x, sum4_7);
      sum4_0 = fma(a4.y, b0.y, sum4_0);
      sum4_1 = fma(a4.y, b1.y, sum4_1);
      sum4_2 = fma(a4.y, b2.y, sum4_2);
      sum4_3 = fma(a4.y, b3.y, sum4_3);
      sum4_4 = fma(a4.y, b4.y, sum4_4);
      sum4_5 = fma(a4.y, b5.y, sum4_5);
      sum4_6 = fma(a4.y, b6.y, sum4_6);
      sum4_7 = fma(a4.y, b7.y, sum4_7);
      sum4_0 = fma(a4.z, b0.z, sum4_0);
      sum4_1 = fma(a4.z, b1.z, sum4_1);
      sum4_2 = fma(a4.z, b2.z, sum4_2);
      sum4_3 = fma(a4.z, b3.z, sum4_3);
      sum4_4 = fma(a4.z, b4.z, sum4_4);
      sum4_5 = fma(a4.z, b5.z, sum4_5);
      sum4_6 = fma(a4.z, b6.z, sum4_6);
      sum4_7 = fma(a4.z, b7.z, sum4_7);
      sum4_0 = fma(a4.w, b0.w, sum4_0);
      sum4_1 = fma(a4.w, b1.w, sum4_1);
      sum4_2 = fma(a4.w, b2.w, sum4_2);
      sum4_3 = fma(a4.w, b3.w, sum4_3);
      sum4_4 = fma(a4.w, b4.w, sum4_4);
      sum4_5 = fma(a4.w, b5.w, sum4_5);
      sum4_6 = fma(a4.w, b6.w, sum4_6);
      sum4_7 = fma(a4.w, b7.w, sum4_7);
      let a5 = a_tile[5u][ty][3u];
      sum5_0 = fma(a5.x, b0.x, sum5_0);
      sum5_1 = fma(a5.x, b1.x, sum5_1);
      sum5_2 = fma(a5.x, b2.x, sum5_2);
      sum5_3 = fma(a5.x, b3.x, sum5_3);
      sum5_4 = fma(a5.x, b4.x, sum5_4);
      sum5_5 = fma(a5.x, b5.x, sum5_5);
      sum5_6 = fma(a5.x, b6.x, sum5_6);
      sum5_7 = fma(a5.x, b7.x, sum5_7);
      sum5_0 = fma(a5.y, b0.y, sum5_0);
      sum5_1 = fma(a5.y, b1.y, sum5_1);
      sum5_2 = fma(a5.y, b2.y, sum5_2);
      sum5_3 = fma(a5.y, b3.y, sum5_3);
      sum5_4 = fma(a5.y, b4.y, sum5_4);
      sum5_5 = fma(a5.y, b5.y, sum5_5);
      sum5_6 = fma(a5.y, b6.y, sum5_6);
      sum5_7 = fma(a5.y, b7.y, sum5_7);
      sum5_0 = fma(a5.z, b0.z, sum5_0);
      sum5_1 = fma(a5.z, b1.z, sum5_1);
      sum5_2 = fma(a5.z, b2.z, sum5_2);
      sum5_3 = fma(a5.z, b3.z, sum5_3);
      sum5_4 = fma(a5.z, b4.z, sum5_4);
      sum5_5 = fma(a5.z, b5.z, sum5_5);
      sum5_6 = fma(a5.z, b6.z, sum5_6);
      sum5_7 = fma(a5.z, b7.z, sum5_7);
      sum5_0 = fma(a5.w, b0.w, sum5_0);
      sum5_1 = fma(a5.w, b1.w, sum5_1);
      sum5_2 = fma(a5.w, b2.w, sum5_2);
      sum5_3 = fma(a5.w, b3.w, sum5_3);
      sum5_4 = fma(a5.w, b4.w, sum5_4);
      sum5_5 = fma(a5.w, b5.w, sum5_5);
      sum5_6 = fma(a5.w, b6.w, sum5_6);
      sum5_7 = fma(a5.w, b7.w, sum5_7);
      let a6 = a_tile[6u][ty][3u];
      sum6_0 = fma(a6.x, b0.x, sum6_0);
      sum6_1 = fma(a6.x, b1.x, sum6_1);
      sum6_2 = fma(a6.x, b2.x, sum6_2);
      sum6_3 = fma(a6.x, b3.x, sum6_3);
      sum6_4 = fma(a6.x, b4.x, sum6_4);
      sum6_5 = fma(a6.x, b5.x, sum6_5);
      sum6_6 = fma(a6.x, b6.x, sum6_6);
      sum6_7 = fma(a6.x, b7.x, sum6_7);
      sum6_0 = fma(a6.y, b0.y, sum6_0);
      sum6_1 = fma(a6.y, b1.y, sum6_1);
      sum6_2 = fma(a6.y, b2.y, sum6_2);
      sum6_3 = fma(a6.y, b3.y, sum6_3);
      sum6_4 = fma(a6.y, b4.y, sum6_4);
      sum6_5 = fma(a6.y, b5.y, sum6_5);
      sum6_6 = fma(a6.y, b6.y, sum6_6);
      sum6_7 = fma(a6.y, b7.y, sum6_7);
      sum6_0 = fma(a6.z, b0.z, sum6_0);
      sum6_1 = fma(a6.z, b1.z, sum6_1);
      sum6_2 = fma(a6.z, b2.z, sum6_2);
      sum6_3 = fma(a6.z, b3.z, sum6_3);
      sum6_4 = fma(a6.z, b4.z, sum6_4);
      sum6_5 = fma(a6.z, b5.z, sum6_5);
      sum6_6 = fma(a6.z, b6.z, sum6_6);
      sum6_7 = fma(a6.z, b7.z, sum6_7);
      sum6_0 = fma(a6.w, b0.w, sum6_0);
      sum6_1 = fma(a6.w, b1.w, sum6_1);
      sum6_2 = fma(a6.w, b2.w, sum6_2);
      sum6_3 = fma(a6.w, b3.w, sum6_3);
      sum6_4 = fma(a6.w, b4.w, sum6_4);
      sum6_5 = fma(a6.w, b5.w, sum6_5);
      sum6_6 = fma(a6.w, b6.w, sum6_6);
      sum6_7 = fma(a6.w, b7.w, sum6_7);
      let a7 = a_tile[7u][ty][3u];
      sum7_0 = fma(a7.x, b0.x, sum7_0);
      sum7_1 = fma(a7.x, b1.x, sum7_1);
      sum7_2 = fma(a7.x, b2.x, sum7_2);
      sum7_3 = fma(a7.x, b3.x, sum7_3);
      sum7_4 = fma(a7.x, b4.x, sum7_4);
      sum7_5 = fma(a7.x, b5.x, sum7_5);
      sum7_6 = fma(a7.x, b6.x, sum7_6);
      sum7_7 = fma(a7.x, b7.x, sum7_7);
      sum7_0 = fma(a7.y, b0.y, sum7_0);
      sum7_1 = fma(a7.y, b1.y, sum7_1);
      sum7_2 = fma(a7.y, b2.y, sum7_2);
      sum7_3 = fma(a7.y, b3.y, sum7_3);
      sum7_4 = fma(a7.y, b4.y, sum7_4);
      sum7_5 = fma(a7.y, b5.y, sum7_5);
      sum7_6 = fma(a7.y, b6.y, sum7_6);
      sum7_7 = fma(a7.y, b7.y, sum7_7);
      sum7_0 = fma(a7.z, b0.z, sum7_0);
      sum7_1 = fma(a7.z, b1.z, sum7_1);
      sum7_2 = fma(a7.z, b2.z, sum7_2);
      sum7_3 = fma(a7.z, b3.z, sum7_3);
      sum7_4 = fma(a7.z, b4.z, sum7_4);
      sum7_5 = fma(a7.z, b5.z, sum7_5);
      sum7_6 = fma(a7.z, b6.z, sum7_6);
      sum7_7 = fma(a7.z, b7.z, sum7_7);
      sum7_0 = fma(a7.w, b0.w, sum7_0);
      sum7_1 = fma(a7.w, b1.w, sum7_1);
      sum7_2 = fma(a7.w, b2.w, sum7_2);
      sum7_3 = fma(a7.w, b3.w, sum7_3);
      sum7_4 = fma(a7.w, b4.w, sum7_4);
      sum7_5 = fma(a7.w, b5.w, sum7_5);
      sum7_6 = fma(a7.w, b6.w, sum7_6);
      sum7_7 = fma(a7.w, b7.w, sum7_7);
      let a8 = a_tile[8u][ty][3u];
      sum8_0 = fma(a8.x, b0.x, sum8_0);
      sum8_1 = fma(a8.x, b1.x, sum8_1);
      sum8_2 = fma(a8.x, b2.x, sum8_2);
      sum8_3 = fma(a8.x, b3.x, sum8_3);
      sum8_4 = fma(a8.x, b4.x, sum8_4);
      sum8_5 = fma(a8.x, b5.x, sum8_5);
      sum8_6 = fma(a8.x, b6.x, sum8_6);
      sum8_7 = fma(a8.x, b7.x, sum8_7);
      sum8_0 = fma(a8.y, b0.y, sum8_0);
      sum8_1 = fma(a8.y, b1.y, sum8_1);
      sum8_2 = fma(a8.y, b2.y, sum8_2);
      sum8_3 = fma(a8.y, b3.y, sum8_3);
      sum8_4 = fma(a8.y, b4.y, sum8_4);
      sum8_5 = fma(a8.y, b5.y, sum8_5);
      sum8_6 = fma(a8.y, b6.y, sum8_6);
      sum8_7 = fma(a8.y, b7.y, sum8_7);
      sum8_0 = fma(a8.z, b0.z, sum8_0);
      sum8_1 = fma(a8.z, b1.z, sum8_1);
      sum8_2 = fma(a8.z, b2.z, sum8_2);
      sum8_3 = fma(a8.z, b3.z, sum8_3);
      sum8_4 = fma(a8.z, b4.z, sum8_4);
      sum8_5 = fma(a8.z, b5.z, sum8_5);
      sum8_6 = fma(a8.z, b6.z, sum8_6);
      sum8_7 = fma(a8.z, b7.z, sum8_7);
      sum8_0 = fma(a8.w, b0.w, sum8_0);
      sum8_1 = fma(a8.w, b1.w, sum8_1);
      sum8_2 = fma(a8.w, b2.w, sum8_2);
      sum8_3 = fma(a8.w, b3.w, sum8_3);
      sum8_4 = fma(a8.w, b4.w, sum8_4);
      sum8_5 = fma(a8.w, b5.w, sum8_5);
      sum8_6 = fma(a8.w, b6.w, sum8_6);
      sum8_7 = fma(a8.w, b7.w, sum8_7);
      let a9 = a_tile[9u][ty][3u];
      sum9_0 = fma(a9.x, b0.x, sum9_0);
      sum9_1 = fma(a9.x, b1.x, sum9_1);
      sum9_2 = fma(a9.x, b2.x, sum9_2);
      sum9_3 = fma(a9.x, b3.x, sum9_3);
      sum9_4 = fma(a9.x, b4.x, sum9_4);
      sum9_5 = fma(a9.x, b5.x, sum9_5);
      sum9_6 = fma(a9.x, b6.x, sum9_6);
      sum9_7 = fma(a9.x, b7.x, sum9_7);
      sum9_0 = fma(a9.y, b0.y, sum9_0);
      sum9_1 = fma(a9.y, b1.y, sum9_1);
      sum9_2 = fma(a9.y, b2.y, sum9_2);
      sum9_3 = fma(a9.y, b3.y, sum9_3);
      sum9_4 = fma(a9.y, b4.y, sum9_4);
      sum9_5 = fma(a9.y, b5.y, sum9_5);
      sum9_6 = fma(a9.y, b6.y, sum9_6);
      sum9_7 = fma(a9.y, b7.y, sum9_7);
      sum9_0 = fma(a9.z, b0.z, sum9_0);
      sum9_1 = fma(a9.z, b1.z, sum9_1);
      sum9_2 = fma(a9.z, b2.z, sum9_2);
      sum9_3 = fma(a9.z, b3.z, sum9_3);
      sum9_4 = fma(a9.z, b4.z, sum9_4);
      sum9_5 = fma(a9.z, b5.z, sum9_5);
      sum9_6 = fma(a9.z, b6.z, sum9_6);
      sum9_7 = fma(a9.z, b7.z, sum9_7);
      sum9_0 = fma(a9.w, b0.w, sum9_0);
      sum9_1 = fma(a9.w, b1.w, sum9_1);
      sum9_2 = fma(a9.w, b2.w, sum9_2);
      sum9_3 = fma(a9.w, b3.w, sum9_3);
      sum9_4 = fma(a9.w, b4.w, sum9_4);
      sum9_5 = fma(a9.w, b5.w, sum9_5);
      sum9_6 = fma(a9.w, b6.w, sum9_6);
      sum9_7 = fma(a9.w, b7.w, sum9_7);
    }
    workgroupBarrier();
  }
  {
    let row = first_row + ty + 0u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum0_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum0_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum0_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum0_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum0_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum0_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum0_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum0_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 16u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum1_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum1_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum1_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum1_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum1_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum1_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum1_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum1_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 32u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum2_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum2_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum2_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum2_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum2_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum2_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum2_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum2_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 48u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum3_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum3_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum3_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum3_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum3_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum3_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum3_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum3_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 64u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum4_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum4_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum4_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum4_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum4_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum4_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum4_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum4_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 80u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum5_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum5_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum5_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum5_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum5_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum5_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum5_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum5_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 96u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum6_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum6_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum6_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum6_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum6_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum6_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum6_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum6_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 112u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum7_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum7_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum7_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum7_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum7_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum7_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum7_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum7_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 128u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum8_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum8_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum8_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum8_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum8_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum8_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum8_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum8_7 + bias_at(first_col + tx + 112u)); }
    }
  }
  {
    let row = first_row + ty + 144u;
    if (row < rows) {
      let at = (wid.z * rows + row) * N + first_col + tx;
      if (first_col + tx + 0u < N) { store(at + 0u, sum9_0 + bias_at(first_col + tx + 0u)); }
      if (first_col + tx + 16u < N) { store(at + 16u, sum9_1 + bias_at(first_col + tx + 16u)); }
      if (first_col + tx + 32u < N) { store(at + 32u, sum9_2 + bias_at(first_col + tx + 32u)); }
      if (first_col + tx + 48u < N) { store(at + 48u, sum9_3 + bias_at(first_col + tx + 48u)); }
      if (first_col + tx + 64u < N) { store(at + 64u, sum9_4 + bias_at(first_col + tx + 64u)); }
      if (first_col + tx + 80u < N) { store(at + 80u, sum9_5 + bias_at(first_col + tx + 80u)); }
      if (first_col + tx + 96u < N) { store(at + 96u, sum9_6 + bias_at(first_col + tx + 96u)); }
      if (first_col + tx + 112u < N) { store(at + 112u, sum9_7 + bias_at(first_col + tx + 112u)); }
    }
  }
}
