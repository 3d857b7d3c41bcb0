// baseline-no-features, float16-M64-ocr
struct params_struct {
  cols: u32,
  split: u32,
}
@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read> bias: array<u32, 3313>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> params: params_struct;
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
// Results i and i + 1, i even. The half word after the last of `count` results is not ours and stays as it is.
fn store_pair(i: u32, count: u32, v: vec2f) {
  let low = to_half(v.x);
  if (i + 1u < count) {
    y[i >> 1u] = low | (to_half(v.y) << 16u);
  } else {
    y[i >> 1u] = (y[i >> 1u] & 0xffff0000u) | low;
  }
}
fn bias_at(n: u32) -> f32 { return half_at(bias[n >> 1u], n); }

fn sum(i: u32) -> f32 {
  var total = 0.0;
  for (var s = 0u; s < u32(params.split); s++) { total += partials[s * params.cols + i]; }
  return total + bias_at(i % 6625u);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32) {
  let i = ((wid.y * grid.x + wid.x) * 256u + li) * 2u;
  if (i >= params.cols) { return; }
  var second = 0.0;
  if (i + 1u < params.cols) { second = sum(i + 1u); }
  store_pair(i, params.cols, vec2f(sum(i), second));
}
