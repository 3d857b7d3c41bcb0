// nvidia-h200, float32-M1-q8-bias-block128
@group(0) @binding(0) var<storage, read> b: array<u32, 524288>;
@group(0) @binding(1) var<storage, read_write> packed_codes: array<u32>;
const kChunks = 64u;
const kN = 1024u;

fn interleave(w: u32) -> u32 {
  var out = 0u;
  for (var i = 0u; i < 2u; i++) {
    out |= ((w >> (2u * i * 8u)) & 255u) << (i * 8u);
    out |= ((w >> ((2u * i + 1u) * 8u)) & 255u) << (16u + i * 8u);
  }
  return out;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kChunks * kN) { return; }
  let chunk = at / kN;
  let n = at % kN;
  for (var j = 0u; j < 8u; j++) {
    let word = chunk * 8u + j;
    packed_codes[at * 8u + j] = select(0u, interleave(b[n * 512u + min(word, 511u)]), word < 512u);
  }
}
