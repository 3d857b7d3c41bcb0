// nvidia-h200, float32-M2-K4096-N4096
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
var<workgroup> staged: array<array<array<vec4<f32>, 8>, 128>, 3>;

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

// Once nobody reads A there any more: the sums of four rows, of one column and part.
fn put(at: u32, v: vec4<f32>) {
  staged[at / 1024u][at / 8u % 128u][at % 8u] = v;
}
fn got(at: u32) -> vec4<f32> {
  let v = staged[at / 1024u][at / 8u % 128u][at % 8u];
  return v;
}



@compute @workgroup_size(512)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 16u;
  let part = li / 16u;
  let column0 = (wg.y * 65535u + wg.x) * 32u;
  let n0 = min(column0 + lane + 0u, kN - 1u);
  let n1 = min(column0 + lane + 16u, kN - 1u);
  let row0 = wg.z * params.each + min(wg.z, params.left);
  let count = params.each + select(0u, 1u, wg.z < params.left);
  if (count == 3u) {
  var y0_0 = 0.0f;
  var y0_1 = 0.0f;
  var y1_0 = 0.0f;
  var y1_1 = 0.0f;
  var y2_0 = 0.0f;
  var y2_1 = 0.0f;
  for (var slab = 0u; slab < 128u; slab += 128u) {
    for (var i = li; i < 3072u; i += 512u) {
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
    let codes0_1 = load_codes(n1, chunk0);
    let block0_1 = (chunk0 / 1u) * kN + n1;
    let s0_1 = f32(scales[block0_1]);
    let at1 = 32u + part;
    let chunk1 = slab + at1;
    let codes1_0 = load_codes(n0, chunk1);
    let block1_0 = (chunk1 / 1u) * kN + n0;
    let s1_0 = f32(scales[block1_0]);
    let codes1_1 = load_codes(n1, chunk1);
    let block1_1 = (chunk1 / 1u) * kN + n1;
    let s1_1 = f32(scales[block1_1]);
    let at2 = 64u + part;
    let chunk2 = slab + at2;
    let codes2_0 = load_codes(n0, chunk2);
    let block2_0 = (chunk2 / 1u) * kN + n0;
    let s2_0 = f32(scales[block2_0]);
    let codes2_1 = load_codes(n1, chunk2);
    let block2_1 = (chunk2 / 1u) * kN + n1;
    let s2_1 = f32(scales[block2_1]);
    let at3 = 96u + part;
    let chunk3 = slab + at3;
    let codes3_0 = load_codes(n0, chunk3);
    let block3_0 = (chunk3 / 1u) * kN + n0;
    let s3_0 = f32(scales[block3_0]);
    let codes3_1 = load_codes(n1, chunk3);
    let block3_1 = (chunk3 / 1u) * kN + n1;
    let s3_1 = f32(scales[block3_1]);

    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      var h2_0_0 = 0.0f;
      var h2_1_0 = 0.0f;
      {
        let w0 = units(codes0_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      {
        let w0 = units(codes0_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      {
        let w0 = units(codes0_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      {
        let w0 = units(codes0_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      y0_0 = fma(h0_0_0, s0_0, y0_0);
      y0_1 = fma(h0_1_0, s0_1, y0_1);
      y1_0 = fma(h1_0_0, s0_0, y1_0);
      y1_1 = fma(h1_1_0, s0_1, y1_1);
      y2_0 = fma(h2_0_0, s0_0, y2_0);
      y2_1 = fma(h2_1_0, s0_1, y2_1);
    }
    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      var h2_0_0 = 0.0f;
      var h2_1_0 = 0.0f;
      {
        let w0 = units(codes1_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][0];
          let x1 = staged[0][at1][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][0];
          let x1 = staged[1][at1][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at1][0];
          let x1 = staged[2][at1][1];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes1_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][2];
          let x1 = staged[0][at1][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][2];
          let x1 = staged[1][at1][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at1][2];
          let x1 = staged[2][at1][3];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes1_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][4];
          let x1 = staged[0][at1][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][4];
          let x1 = staged[1][at1][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at1][4];
          let x1 = staged[2][at1][5];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes1_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][6];
          let x1 = staged[0][at1][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][6];
          let x1 = staged[1][at1][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at1][6];
          let x1 = staged[2][at1][7];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s1_0, y0_0);
      y0_1 = fma(h0_1_0, s1_1, y0_1);
      y1_0 = fma(h1_0_0, s1_0, y1_0);
      y1_1 = fma(h1_1_0, s1_1, y1_1);
      y2_0 = fma(h2_0_0, s1_0, y2_0);
      y2_1 = fma(h2_1_0, s1_1, y2_1);
    }
    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      var h2_0_0 = 0.0f;
      var h2_1_0 = 0.0f;
      {
        let w0 = units(codes2_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][0];
          let x1 = staged[0][at2][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][0];
          let x1 = staged[1][at2][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at2][0];
          let x1 = staged[2][at2][1];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes2_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][2];
          let x1 = staged[0][at2][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][2];
          let x1 = staged[1][at2][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at2][2];
          let x1 = staged[2][at2][3];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes2_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][4];
          let x1 = staged[0][at2][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][4];
          let x1 = staged[1][at2][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at2][4];
          let x1 = staged[2][at2][5];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes2_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][6];
          let x1 = staged[0][at2][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][6];
          let x1 = staged[1][at2][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at2][6];
          let x1 = staged[2][at2][7];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s2_0, y0_0);
      y0_1 = fma(h0_1_0, s2_1, y0_1);
      y1_0 = fma(h1_0_0, s2_0, y1_0);
      y1_1 = fma(h1_1_0, s2_1, y1_1);
      y2_0 = fma(h2_0_0, s2_0, y2_0);
      y2_1 = fma(h2_1_0, s2_1, y2_1);
    }
    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      var h2_0_0 = 0.0f;
      var h2_1_0 = 0.0f;
      {
        let w0 = units(codes3_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][0];
          let x1 = staged[0][at3][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][0];
          let x1 = staged[1][at3][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at3][0];
          let x1 = staged[2][at3][1];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes3_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][2];
          let x1 = staged[0][at3][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][2];
          let x1 = staged[1][at3][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at3][2];
          let x1 = staged[2][at3][3];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes3_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][4];
          let x1 = staged[0][at3][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][4];
          let x1 = staged[1][at3][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at3][4];
          let x1 = staged[2][at3][5];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      {
        let w0 = units(codes3_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][6];
          let x1 = staged[0][at3][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][6];
          let x1 = staged[1][at3][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
        { let x0 = staged[2][at3][6];
          let x1 = staged[2][at3][7];
h2_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h2_0_0))));
h2_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h2_0_0))));
h2_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h2_1_0))));
h2_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h2_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s3_0, y0_0);
      y0_1 = fma(h0_1_0, s3_1, y0_1);
      y1_0 = fma(h1_0_0, s3_0, y1_0);
      y1_1 = fma(h1_1_0, s3_1, y1_1);
      y2_0 = fma(h2_0_0, s3_0, y2_0);
      y2_1 = fma(h2_1_0, s3_1, y2_1);
    }
  }
  workgroupBarrier();
  put((part * 1u + 0u) * 32u + lane + 0u, vec4<f32>(y0_0, y1_0, y2_0, 0.0f));
  put((part * 1u + 0u) * 32u + lane + 16u, vec4<f32>(y0_1, y1_1, y2_1, 0.0f));
  workgroupBarrier();
  for (var i = li; i < 32u; i += 512u) {
    var sum = vec4<f32>();
    for (var p = 0u; p < 32u; p++) { sum += got(p * 32u + i); }
    let out = column0 + i % 32u;
    if (out < kN) {
      let m = i / 32u * 4u;
if (m + 0u < 3u) { y[(row0 + m + 0u) * kN + out] = sum[0]; }
if (m + 1u < 3u) { y[(row0 + m + 1u) * kN + out] = sum[1]; }
if (m + 2u < 3u) { y[(row0 + m + 2u) * kN + out] = sum[2]; }
if (m + 3u < 3u) { y[(row0 + m + 3u) * kN + out] = sum[3]; }
    }
  }

  } else {
  var y0_0 = 0.0f;
  var y0_1 = 0.0f;
  var y1_0 = 0.0f;
  var y1_1 = 0.0f;
  for (var slab = 0u; slab < 128u; slab += 128u) {
    for (var i = li; i < 2048u; i += 512u) {
      let m = i / 1024u;
      let at = i % 1024u;
      let k4 = slab * 8u + at;
      var v = vec4<f32>();
      if (m < count && k4 < 1024u) { v = load_a(row0 + m, k4); }
      staged[m][at / 8u][at % 8u] = v;
    }

    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = slab + at0;
    let codes0_0 = load_codes(n0, chunk0);
    let block0_0 = (chunk0 / 1u) * kN + n0;
    let s0_0 = f32(scales[block0_0]);
    let codes0_1 = load_codes(n1, chunk0);
    let block0_1 = (chunk0 / 1u) * kN + n1;
    let s0_1 = f32(scales[block0_1]);
    let at1 = 32u + part;
    let chunk1 = slab + at1;
    let codes1_0 = load_codes(n0, chunk1);
    let block1_0 = (chunk1 / 1u) * kN + n0;
    let s1_0 = f32(scales[block1_0]);
    let codes1_1 = load_codes(n1, chunk1);
    let block1_1 = (chunk1 / 1u) * kN + n1;
    let s1_1 = f32(scales[block1_1]);
    let at2 = 64u + part;
    let chunk2 = slab + at2;
    let codes2_0 = load_codes(n0, chunk2);
    let block2_0 = (chunk2 / 1u) * kN + n0;
    let s2_0 = f32(scales[block2_0]);
    let codes2_1 = load_codes(n1, chunk2);
    let block2_1 = (chunk2 / 1u) * kN + n1;
    let s2_1 = f32(scales[block2_1]);
    let at3 = 96u + part;
    let chunk3 = slab + at3;
    let codes3_0 = load_codes(n0, chunk3);
    let block3_0 = (chunk3 / 1u) * kN + n0;
    let s3_0 = f32(scales[block3_0]);
    let codes3_1 = load_codes(n1, chunk3);
    let block3_1 = (chunk3 / 1u) * kN + n1;
    let s3_1 = f32(scales[block3_1]);

    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      {
        let w0 = units(codes0_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      {
        let w0 = units(codes0_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      {
        let w0 = units(codes0_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      {
        let w0 = units(codes0_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes0_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
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
      }
      y0_0 = fma(h0_0_0, s0_0, y0_0);
      y0_1 = fma(h0_1_0, s0_1, y0_1);
      y1_0 = fma(h1_0_0, s0_0, y1_0);
      y1_1 = fma(h1_1_0, s0_1, y1_1);
    }
    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      {
        let w0 = units(codes1_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][0];
          let x1 = staged[0][at1][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][0];
          let x1 = staged[1][at1][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes1_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][2];
          let x1 = staged[0][at1][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][2];
          let x1 = staged[1][at1][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes1_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][4];
          let x1 = staged[0][at1][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][4];
          let x1 = staged[1][at1][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes1_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes1_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at1][6];
          let x1 = staged[0][at1][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at1][6];
          let x1 = staged[1][at1][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s1_0, y0_0);
      y0_1 = fma(h0_1_0, s1_1, y0_1);
      y1_0 = fma(h1_0_0, s1_0, y1_0);
      y1_1 = fma(h1_1_0, s1_1, y1_1);
    }
    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      {
        let w0 = units(codes2_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][0];
          let x1 = staged[0][at2][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][0];
          let x1 = staged[1][at2][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes2_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][2];
          let x1 = staged[0][at2][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][2];
          let x1 = staged[1][at2][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes2_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][4];
          let x1 = staged[0][at2][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][4];
          let x1 = staged[1][at2][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes2_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes2_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at2][6];
          let x1 = staged[0][at2][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at2][6];
          let x1 = staged[1][at2][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s2_0, y0_0);
      y0_1 = fma(h0_1_0, s2_1, y0_1);
      y1_0 = fma(h1_0_0, s2_0, y1_0);
      y1_1 = fma(h1_1_0, s2_1, y1_1);
    }
    {
      var h0_0_0 = 0.0f;
      var h0_1_0 = 0.0f;
      var h1_0_0 = 0.0f;
      var h1_1_0 = 0.0f;
      {
        let w0 = units(codes3_0, 0u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 0u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][0];
          let x1 = staged[0][at3][1];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][0];
          let x1 = staged[1][at3][1];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes3_0, 1u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 1u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][2];
          let x1 = staged[0][at3][3];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][2];
          let x1 = staged[1][at3][3];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes3_0, 2u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 2u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][4];
          let x1 = staged[0][at3][5];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][4];
          let x1 = staged[1][at3][5];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      {
        let w0 = units(codes3_0, 3u);
        let p0_0 = vec2<f32>(w0.p0);
        let p1_0 = vec2<f32>(w0.p1);
        let p2_0 = vec2<f32>(w0.p2);
        let p3_0 = vec2<f32>(w0.p3);
        let w1 = units(codes3_1, 3u);
        let p0_1 = vec2<f32>(w1.p0);
        let p1_1 = vec2<f32>(w1.p1);
        let p2_1 = vec2<f32>(w1.p2);
        let p3_1 = vec2<f32>(w1.p3);
        { let x0 = staged[0][at3][6];
          let x1 = staged[0][at3][7];
h0_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h0_0_0))));
h0_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h0_0_0))));
h0_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h0_1_0))));
h0_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h0_1_0))));
        }
        { let x0 = staged[1][at3][6];
          let x1 = staged[1][at3][7];
h1_0_0 = fma(p1_0.y, x0.w, fma(p1_0.x, x0.z, fma(p0_0.y, x0.y, fma(p0_0.x, x0.x, h1_0_0))));
h1_0_0 = fma(p3_0.y, x1.w, fma(p3_0.x, x1.z, fma(p2_0.y, x1.y, fma(p2_0.x, x1.x, h1_0_0))));
h1_1_0 = fma(p1_1.y, x0.w, fma(p1_1.x, x0.z, fma(p0_1.y, x0.y, fma(p0_1.x, x0.x, h1_1_0))));
h1_1_0 = fma(p3_1.y, x1.w, fma(p3_1.x, x1.z, fma(p2_1.y, x1.y, fma(p2_1.x, x1.x, h1_1_0))));
        }
      }
      y0_0 = fma(h0_0_0, s3_0, y0_0);
      y0_1 = fma(h0_1_0, s3_1, y0_1);
      y1_0 = fma(h1_0_0, s3_0, y1_0);
      y1_1 = fma(h1_1_0, s3_1, y1_1);
    }
  }
  workgroupBarrier();
  put((part * 1u + 0u) * 32u + lane + 0u, vec4<f32>(y0_0, y1_0, 0.0f, 0.0f));
  put((part * 1u + 0u) * 32u + lane + 16u, vec4<f32>(y0_1, y1_1, 0.0f, 0.0f));
  workgroupBarrier();
  for (var i = li; i < 32u; i += 512u) {
    var sum = vec4<f32>();
    for (var p = 0u; p < 32u; p++) { sum += got(p * 32u + i); }
    let out = column0 + i % 32u;
    if (out < kN) {
      let m = i / 32u * 4u;
if (m + 0u < count) { y[(row0 + m + 0u) * kN + out] = sum[0]; }
if (m + 1u < count) { y[(row0 + m + 1u) * kN + out] = sum[1]; }
if (m + 2u < count) { y[(row0 + m + 2u) * kN + out] = sum[2]; }
if (m + 3u < count) { y[(row0 + m + 3u) * kN + out] = sum[3]; }
    }
  }

  }
}
