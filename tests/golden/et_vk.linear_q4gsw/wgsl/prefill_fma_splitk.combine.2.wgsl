// baseline-no-features, float32-M64-group256
struct params_struct {
  cols: u32,
  split: u32,
}
@group(0) @binding(0) var<storage, read> partials: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> bias: array<f32, 1024>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> params: params_struct;

fn sum4(i: u32) -> vec4f {
  var total = vec4f();
  // In pairs, so that two loads are under way at a time; an odd split reads its last one twice.
  let split = u32(params.split);
  for (var s = 0u; s < split; s += 2u) {
    let one = partials[s * params.cols + i];
    let two = partials[min(s + 1u, split - 1u) * params.cols + i];
    total += one + select(vec4f(), two, s + 1u < split);
  }
  let n = (i % 256u) * 4u;
  return total + vec4f(f32(bias[n]), f32(bias[n + 1u]), f32(bias[n + 2u]), f32(bias[n + 3u]));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32) {
  let i = ((wid.y * grid.x + wid.x) * 256u + li);
  if (i >= params.cols) { return; }
  y[i] = vec4<f32>(sum4(i));
}
