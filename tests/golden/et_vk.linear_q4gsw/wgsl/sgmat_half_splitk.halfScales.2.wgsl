// nvidia-h200, float32-M128-level2-f16-sums
enable f16;
@group(0) @binding(0) var<storage, read> scales: array<f32, 262144>;
@group(0) @binding(1) var<storage, read_write> packed: array<f16>;
@group(0) @binding(2) var<storage, read_write> col_factor: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let n = (wg.y * 65535u + wg.x) * 64u + li;
  if (n >= 4096u) { return; }
  var largest = 0.0f;
  for (var i = 0u; i < 64u; i++) { largest = max(largest, abs(scales[i * 4096u + n])); }
  let e = max(frexp(largest).exp, -100);
  let up = ldexp(1.0f, -e);
  col_factor[n] = ldexp(1.0f, e);
  for (var i = 0u; i < 64u; i++) { packed[i * 4096u + n] = f16(scales[i * 4096u + n] * up); }
}
