// baseline-no-features, float32-M37-group8-bias-tails
struct params_struct {
  rows: u32,
}
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<u32, 630>;
@group(0) @binding(2) var<storage, read> scales: array<f32, 648>;
@group(0) @binding(3) var<storage, read> bias: array<f32, 70>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<uniform> params: params_struct;
const K = 72u;
const N = 70u;
const K_BLOCKS = 9u;
const BLOCK_SIZE = 8u;
const CODES_PER_WORD = 8u;
const WORDS_PER_COL = K_BLOCKS * 1u;

fn a_at(i: u32) -> f32 { return f32(a[i]); }

// A[row, k..k+3]. Beyond the end of the row: 0, and nothing is read.
fn a4_at(row: u32, k: u32) -> vec4f {
  let i = row * K + k;
  if (k + 3u >= K) {
    var tail = vec4f();
    for (var j = 0u; j < 3u; j++) {
      if (k + j < K) { tail[j] = a_at(i + j); }
    }
    return tail;
  }
  return vec4f(a_at(i), a_at(i + 1u), a_at(i + 2u), a_at(i + 3u));
}

fn scale_at(n: u32, block: u32) -> f32 {
  let i = block * 72u + n;
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
fn bias_at(n: u32) -> f32 { return f32(bias[n]); }
const DEPTH = 16u;
const WORDS = DEPTH / 8u;
const COL_TILES = (N + 63u) / 64u;
alias Value = f32;

// 17: a row more than is used, so that neighbours in k write to different banks.
var<workgroup> a_tile: array<array<vec4<Value>, 17>, DEPTH>;
var<workgroup> b_tile: array<array<vec4<Value>, 64>, 4>;

fn stage_a(li: u32, first_row: u32, rows: u32, step: u32) {
  for (var i = li; i < DEPTH * 16u; i += 256u) {
    let k = i % DEPTH;
    let quad = i / DEPTH;
    var v = vec4f();
    if (step + k < K) {
      v[0] = a_at(min(first_row + quad * 4u + 0u, rows - 1u) * K + step + k);
      v[1] = a_at(min(first_row + quad * 4u + 1u, rows - 1u) * K + step + k);
      v[2] = a_at(min(first_row + quad * 4u + 2u, rows - 1u) * K + step + k);
      v[3] = a_at(min(first_row + quad * 4u + 3u, rows - 1u) * K + step + k);
    }
    a_tile[k][quad] = vec4<Value>(v);
  }
}

fn stage_b(li: u32, first_col: u32, step: u32) {
  for (var i = li; i < 64u * WORDS; i += 256u) {
    let col = i / WORDS;
    let w = i % WORDS;
    let n = min(first_col + col, N - 1u);
    let k = step + w * 8u;
    // Past the end A's tile is 0.
    let word = b[n * WORDS_PER_COL + min(k, K - 8u) / 8u];
    let scale = scale_at(n, min(k, K - 8u) / BLOCK_SIZE);
    b_tile[w * 2u + 0u][col] = centred4(word, 0u, 8.0) * scale;
    b_tile[w * 2u + 1u][col] = centred4(word, 1u, 8.0) * scale;
  }
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {
  let rows = params.rows;
  let tile = wid.y * grid.x + wid.x;
  let first_col = (tile % COL_TILES) * 64u;
  let first_row = (tile / COL_TILES) * 64u;
  if (first_row >= rows) { return; }
  var y0 = vec4f();
  var y1 = vec4f();
  var y2 = vec4f();
  var y3 = vec4f();

  for (var step = 0u; step < K; step += DEPTH) {
    stage_a(li, first_row, rows, step);
    stage_b(li, first_col, step);
    workgroupBarrier();
    for (var q = 0u; q < 4u; q++) {
      let b0 = b_tile[q][id.x + 0u];
      let b1 = b_tile[q][id.x + 16u];
      let b2 = b_tile[q][id.x + 32u];
      let b3 = b_tile[q][id.x + 48u];
      let a0 = a_tile[q * 4u + 0u][id.y];
      y0 = fma(a0, vec4f(b0[0]), y0);
      y1 = fma(a0, vec4f(b1[0]), y1);
      y2 = fma(a0, vec4f(b2[0]), y2);
      y3 = fma(a0, vec4f(b3[0]), y3);
      let a1 = a_tile[q * 4u + 1u][id.y];
      y0 = fma(a1, vec4f(b0[1]), y0);
      y1 = fma(a1, vec4f(b1[1]), y1);
      y2 = fma(a1, vec4f(b2[1]), y2);
      y3 = fma(a1, vec4f(b3[1]), y3);
      let a2 = a_tile[q * 4u + 2u][id.y];
      y0 = fma(a2, vec4f(b0[2]), y0);
      y1 = fma(a2, vec4f(b1[2]), y1);
      y2 = fma(a2, vec4f(b2[2]), y2);
      y3 = fma(a2, vec4f(b3[2]), y3);
      let a3 = a_tile[q * 4u + 3u][id.y];
      y0 = fma(a3, vec4f(b0[3]), y0);
      y1 = fma(a3, vec4f(b1[3]), y1);
      y2 = fma(a3, vec4f(b2[3]), y2);
      y3 = fma(a3, vec4f(b3[3]), y3);
    }
    workgroupBarrier();
  }
  let row = first_row + id.y * 4u;
  let n0 = first_col + id.x + 0u;
  if (n0 < N) {
    let bias = bias_at(n0);
    if (row + 0u < rows) { store((row + 0u) * N + n0, y0[0] + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n0, y0[1] + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n0, y0[2] + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n0, y0[3] + bias); }
  }
  let n1 = first_col + id.x + 16u;
  if (n1 < N) {
    let bias = bias_at(n1);
    if (row + 0u < rows) { store((row + 0u) * N + n1, y1[0] + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n1, y1[1] + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n1, y1[2] + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n1, y1[3] + bias); }
  }
  let n2 = first_col + id.x + 32u;
  if (n2 < N) {
    let bias = bias_at(n2);
    if (row + 0u < rows) { store((row + 0u) * N + n2, y2[0] + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n2, y2[1] + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n2, y2[2] + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n2, y2[3] + bias); }
  }
  let n3 = first_col + id.x + 48u;
  if (n3 < N) {
    let bias = bias_at(n3);
    if (row + 0u < rows) { store((row + 0u) * N + n3, y3[0] + bias); }
    if (row + 1u < rows) { store((row + 1u) * N + n3, y3[1] + bias); }
    if (row + 2u < rows) { store((row + 2u) * N + n3, y3[2] + bias); }
    if (row + 3u < rows) { store((row + 3u) * N + n3, y3[3] + bias); }
  }
}
