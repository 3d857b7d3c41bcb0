// Draws a line of text as the OCR model's input, and reads the model's output back as text: a real input for the demo without a
// picture in the repo.
//
//   node tools/text_line.mjs draw "TEXT" X.npy           float32 [1,3,48,W], W by the length of the text
//   node tools/text_line.mjs read Y.npy KEYS.txt         prints what the model read, from its [1,T,classes] probabilities
//   node tools/text_line.mjs read --tensor NAME DIR KEYS.txt   the same from a folder that ort_oracle.mjs wrote
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readNpy, writeNpy } from './npy.mjs';

// 5x7 dots a character, one hexadecimal pair a row, the leftmost dot in bit 4.
const FONT = {
  A: '0e11111f111111', B: '1e11111e11111e', C: '0e11101010110e', D: '1e11111111111e', E: '1f10101e10101f',
  F: '1f10101e101010', G: '0e11101713110f', H: '1111111f111111', I: '0e04040404040e', J: '0702020202120c',
  K: '11121418141211', L: '1010101010101f', M: '111b1515111111', N: '11191915131311', O: '0e11111111110e',
  P: '1e11111e101010', Q: '0e11111115120d', R: '1e11111e141211', S: '0f10100e01011e', T: '1f040404040404',
  U: '1111111111110e', V: '11111111110a04', W: '1111111515150a', X: '11110a040a1111', Y: '11110a04040404',
  Z: '1f01020408101f', 0: '0e11131519110e', 1: '040c040404040e', 2: '0e11010204081f', 3: '1f02040201110e',
  4: '02060a121f0202', 5: '1f101e0101110e', 6: '0608101e11110e', 7: '1f010204080808', 8: '0e11110e11110e',
  9: '0e11110f01020c', ' ': '00000000000000', '-': '0000001f000000',
};
const HEIGHT = 48;  // of the model's input
const DOT = 4;      // pixels a dot: 28 of the 48 rows, as in a printed line
const MARGIN = 10;

// Coverage of pixel (x, y) by ink, each dot a disc a little wider than its cell so that strokes join.
function inkAt(rows, x, y) {
  let ink = 0;
  for (let r = 0; r < 7; ++r) {
    for (let c = 0; c < 5; ++c) {
      if (!((rows[r] >> (4 - c)) & 1)) continue;
      const distance = Math.hypot(x - (c + 0.5) * DOT, y - (r + 0.5) * DOT);
      ink = Math.max(ink, Math.min(1, Math.max(0, DOT * 0.75 - distance + 0.5)));
    }
  }
  return ink;
}

function draw(text) {
  const width = Math.ceil((2 * MARGIN + text.length * 6 * DOT) / 8) * 8;
  const data = new Float32Array(3 * HEIGHT * width).fill(1);  // white; the model takes (pixel / 255 - 0.5) / 0.5
  const top = (HEIGHT - 7 * DOT) / 2;
  [...text.toUpperCase()].forEach((character, i) => {
    if (!(character in FONT)) throw new Error(`"${character}" cannot be drawn; letters, digits, space and - can`);
    const rows = FONT[character].match(/../g).map((pair) => parseInt(pair, 16));
    const left = MARGIN + i * 6 * DOT;
    for (let y = 0; y < HEIGHT; ++y) {
      for (let x = Math.max(0, left - 2); x < Math.min(width, left + 5 * DOT + 2); ++x) {
        const ink = inkAt(rows, x + 0.5 - left, y + 0.5 - top);
        for (let channel = 0; channel < 3; ++channel) {
          const at = (channel * HEIGHT + y) * width + x;
          data[at] = Math.min(data[at], 1 - 2 * ink);
        }
      }
    }
  });
  return { type: 'float32', dims: [1, 3, HEIGHT, width], data };
}

// CTC: the likeliest class of each step, repeats merged, class 0 is "nothing"; the keys are classes 1 up, a space the last.
function decode({ dims, data }, keysFile) {
  const keys = readFileSync(keysFile, 'utf8').replace(/\r/g, '').replace(/\n$/, '').split('\n');
  const [, steps, classes] = dims;
  let text = '';
  let last = 0;
  for (let t = 0; t < steps; ++t) {
    const row = data.subarray(t * classes, (t + 1) * classes);
    const best = row.reduce((at, value, i) => (value > row[at] ? i : at), 0);
    if (best !== 0 && best !== last) text += keys[best - 1] ?? ' ';
    last = best;
  }
  return text;
}

function main([command, ...args]) {
  if (command === 'draw' && args.length === 2) return writeNpy(args[1], draw(args[0]));
  if (command === 'read' && args.length === 2) return console.log(decode(readNpy(args[0]), args[1]));
  if (command === 'read' && args.length === 4 && args[0] === '--tensor') {
    const [, name, dir, keys] = args;
    const { tensors } = JSON.parse(readFileSync(join(dir, 'index.json'), 'utf8'));
    const found = tensors.find((tensor) => tensor.name === name);
    if (!found) throw new Error(`${dir} has no tensor "${name}"`);
    return console.log(decode(readNpy(join(dir, found.file)), keys));
  }
  throw new Error('usage: text_line.mjs draw TEXT X.npy | read Y.npy KEYS.txt | read --tensor NAME DIR KEYS.txt');
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`text_line: ${error.message}`);
  process.exitCode = 1;
}
