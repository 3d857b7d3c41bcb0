// nvidia-h200, float16-batch2-M64-rank4
enable f16;
@group(0) @binding(0) var<storage, read> scales: array<f16, 18432>;
@group(0) @binding(1) var<storage, read_write> packed: array<f16>;
const kCount = 18432u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kCount) { return; }
  packed[at] = scales[(at / 768u) * 768u + at % 768u];
}
