// nvidia-h200, float16-M37-q2-zp-bias-tails
enable chromium_experimental_subgroup_matrix;
enable f16;
diagnostic(off, chromium.subgroup_matrix_uniformity);
struct params_struct {
  M: u32,
}
@group(0) @binding(0) var<storage, read_write> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> b: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f16>;
@group(0) @binding(3) var<storage, read> zero_points: array<f16>;
@group(0) @binding(4) var<storage, read> bias: array<f16, 70>;
@group(0) @binding(5) var<storage, read_write> y: array<f16>;
@group(0) @binding(6) var<uniform> params: params_struct;
alias Codes = vec2<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = chunk * 70u + n;
  return b[at];
}
struct Quant { s: vec2<f16>, z: vec2<f16> }

fn load_quant(n: u32, chunk: u32) -> Quant {
  let at = (chunk / 1u) * 70u + n;
  return Quant(vec2<f16>(scales[at]), vec2<f16>(f16(zero_points[at])));
}

// Two codes as f16: pair = the codes at bits 0 and 16 (or, shifted up by 4, at 4 and 20 for pair16).
fn weigh(pair: u32, s: vec2<f16>, z: vec2<f16>) -> u32 {
  return bitcast<u32>(((bitcast<vec2<f16>>(pair | 0x64006400u) - 1024.0h) - z) * s);
}

fn decode(c: Codes, q: Quant, j: u32) -> vec4<u32> {
  let s = q.s;
  let z = q.z;
  let w = c[j >> 1u] >> ((j & 1u) * 8u);
  return vec4<u32>(weigh(w & 0x00030003u, s, z), weigh((w >> 2u) & 0x00030003u, s, z),
                   weigh((w >> 4u) & 0x00030003u, s, z), weigh((w >> 6u) & 0x00030003u, s, z));
}
alias Left = subgroup_matrix_left<f16, 16, 16>;
alias Right = subgroup_matrix_right<f16, 16, 16>;
alias Sum = subgroup_matrix_result<f32, 16, 16>;

const kRowStride = 5u;
const kK8 = 18u;       // vectors of 8 in a row of A
const kN = 70u;

var<workgroup> tile: array<array<vec4<u32>, 84>, 32>;


// Eight sums of one row; col is a multiple of 8 and at least one of the eight lies in Y.
fn store8(row: u32, col: u32, slice: u32, s0: vec4<f32>, s1: vec4<f32>) {
  var v0 = s0;
  var v1 = s1;
  for (var i = 0u; i < 4u; i++) {
    v0[i] += f32(bias[min(col + i, kN - 1u)]);
    v1[i] += f32(bias[min(col + 4u + i, kN - 1u)]);
  }
  let at = row * kN + col;
  for (var i = 0u; i < 4u; i++) {
    if (col + i < kN) { y[at + i] = f16(v0[i]); }
    if (col + 4u + i < kN) { y[at + 4u + i] = f16(v1[i]); }
  }
}


@compute @workgroup_size(256)fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  // groupM tiles of M share a tile of N before the next one, so that a group's weights stay in the cache.
  let tilesM = (params.M + 63u) / 64u;
  let linear = wg.y * 2u + wg.x;
  let group = linear / 16u;
  let inGroup = linear % 16u;
  let groupRows = min(8u, tilesM - group * 8u);
  let row0 = (group * 8u + inGroup % groupRows) * 64u;
  let col0 = (inGroup / groupRows) * 64u;

  let sg = li / 32u;
  let kw = sg / 4u;
  let wm = (sg % 4u) / 2u;
  let wn = sg % 2u;

  // A last tile that hangs over the edge is moved back to end at it (and stores only its own rows and columns); where the whole of
  // A has fewer rows than a tile, or B fewer columns, the last one is read again.
  let rowA = row0;
  let colB = col0;
  let lastRow = params.M - 1u - row0;
  let ar = li / 16u;
  let ac = li % 16u;
  let baseA = (rowA + ar) * kK8 + ac;
  let at = (ar / 16u) * 4u + ac / 4u;
  let ao = (ar % 16u) * kRowStride + ac % 4u;
  let bc = li / 64u;
  let br = li % 64u;
  let bt = 16u + (br / 16u) * 4u + bc;
  let bo = (br % 16u) * kRowStride;

  var ra0_0: vec4<u32>;
  var ra1_0: vec4<u32>;
  var ra2_0: vec4<u32>;
  var ra3_0: vec4<u32>;
  var rb0_0: Codes;
  var rq0_0: Quant;
  var c0_0: Sum;
  var c0_1: Sum;
  var c1_0: Sum;
  var c1_1: Sum;

  let first = 0u;
  { let step = first + 0u;
    ra0_0 = select(vec4<u32>(0u), a[(rowA + min(0u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    ra1_0 = select(vec4<u32>(0u), a[(rowA + min(16u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    ra2_0 = select(vec4<u32>(0u), a[(rowA + min(32u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    ra3_0 = select(vec4<u32>(0u), a[(rowA + min(48u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    { let chunk = min(step * 4u + bc + 0u / 64u, 4u);
      let n = min(colB + br + 0u % 64u, kN - 1u);
      rb0_0 = load_codes(n, chunk);
      rq0_0 = load_quant(n, chunk); }

  }
  for (var t = 0u; t < 2u; t += 1u) {
    workgroupBarrier();
tile[at + 0u / 16u * 4u][ao + 0u % 16u * kRowStride] = ra0_0;tile[at + 16u / 16u * 4u][ao + 16u % 16u * kRowStride] = ra1_0;tile[at + 32u / 16u * 4u][ao + 32u % 16u * kRowStride] = ra2_0;tile[at + 48u / 16u * 4u][ao + 48u % 16u * kRowStride] = ra3_0;{
      tile[bt + (0u % 64u) / 16u * 4u + 0u / 64u][bo + (0u % 64u) % 16u * kRowStride + 0u] = decode(rb0_0, rq0_0, 0u);
      tile[bt + (0u % 64u) / 16u * 4u + 0u / 64u][bo + (0u % 64u) % 16u * kRowStride + 1u] = decode(rb0_0, rq0_0, 1u);
      tile[bt + (0u % 64u) / 16u * 4u + 0u / 64u][bo + (0u % 64u) % 16u * kRowStride + 2u] = decode(rb0_0, rq0_0, 2u);
      tile[bt + (0u % 64u) / 16u * 4u + 0u / 64u][bo + (0u % 64u) % 16u * kRowStride + 3u] = decode(rb0_0, rq0_0, 3u);
    }
    workgroupBarrier();
    { let step = min(first + t + 1u, first + 1u);
    ra0_0 = select(vec4<u32>(0u), a[(rowA + min(0u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    ra1_0 = select(vec4<u32>(0u), a[(rowA + min(16u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    ra2_0 = select(vec4<u32>(0u), a[(rowA + min(32u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    ra3_0 = select(vec4<u32>(0u), a[(rowA + min(48u + ar, lastRow)) * kK8 + min(step * 16u + ac, kK8 - 1u)], step * 16u + ac < kK8);
    { let chunk = min(step * 4u + bc + 0u / 64u, 4u);
      let n = min(colB + br + 0u % 64u, kN - 1u);
      rb0_0 = load_codes(n, chunk);
      rq0_0 = load_quant(n, chunk); }

    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 0u) * 4u + kw * 2u + 0u], 0u, kRowStride);
      let a1 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 1u) * 4u + kw * 2u + 0u], 0u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 0u) * 4u + kw * 2u + 0u], 0u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      c1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, c1_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 1u) * 4u + kw * 2u + 0u], 0u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
      c1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, c1_1);
    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 0u) * 4u + kw * 2u + 0u], 2u, kRowStride);
      let a1 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 1u) * 4u + kw * 2u + 0u], 2u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 0u) * 4u + kw * 2u + 0u], 2u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      c1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, c1_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 1u) * 4u + kw * 2u + 0u], 2u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
      c1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, c1_1);
    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 0u) * 4u + kw * 2u + 1u], 0u, kRowStride);
      let a1 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 1u) * 4u + kw * 2u + 1u], 0u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 0u) * 4u + kw * 2u + 1u], 0u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      c1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, c1_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 1u) * 4u + kw * 2u + 1u], 0u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
      c1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, c1_1);
    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 0u) * 4u + kw * 2u + 1u], 2u, kRowStride);
      let a1 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 2u + 1u) * 4u + kw * 2u + 1u], 2u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 0u) * 4u + kw * 2u + 1u], 2u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      c1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, c1_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[16u + (wn * 2u + 1u) * 4u + kw * 2u + 1u], 2u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
      c1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, c1_1);
    }
  }

  // f32 sums leave through workgroup memory, matM rows of every subgroup at a time.
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&tile[sg * 2u + 0u], 0u, c0_0, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 2u + 1u], 0u, c0_1, kRowStride);
  workgroupBarrier();
  for (var item = li; item < 256u; item += 256u) {
    let st = item / 64u;
    let r = (item % 64u) / 4u;
    let c8 = item % 4u;
    let s = st * 2u + c8 / 2u;
    let o = r * kRowStride + (c8 % 2u) * 2u;
    var v0 = bitcast<vec4<f32>>(tile[s][o]);
    var v1 = bitcast<vec4<f32>>(tile[s][o + 1u]);
    v0 += bitcast<vec4<f32>>(tile[s + 8u][o]);
    v1 += bitcast<vec4<f32>>(tile[s + 8u][o + 1u]);
    let row = rowA + (st / 2u) * 32u + 0u + r;
    let col = colB + (st % 2u) * 32u + c8 * 8u;
    if (row >= row0 && row < params.M && col >= col0 && col < kN) { store8(row, col, 0u, v0, v1); }
  }
  workgroupBarrier();
  subgroupMatrixStore<row_major>(&tile[sg * 2u + 0u], 0u, c1_0, kRowStride);
  subgroupMatrixStore<row_major>(&tile[sg * 2u + 1u], 0u, c1_1, kRowStride);
  workgroupBarrier();
  for (var item = li; item < 256u; item += 256u) {
    let st = item / 64u;
    let r = (item % 64u) / 4u;
    let c8 = item % 4u;
    let s = st * 2u + c8 / 2u;
    let o = r * kRowStride + (c8 % 2u) * 2u;
    var v0 = bitcast<vec4<f32>>(tile[s][o]);
    var v1 = bitcast<vec4<f32>>(tile[s][o + 1u]);
    v0 += bitcast<vec4<f32>>(tile[s + 8u][o]);
    v1 += bitcast<vec4<f32>>(tile[s + 8u][o + 1u]);
    let row = rowA + (st / 2u) * 32u + 16u + r;
    let col = colB + (st % 2u) * 32u + c8 * 8u;
    if (row >= row0 && row < params.M && col >= col0 && col < kN) { store8(row, col, 0u, v0, v1); }
  }
}
