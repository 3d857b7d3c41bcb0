// baseline-no-features, float32-M300-q8-block16
struct params_struct {
  cols: u32,
  split: u32,
}
@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> params: params_struct;
fn store(i: u32, v: f32) { y[i] = f32(v); }
fn bias_at(n: u32) -> f32 { return 0.0; }

fn sum(i: u32) -> f32 {
  var total = 0.0;
  for (var s = 0u; s < u32(params.split); s++) { total += partials[s * params.cols + i]; }
  return total;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32) {
  let i = ((wid.y * grid.x + wid.x) * 256u + li);
  if (i >= params.cols) { return; }
  store(i, sum(i));
}
