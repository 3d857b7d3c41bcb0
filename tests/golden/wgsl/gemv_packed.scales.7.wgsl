// nvidia-h200, float16-M1-q8-bias-block128
enable f16;
@group(0) @binding(0) var<storage, read> rows: array<f16>;
@group(0) @binding(1) var<storage, read_write> transposed: array<f16>;
const kCount = 16384u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kCount) { return; }
  transposed[at] = f16(rows[(at % 1024u) * 16u + at / 1024u]);
}
