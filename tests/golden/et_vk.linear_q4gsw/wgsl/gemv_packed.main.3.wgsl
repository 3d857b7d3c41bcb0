// nvidia-h200, float32-M8-K4096-N4096
enable f16;
struct params_struct {
  M: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> params: params_struct;
alias Codes = vec4<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = chunk * 4096u + n;
  return b[at];
}
const kN = 4096u;
const kK = 4096u;
// 64 chunks of every row at a time.
var<workgroup> staged: array<array<vec4<f32>, 512>, 4>;
var<workgroup> parts: array<array<f32, 32>, 64>;

// Codes 8j..8j+7 of a chunk in pairs, less the default zero point where there is no other.
struct Units { p0: vec2<f16>, p1: vec2<f16>, p2: vec2<f16>, p3: vec2<f16> }
fn number(pair: u32) -> vec2<f16> {  // 0x6400 | code is 1024 + code in f16
  return bitcast<vec2<f16>>(pair | 0x64006400u) - 1032.0h;
}
fn number16(pair: u32) -> vec2<f16> {  // 1024 + 16 * code
  return fma(bitcast<vec2<f16>>(pair | 0x64006400u), vec2<f16>(0.0625h), vec2<f16>(-72.0h));
}
fn units(c: Codes, j: u32) -> Units {
  let w = c[j];
  let v = w >> 8u;
  return Units(number(w & 0x000f000fu), number16(w & 0x00f000f0u), number(v & 0x000f000fu), number16(v & 0x00f000f0u));
}

fn load_a(row: u32, k4: u32) -> vec4<f32> {
  return a[row * 1024u + k4];
}

// Chunks [chunk0, chunk0 + 64) of rows row0 and up of A, zeros past its end and in rows past M.
fn stage(row0: u32, chunk0: u32, li: u32) {
  for (var i = li; i < 2048u; i += 512u) {
    let m = i / 512u;
    let at = i % 512u;
    let k4 = chunk0 * 8u + at;
    var v = vec4<f32>();
    if (row0 + m < params.M && k4 < 1024u) { v = load_a(row0 + m, k4); }
    staged[m][at] = v;
  }
}


@compute @workgroup_size(512)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 32u;
  let part = li / 32u;
  let column = (wg.y * 65535u + wg.x) * 32u + lane;
  let n = min(column, kN - 1u);
  let row0 = wg.z * 4u;
  var y0 = 0.0f;
  var y1 = 0.0f;
  var y2 = 0.0f;
  var y3 = 0.0f;
  for (var slab = 0u; slab < 128u; slab += 64u) {
    workgroupBarrier();
    stage(row0, slab, li);
    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = slab + at0;
    let codes0 = load_codes(n, chunk0);
    let block0 = (chunk0 / 1u) * kN + n;
    let s0 = f32(scales[block0]);
    let at1 = 16u + part;
    let chunk1 = slab + at1;
    let codes1 = load_codes(n, chunk1);
    let block1 = (chunk1 / 1u) * kN + n;
    let s1 = f32(scales[block1]);
    let at2 = 32u + part;
    let chunk2 = slab + at2;
    let codes2 = load_codes(n, chunk2);
    let block2 = (chunk2 / 1u) * kN + n;
    let s2 = f32(scales[block2]);
    let at3 = 48u + part;
    let chunk3 = slab + at3;
    let codes3 = load_codes(n, chunk3);
    let block3 = (chunk3 / 1u) * kN + n;
    let s3 = f32(scales[block3]);

    {
      var h0_0 = 0.0f;
      var h1_0 = 0.0f;
      var h2_0 = 0.0f;
      var h3_0 = 0.0f;
      {
        let w = units(codes0, 0u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
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
      }
      {
        let w = units(codes0, 1u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
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
      }
      {
        let w = units(codes0, 2u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
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
      }
      {
        let w = units(codes0, 3u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
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
      }
      y0 = fma(h0_0, s0, y0);
      y1 = fma(h1_0, s0, y1);
      y2 = fma(h2_0, s0, y2);
      y3 = fma(h3_0, s0, y3);
    }
    {
      var h0_0 = 0.0f;
      var h1_0 = 0.0f;
      var h2_0 = 0.0f;
      var h3_0 = 0.0f;
      {
        let w = units(codes1, 0u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at1 * 8u + 0u];
          let x1 = staged[0][at1 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at1 * 8u + 0u];
          let x1 = staged[1][at1 * 8u + 1u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at1 * 8u + 0u];
          let x1 = staged[2][at1 * 8u + 1u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at1 * 8u + 0u];
          let x1 = staged[3][at1 * 8u + 1u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes1, 1u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at1 * 8u + 2u];
          let x1 = staged[0][at1 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at1 * 8u + 2u];
          let x1 = staged[1][at1 * 8u + 3u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at1 * 8u + 2u];
          let x1 = staged[2][at1 * 8u + 3u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at1 * 8u + 2u];
          let x1 = staged[3][at1 * 8u + 3u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes1, 2u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at1 * 8u + 4u];
          let x1 = staged[0][at1 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at1 * 8u + 4u];
          let x1 = staged[1][at1 * 8u + 5u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at1 * 8u + 4u];
          let x1 = staged[2][at1 * 8u + 5u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at1 * 8u + 4u];
          let x1 = staged[3][at1 * 8u + 5u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes1, 3u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at1 * 8u + 6u];
          let x1 = staged[0][at1 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at1 * 8u + 6u];
          let x1 = staged[1][at1 * 8u + 7u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at1 * 8u + 6u];
          let x1 = staged[2][at1 * 8u + 7u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at1 * 8u + 6u];
          let x1 = staged[3][at1 * 8u + 7u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      y0 = fma(h0_0, s1, y0);
      y1 = fma(h1_0, s1, y1);
      y2 = fma(h2_0, s1, y2);
      y3 = fma(h3_0, s1, y3);
    }
    {
      var h0_0 = 0.0f;
      var h1_0 = 0.0f;
      var h2_0 = 0.0f;
      var h3_0 = 0.0f;
      {
        let w = units(codes2, 0u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at2 * 8u + 0u];
          let x1 = staged[0][at2 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at2 * 8u + 0u];
          let x1 = staged[1][at2 * 8u + 1u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at2 * 8u + 0u];
          let x1 = staged[2][at2 * 8u + 1u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at2 * 8u + 0u];
          let x1 = staged[3][at2 * 8u + 1u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes2, 1u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at2 * 8u + 2u];
          let x1 = staged[0][at2 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at2 * 8u + 2u];
          let x1 = staged[1][at2 * 8u + 3u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at2 * 8u + 2u];
          let x1 = staged[2][at2 * 8u + 3u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at2 * 8u + 2u];
          let x1 = staged[3][at2 * 8u + 3u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes2, 2u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at2 * 8u + 4u];
          let x1 = staged[0][at2 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at2 * 8u + 4u];
          let x1 = staged[1][at2 * 8u + 5u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at2 * 8u + 4u];
          let x1 = staged[2][at2 * 8u + 5u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at2 * 8u + 4u];
          let x1 = staged[3][at2 * 8u + 5u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes2, 3u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at2 * 8u + 6u];
          let x1 = staged[0][at2 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at2 * 8u + 6u];
          let x1 = staged[1][at2 * 8u + 7u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at2 * 8u + 6u];
          let x1 = staged[2][at2 * 8u + 7u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at2 * 8u + 6u];
          let x1 = staged[3][at2 * 8u + 7u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      y0 = fma(h0_0, s2, y0);
      y1 = fma(h1_0, s2, y1);
      y2 = fma(h2_0, s2, y2);
      y3 = fma(h3_0, s2, y3);
    }
    {
      var h0_0 = 0.0f;
      var h1_0 = 0.0f;
      var h2_0 = 0.0f;
      var h3_0 = 0.0f;
      {
        let w = units(codes3, 0u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at3 * 8u + 0u];
          let x1 = staged[0][at3 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at3 * 8u + 0u];
          let x1 = staged[1][at3 * 8u + 1u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at3 * 8u + 0u];
          let x1 = staged[2][at3 * 8u + 1u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at3 * 8u + 0u];
          let x1 = staged[3][at3 * 8u + 1u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes3, 1u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at3 * 8u + 2u];
          let x1 = staged[0][at3 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at3 * 8u + 2u];
          let x1 = staged[1][at3 * 8u + 3u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at3 * 8u + 2u];
          let x1 = staged[2][at3 * 8u + 3u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at3 * 8u + 2u];
          let x1 = staged[3][at3 * 8u + 3u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes3, 2u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at3 * 8u + 4u];
          let x1 = staged[0][at3 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at3 * 8u + 4u];
          let x1 = staged[1][at3 * 8u + 5u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at3 * 8u + 4u];
          let x1 = staged[2][at3 * 8u + 5u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at3 * 8u + 4u];
          let x1 = staged[3][at3 * 8u + 5u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      {
        let w = units(codes3, 3u);
        let p0 = w.p0; let p1 = w.p1; let p2 = w.p2; let p3 = w.p3;
        { let x0 = staged[0][at3 * 8u + 6u];
          let x1 = staged[0][at3 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
        { let x0 = staged[1][at3 * 8u + 6u];
          let x1 = staged[1][at3 * 8u + 7u];
          h1_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h1_0))));
          h1_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h1_0)))); }
        { let x0 = staged[2][at3 * 8u + 6u];
          let x1 = staged[2][at3 * 8u + 7u];
          h2_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h2_0))));
          h2_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h2_0)))); }
        { let x0 = staged[3][at3 * 8u + 6u];
          let x1 = staged[3][at3 * 8u + 7u];
          h3_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h3_0))));
          h3_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h3_0)))); }
      }
      y0 = fma(h0_0, s3, y0);
      y1 = fma(h1_0, s3, y1);
      y2 = fma(h2_0, s3, y2);
      y3 = fma(h3_0, s3, y3);
    }
  }
  parts[part * 4u + 0u][lane] = y0;
  parts[part * 4u + 1u][lane] = y1;
  parts[part * 4u + 2u][lane] = y2;
  parts[part * 4u + 3u][lane] = y3;
  workgroupBarrier();
  for (var i = li; i < 128u; i += 512u) {
    let m = i / 32u;
    let c = i % 32u;
    let out = (wg.y * 65535u + wg.x) * 32u + c;
    var sum = 0.0f;
    for (var p = 0u; p < 16u; p++) { sum += parts[p * 4u + m][c]; }
    if (row0 + m < params.M && out < kN) {
      y[(row0 + m) * kN + out] = sum;
    }
  }
}
