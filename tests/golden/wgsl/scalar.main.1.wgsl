// baseline-no-features, float16-M5-block-larger-than-K
struct params_struct {
  rows: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> b: array<u32, 1056>;
@group(0) @binding(2) var<storage, read> scales: array<u32, 17>;
@group(0) @binding(3) var<storage, read> zero_points: array<u32, 17>;
@group(0) @binding(4) var<storage, read> bias: array<u32, 17>;
@group(0) @binding(5) var<storage, read_write> y: array<u32>;
@group(0) @binding(6) var<uniform> params: params_struct;
const K = 100u;
const N = 33u;
const K_BLOCKS = 1u;
const BLOCK_SIZE = 256u;
const CODES_PER_WORD = 8u;
const WORDS_PER_COL = K_BLOCKS * 32u;
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
  if (k >= K) { return vec4f(); }
  let w = a[(row * K + k) >> 2u];
  return vec4f(half_pair(w.x), half_pair(w.y));
}

fn scale_at(n: u32, block: u32) -> f32 {
  let i = n * K_BLOCKS + block;
  return half_at(scales[i >> 1u], i);
}

fn zero_at(n: u32, block: u32) -> f32 {
  let i = n * K_BLOCKS + block;
  return half_at(zero_points[i >> 1u], i);
}

// Codes 4i..4i+3 of a word, low bits first, less the zero point.
fn centred4(word: u32, i: u32, zero: f32) -> vec4f {
  let codes = (vec4u(word >> (i * 16u)) >> vec4u(0u, 4u, 8u, 12u)) & vec4u(15u);
  return vec4f(codes) - zero;
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
fn bias_at(n: u32) -> f32 { return half_at(bias[n >> 1u], n); }

fn product(i: u32) -> f32 {
  let row = i / N;
  let n = i % N;
  var sum = 0.0;
  for (var block = 0u; block < K_BLOCKS; block++) {
    let zero = zero_at(n, block);
    let k_end = min(K, (block + 1u) * BLOCK_SIZE);
    var word = (n * K_BLOCKS + block) * 32u;
    var part = vec4f();
    for (var k = block * BLOCK_SIZE; k < k_end; k += CODES_PER_WORD) {
      let codes = b[word];
      part = fma(a4_at(row, k + 0u), centred4(codes, 0u, zero), part);
      part = fma(a4_at(row, k + 4u), centred4(codes, 1u, zero), part);
      word++;
    }
    sum = fma(scale_at(n, block), (part.x + part.y) + (part.z + part.w), sum);
  }
  return sum + bias_at(n);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = (((group.z * grid.y + group.y) * grid.x + group.x) * 64u + lane) * 2u;
  let count = params.rows * N;
  if (i >= count) { return; }
  var second = 0.0;
  if (i + 1u < count) { second = product(i + 1u); }
  store_pair(i, count, vec2f(product(i), second));
}
