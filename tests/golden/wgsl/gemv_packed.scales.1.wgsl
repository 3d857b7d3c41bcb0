// nvidia-h200, float32-M1-K4096-N4096
@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read_write> transposed: array<f32>;
const kCount = 524288u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kCount) { return; }
  transposed[at] = f32(rows[(at % 4096u) * 128u + at / 4096u]);
}
