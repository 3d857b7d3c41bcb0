// nvidia-h200, float32-M1-q2-zp
enable f16;
struct params_struct {
  each: u32,
  left: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> zero_points: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<uniform> params: params_struct;
alias Codes = vec2<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = chunk * 1024u + n;
  return b[at];
}
const kN = 1024u;
const kK = 2048u;
// 64 chunks of every row at a time.
var<workgroup> staged: array<array<array<vec4<f32>, 8>, 64>, 1>;
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

fn load_a(row: u32, k4: u32) -> vec4<f32> {
  return a[row * 512u + k4];
}




@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 16u;
  let part = li / 16u;
  let column0 = (wg.y * 65535u + wg.x) * 16u;
  let n0 = min(column0 + lane + 0u, kN - 1u);
  let row0 = wg.z;
  var y0_0 = 0.0f;
  for (var slab = 0u; slab < 64u; slab += 64u) {
    for (var i = li; i < 512u; i += 256u) {
      let m = i / 512u;
      let at = i % 512u;
      let k4 = slab * 8u + at;
      var v = vec4<f32>();
      if (k4 < 512u) { v = load_a(row0 + m, k4); }
      staged[m][at / 8u][at % 8u] = v;
    }

    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = slab + at0;
    let codes0_0 = load_codes(n0, chunk0);
    let block0_0 = (chunk0 / 1u) * kN + n0;
    let s0_0 = f32(scales[block0_0]);
    let z0_0 = vec2(zero_points[block0_0]);
    let at1 = 16u + part;
    let chunk1 = slab + at1;
    let codes1_0 = load_codes(n0, chunk1);
    let block1_0 = (chunk1 / 1u) * kN + n0;
    let s1_0 = f32(scales[block1_0]);
    let z1_0 = vec2(zero_points[block1_0]);
    let at2 = 32u + part;
    let chunk2 = slab + at2;
    let codes2_0 = load_codes(n0, chunk2);
    let block2_0 = (chunk2 / 1u) * kN + n0;
    let s2_0 = f32(scales[block2_0]);
    let z2_0 = vec2(zero_points[block2_0]);
    let at3 = 48u + part;
    let chunk3 = slab + at3;
    let codes3_0 = load_codes(n0, chunk3);
    let block3_0 = (chunk3 / 1u) * kN + n0;
    let s3_0 = f32(scales[block3_0]);
    let z3_0 = vec2(zero_points[block3_0]);

    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes0_0, 0u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at0][0];
          let x1 = staged[0][at0][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 1u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at0][2];
          let x1 = staged[0][at0][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 2u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at0][4];
          let x1 = staged[0][at0][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 3u);
        let z0 = vec2<f32>(z0_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at0][6];
          let x1 = staged[0][at0][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s0_0, y0_0);
    }
    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes1_0, 0u);
        let z0 = vec2<f32>(z1_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at1][0];
          let x1 = staged[0][at1][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 1u);
        let z0 = vec2<f32>(z1_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at1][2];
          let x1 = staged[0][at1][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 2u);
        let z0 = vec2<f32>(z1_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at1][4];
          let x1 = staged[0][at1][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 3u);
        let z0 = vec2<f32>(z1_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at1][6];
          let x1 = staged[0][at1][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s1_0, y0_0);
    }
    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes2_0, 0u);
        let z0 = vec2<f32>(z2_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at2][0];
          let x1 = staged[0][at2][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 1u);
        let z0 = vec2<f32>(z2_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at2][2];
          let x1 = staged[0][at2][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 2u);
        let z0 = vec2<f32>(z2_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at2][4];
          let x1 = staged[0][at2][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 3u);
        let z0 = vec2<f32>(z2_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at2][6];
          let x1 = staged[0][at2][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s2_0, y0_0);
    }
    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes3_0, 0u);
        let z0 = vec2<f32>(z3_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at3][0];
          let x1 = staged[0][at3][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 1u);
        let z0 = vec2<f32>(z3_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at3][2];
          let x1 = staged[0][at3][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 2u);
        let z0 = vec2<f32>(z3_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at3][4];
          let x1 = staged[0][at3][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 3u);
        let z0 = vec2<f32>(z3_0);  // code - zero point may not be an f16
        let p0_0 = vec2<f32>(w0.p0) - z0;
        let p1_0 = vec2<f32>(w0.p1) - z0;
        let p2_0 = vec2<f32>(w0.p2) - z0;
        let p3_0 = vec2<f32>(w0.p3) - z0;
        { let x0 = staged[0][at3][6];
          let x1 = staged[0][at3][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s3_0, y0_0);
    }
  }
  parts[part * 1u + 0u][lane + 0u] = y0_0;
  workgroupBarrier();
  for (var i = li; i < 16u; i += 256u) {
    let m = i / 16u;
    let out = column0 + i % 16u;
    var sum = 0.0f;
    for (var p = 0u; p < 16u; p++) { sum += parts[p * 1u + m][i % 16u]; }
    if (out < kN) {
      y[(row0 + m) * kN + out] = sum;
    }
  }

}
