// nvidia-h200, float32-M5-block-larger-than-K
@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read_write> transposed: array<f32>;
const kCount = 33u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kCount) { return; }
  transposed[at] = f32(rows[(at % 33u) * 1u + at / 33u]);
}
