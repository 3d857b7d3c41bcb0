// baseline-no-features, float32-M64-ocr
struct params_struct {
  cols: u32,
  split: u32,
}
@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read> bias: array<f32, 6625>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> params: params_struct;
fn store(i: u32, v: f32) { y[i] = f32(v); }
fn bias_at(n: u32) -> f32 { return f32(bias[n]); }

fn sum(i: u32) -> f32 {
  var total = 0.0;
  for (var s = 0u; s < u32(params.split); s++) { total += partials[s * params.cols + i]; }
  return total + bias_at(i % 6625u);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) li: u32) {
  let i = ((wid.y * grid.x + wid.x) * 256u + li);
  if (i >= params.cols) { return; }
  store(i, sum(i));
}
