// nvidia-h200, float32-M128-level4-changing-weights
requires packed_4x8_integer_dot_product;
struct params_struct {
  rows: u32,
}
@group(0) @binding(0) var<storage, read> a_quant: array<u32>;
@group(0) @binding(1) var<storage, read> a_scales: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<u32, 2097152>;
@group(0) @binding(3) var<storage, read> scales: array<f32, 524288>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<uniform> params: params_struct;
const K = 4096u;
const N = 4096u;
const K_BLOCKS = 128u;
const BLOCK_SIZE = 32u;
const CODES_PER_WORD = 8u;
const WORDS_PER_COL = K_BLOCKS * 4u;

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
const DEPTH = 32u;
const QUADS = DEPTH / 16u;  // vectors of 16 int8 in DEPTH
const GROUPS_PER_ROW = (K + 127u) / 128u;
const COL_TILES = (N + 63u) / 64u;

var<workgroup> a_tile: array<array<vec4u, QUADS>, 64>;
var<workgroup> b_tile: array<array<vec4u, 64>, QUADS>;
var<workgroup> a_scale: array<f32, 64>;
var<workgroup> b_scale: array<f32, 64>;

// Four codes, in the low bits of `codes`, as int8: code - default zero point.
fn code_bytes(codes: u32) -> u32 {
  let half = (codes | (codes << 8u)) & 0x00ff00ffu;
  let spread = (half | (half << 4u)) & 0x0f0f0f0fu;
  // A subtraction in each byte: no borrow passes the bit set above it.
  return ((spread | 0x80808080u) - 0x08080808u) ^ 0x80808080u;
}

fn stage_a(row: u32, r: u32, q: u32, k: u32) {
  let word = row * GROUPS_PER_ROW * 32u + (k >> 2u) + q * 4u;
  let v = vec4u(a_quant[word], a_quant[word + 1u], a_quant[word + 2u], a_quant[word + 3u]);
  a_tile[r][q] = v;
  if (q == 0u) { a_scale[r] = a_scales[row * GROUPS_PER_ROW + k / 128u]; }
}

fn stage_b(n: u32, c: u32, q: u32, k: u32) {
  let word = n * WORDS_PER_COL + (k + q * 16u) / CODES_PER_WORD;
  let w = vec2u(b[word], b[word + 1u]);
  let v = vec4u(w.x & 0xffffu, w.x >> 16u, w.y & 0xffffu, w.y >> 16u);
  b_tile[q][c] = vec4u(code_bytes(v.x), code_bytes(v.y), code_bytes(v.z), code_bytes(v.w));
  if (q == 0u) {
    b_scale[c] = scale_at(n, k / BLOCK_SIZE);
  }
}

fn dot16(x: vec4u, y: vec4u) -> i32 {
  return dot4I8Packed(x.x, y.x) + dot4I8Packed(x.y, y.y) + dot4I8Packed(x.z, y.z) + dot4I8Packed(x.w, y.w);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
  let rows = u32(params.rows);
  let tile = wid.y * grid.x + wid.x;
  let first_col = (tile % COL_TILES) * 64u;
  let first_row = (tile / COL_TILES) * 64u;
  if (first_row >= rows) { return; }
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

  let slot = (li % 128u) / QUADS;
  let q = li % QUADS;
  for (var k = 0u; k < K; k += DEPTH) {
    if (slot < 64u) {
      if (li < 128u) {
        stage_a(min(first_row + slot, rows - 1u), slot, q, k);
      } else {
        stage_b(min(first_col + slot, N - 1u), slot, q, k);
      }
    }
    workgroupBarrier();
    var part0_0 = 0i;
    var part0_1 = 0i;
    var part0_2 = 0i;
    var part0_3 = 0i;
    var part1_0 = 0i;
    var part1_1 = 0i;
    var part1_2 = 0i;
    var part1_3 = 0i;
    var part2_0 = 0i;
    var part2_1 = 0i;
    var part2_2 = 0i;
    var part2_3 = 0i;
    var part3_0 = 0i;
    var part3_1 = 0i;
    var part3_2 = 0i;
    var part3_3 = 0i;
    for (var i = 0u; i < QUADS; i++) {
      let b0 = b_tile[i][id.x + 0u];
      let b1 = b_tile[i][id.x + 16u];
      let b2 = b_tile[i][id.x + 32u];
      let b3 = b_tile[i][id.x + 48u];
      let a0 = a_tile[id.y * 4u + 0u][i];
      part0_0 += dot16(a0, b0);
      part0_1 += dot16(a0, b1);
      part0_2 += dot16(a0, b2);
      part0_3 += dot16(a0, b3);
      let a1 = a_tile[id.y * 4u + 1u][i];
      part1_0 += dot16(a1, b0);
      part1_1 += dot16(a1, b1);
      part1_2 += dot16(a1, b2);
      part1_3 += dot16(a1, b3);
      let a2 = a_tile[id.y * 4u + 2u][i];
      part2_0 += dot16(a2, b0);
      part2_1 += dot16(a2, b1);
      part2_2 += dot16(a2, b2);
      part2_3 += dot16(a2, b3);
      let a3 = a_tile[id.y * 4u + 3u][i];
      part3_0 += dot16(a3, b0);
      part3_1 += dot16(a3, b1);
      part3_2 += dot16(a3, b2);
      part3_3 += dot16(a3, b3);
    }
    let scale0 = b_scale[id.x + 0u];
    let scale1 = b_scale[id.x + 16u];
    let scale2 = b_scale[id.x + 32u];
    let scale3 = b_scale[id.x + 48u];
    let row_scale0 = a_scale[id.y * 4u + 0u];
    sum0_0 = fma(row_scale0 * scale0, f32(part0_0), sum0_0);
    sum0_1 = fma(row_scale0 * scale1, f32(part0_1), sum0_1);
    sum0_2 = fma(row_scale0 * scale2, f32(part0_2), sum0_2);
    sum0_3 = fma(row_scale0 * scale3, f32(part0_3), sum0_3);
    let row_scale1 = a_scale[id.y * 4u + 1u];
    sum1_0 = fma(row_scale1 * scale0, f32(part1_0), sum1_0);
    sum1_1 = fma(row_scale1 * scale1, f32(part1_1), sum1_1);
    sum1_2 = fma(row_scale1 * scale2, f32(part1_2), sum1_2);
    sum1_3 = fma(row_scale1 * scale3, f32(part1_3), sum1_3);
    let row_scale2 = a_scale[id.y * 4u + 2u];
    sum2_0 = fma(row_scale2 * scale0, f32(part2_0), sum2_0);
    sum2_1 = fma(row_scale2 * scale1, f32(part2_1), sum2_1);
    sum2_2 = fma(row_scale2 * scale2, f32(part2_2), sum2_2);
    sum2_3 = fma(row_scale2 * scale3, f32(part2_3), sum2_3);
    let row_scale3 = a_scale[id.y * 4u + 3u];
    sum3_0 = fma(row_scale3 * scale0, f32(part3_0), sum3_0);
    sum3_1 = fma(row_scale3 * scale1, f32(part3_1), sum3_1);
    sum3_2 = fma(row_scale3 * scale2, f32(part3_2), sum3_2);
    sum3_3 = fma(row_scale3 * scale3, f32(part3_3), sum3_3);
    workgroupBarrier();
  }
  let row = first_row + id.y * 4u;
  let n0 = first_col + id.x + 0u;
  if (n0 < N) {
    let bias = bias_at(n0);
    if (row + 0u < rows) { store((row + 0u) * N + n0, sum0_0 + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n0, sum1_0 + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n0, sum2_0 + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n0, sum3_0 + bias); }
  }
  let n1 = first_col + id.x + 16u;
  if (n1 < N) {
    let bias = bias_at(n1);
    if (row + 0u < rows) { store((row + 0u) * N + n1, sum0_1 + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n1, sum1_1 + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n1, sum2_1 + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n1, sum3_1 + bias); }
  }
  let n2 = first_col + id.x + 32u;
  if (n2 < N) {
    let bias = bias_at(n2);
    if (row + 0u < rows) { store((row + 0u) * N + n2, sum0_2 + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n2, sum1_2 + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n2, sum2_2 + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n2, sum3_2 + bias); }
  }
  let n3 = first_col + id.x + 48u;
  if (n3 < N) {
    let bias = bias_at(n3);
    if (row + 0u < rows) { store((row + 0u) * N + n3, sum0_3 + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n3, sum1_3 + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n3, sum2_3 + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n3, sum3_3 + bias); }
  }
}
