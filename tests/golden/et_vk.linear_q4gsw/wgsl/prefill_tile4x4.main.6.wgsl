// baseline-no-features, float16-batch2-M64-rank4
struct params_struct {
  rows: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> b: array<u32, 73728>;
@group(0) @binding(2) var<storage, read> scales: array<u32, 9216>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;
@group(0) @binding(4) var<uniform> params: params_struct;
const K = 768u;
const N = 768u;
const K_BLOCKS = 24u;
const BLOCK_SIZE = 32u;
const CODES_PER_WORD = 8u;
const WORDS_PER_COL = K_BLOCKS * 4u;
fn half_bits(h: u32) -> f32 {
  let exponent = (h >> 10u) & 0x1fu;
  let mantissa = h & 0x3ffu;
  let sign = (h & 0x8000u) << 16u;
  let normal = ((exponent + 112u) << 23u) | (mantissa << 13u);
  let special = 0x7f800000u | (mantissa << 13u);                    // infinity, NaN
  let subnormal = bitcast<u32>(f32(mantissa) * 5.9604644775390625e-8);  // * 2^-24; zero too
  return bitcast<f32>(sign | select(select(normal, special, exponent == 31u), subnormal, exponent == 0u));
}
fn half_at(word: u32, i: u32) -> f32 { return half_bits((word >> ((i & 1u) * 16u)) & 0xffffu); }
fn half_pair(word: u32) -> vec2f { return vec2f(half_bits(word & 0xffffu), half_bits(word >> 16u)); }

// Round to nearest, ties to even.
fn to_half(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let sign = (bits >> 16u) & 0x8000u;
  let magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) { return sign | 0x7e00u; }
  if (magnitude >= 0x477ff000u) { return sign | 0x7c00u; }  // 65520 is half way from 65504 to 65536
  if (magnitude < 0x38800000u) {                            // below 2^-14: count in units of 2^-24
    return sign | u32(round(bitcast<f32>(magnitude) * 16777216.0));
  }
  return sign | ((magnitude + 0xfffu + ((magnitude >> 13u) & 1u) - 0x38000000u) >> 13u);
}

// A[row, k..k+3]; k is a multiple of 4. Beyond the end of the row: 0, and nothing is read.
fn a4_at(row: u32, k: u32) -> vec4f {
  let w = a[(row * K + k) >> 2u];
  return vec4f(half_pair(w.x), half_pair(w.y));
}

fn scale_at(n: u32, block: u32) -> f32 {
  let i = block * 768u + n;
  return half_at(scales[i >> 1u], i);
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
}// Results i and i + 1, i even. The half word after the last of `count` results is not ours and stays as it is.
fn store_pair(i: u32, count: u32, v: vec2f) {
  let low = to_half(v.x);
  if (i + 1u < count) {
    y[i >> 1u] = low | (to_half(v.y) << 16u);
  } else {
    y[i >> 1u] = (y[i >> 1u] & 0xffff0000u) | low;
  }
}
fn bias_at(n: u32) -> f32 { return 0.0; }
const SIZE = 64u;
const K_LANES = 64u;
const COL_GROUPS = 1u;
const K_WORDS = (K + CODES_PER_WORD - 1u) / CODES_PER_WORD;  // words that hold no code below K are not read
const RESULTS = 16u * COL_GROUPS;

var<workgroup> sums: array<array<f32, 16>, SIZE>;

// Result `o` of the invocation `li`; XOR spreads one result of 16 invocations over 16 memory banks.
fn put(li: u32, o: u32, v: f32) { sums[li][o ^ (li & 15u)] = v; }

fn total(result: u32) -> f32 {
  let first = (result / 16u) * K_LANES;
  let o = result % 16u;
  var sum = 0.0;
  for (var l = first; l < first + K_LANES; l++) { sum += sums[l][o ^ (l & 15u)]; }
  return sum;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32) {
  let rows = params.rows;
  let lane = li % K_LANES;
  let first_col = (wid.z * grid.x + wid.x) * COL_GROUPS * 4u;
  if (first_col >= N) { return; }
  let n0 = min(first_col + (li / K_LANES) * 4u + 0u, N - 1u);
  let n1 = min(first_col + (li / K_LANES) * 4u + 1u, N - 1u);
  let n2 = min(first_col + (li / K_LANES) * 4u + 2u, N - 1u);
  let n3 = min(first_col + (li / K_LANES) * 4u + 3u, N - 1u);

  for (var row = wid.y * 4u; row < rows; row += grid.y * 4u) {
    let row0 = min(row + 0u, rows - 1u);
    var y0 = vec4f();
    let row1 = min(row + 1u, rows - 1u);
    var y1 = vec4f();
    let row2 = min(row + 2u, rows - 1u);
    var y2 = vec4f();
    let row3 = min(row + 3u, rows - 1u);
    var y3 = vec4f();
    for (var w = lane; w < K_WORDS; w += K_LANES) {
      let k = w * CODES_PER_WORD;
      let block = k / BLOCK_SIZE;
      let word0 = b[n0 * WORDS_PER_COL + w];
      let scale0 = scale_at(n0, block);
      let zero0 = zero_at(n0, block);
      let word1 = b[n1 * WORDS_PER_COL + w];
      let scale1 = scale_at(n1, block);
      let zero1 = zero_at(n1, block);
      let word2 = b[n2 * WORDS_PER_COL + w];
      let scale2 = scale_at(n2, block);
      let zero2 = zero_at(n2, block);
      let word3 = b[n3 * WORDS_PER_COL + w];
      let scale3 = scale_at(n3, block);
      let zero3 = zero_at(n3, block);
      for (var i = 0u; i < CODES_PER_WORD / 4u; i++) {
        let w0 = centred4(word0, i, zero0) * scale0;
        let w1 = centred4(word1, i, zero1) * scale1;
        let w2 = centred4(word2, i, zero2) * scale2;
        let w3 = centred4(word3, i, zero3) * scale3;
        let a0 = a4_at(row0, k + i * 4u);
        y0 = vec4f(fma4(a0, w0, y0.x), fma4(a0, w1, y0.y), fma4(a0, w2, y0.z), fma4(a0, w3, y0.w));
        let a1 = a4_at(row1, k + i * 4u);
        y1 = vec4f(fma4(a1, w0, y1.x), fma4(a1, w1, y1.y), fma4(a1, w2, y1.z), fma4(a1, w3, y1.w));
        let a2 = a4_at(row2, k + i * 4u);
        y2 = vec4f(fma4(a2, w0, y2.x), fma4(a2, w1, y2.y), fma4(a2, w2, y2.z), fma4(a2, w3, y2.w));
        let a3 = a4_at(row3, k + i * 4u);
        y3 = vec4f(fma4(a3, w0, y3.x), fma4(a3, w1, y3.y), fma4(a3, w2, y3.z), fma4(a3, w3, y3.w));
      }
    }
    put(li, 0u, y0[0]);
    put(li, 1u, y0[1]);
    put(li, 2u, y0[2]);
    put(li, 3u, y0[3]);
    put(li, 4u, y1[0]);
    put(li, 5u, y1[1]);
    put(li, 6u, y1[2]);
    put(li, 7u, y1[3]);
    put(li, 8u, y2[0]);
    put(li, 9u, y2[1]);
    put(li, 10u, y2[2]);
    put(li, 11u, y2[3]);
    put(li, 12u, y3[0]);
    put(li, 13u, y3[1]);
    put(li, 14u, y3[2]);
    put(li, 15u, y3[3]);
    workgroupBarrier();
    // Pairs of columns: N is even here, so no pair crosses a row's end.
    for (var o = li * 2u; o < RESULTS; o += SIZE * 2u) {
      let at = row + (o % 16u) / 4u;
      let n = first_col + (o / 16u) * 4u + o % 4u;
      if (at < rows && n < N) {
        store_pair(at * N + n, rows * N, vec2f(total(o) + bias_at(n), total(o + 1u) + bias_at(n + 1u)));
      }
    }
    workgroupBarrier();
  }
}
