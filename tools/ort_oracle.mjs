// Runs a model with ONNX Runtime's CPU provider and writes every graph output, as the oracle for our own results.
//
//   node tools/ort_oracle.mjs MODEL.onnx DIR [--input NAME=FILE.npy]... [--shape NAME=1,3,48,320]... [--seed N]
//
// An input without a file is filled with random numbers in [-1, 1); symbolic dimensions without --shape are 1.
// Writes DIR/0.npy, 1.npy, ... and last DIR/index.json: {"runtime", "provider", "seed", "tensors": [{"name", "file", "dtype", "shape"}]}
// for the inputs and the outputs. Graph optimizations are off, so that every node runs as it is written.
// onnxruntime-node is looked for beside this checkout (node_modules) and in NODE_PATH. Exit 3: it is not installed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadRuntime } from '../bench/ort/runtime.mjs';
import { readNpy, writeNpy } from './npy.mjs';

// mulberry32: 32 bits of state are plenty for test data, and the same seed gives the same data everywhere.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function toHalf(value) {  // values in [-1, 1) only: no overflow to think of
  const scratch = new DataView(new ArrayBuffer(4));
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 112;
  if (exponent <= 0) return sign;  // below 2^-14 becomes 0
  return sign | ((exponent << 10) + ((bits >>> 13) & 0x3ff));
}

function randomTensor(type, dims, random) {
  const count = dims.reduce((a, b) => a * b, 1);
  if (type === 'float32') return { type, dims, data: Float32Array.from({ length: count }, () => random() * 2 - 1) };
  if (type === 'float16') return { type, dims, data: Uint16Array.from({ length: count }, () => toHalf(random() * 2 - 1)) };
  throw new Error(`input of type ${type} needs a file: --input NAME=FILE.npy`);
}

const pairs = (list) => new Map((list ?? []).map((text) => {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`"${text}" should be NAME=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}));

function makeFeeds(session, options, random) {
  const files = pairs(options.input);
  const shapes = pairs(options.shape);
  const feeds = new Map();
  for (const meta of session.inputMetadata) {
    if (files.has(meta.name)) {
      feeds.set(meta.name, readNpy(files.get(meta.name)));
    } else {
      const dims = shapes.has(meta.name) ? shapes.get(meta.name).split(',').map(Number)
                                         : meta.shape.map((d) => (typeof d === 'number' && d >= 0 ? d : 1));
      feeds.set(meta.name, randomTensor(meta.type, dims, random));
    }
    files.delete(meta.name);
    shapes.delete(meta.name);
  }
  for (const name of [...files.keys(), ...shapes.keys()]) {
    throw new Error(`the model has no input "${name}"; it has ${session.inputNames.join(', ')}`);
  }
  return feeds;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { input: { type: 'string', multiple: true }, shape: { type: 'string', multiple: true }, seed: { type: 'string' } },
  });
  if (positionals.length !== 2) throw new Error('usage: ort_oracle.mjs MODEL.onnx DIR [--input NAME=FILE.npy] [--shape NAME=DIMS] [--seed N]');
  const [model, dir] = positionals;
  const { ort, version } = loadRuntime('ort_oracle');
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);

  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['cpu'],
    graphOptimizationLevel: 'disabled',
    logSeverityLevel: 3,
  });
  const feeds = makeFeeds(session, values, generator(seed));
  const results = await session.run(Object.fromEntries(
    [...feeds].map(([name, t]) => [name, new ort.Tensor(t.type, t.data, t.dims)])));

  mkdirSync(dir, { recursive: true });
  const tensors = [];
  const write = (name, { type, dims, data }) => {
    const file = `${tensors.length}.npy`;
    writeNpy(join(dir, file), { type, dims, data });
    tensors.push({ name, file, dtype: type, shape: [...dims] });
  };
  for (const [name, tensor] of feeds) write(name, tensor);
  for (const name of session.outputNames) write(name, results[name]);
  writeFileSync(join(dir, 'index.json'), JSON.stringify({ runtime: `onnxruntime ${version}`, provider: 'cpu', seed, tensors }, null, 1));
  console.log(`onnxruntime ${version}, cpu provider: ${tensors.length} tensors in ${dir} (seed ${seed})`);
}

main().catch((error) => {
  console.error(`ort_oracle: ${error.message.split('\n')[0]}`);
  process.exit(1);
});
