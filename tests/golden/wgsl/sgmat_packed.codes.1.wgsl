// nvidia-h200, float16-M37-q2-zp-bias-tails
@group(0) @binding(0) var<storage, read> b: array<u32, 700>;
@group(0) @binding(1) var<storage, read_write> packed_codes: array<u32>;
const kChunks = 5u;
const kN = 70u;

fn interleave(w: u32) -> u32 {
  var out = 0u;
  for (var i = 0u; i < 8u; i++) {
    out |= ((w >> (2u * i * 2u)) & 3u) << (i * 2u);
    out |= ((w >> ((2u * i + 1u) * 2u)) & 3u) << (16u + i * 2u);
  }
  return out;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kChunks * kN) { return; }
  let chunk = at / kN;
  let n = at % kN;
  for (var j = 0u; j < 2u; j++) {
    let word = chunk * 2u + j;
    packed_codes[at * 2u + j] = select(0u, interleave(b[n * 10u + min(word, 9u)]), word < 10u);
  }
}
