// nvidia-h200, float16-M300-group16
@group(0) @binding(0) var<storage, read> b: array<u32, 262144>;
@group(0) @binding(1) var<storage, read_write> packed_codes: array<u32>;
const kChunks = 64u;
const kN = 1024u;

fn interleave(w: u32) -> u32 {
  var out = 0u;
  for (var i = 0u; i < 4u; i++) {
    out |= ((w >> (2u * i * 4u)) & 15u) << (i * 4u);
    out |= ((w >> ((2u * i + 1u) * 4u)) & 15u) << (16u + i * 4u);
  }
  return out;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) li: u32) {
  let at = (wg.y * 65535u + wg.x) * 64u + li;
  if (at >= kChunks * kN) { return; }
  let chunk = at / kN;
  let n = at % kN;
  for (var j = 0u; j < 4u; j++) {
    let word = chunk * 4u + j;
    packed_codes[at * 4u + j] = select(0u, interleave(b[n * 256u + min(word, 255u)]), word < 256u);
  }
}
