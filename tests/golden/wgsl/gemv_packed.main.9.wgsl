// nvidia-h200, float16-M1-q2-zp
enable f16;
struct params_struct {
  M: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> b: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f16>;
@group(0) @binding(3) var<storage, read> zero_points: array<f16>;
@group(0) @binding(4) var<storage, read_write> y: array<f16>;
@group(0) @binding(5) var<uniform> params: params_struct;
alias Codes = vec2<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = chunk * 1024u + n;
  return b[at];
}
const kN = 1024u;
const kK = 2048u;
// 64 chunks of every row at a time.
var<workgroup> staged: array<array<vec4<f32>, 512>, 1>;
var<workgroup> parts: array<array<f32, 16>, 16>;

// Codes 8j..8j+7 of a chunk in pairs, less the default zero point where there is no other.
struct Units { p0: vec2<f16>, p1: vec2<f16>, p2: vec2<f16>, p3: vec2<f16> }
fn number(pair: u32) -> vec2<f16> {  // 0x6400 | code is 1024 + code in f16
  return bitcast<vec2<f16>>(pair | 0x64006400u) - 1024.0h;
}
fn units(c: Codes, j: u32) -> Units {
  let w = c[j >> 1u] >> ((j & 1u) * 8u);
  return Units(number(w & 0x00030003u), number((w >> 2u) & 0x00030003u), number((w >> 4u) & 0x00030003u), number((w >> 6u) & 0x00030003u));
}

fn load_a(row: u32, k8: u32) -> vec4<u32> {
  return a[row * 256u + k8];
}
fn halves(word: u32) -> vec2<f32> { return vec2<f32>(bitcast<vec2<f16>>(word)); }

// Chunks [chunk0, chunk0 + 64) of rows row0 and up of A, zeros past its end and in rows past M.
fn stage(row0: u32, chunk0: u32, li: u32) {
  for (var i = li; i < 256u; i += 256u) {
    let m = i / 256u;
    let at = i % 256u;
    let k8 = chunk0 * 4u + at;
    var v = vec4<u32>();
    if (row0 + m < params.M && k8 < 256u) { v = load_a(row0 + m, k8); }
    staged[m][at * 2u] = vec4<f32>(halves(v.x), halves(v.y));
    staged[m][at * 2u + 1u] = vec4<f32>(halves(v.z), halves(v.w));
  }
}


@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 16u;
  let part = li / 16u;
  let column = (wg.y * 65535u + wg.x) * 16u + lane;
  let n = min(column, kN - 1u);
  let row0 = wg.z * 1u;
  var y0 = 0.0f;
  for (var slab = 0u; slab < 64u; slab += 64u) {
    stage(row0, slab, li);
    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = slab + at0;
    let codes0 = load_codes(n, chunk0);
    let block0 = (chunk0 / 1u) * kN + n;
    let s0 = f32(scales[block0]);
    let z0 = vec2(zero_points[block0]);
    let at1 = 16u + part;
    let chunk1 = slab + at1;
    let codes1 = load_codes(n, chunk1);
    let block1 = (chunk1 / 1u) * kN + n;
    let s1 = f32(scales[block1]);
    let z1 = vec2(zero_points[block1]);
    let at2 = 32u + part;
    let chunk2 = slab + at2;
    let codes2 = load_codes(n, chunk2);
    let block2 = (chunk2 / 1u) * kN + n;
    let s2 = f32(scales[block2]);
    let z2 = vec2(zero_points[block2]);
    let at3 = 48u + part;
    let chunk3 = slab + at3;
    let codes3 = load_codes(n, chunk3);
    let block3 = (chunk3 / 1u) * kN + n;
    let s3 = f32(scales[block3]);
    let z3 = vec2(zero_points[block3]);

    {
      var h0_0 = 0.0f;
      {
        let w = units(codes0, 0u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 0u];
          let x1 = staged[0][at0 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes0, 1u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 2u];
          let x1 = staged[0][at0 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes0, 2u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 4u];
          let x1 = staged[0][at0 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes0, 3u);
        let z = vec2<f32>(z0);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at0 * 8u + 6u];
          let x1 = staged[0][at0 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      y0 = fma(h0_0, s0, y0);
    }
    {
      var h0_0 = 0.0f;
      {
        let w = units(codes1, 0u);
        let z = vec2<f32>(z1);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at1 * 8u + 0u];
          let x1 = staged[0][at1 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes1, 1u);
        let z = vec2<f32>(z1);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at1 * 8u + 2u];
          let x1 = staged[0][at1 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes1, 2u);
        let z = vec2<f32>(z1);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at1 * 8u + 4u];
          let x1 = staged[0][at1 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes1, 3u);
        let z = vec2<f32>(z1);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at1 * 8u + 6u];
          let x1 = staged[0][at1 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      y0 = fma(h0_0, s1, y0);
    }
    {
      var h0_0 = 0.0f;
      {
        let w = units(codes2, 0u);
        let z = vec2<f32>(z2);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at2 * 8u + 0u];
          let x1 = staged[0][at2 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes2, 1u);
        let z = vec2<f32>(z2);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at2 * 8u + 2u];
          let x1 = staged[0][at2 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes2, 2u);
        let z = vec2<f32>(z2);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at2 * 8u + 4u];
          let x1 = staged[0][at2 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes2, 3u);
        let z = vec2<f32>(z2);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at2 * 8u + 6u];
          let x1 = staged[0][at2 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      y0 = fma(h0_0, s2, y0);
    }
    {
      var h0_0 = 0.0f;
      {
        let w = units(codes3, 0u);
        let z = vec2<f32>(z3);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at3 * 8u + 0u];
          let x1 = staged[0][at3 * 8u + 1u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes3, 1u);
        let z = vec2<f32>(z3);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at3 * 8u + 2u];
          let x1 = staged[0][at3 * 8u + 3u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes3, 2u);
        let z = vec2<f32>(z3);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at3 * 8u + 4u];
          let x1 = staged[0][at3 * 8u + 5u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      {
        let w = units(codes3, 3u);
        let z = vec2<f32>(z3);  // code - zero point may not be an f16
        let p0 = vec2<f32>(w.p0) - z; let p1 = vec2<f32>(w.p1) - z; let p2 = vec2<f32>(w.p2) - z; let p3 = vec2<f32>(w.p3) - z;
        { let x0 = staged[0][at3 * 8u + 6u];
          let x1 = staged[0][at3 * 8u + 7u];
          h0_0 = fma(f32(p1.y), x0.w, fma(f32(p1.x), x0.z, fma(f32(p0.y), x0.y, fma(f32(p0.x), x0.x, h0_0))));
          h0_0 = fma(f32(p3.y), x1.w, fma(f32(p3.x), x1.z, fma(f32(p2.y), x1.y, fma(f32(p2.x), x1.x, h0_0)))); }
      }
      y0 = fma(h0_0, s3, y0);
    }
  }
  parts[part * 1u + 0u][lane] = y0;
  workgroupBarrier();
  for (var i = li; i < 16u; i += 256u) {
    let m = i / 16u;
    let c = i % 16u;
    let out = (wg.y * 65535u + wg.x) * 16u + c;
    var sum = 0.0f;
    for (var p = 0u; p < 16u; p++) { sum += parts[p * 1u + m][c]; }
    if (row0 + m < params.M && out < kN) {
      y[(row0 + m) * kN + out] = f16(sum);
    }
  }
}
