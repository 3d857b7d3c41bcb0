// nvidia-h200, float16-M1-changing-weights
enable f16;
enable subgroups;
struct params_struct {
  M: u32,
}
@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f16, 524288>;
@group(0) @binding(3) var<storage, read_write> y: array<f16>;
@group(0) @binding(4) var<uniform> params: params_struct;
alias Codes = vec4<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = n * 128u + chunk;
  return b[at];
}
const kN = 4096u;
const kK = 4096u;
const LANES = 32u;
// 128 chunks of every row at a time.
var<workgroup> staged: array<array<array<vec4<u32>, 5>, 128>, 1>;

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

fn load_a(row: u32, k8: u32) -> vec4<u32> {
  return a[row * 512u + k8];
}
fn halves(word: u32) -> vec2<f32> { return vec2<f32>(bitcast<vec2<f16>>(word)); }

fn zip(lo: u32, hi: u32) -> vec2<u32> { return vec2<u32>((lo & 0xffffu) | (hi << 16u), (lo >> 16u) | (hi & 0xffff0000u)); }

// Chunks [chunk0, chunk0 + 128) of rows row0 and up of A, zeros past its end and in rows past M; 16 values an item.
fn stage(row0: u32, chunk0: u32, li: u32) {
  for (var i = li; i < 256u; i += 256u) {
    let m = i / 256u;
    let at = i % 256u;
    let row = row0 + m;
    let from_k = (chunk0 * 2u + at) * 2u;
    var v0 = vec4<u32>();
    var v1 = vec4<u32>();
    if (row < params.M && from_k < 512u) { v0 = load_a(row, from_k); }
    if (row < params.M && from_k + 1u < 512u) { v1 = load_a(row, from_k + 1u); }
    let to = (at & 1u) * 2u;
    staged[m][at / 2u][to] = vec4<u32>(zip(v0.x, v0.z), zip(v0.y, v0.w));
    staged[m][at / 2u][to + 1u] = vec4<u32>(zip(v1.x, v1.z), zip(v1.y, v1.w));
  }
}


@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let lane = li % LANES;
  let first = ((wg.y * 65535u + wg.x) * 8u + li / LANES) * 2u;
  let n0 = min(first + 0u, kN - 1u);
  let n1 = min(first + 1u, kN - 1u);
  let row0 = wg.z * 1u;
  var y0_0 = 0.0f;
  var y0_1 = 0.0f;
  for (var slab = 0u; slab < 128u; slab += 128u) {
    stage(row0, slab, li);
    workgroupBarrier();
    let at0 = 0u * LANES + lane;
    let chunk0 = slab + at0;
    let codes0_0 = load_codes(n0, chunk0);
    let block0_0 = n0 * 128u + chunk0 / 1u;
    let s0_0 = vec2<f32>(f32(scales[block0_0]));
    let codes0_1 = load_codes(n1, chunk0);
    let block0_1 = n1 * 128u + chunk0 / 1u;
    let s0_1 = vec2<f32>(f32(scales[block0_1]));
    let at1 = 1u * LANES + lane;
    let chunk1 = slab + at1;
    let codes1_0 = load_codes(n0, chunk1);
    let block1_0 = n0 * 128u + chunk1 / 1u;
    let s1_0 = vec2<f32>(f32(scales[block1_0]));
    let codes1_1 = load_codes(n1, chunk1);
    let block1_1 = n1 * 128u + chunk1 / 1u;
    let s1_1 = vec2<f32>(f32(scales[block1_1]));
    let at2 = 2u * LANES + lane;
    let chunk2 = slab + at2;
    let codes2_0 = load_codes(n0, chunk2);
    let block2_0 = n0 * 128u + chunk2 / 1u;
    let s2_0 = vec2<f32>(f32(scales[block2_0]));
    let codes2_1 = load_codes(n1, chunk2);
    let block2_1 = n1 * 128u + chunk2 / 1u;
    let s2_1 = vec2<f32>(f32(scales[block2_1]));
    let at3 = 3u * LANES + lane;
    let chunk3 = slab + at3;
    let codes3_0 = load_codes(n0, chunk3);
    let block3_0 = n0 * 128u + chunk3 / 1u;
    let s3_0 = vec2<f32>(f32(scales[block3_0]));
    let codes3_1 = load_codes(n1, chunk3);
    let block3_1 = n1 * 128u + chunk3 / 1u;
    let s3_1 = vec2<f32>(f32(scales[block3_1]));

    {
      var h0_0 = 0.0f;
      var h0_1 = 0.0f;
      {
        let w0 = staged[0][at0][0u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes0_0, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes0_1, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at0][1u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes0_0, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes0_1, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at0][2u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes0_0, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes0_1, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at0][3u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes0_0, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes0_1, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      y0_0 = fma(h0_0, s0_0[0], y0_0);
      y0_1 = fma(h0_1, s0_1[0], y0_1);
    }
    {
      var h0_0 = 0.0f;
      var h0_1 = 0.0f;
      {
        let w0 = staged[0][at1][0u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes1_0, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes1_1, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at1][1u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes1_0, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes1_1, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at1][2u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes1_0, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes1_1, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at1][3u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes1_0, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes1_1, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      y0_0 = fma(h0_0, s1_0[0], y0_0);
      y0_1 = fma(h0_1, s1_1[0], y0_1);
    }
    {
      var h0_0 = 0.0f;
      var h0_1 = 0.0f;
      {
        let w0 = staged[0][at2][0u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes2_0, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes2_1, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at2][1u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes2_0, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes2_1, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at2][2u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes2_0, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes2_1, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at2][3u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes2_0, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes2_1, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      y0_0 = fma(h0_0, s2_0[0], y0_0);
      y0_1 = fma(h0_1, s2_1[0], y0_1);
    }
    {
      var h0_0 = 0.0f;
      var h0_1 = 0.0f;
      {
        let w0 = staged[0][at3][0u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes3_0, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes3_1, 0u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at3][1u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes3_0, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes3_1, 1u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at3][2u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes3_0, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes3_1, 2u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      {
        let w0 = staged[0][at3][3u];
        let x0 = vec4<f32>(halves(w0.x), halves(w0.y));
        let v0 = vec4<f32>(halves(w0.z), halves(w0.w));
        {
          let w = units(codes3_0, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_0 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_0))));
          h0_0 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_0))));
        }
        {
          let w = units(codes3_1, 3u);
          let p0 = vec2<f32>(w.p0);
          let p1 = vec2<f32>(w.p1);
          let p2 = vec2<f32>(w.p2);
          let p3 = vec2<f32>(w.p3);
          h0_1 = fma(p1.y, x0.w, fma(p1.x, x0.z, fma(p0.y, x0.y, fma(p0.x, x0.x, h0_1))));
          h0_1 = fma(p3.y, v0.w, fma(p3.x, v0.z, fma(p2.y, v0.y, fma(p2.x, v0.x, h0_1))));
        }
      }
      y0_0 = fma(h0_0, s3_0[0], y0_0);
      y0_1 = fma(h0_1, s3_1[0], y0_1);
    }
  }
  y0_0 = subgroupAdd(y0_0);
  y0_1 = subgroupAdd(y0_1);
  if (lane == 0u) {
    if (row0 + 0u < params.M) {
      if (first + 0u < kN) {
        let sum = y0_0;
        y[(row0 + 0u) * kN + n0] = f16(sum);
      }
      if (first + 1u < kN) {
        let sum = y0_1;
        y[(row0 + 0u) * kN + n1] = f16(sum);
      }
    }
  }
}
