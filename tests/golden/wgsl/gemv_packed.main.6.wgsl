// nvidia-h200, float32-M5-block-larger-than-K
enable f16;
struct params_struct {
  M: u32,
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
// 16 chunks of every row at a time.
var<workgroup> staged: array<array<vec4<f32>, 128>, 5>;
var<workgroup> parts: array<array<f32, 16>, 80>;

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

// Chunks [chunk0, chunk0 + 16) of rows row0 and up of A, zeros past its end and in rows past M.
fn stage(row0: u32, chunk0: u32, li: u32) {
  for (var i = li; i < 640u; i += 256u) {
    let m = i / 128u;
    let at = i % 128u;
    let k4 = chunk0 * 8u + at;
    var v = vec4<f32>();
    if (row0 + m < params.M && k4 < 25u) { v = load_a(row0 + m, k4); }
    staged[m][at] = v;
  }
}


@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 16u;
  let part = li / 16u;
  let column = (wg.y * 65535u + wg.x) * 16u + lane;
  let n = min(column, kN - 1u);
  let row0 = wg.z * 5u;
  var y0 = 0.0f;
  var y1 = 0.0f;
  var y2 = 0.0f;
  var y3 = 0.0f;
  var y4 = 0.0f;
  for (var slab = 0u; slab < 4u; slab += 16u) {
    stage(row0, slab, li);
    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = min(slab + at0, 3u);
    let codes0 = load_codes(n, chunk0);
    let block0 = (chunk0 / 8u) * kN + n;
    let s0 = f32(scales[block0]);
    let z0 = vec2(zero_points[block0]);

    {
      var h0_0 = 0.0f;
      var h1_0 = 0.0f;
      var h2_0 = 0.0f;
      var h3_0 = 0.0f;
      var h4_0 = 0.0f;
      {
        let w = units(codes0, 0u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 0u];
          let x1 = staged[0][at0 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at0 * 8u + 0u];
          let x1 = staged[1][at0 * 8u + 1u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at0 * 8u + 0u];
          let x1 = staged[2][at0 * 8u + 1u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at0 * 8u + 0u];
          let x1 = staged[3][at0 * 8u + 1u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
        { let x0 = staged[4][at0 * 8u + 0u];
          let x1 = staged[4][at0 * 8u + 1u];
          h4_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h4_0))));
          h4_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h4_0)))); }
      }
      {
        let w = units(codes0, 1u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 2u];
          let x1 = staged[0][at0 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at0 * 8u + 2u];
          let x1 = staged[1][at0 * 8u + 3u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at0 * 8u + 2u];
          let x1 = staged[2][at0 * 8u + 3u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at0 * 8u + 2u];
          let x1 = staged[3][at0 * 8u + 3u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
        { let x0 = staged[4][at0 * 8u + 2u];
          let x1 = staged[4][at0 * 8u + 3u];
          h4_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h4_0))));
          h4_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h4_0)))); }
      }
      {
        let w = units(codes0, 2u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 4u];
          let x1 = staged[0][at0 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at0 * 8u + 4u];
          let x1 = staged[1][at0 * 8u + 5u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at0 * 8u + 4u];
          let x1 = staged[2][at0 * 8u + 5u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at0 * 8u + 4u];
          let x1 = staged[3][at0 * 8u + 5u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
        { let x0 = staged[4][at0 * 8u + 4u];
          let x1 = staged[4][at0 * 8u + 5u];
          h4_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h4_0))));
          h4_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h4_0)))); }
      }
      {
        let w = units(codes0, 3u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 6u];
          let x1 = staged[0][at0 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at0 * 8u + 6u];
          let x1 = staged[1][at0 * 8u + 7u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at0 * 8u + 6u];
          let x1 = staged[2][at0 * 8u + 7u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at0 * 8u + 6u];
          let x1 = staged[3][at0 * 8u + 7u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
        { let x0 = staged[4][at0 * 8u + 6u];
          let x1 = staged[4][at0 * 8u + 7u];
          h4_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h4_0))));
          h4_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h4_0)))); }
      }
      y0 = fma(h0_0, s0, y0);
      y1 = fma(h1_0, s0, y1);
      y2 = fma(h2_0, s0, y2);
      y3 = fma(h3_0, s0, y3);
      y4 = fma(h4_0, s0, y4);
    }
  }
  parts[part * 5u + 0u][lane] = y0;
  parts[part * 5u + 1u][lane] = y1;
  parts[part * 5u + 2u][lane] = y2;
  parts[part * 5u + 3u][lane] = y3;
  parts[part * 5u + 4u][lane] = y4;
  workgroupBarrier();
  for (var i = li; i < 80u; i += 256u) {
    let m = i / 16u;
    let c = i % 16u;
    let out = (wg.y * 65535u + wg.x) * 16u + c;
    var sum = 0.0f;
    for (var p = 0u; p < 16u; p++) { sum += parts[p * 5u + m][c]; }
    if (row0 + m < params.M && out < kN) {
      sum += f32(bias[out]);
      y[(row0 + m) * kN + out] = sum;
    }
  }
}
