// nvidia-h200, float32-M1-level4
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
var<workgroup> staged: array<array<array<vec4<u32>, 4>, 128>, 1>;
var<workgroup> factor: array<array<f32, 128>, 1>;
// The largest magnitude of a chunk of A: an f32's bits, which order as the magnitudes do. 0 between slabs.
var<workgroup> top: array<array<atomic<u32>, 128>, 1>;
var<workgroup> parts: array<array<f32, 16>, 32>;

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

fn half2(v: vec2<f32>) -> u32 { return bitcast<u32>(vec2<f16>(v)); }



@compute @workgroup_size(512)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % 16u;
  let part = li / 16u;
  let column0 = (wg.y * 65535u + wg.x) * 16u;
  let n0 = min(column0 + lane + 0u, kN - 1u);
  let row0 = wg.z;
  var y0_0 = 0.0f;
  for (var slab = 0u; slab < 128u; slab += 128u) {
    let i0 = li + 0u;
    let m0 = i0 / 512u;
    let c0 = i0 / 4u % 128u;
    var v0 = array<vec4<f32>, 2>();
    if (true) {
      let k8 = slab * 4u + i0 % 512u;
      if (k8 * 2u < 1024u) { v0[0] = load_a(row0 + m0, k8 * 2u); }
      if (k8 * 2u + 1u < 1024u) { v0[1] = load_a(row0 + m0, k8 * 2u + 1u); }
      let t = max(abs(v0[0]), abs(v0[1]));
      atomicMax(&top[m0][c0], bitcast<u32>(max(max(t.x, t.y), max(t.z, t.w))));
    }
    workgroupBarrier();
{
      // The power of two above the largest, by its exponent alone, and its reciprocal: both finite and normal whatever A holds.
      let f = (min(atomicLoad(&top[m0][c0]) >> 23u, 252u) + 1u) << 23u;
      let up = bitcast<f32>(0x7f000000u - f);
      factor[m0][c0] = bitcast<f32>(f);
      staged[m0][c0][i0 % 4u] = vec4<u32>(half2(v0[0].xy * up), half2(v0[0].zw * up),
                                      half2(v0[1].xy * up), half2(v0[1].zw * up));
    }

    workgroupBarrier();
    let at0 = 0u + part;
    let chunk0 = slab + at0;
    let codes0_0 = load_codes(n0, chunk0);
    let block0_0 = (chunk0 / 1u) * kN + n0;
    let s0_0 = f32(scales[block0_0]);
    let at1 = 32u + part;
    let chunk1 = slab + at1;
    let codes1_0 = load_codes(n0, chunk1);
    let block1_0 = (chunk1 / 1u) * kN + n0;
    let s1_0 = f32(scales[block1_0]);
    let at2 = 64u + part;
    let chunk2 = slab + at2;
    let codes2_0 = load_codes(n0, chunk2);
    let block2_0 = (chunk2 / 1u) * kN + n0;
    let s2_0 = f32(scales[block2_0]);
    let at3 = 96u + part;
    let chunk3 = slab + at3;
    let codes3_0 = load_codes(n0, chunk3);
    let block3_0 = (chunk3 / 1u) * kN + n0;
    let s3_0 = f32(scales[block3_0]);

    {
      var h0_0_0 = vec2<f16>();
      {
        let w0 = units(codes0_0, 0u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at0][0];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 1u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at0][1];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 2u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at0][2];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes0_0, 3u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at0][3];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      y0_0 += factor[0][at0] * ((f32(h0_0_0.x) + f32(h0_0_0.y)) * s0_0);
    }
    {
      var h0_0_0 = vec2<f16>();
      {
        let w0 = units(codes1_0, 0u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at1][0];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 1u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at1][1];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 2u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at1][2];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes1_0, 3u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at1][3];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      y0_0 += factor[0][at1] * ((f32(h0_0_0.x) + f32(h0_0_0.y)) * s1_0);
    }
    {
      var h0_0_0 = vec2<f16>();
      {
        let w0 = units(codes2_0, 0u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at2][0];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 1u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at2][1];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 2u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at2][2];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes2_0, 3u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at2][3];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      y0_0 += factor[0][at2] * ((f32(h0_0_0.x) + f32(h0_0_0.y)) * s2_0);
    }
    {
      var h0_0_0 = vec2<f16>();
      {
        let w0 = units(codes3_0, 0u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at3][0];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 1u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at3][1];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 2u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at3][2];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      {
        let w0 = units(codes3_0, 3u);
        let p0_0 = w0.p0;
        let p1_0 = w0.p1;
        let p2_0 = w0.p2;
        let p3_0 = w0.p3;
        { let x = staged[0][at3][3];
h0_0_0 = fma(p3_0, bitcast<vec2<f16>>(x.w), fma(p2_0, bitcast<vec2<f16>>(x.z), fma(p1_0, bitcast<vec2<f16>>(x.y), fma(p0_0, bitcast<vec2<f16>>(x.x), h0_0_0))));
        }
      }
      y0_0 += factor[0][at3] * ((f32(h0_0_0.x) + f32(h0_0_0.y)) * s3_0);
    }
  }
  parts[part * 1u + 0u][lane + 0u] = y0_0;
  workgroupBarrier();
  for (var i = li; i < 16u; i += 512u) {
    let m = i / 16u;
    let out = column0 + i % 16u;
    var sum = 0.0f;
    for (var p = 0u; p < 32u; p++) { sum += parts[p * 1u + m][i % 16u]; }
    if (out < kN) {
      y[(row0 + m) * kN + out] = sum;
    }
  }

}
