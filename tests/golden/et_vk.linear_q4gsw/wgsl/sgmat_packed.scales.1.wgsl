// nvidia-h200, float16-M5-lm-head
enable f16;
@group(0) @binding(0) var<storage, read> scales: array<f16, 4104192>;
@group(0) @binding(1) var<storage, read_write> packed: array<f16>;
const kCount = 4104192u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kCount) { return; }
  packed[at] = scales[(at / 128256u) * 128256u + at % 128256u];
}
