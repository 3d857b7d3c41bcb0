// nvidia-h200, float32-M1-K4096-N4096
@group(0) @binding(0) var<storage, read> scales: array<f32, 524288>;
@group(0) @binding(1) var<storage, read_write> packed: array<f32>;
const kCount = 524288u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kCount) { return; }
  packed[at] = scales[(at / 4096u) * 4096u + at % 4096u];
}
