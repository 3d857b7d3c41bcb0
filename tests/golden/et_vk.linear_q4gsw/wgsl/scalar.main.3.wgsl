// nvidia-h200, float16-M3-group12
enable f16;
struct params_struct {
  rows: u32,
}
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<u32, 33>;
@group(0) @binding(2) var<storage, read> scales: array<f16, 24>;
@group(0) @binding(3) var<storage, read_write> y: array<f16>;
@group(0) @binding(4) var<uniform> params: params_struct;
fn store(i: u32, v: f32) { y[i] = f16(v); }
fn bias_at(n: u32) -> f32 { return 0.0; }
const K = 24u;
const N = 11u;
const GROUP = 12u;

fn a_at(i: u32) -> f32 { return f32(a[i]); }

fn scale_at(n: u32, block: u32) -> f32 {
  let i = block * 12u + n;
  return f32(scales[i]);
}

fn product(i: u32) -> f32 {
  let row = (i / N) * K;
  let n = i % N;
  var sum = 0.0;
  for (var block = 0u; block < 2u; block++) {
    var part = 0.0;
    for (var k = block * GROUP; k < (block + 1u) * GROUP; k++) {
      let code = (b[n * (K / 8u) + k / 8u] >> (4u * (k % 8u))) & 15u;
      part = fma(a_at(row + k), f32(code) - 8.0, part);
    }
    sum = fma(scale_at(n, block), part, sum);
  }
  return sum + bias_at(n);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = (((group.z * grid.y + group.y) * grid.x + group.x) * 64u + lane);
  let count = params.rows * N;
  if (i >= count) { return; }
  store(i, product(i));
}
