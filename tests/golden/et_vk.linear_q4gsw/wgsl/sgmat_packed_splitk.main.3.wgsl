// nvidia-h200, float16-M300-group16
enable chromium_experimental_subgroup_matrix;
enable f16;
diagnostic(off, chromium.subgroup_matrix_uniformity);
struct params_struct {
  M: u32,
}
@group(0) @binding(0) var<storage, read_write> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f16>;
@group(0) @binding(3) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> params: params_struct;
alias Codes = vec4<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = chunk * 1024u + n;
  return b[at];
}
struct Quant { s: vec2<f16> }

fn load_quant(n: u32, chunk: u32) -> Quant {
  let at0 = min(chunk * 2u, 127u) * 1024u + n;
  let at1 = min(chunk * 2u + 1u, 127u) * 1024u + n;
  return Quant(vec2<f16>(scales[at0], scales[at1]));
}

// Two codes as f16: pair = the codes at bits 0 and 16 (or, shifted up by 4, at 4 and 20 for pair16).
fn weigh(pair: u32, s: vec2<f16>, z: vec2<f16>) -> u32 {
  return bitcast<u32>((bitcast<vec2<f16>>(pair | 0x64006400u) - 1032.0h) * s);
}
fn weigh16(pair: u32, s: vec2<f16>, z: vec2<f16>) -> u32 {
  let x = bitcast<vec2<f16>>(pair | 0x64006400u);  // 1024 + 16 * code
  return bitcast<u32>(fma(x, vec2<f16>(0.0625h), vec2<f16>(-72.0h)) * s);
}

fn decode(c: Codes, q: Quant, j: u32) -> vec4<u32> {
  let s = vec2<f16>(q.s[j >> 1u]);
  let z = vec2<f16>();
  let w = c[j];
  let v = w >> 8u;
  return vec4<u32>(weigh(w & 0x000f000fu, s, z), weigh16(w & 0x00f000f0u, s, z),
                   weigh(v & 0x000f000fu, s, z), weigh16(v & 0x00f000f0u, s, z));
}
alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sum = subgroup_matrix_result<f32, 16, 16>;

const kRowStride = 5u;
const kK8 = 256u;       // vectors of 8 in a row of A
const kN = 1024u;

var<workgroup> tile: array<array<vec4<u32>, 84>, 32>;


// Eight sums of one row; col is a multiple of 8 and at least one of the eight lies in Y.
fn store8(row: u32, col: u32, slice: u32, s0: vec4<f32>, s1: vec4<f32>) {
  var v0 = s0;
  var v1 = s1;
  let at = (slice * params.M + row) * kN + col;
  y[at >> 2u] = v0;
  if (col + 4u < kN) { y[(at >> 2u) + 1u] = v1; }
}


@compute @workgroup_size(256)fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  // groupM tiles of M share a tile of N before the next one, so that a group's weights stay in the cache.
  let tilesM = (params.M + 127u) / 128u;
  let linear = wg.y * 8u + wg.x;
  let group = linear / 64u;
  let inGroup = linear % 64u;
  let groupRows = min(8u, tilesM - group * 8u);
  let row0 = (group * 8u + inGroup % groupRows) * 128u;
  let col0 = (inGroup / groupRows) * 128u;

  let sg = li / 32u;
  let kw = sg / 4u;
  let wm = (sg % 4u) / 2u;
  let wn = sg % 2u;

  // A last tile that hangs over the edge is moved back to end at it (and stores only its own rows and columns); where the whole of
  // A has fewer rows than a tile, or B fewer columns, the last one is read again.
  let rowA = row0;
  let colB = col0;
  let lastRow = params.M - 1u - row0;
  let ar = li / 8u;
  let ac = li % 8u;
  let baseA = (rowA + ar) * kK8 + ac;
  let at = (ar / 16u) * 2u + ac / 4u;
  let ao = (ar % 16u) * kRowStride + ac % 4u;
  let bc = li / 128u;
  let br = li % 128u;
  let bt = 16u + (br / 16u) * 2u + bc;
  let bo = (br % 16u) * kRowStride;

  var ra0_0: vec4<u32>;
  var ra1_0: vec4<u32>;
  var ra2_0: vec4<u32>;
  var ra3_0: vec4<u32>;
  var rb0_0: Codes;
  var rq0_0: Quant;
  var c0_0: Sum;
  var c0_1: Sum;
  var c0_2: Sum;
  var c0_3: Sum;
  var c1_0: Sum;
  var c1_1: Sum;
  var c1_2: Sum;
  var c1_3: Sum;
  var c2_0: Sum;
  var c2_1: Sum;
  var c2_2: Sum;
  var c2_3: Sum;
  var c3_0: Sum;
  var c3_1: Sum;
  var c3_2: Sum;
  var c3_3: Sum;

  let first = wg.z * 8u;
  { let step = first + 0u;
    ra0_0 = a[(rowA + min(0u + ar, lastRow)) * kK8 + step * 8u + ac];
    ra1_0 = a[(rowA + min(32u + ar, lastRow)) * kK8 + step * 8u + ac];
    ra2_0 = a[(rowA + min(64u + ar, lastRow)) * kK8 + step * 8u + ac];
    ra3_0 = a[(rowA + min(96u + ar, lastRow)) * kK8 + step * 8u + ac];
    { let chunk = step * 2u + bc + 0u / 128u;
      let n = colB + br + 0u % 128u;
      rb0_0 = load_codes(n, chunk);
      rq0_0 = load_quant(n, chunk); }

  }
  for (var t = 0u; t < 8u; t += 1u) {
    workgroupBarrier();
tile[at + 0u / 16u * 2u][ao + 0u % 16u * kRowStride] = ra0_0;tile[at + 32u / 16u * 2u][ao + 32u % 16u * kRowStride] = ra1_0;tile[at + 64u / 16u * 2u][ao + 64u % 16u * kRowStride] = ra2_0;tile[at + 96u / 16u * 2u][ao + 96u % 16u * kRowStride] = ra3_0;{
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 0u] = decode(rb0_0, rq0_0, 0u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 1u] = decode(rb0_0, rq0_0, 1u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 2u] = decode(rb0_0, rq0_0, 2u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 3u] = decode(rb0_0, rq0_0, 3u);
    }
    workgroupBarrier();
    { let step = min(first + t + 1u, first + 7u);
    ra0_0 = a[(rowA + min(0u + ar, lastRow)) * kK8 + step * 8u + ac];
    ra1_0 = a[(rowA + min(32u + ar, lastRow)) * kK8 + step * 8u + ac];
    ra2_0 = a[(rowA + min(64u + ar, lastRow)) * kK8 + step * 8u + ac];
    ra3_0 = a[(rowA + min(96u + ar, lastRow)) * kK8 + step * 8u + ac];
    { let chunk = step * 2u + bc + 0u / 128u;
      let n = colB + br + 0u % 128u;
      rb0_0 = load_codes(n, chunk);
      rq0_0 = load_quant(n, chunk); }

    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 0u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      let a1 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 1u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      let a2 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 2u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      let a3 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 3u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 0u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      c1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, c1_0);
      c2_0 = subgroupMatrixMultiplyAccumulate(a2, b0, c2_0);
      c3_0 = subgroupMatrixMultiplyAccumulate(a3, b0, c3_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 1u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
      c1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, c1_1);
      c2_1 = subgroupMatrixMultiplyAccumulate(a2, b1, c2_1);
      c3_1 = subgroupMatrixMultiplyAccumulate(a3, b1, c3_1);
      let b2 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 2u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_2 = subgroupMatrixMultiplyAccumulate(a0, b2, c0_2);
      c1_2 = subgroupMatrixMultiplyAccumulate(a1, b2, c1_2);
      c2_2 = subgroupMatrixMultiplyAccumulate(a2, b2, c2_2);
      c3_2 = subgroupMatrixMultiplyAccumulate(a3, b2, c3_2);
      let b3 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 3u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_3 = subgroupMatrixMultiplyAccumulate(a0, b3, c0_3);
      c1_3 = subgroupMatrixMultiplyAccumulate(a1, b3, c1_3);
      c2_3 = subgroupMatrixMultiplyAccumulate(a2, b3, c2_3);
      c3_3 = subgroupMatrixMultiplyAccumulate(a3, b3, c3_3);
    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 0u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      let a1 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 1u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      let a2 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 2u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      let a3 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 4u + 3u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 0u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      c1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, c1_0);
      c2_0 = subgroupMatrixMultiplyAccumulate(a2, b0, c2_0);
      c3_0 = subgroupMatrixMultiplyAccumulate(a3, b0, c3_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 1u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
      c1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, c1_1);
      c2_1 = subgroupMatrixMultiplyAccumulate(a2, b1, c2_1);
      c3_1 = subgroupMatrixMultiplyAccumulate(a3, b1, c3_1);
      let b2 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 2u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_2 = subgroupMatrixMultiplyAccumulate(a0, b2, c0_2);
      c1_2 = subgroupMatrixMultiplyAccumulate(a1, b2, c1_2);
      c2_2 = subgroupMatrixMultiplyAccumulate(a2, b2, c2_2);
      c3_2 = subgroupMatrixMultiplyAccumulate(a3, b2, c3_2);
      let b3 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 4u + 3u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_3 = subgroupMatrixMultiplyAccumulate(a0, b3, c0_3);
      c1_3 = subgroupMatrixMultiplyAccumulate(a1, b3, c1_3);
      c2_3 = subgroupMatrixMultiplyAccumulate(a2, b3, c2_3);
      c3_3 = subgroupMatrixMultiplyAccumulate(a3, b3, c3_3);
    }
  }

  // f32 sums leave through workgroup memory, matM rows of every subgroup at a time.
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 0u], 0u, c0_0, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 1u], 0u, c0_1, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 2u], 0u, c0_2, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 3u], 0u, c0_3, kRowStride);
  workgroupBarrier();
  for (var item = li; item < 512u; item += 256u) {
    let st = item / 128u;
    let r = (item % 128u) / 8u;
    let c8 = item % 8u;
    let s = st * 4u + c8 / 2u;
    let o = r * kRowStride + (c8 % 2u) * 2u;
    var v0 = bitcast<vec4<f32>>(tile[s][o]);
    var v1 = bitcast<vec4<f32>>(tile[s][o + 1u]);
    v0 += bitcast<vec4<f32>>(tile[s + 16u][o]);
    v1 += bitcast<vec4<f32>>(tile[s + 16u][o + 1u]);
    let row = rowA + (st / 2u) * 64u + 0u + r;
    let col = colB + (st % 2u) * 64u + c8 * 8u;
    if (row >= row0 && row < params.M && col >= col0 && col < kN) { store8(row, col, wg.z, v0, v1); }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 0u], 0u, c1_0, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 1u], 0u, c1_1, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 2u], 0u, c1_2, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 3u], 0u, c1_3, kRowStride);
  workgroupBarrier();
  for (var item = li; item < 512u; item += 256u) {
    let st = item / 128u;
    let r = (item % 128u) / 8u;
    let c8 = item % 8u;
    let s = st * 4u + c8 / 2u;
    let o = r * kRowStride + (c8 % 2u) * 2u;
    var v0 = bitcast<vec4<f32>>(tile[s][o]);
    var v1 = bitcast<vec4<f32>>(tile[s][o + 1u]);
    v0 += bitcast<vec4<f32>>(tile[s + 16u][o]);
    v1 += bitcast<vec4<f32>>(tile[s + 16u][o + 1u]);
    let row = rowA + (st / 2u) * 64u + 16u + r;
    let col = colB + (st % 2u) * 64u + c8 * 8u;
    if (row >= row0 && row < params.M && col >= col0 && col < kN) { store8(row, col, wg.z, v0, v1); }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 0u], 0u, c2_0, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 1u], 0u, c2_1, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 2u], 0u, c2_2, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 3u], 0u, c2_3, kRowStride);
  workgroupBarrier();
  for (var item = li; item < 512u; item += 256u) {
    let st = item / 128u;
    let r = (item % 128u) / 8u;
    let c8 = item % 8u;
    let s = st * 4u + c8 / 2u;
    let o = r * kRowStride + (c8 % 2u) * 2u;
    var v0 = bitcast<vec4<f32>>(tile[s][o]);
    var v1 = bitcast<vec4<f32>>(tile[s][o + 1u]);
    v0 += bitcast<vec4<f32>>(tile[s + 16u][o]);
    v1 += bitcast<vec4<f32>>(tile[s + 16u][o + 1u]);
    let row = rowA + (st / 2u) * 64u + 32u + r;
    let col = colB + (st % 2u) * 64u + c8 * 8u;
    if (row >= row0 && row < params.M && col >= col0 && col < kN) { store8(row, col, wg.z, v0, v1); }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 0u], 0u, c3_0, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 1u], 0u, c3_1, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 2u], 0u, c3_2, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 4u + 3u], 0u, c3_3, kRowStride);
  workgroupBarrier();
  for (var item = li; item < 512u; item += 256u) {
    let st = item / 128u;
    let r = (item % 128u) / 8u;
    let c8 = item % 8u;
    let s = st * 4u + c8 / 2u;
    let o = r * kRowStride + (c8 % 2u) * 2u;
    var v0 = bitcast<vec4<f32>>(tile[s][o]);
    var v1 = bitcast<vec4<f32>>(tile[s][o + 1u]);
    v0 += bitcast<vec4<f32>>(tile[s + 16u][o]);
    v1 += bitcast<vec4<f32>>(tile[s + 16u][o + 1u]);
    let row = rowA + (st / 2u) * 64u + 48u + r;
    let col = colB + (st % 2u) * 64u + c8 * 8u;
    if (row >= row0 && row < params.M && col >= col0 && col < kN) { store8(row, col, wg.z, v0, v1); }
  }
}
