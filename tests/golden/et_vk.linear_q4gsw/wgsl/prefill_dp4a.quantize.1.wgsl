// nvidia-h200, float32-M128-level4-changing-weights
requires packed_4x8_integer_dot_product;
struct params_struct {
  words: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> a_quant: array<u32>;
@group(0) @binding(2) var<storage, read_write> a_scales: array<f32>;
@group(0) @binding(3) var<uniform> params: params_struct;
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

fn fma4(x: vec4f, y: vec4f, sum: f32) -> f32 {
  return fma(x.w, y.w, fma(x.z, y.z, fma(x.y, y.y, fma(x.x, y.x, sum))));
}
const SIZE = 64u;
const GROUPS_PER_ROW = (K + 127u) / 128u;

var<workgroup> largest: array<u32, SIZE>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32) {
  let i = (wid.y * grid.x + wid.x) * SIZE + li;
  let group = i / 32u;
  let inside = i < u32(params.words);
  var v = vec4f();
  if (inside) { v = a4_at(group / GROUPS_PER_ROW, (group % GROUPS_PER_ROW) * 128u + (i % 32u) * 4u); }

  // Magnitudes as bits: in the order of the numbers, and NaN above infinity, so that neither is lost.
  let magnitude = bitcast<vec4u>(v) & vec4u(0x7fffffffu);
  largest[li] = max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w));
  for (var step = 16u; step > 0u; step >>= 1u) {
    workgroupBarrier();
    let other = largest[li ^ step];
    workgroupBarrier();
    largest[li] = max(largest[li], other);
  }
  if (!inside) { return; }

  let top = bitcast<f32>(largest[li]);
  // All zero, or so small that 127 / top overflows: 0, not 0/0.
  let tiny = largest[li] < 0x04000000u;  // 2^-119
  let inverse = select(127.0 / top, 0.0, tiny);
  a_quant[i] = pack4xI8(vec4i(round(v * inverse)));
  // Not top / 127: WGSL's division may be off by 2.5 ulp, while this product is exact for 127 times a power of two.
  if (i % 32u == 0u) { a_scales[group] = select(top * 0.007874015718698502, 0.0, tiny); }
}
