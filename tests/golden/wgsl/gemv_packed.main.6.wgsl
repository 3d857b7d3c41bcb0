// nvidia-h200, float32-M5-block-larger-than-K
enable f16;
struct params_struct {
  each: u32,
  left: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> zero_points: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32, 33>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
@group(0) @binding(6) var<uniform> params: params_struct;
alias Codes = vec4<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = chunk * 33u + n;
  return b[at];
}
const kN = 33u;
const kK = 100u;
// 64 chunks of every row at a time.
var<workgroup> staged: array<array<array<vec4<f32>, 8>, 64>, 5>;

// Codes 8j..8j+7 of a chunk in pairs, less the default zero point where there is no other.
struct Units { p0: vec2<f16>, p1: vec2<f16>, p2: vec2<f16>, p3: vec2<f16> }
fn number(pair: u32) -> vec2<f16> {  // 0x6400 | code is 1024 + code in f16
  return bitcast<vec2<f16>>(pair | 0x64006400u) - 1024.0h;
}
fn number16(pair: u32) -> vec2<f16> {  // 1024 + 16 * code
  return fma(bitcast<vec2<f16>>(pair | 0x64006400u), vec2<f16>(0.0625h), vec2<f16>(-64.0h));
}
fn units(c: Codes, j: u32) -> Units {
  let w = c[j];
  let v = w >> 8u;
  return Units(number(w & 0x000f000fu), number16(w & 0x00f000f0u), number(v & 0x000f000fu), number16(v & 0x00f000f0u));
}

fn load_a(row: u32, k4: u32) -> vec4<f32> {
  return a[row * 25u + k4];
}

// Once nobody reads A there any more: the sums of four rows, of one column and part.
fn put(at: u32, v: vec4<f32>) {
  staged[at / 512u][at / 8u % 64u][at % 8u] = v;
}
fn got(at: u32) -> vec4<f32> {
  let v = staged[at / 512u][at / 8u % 64u][at % 8u];
  return v;
}



@compute @workgroup_size(512)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 8u;
  let part = li / 8u;
  let column0 = (wg.y * 65535u + wg.x) * 16u;
  let n0 = min(column0 + lane + 0u, kN - 1u);
  let n1 = min(column0 + lane + 8u, kN - 1u);
  let row0 = wg.z * params.each + min(wg.z, params.left);
  let count = params.each + select(0u, 1u, wg.z < params.left);
  if (count == 5u) {
  var y0_0 = 0.0f;
  var y0_1 = 0.0f;
  var y1_0 = 0.0f;
  var y1_1 = 0.0f;
  var y2_0 = 0.0f;
  var y2_1 = 0.0f;
  var y3_0 = 0.0f;
  var y3_1 = 0.0f;
  var y4_0 = 0.0f;
  var y4_1 = 0.0f;
  for (var slab = 0u; slab < 4u; slab += 64u) {
    for (var i = li; i < 2560u; i += 512u) {
      let m = i / 512u;
      let at = i % 512u;
      let k4 = slab * 8u + at;
      var v = vec4<f32>();
      if (k4 < 25u) { v = load_a(row0 + m, k4); }
      staged[m][at / 8u][at % 8u] = v;
    }

    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = min(slab + at0, 3u);
    let codes0_0 = load_codes(n0, chunk0);
    let block0_0 = (chunk0 / 8u) * kN + n0;
    let s0_0 = f32(scales[block0_0]);
    let z0_0 = vec2(zero_points[block0_0]);
    let codes0_1 = load_codes(n1, chunk0);
    let block0_1 = (chunk0 / 8u) * kN + n1;
    let s0_1 = f32(scales[block0_1]);
    let z0_1 = vec2(zero_points[block0_1]);

    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      var h2_0_0 = 0.0f;
      var h2_1_0 = 0.0f;
      var h3_0_0 = 0.0f;
      var h3_1_0 = 0.0f;
      var h4_0_0 = 0.0f;
      var h4_1_0 = 0.0f;
      {
        let w0 = units(codes0_0, 0u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 0u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][0];
          let x1 = staged[0][at0][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][0];
          let x1 = staged[1][at0][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][0];
          let x1 = staged[2][at0][1];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][0];
          let x1 = staged[3][at0][1];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
        { let x0 = staged[4][at0][0];
          let x1 = staged[4][at0][1];
h4_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h4_0_0))));
h4_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h4_0_0))));
h4_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h4_1_0))));
h4_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h4_1_0))));
        }
      }
      {
        let w0 = units(codes0_0, 1u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 1u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][2];
          let x1 = staged[0][at0][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][2];
          let x1 = staged[1][at0][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][2];
          let x1 = staged[2][at0][3];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][2];
          let x1 = staged[3][at0][3];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
        { let x0 = staged[4][at0][2];
          let x1 = staged[4][at0][3];
h4_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h4_0_0))));
h4_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h4_0_0))));
h4_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h4_1_0))));
h4_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h4_1_0))));
        }
      }
      {
        let w0 = units(codes0_0, 2u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 2u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][4];
          let x1 = staged[0][at0][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][4];
          let x1 = staged[1][at0][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][4];
          let x1 = staged[2][at0][5];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][4];
          let x1 = staged[3][at0][5];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
        { let x0 = staged[4][at0][4];
          let x1 = staged[4][at0][5];
h4_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h4_0_0))));
h4_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h4_0_0))));
h4_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h4_1_0))));
h4_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h4_1_0))));
        }
      }
      {
        let w0 = units(codes0_0, 3u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 3u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][6];
          let x1 = staged[0][at0][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][6];
          let x1 = staged[1][at0][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][6];
          let x1 = staged[2][at0][7];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][6];
          let x1 = staged[3][at0][7];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
        { let x0 = staged[4][at0][6];
          let x1 = staged[4][at0][7];
h4_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h4_0_0))));
h4_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h4_0_0))));
h4_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h4_1_0))));
h4_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h4_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s0_0, y0_0);
      y0_1 = fma(h0_1_0, s0_1, y0_1);
      y1_0 = fma(h1_0_0, s0_0, y1_0);
      y1_1 = fma(h1_1_0, s0_1, y1_1);
      y2_0 = fma(h2_0_0, s0_0, y2_0);
      y2_1 = fma(h2_1_0, s0_1, y2_1);
      y3_0 = fma(h3_0_0, s0_0, y3_0);
      y3_1 = fma(h3_1_0, s0_1, y3_1);
      y4_0 = fma(h4_0_0, s0_0, y4_0);
      y4_1 = fma(h4_1_0, s0_1, y4_1);
    }
  }
  workgroupBarrier();
  put((part * 2u + 0u) * 16u + lane + 0u, vec4<f32>(y0_0, y1_0, y2_0, y3_0));
  put((part * 2u + 0u) * 16u + lane + 8u, vec4<f32>(y0_1, y1_1, y2_1, y3_1));
  put((part * 2u + 1u) * 16u + lane + 0u, vec4<f32>(y4_0, 0.0f, 0.0f, 0.0f));
  put((part * 2u + 1u) * 16u + lane + 8u, vec4<f32>(y4_1, 0.0f, 0.0f, 0.0f));
  workgroupBarrier();
  for (var i = li; i < 32u; i += 512u) {
    var sum = vec4<f32>();
    for (var p = 0u; p < 64u; p++) { sum += got(p * 32u + i); }
    let out = column0 + i % 16u;
    if (out < kN) {
      sum += f32(bias[out]);
      let m = i / 16u * 4u;
if (m + 0u < 5u) { y[(row0 + m + 0u) * kN + out] = sum[0]; }
if (m + 1u < 5u) { y[(row0 + m + 1u) * kN + out] = sum[1]; }
if (m + 2u < 5u) { y[(row0 + m + 2u) * kN + out] = sum[2]; }
if (m + 3u < 5u) { y[(row0 + m + 3u) * kN + out] = sum[3]; }
    }
  }

  } else {
  var y0_0 = 0.0f;
  var y0_1 = 0.0f;
  var y1_0 = 0.0f;
  var y1_1 = 0.0f;
  var y2_0 = 0.0f;
  var y2_1 = 0.0f;
  var y3_0 = 0.0f;
  var y3_1 = 0.0f;
  for (var slab = 0u; slab < 4u; slab += 64u) {
    for (var i = li; i < 2048u; i += 512u) {
      let m = i / 512u;
      let at = i % 512u;
      let k4 = slab * 8u + at;
      var v = vec4<f32>();
      if (m < count && k4 < 25u) { v = load_a(row0 + m, k4); }
      staged[m][at / 8u][at % 8u] = v;
    }

    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = min(slab + at0, 3u);
    let codes0_0 = load_codes(n0, chunk0);
    let block0_0 = (chunk0 / 8u) * kN + n0;
    let s0_0 = f32(scales[block0_0]);
    let z0_0 = vec2(zero_points[block0_0]);
    let codes0_1 = load_codes(n1, chunk0);
    let block0_1 = (chunk0 / 8u) * kN + n1;
    let s0_1 = f32(scales[block0_1]);
    let z0_1 = vec2(zero_points[block0_1]);

    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      var h2_0_0 = 0.0f;
      var h2_1_0 = 0.0f;
      var h3_0_0 = 0.0f;
      var h3_1_0 = 0.0f;
      {
        let w0 = units(codes0_0, 0u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 0u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][0];
          let x1 = staged[0][at0][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][0];
          let x1 = staged[1][at0][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][0];
          let x1 = staged[2][at0][1];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][0];
          let x1 = staged[3][at0][1];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
      }
      {
        let w0 = units(codes0_0, 1u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 1u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][2];
          let x1 = staged[0][at0][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][2];
          let x1 = staged[1][at0][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][2];
          let x1 = staged[2][at0][3];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][2];
          let x1 = staged[3][at0][3];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
      }
      {
        let w0 = units(codes0_0, 2u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 2u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][4];
          let x1 = staged[0][at0][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][4];
          let x1 = staged[1][at0][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][4];
          let x1 = staged[2][at0][5];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][4];
          let x1 = staged[3][at0][5];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
      }
      {
        let w0 = units(codes0_0, 3u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        let w1 = units(codes0_1, 3u);
        let z1 = vec2<f32>(z0_1);  // code - zero point may not be an f16
        let p0_1 = vec2<f32>(w1.p0) - z1;
        let p1_1 = vec2<f32>(w1.p1) - z1;
        let p2_1 = vec2<f32>(w1.p2) - z1;
        let p3_1 = vec2<f32>(w1.p3) - z1;
        { let x0 = staged[0][at0][6];
          let x1 = staged[0][at0][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at0][6];
          let x1 = staged[1][at0][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at0][6];
          let x1 = staged[2][at0][7];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
        { let x0 = staged[3][at0][6];
          let x1 = staged[3][at0][7];
h3_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h3_0_0))));
h3_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h3_0_0))));
h3_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h3_1_0))));
h3_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h3_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s0_0, y0_0);
      y0_1 = fma(h0_1_0, s0_1, y0_1);
      y1_0 = fma(h1_0_0, s0_0, y1_0);
      y1_1 = fma(h1_1_0, s0_1, y1_1);
      y2_0 = fma(h2_0_0, s0_0, y2_0);
      y2_1 = fma(h2_1_0, s0_1, y2_1);
      y3_0 = fma(h3_0_0, s0_0, y3_0);
      y3_1 = fma(h3_1_0, s0_1, y3_1);
    }
  }
  workgroupBarrier();
  put((part * 1u + 0u) * 16u + lane + 0u, vec4<f32>(y0_0, y1_0, y2_0, y3_0));
  put((part * 1u + 0u) * 16u + lane + 8u, vec4<f32>(y0_1, y1_1, y2_1, y3_1));
  workgroupBarrier();
  for (var i = li; i < 16u; i += 512u) {
    var sum = vec4<f32>();
    for (var p = 0u; p < 64u; p++) { sum += got(p * 16u + i); }
    let out = column0 + i % 16u;
    if (out < kN) {
      sum += f32(bias[out]);
      let m = i / 16u * 4u;
if (m + 0u < count) { y[(row0 + m + 0u) * kN + out] = sum[0]; }
if (m + 1u < count) { y[(row0 + m + 1u) * kN + out] = sum[1]; }
if (m + 2u < count) { y[(row0 + m + 2u) * kN + out] = sum[2]; }
if (m + 3u < count) { y[(row0 + m + 3u) * kN + out] = sum[3]; }
    }
  }

  }
}
