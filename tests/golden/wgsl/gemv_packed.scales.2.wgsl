// nvidia-h200, float32-M1-q2-zp
@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read_write> transposed: array<f32>;
const kCount = 65536u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kCount) { return; }
  transposed[at] = f32(rows[(at % 1024u) * 64u + at / 1024u]);
}
