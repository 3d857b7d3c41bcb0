// nvidia-h200, float16-M5-lm-head
enable chromium_experimental_subgroup_matrix;
enable f16;
diagnostic(off, chromium.subgroup_matrix_uniformity);
struct params_struct {
  M: u32,
}
@group(0) @binding(0) var<storage, read_write> a: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> scales: array<f16>;
@group(0) @binding(3) var<storage, read_write> y: array<vec4<u32>>;
@group(0) @binding(4) var<uniform> params: params_struct;
alias Codes = vec4<u32>;

fn load_codes(n: u32, chunk: u32) -> Codes {
  let at = chunk * 128256u + n;
  return b[at];
}
struct Quant { s: vec2<f16> }

fn load_quant(n: u32, chunk: u32) -> Quant {
  let at = (chunk / 2u) * 128256u + n;
  return Quant(vec2<f16>(scales[at]));
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
  let s = q.s;
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
const kN = 128256u;

var<workgroup> tile: array<array<vec4<u32>, 84>, 18>;


// Eight sums of one row; col is a multiple of 8 and at least one of the eight lies in Y.
fn store8(row: u32, col: u32, slice: u32, s0: vec4<f32>, s1: vec4<f32>) {
  var v0 = s0;
  var v1 = s1;
  let at = row * kN + col;
  y[at >> 3u] = vec4<u32>(bitcast<u32>(vec2<f16>(v0.xy)), bitcast<u32>(vec2<f16>(v0.zw)),
                          bitcast<u32>(vec2<f16>(v1.xy)), bitcast<u32>(vec2<f16>(v1.zw)));
}


@compute @workgroup_size(256)fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  // groupM tiles of M share a tile of N before the next one, so that a group's weights stay in the cache.
  let tilesM = (params.M + 15u) / 16u;
  let linear = wg.y * 1002u + wg.x;
  let group = linear / 8016u;
  let inGroup = linear % 8016u;
  let groupRows = min(8u, tilesM - group * 8u);
  let row0 = (group * 8u + inGroup % groupRows) * 16u;
  let col0 = (inGroup / groupRows) * 128u;

  let sg = li / 32u;
  let kw = sg / 4u;
  let wm = (sg % 4u) / 4u;
  let wn = sg % 4u;

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
  let bt = 2u + (br / 16u) * 2u + bc;
  let bo = (br % 16u) * kRowStride;

  var ra0_0: vec4<u32>;
  var rb0_0: Codes;
  var rq0_0: Quant;
  var ra0_1: vec4<u32>;
  var rb0_1: Codes;
  var rq0_1: Quant;
  var c0_0: Sum;
  var c0_1: Sum;

  let first = 0u;
  { let step = first + 0u;
    ra0_0 = a[(rowA + min(0u + ar, lastRow)) * kK8 + step * 8u + ac];
    { let chunk = step * 2u + bc + 0u / 128u;
      let n = colB + br + 0u % 128u;
      rb0_0 = load_codes(n, chunk);
      rq0_0 = load_quant(n, chunk); }

  }
  { let step = first + 1u;
    ra0_1 = a[(rowA + min(0u + ar, lastRow)) * kK8 + step * 8u + ac];
    { let chunk = step * 2u + bc + 0u / 128u;
      let n = colB + br + 0u % 128u;
      rb0_1 = load_codes(n, chunk);
      rq0_1 = load_quant(n, chunk); }

  }
  for (var t = 0u; t < 32u; t += 2u) {
    workgroupBarrier();
if (li + 0u < 128u) { tile[at + 0u / 16u * 2u][ao + 0u % 16u * kRowStride] = ra0_0; }{
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 0u] = decode(rb0_0, rq0_0, 0u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 1u] = decode(rb0_0, rq0_0, 1u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 2u] = decode(rb0_0, rq0_0, 2u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 3u] = decode(rb0_0, rq0_0, 3u);
    }
    workgroupBarrier();
    { let step = min(first + t + 2u, first + 31u);
    ra0_0 = a[(rowA + min(0u + ar, lastRow)) * kK8 + step * 8u + ac];
    { let chunk = step * 2u + bc + 0u / 128u;
      let n = colB + br + 0u % 128u;
      rb0_0 = load_codes(n, chunk);
      rq0_0 = load_quant(n, chunk); }

    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 1u + 0u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 0u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 1u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 1u + 0u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 0u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 1u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
    }
    workgroupBarrier();
if (li + 0u < 128u) { tile[at + 0u / 16u * 2u][ao + 0u % 16u * kRowStride] = ra0_1; }{
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 0u] = decode(rb0_1, rq0_1, 0u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 1u] = decode(rb0_1, rq0_1, 1u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 2u] = decode(rb0_1, rq0_1, 2u);
      tile[bt + (0u % 128u) / 16u * 2u + 0u / 128u][bo + (0u % 128u) % 16u * kRowStride + 3u] = decode(rb0_1, rq0_1, 3u);
    }
    workgroupBarrier();
    { let step = min(first + t + 3u, first + 31u);
    ra0_1 = a[(rowA + min(0u + ar, lastRow)) * kK8 + step * 8u + ac];
    { let chunk = step * 2u + bc + 0u / 128u;
      let n = colB + br + 0u % 128u;
      rb0_1 = load_codes(n, chunk);
      rq0_1 = load_quant(n, chunk); }

    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 1u + 0u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 0u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 1u) * 2u + kw * 1u + 0u], 0u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
    }
    {
      let a0 = subgroupMatrixLoad<Left, row_major>(&tile[(wm * 1u + 0u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      let b0 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 0u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, c0_0);
      let b1 = subgroupMatrixLoad<Right, col_major>(&tile[2u + (wn * 2u + 1u) * 2u + kw * 1u + 0u], 2u, kRowStride);
      c0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, c0_1);
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
    let row = rowA + (st / 4u) * 16u + 0u + r;
    let col = colB + (st % 4u) * 32u + c8 * 8u;
    if (row >= row0 && row < params.M && col >= col0 && col < kN) { store8(row, col, 0u, v0, v1); }
  }
}
