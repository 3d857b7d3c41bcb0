// nvidia-h200, float32-M1-K4096-N4096
enable f16;
struct params_struct {
  each: u32,
  left: u32,
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
// 128 chunks of every row at a time.
var<workgroup> staged: array<array<array<vec4<f32>, 8>, 128>, 1>;
var<workgroup> parts: array<array<f32, 32>, 16>;

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




@compute @workgroup_size(512)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 32u;
  let part = li / 32u;
  let column0 = (wg.y * 65535u + wg.x) * 32u;
  let n0 = min(column0 + lane + 0u, kN - 1u);
  let row0 = wg.z;
  var y0_0 = 0.0f;
  for (var slab = 0u; slab < 128u; slab += 128u) {
    for (var i = li; i < 1024u; i += 512u) {
      let m = i / 1024u;
      let at = i % 1024u;
      let k4 = slab * 8u + at;
      var v = vec4<f32>();
      if (k4 < 1024u) { v = load_a(row0 + m, k4); }
      staged[m][at / 8u][at % 8u] = v;
    }

    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = slab + at0;
    let codes0_0 = load_codes(n0, chunk0);
    let block0_0 = (chunk0 / 1u) * kN + n0;
    let s0_0 = f32(scales[block0_0]);
    let at1 = 16u + part;
    let chunk1 = slab + at1;
    let codes1_0 = load_codes(n0, chunk1);
    let block1_0 = (chunk1 / 1u) * kN + n0;
    let s1_0 = f32(scales[block1_0]);
    let at2 = 32u + part;
    let chunk2 = slab + at2;
    let codes2_0 = load_codes(n0, chunk2);
    let block2_0 = (chunk2 / 1u) * kN + n0;
    let s2_0 = f32(scales[block2_0]);
    let at3 = 48u + part;
    let chunk3 = slab + at3;
    let codes3_0 = load_codes(n0, chunk3);
    let block3_0 = (chunk3 / 1u) * kN + n0;
    let s3_0 = f32(scales[block3_0]);
    let at4 = 64u + part;
    let chunk4 = slab + at4;
    let codes4_0 = load_codes(n0, chunk4);
    let block4_0 = (chunk4 / 1u) * kN + n0;
    let s4_0 = f32(scales[block4_0]);
    let at5 = 80u + part;
    let chunk5 = slab + at5;
    let codes5_0 = load_codes(n0, chunk5);
    let block5_0 = (chunk5 / 1u) * kN + n0;
    let s5_0 = f32(scales[block5_0]);
    let at6 = 96u + part;
    let chunk6 = slab + at6;
    let codes6_0 = load_codes(n0, chunk6);
    let block6_0 = (chunk6 / 1u) * kN + n0;
    let s6_0 = f32(scales[block6_0]);
    let at7 = 112u + part;
    let chunk7 = slab + at7;
    let codes7_0 = load_codes(n0, chunk7);
    let block7_0 = (chunk7 / 1u) * kN + n0;
    let s7_0 = f32(scales[block7_0]);

    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes0_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at0][0];
          let x1 = staged[0][at0][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at0][2];
          let x1 = staged[0][at0][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at0][4];
          let x1 = staged[0][at0][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
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
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at1][0];
          let x1 = staged[0][at1][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at1][2];
          let x1 = staged[0][at1][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at1][4];
          let x1 = staged[0][at1][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
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
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at2][0];
          let x1 = staged[0][at2][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at2][2];
          let x1 = staged[0][at2][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at2][4];
          let x1 = staged[0][at2][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
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
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at3][0];
          let x1 = staged[0][at3][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at3][2];
          let x1 = staged[0][at3][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at3][4];
          let x1 = staged[0][at3][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at3][6];
          let x1 = staged[0][at3][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s3_0, y0_0);
    }
    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes4_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at4][0];
          let x1 = staged[0][at4][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes4_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at4][2];
          let x1 = staged[0][at4][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes4_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at4][4];
          let x1 = staged[0][at4][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes4_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at4][6];
          let x1 = staged[0][at4][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s4_0, y0_0);
    }
    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes5_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at5][0];
          let x1 = staged[0][at5][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes5_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at5][2];
          let x1 = staged[0][at5][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes5_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at5][4];
          let x1 = staged[0][at5][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes5_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at5][6];
          let x1 = staged[0][at5][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s5_0, y0_0);
    }
    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes6_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at6][0];
          let x1 = staged[0][at6][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes6_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at6][2];
          let x1 = staged[0][at6][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes6_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at6][4];
          let x1 = staged[0][at6][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes6_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at6][6];
          let x1 = staged[0][at6][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s6_0, y0_0);
    }
    {
      var h0_0_0 = 0.0f;
      {
        let w0 = units(codes7_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at7][0];
          let x1 = staged[0][at7][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes7_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at7][2];
          let x1 = staged[0][at7][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes7_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at7][4];
          let x1 = staged[0][at7][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      {
        let w0 = units(codes7_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        { let x0 = staged[0][at7][6];
          let x1 = staged[0][at7][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
        }
      }
      y0_0 = fma(h0_0_0, s7_0, y0_0);
    }
  }
  parts[part * 1u + 0u][lane + 0u] = y0_0;
  workgroupBarrier();
  for (var i = li; i < 32u; i += 512u) {
    let m = i / 32u;
    let out = column0 + i % 32u;
    var sum = 0.0f;
    for (var p = 0u; p < 16u; p++) { sum += parts[p * 1u + m][i % 32u]; }
    if (out < kN) {
      y[(row0 + m) * kN + out] = sum;
    }
  }

}
