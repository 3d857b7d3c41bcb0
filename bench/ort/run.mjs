// Times ONNX Runtime's WebGPU provider on MatMulNBits shapes, for `halfbyte bench --ort` and `--compare`.
//
//   node run.mjs --cases CASES.json --out TIMES.json [--provider webgpu|cpu] [--rows M,M,...] [--seconds S] [--budget S] [--quiet]
//
// CASES may be what `halfbyte bench --json` wrote, too. --rows: these M alone; --seconds: of each case; --budget: after which no case is begun (it is among the failed ones then).
// CASES: [{"M","K","N","bits","block_size","dtype","zero_points","accuracy_level"}]. TIMES: schema halfbyte.other/1 (docs/benchmarks.md).
//
// The provider tells no times of its own that could be trusted per kernel, so a layer's time is taken from models of many equal layers,
// each with weights of its own: (time of the long model - time of the short one) / (difference in layers), wall clock, medians
// of runs taken in turn. What a run costs by itself (upload, submit, reading one output back) is in both and cancels out.
//   K = N: each layer reads the one before ("chain").
//   K != N: all layers read the same input, and only the last one's output is asked for ("layers side by side"); ONNX Runtime runs
//           every node of a graph all the same, one after another.
// onnxruntime-node is looked for beside this script, in the checkout's node_modules and in NODE_PATH. Exit 3: it is not there.
import { randomFillSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FLOAT, FLOAT16, UINT8, model, node, tensor, value } from './onnx.mjs';
import { loadRuntime } from './runtime.mjs';

const SHORT = 2;
const MOST_MODEL_BYTES = 1.2e9;  // protobuf ends at 2 GiB
const MOST_OUTPUT_BYTES = 2e9;   // of all layers side by side
const ROTATE_BYTES = 3e8;        // of weights, so that none is in a cache when its turn comes

// Random bits, made once and handed out from changing places: a model's weights would take seconds otherwise.
const noise = randomFillSync(Buffer.alloc(1 << 24));
function randomBytes(count, offset) {
  const out = Buffer.alloc(count);
  let from = (offset * 4099) % noise.length;
  for (let at = 0; at < count;) {
    const length = Math.min(noise.length - from, count - at);
    noise.copy(out, at, from, from + length);
    at += length;
    from = 0;
  }
  return out;
}

// Halfs and floats of a few magnitudes around `size`, of both signs unless `positive`.
function randomFloats(count, dtype, size, positive) {
  const exponent = Math.round(Math.log2(size));
  if (dtype === 'float16') {
    const out = new Uint16Array(count);
    for (let i = 0; i < count; ++i) out[i] = (positive ? 0 : (noise[i % noise.length] & 1) << 15) | ((exponent + 15) << 10) | (noise[(i * 7 + 1) % noise.length] << 2);
    return out;
  }
  const out = new Float32Array(count);
  for (let i = 0; i < count; ++i) out[i] = 2 ** exponent * (1 + noise[(i * 7 + 1) % noise.length] / 256) * (!positive && noise[i % noise.length] & 1 ? -1 : 1);
  return out;
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

// A model of `count` layers with `distinct` sets of weights.
function makeModel(c, count, distinct) {
  const { K, N, bits, block_size: block } = c;
  const blocks = Math.ceil(K / block);
  const type = c.dtype === 'float16' ? FLOAT16 : FLOAT;
  const chained = K === N;
  const initializers = [];
  for (let w = 0; w < distinct; ++w) {
    initializers.push(tensor(`b${w}`, UINT8, [N, blocks, block * bits / 8], randomBytes(N * blocks * block * bits / 8, w)));
    initializers.push(tensor(`s${w}`, type, [N, blocks], bytesOf(randomFloats(N * blocks, c.dtype, 1 / (2 ** (bits - 1) * Math.sqrt(K)), true))));
    if (c.zero_points) initializers.push(tensor(`z${w}`, UINT8, [N, Math.ceil(blocks * bits / 8)], randomBytes(N * Math.ceil(blocks * bits / 8), w + 1)));
  }
  const attributes = { K, N, bits, block_size: block, accuracy_level: c.accuracy_level };
  const nodes = [];
  for (let i = 0; i < count; ++i) {
    const w = i % distinct;
    const inputs = [chained && i > 0 ? `y${i - 1}` : 'x', `b${w}`, `s${w}`, ...(c.zero_points ? [`z${w}`] : [])];
    nodes.push(node('MatMulNBits', 'com.microsoft', inputs, [`y${i}`], attributes));
  }
  const shown = chained ? [count - 1] : [...Array(count).keys()];
  return model({ nodes, initializers, inputs: [value('x', type, ['M', K])], outputs: shown.map((i) => value(`y${i}`, type, ['M', N])) });
}

function plan(c, rows) {
  const element = c.dtype === 'float16' ? 2 : 4;
  const weights = c.N * c.K * c.bits / 8 + c.N * Math.ceil(c.K / c.block_size) * element;
  const distinct = Math.max(1, Math.min(32, Math.ceil(ROTATE_BYTES / weights) + 1, Math.floor(MOST_MODEL_BYTES / weights)));
  let long = SHORT + 32;
  if (c.K !== c.N) long = Math.min(long, SHORT + Math.max(4, Math.floor(MOST_OUTPUT_BYTES / (rows * c.N * element))));
  return { distinct, long };
}

// Each once: a report has a row for every variant.
function readCases(file, rows) {
  const text = JSON.parse(readFileSync(file, 'utf8'));
  const wanted = rows?.split(',').map(Number);
  const cases = new Map();
  for (const { M, K, N, bits, block_size, dtype, zero_points, accuracy_level } of text.results ?? text) {
    if (K === 0 || (wanted && !wanted.includes(M))) continue;  // a row that was not measured has no shape
    const c = { M, K, N, bits, block_size, dtype, zero_points: zero_points ?? false, accuracy_level: accuracy_level ?? 0 };
    cases.set(JSON.stringify(c), c);
  }
  return [...cases.values()];
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function time(session, feeds, output) {
  const start = process.hrtime.bigint();
  const result = await session.run(feeds, [output]);
  const seconds = Number(process.hrtime.bigint() - start) * 1e-9;
  if (!result[output]) throw new Error(`no output ${output}`);
  return seconds;
}

async function measure(ort, sessions, c, limits) {
  const dims = [c.M, c.K];
  const x = new ort.Tensor(c.dtype, c.dtype === 'float16' ? new Uint16Array(randomFloats(c.M * c.K, c.dtype, 0.5, false)) : randomFloats(c.M * c.K, c.dtype, 0.5, false), dims);
  const times = sessions.map(() => []);
  const started = performance.now();
  // Clocks and caches first; then in turn, so that a drift meets both.
  while (performance.now() - started < limits.warm * 1e3) {
    for (const s of sessions) await time(s.session, { x }, `y${s.count - 1}`);
  }
  const measured = performance.now();
  while (times[0].length < limits.least || (performance.now() - measured < limits.seconds * 1e3 && times[0].length < limits.most)) {
    for (const [i, s] of sessions.entries()) times[i].push(await time(s.session, { x }, `y${s.count - 1}`));
  }
  const [short, long] = times.map(median);
  return { us: (long - short) / (sessions[1].count - sessions[0].count) * 1e6, runs: times[0].length };
}

async function main() {
  const { values: options } = parseArgs({
    options: { cases: { type: 'string' }, out: { type: 'string' }, provider: { type: 'string', default: 'webgpu' }, seconds: { type: 'string', default: '0.3' }, budget: { type: 'string', default: 'Infinity' }, rows: { type: 'string' }, quiet: { type: 'boolean' } },
  });
  if (!options.cases || !options.out) throw new Error('usage: node run.mjs --cases CASES.json --out TIMES.json');
  const { ort, version } = loadRuntime('bench/ort');
  const cases = readCases(options.cases, options.rows);
  const limits = { warm: Math.min(0.3, Number(options.seconds)), seconds: Number(options.seconds), least: 5, most: 400 };
  const report = { schema: 'halfbyte.other/1', runtime: `ONNX Runtime ${version}, ${options.provider === 'webgpu' ? 'WebGPU' : options.provider.toUpperCase()} provider`, results: [], failed: [] };
  const groups = new Map();
  for (const c of cases) {
    const key = JSON.stringify({ ...c, M: 0 });
    groups.set(key, [...(groups.get(key) ?? []), c]);
  }
  let done = 0;
  for (const group of groups.values()) {
    const rows = Math.max(...group.map((c) => c.M));
    const { distinct, long } = plan(group[0], rows);
    const sessions = [];
    const late = () => performance.now() > 1e3 * Number(options.budget);  // since this program was started
    const left = 'the time of --budget was used up';
    if (late()) {
      for (const c of group) report.failed.push({ ...c, why: left });
      continue;
    }
    try {
      for (const count of [SHORT, long]) {
        const bytes = makeModel(group[0], count, Math.min(distinct, count));
        const session = await ort.InferenceSession.create(bytes, {
          executionProviders: [options.provider], graphOptimizationLevel: 'disabled', logSeverityLevel: 3,
          // A node that would run on the CPU instead is an error.
          extra: options.provider === 'cpu' ? {} : { session: { disable_cpu_ep_fallback: '1' } },
        });
        sessions.push({ session, count });
      }
      for (const c of group) {
        if (late()) {
          report.failed.push({ ...c, why: left });
          continue;
        }
        if (!options.quiet) process.stdout.write(`\r\x1b[KONNX Runtime: ${++done} of ${cases.length}: K=${c.K} N=${c.N} M=${c.M}`);
        const { us, runs } = await measure(ort, sessions, c, limits);
        const how = c.K === c.N ? 'chain' : 'layers side by side';
        const note = `a layer's share of ${long} minus ${SHORT} layers (${how}), wall clock`;
        if (us > 0) report.results.push({ ...c, us, runs, note });
        else report.failed.push({ ...c, why: `the longer model was not slower (${us.toFixed(2)} us a layer)` });
      }
    } catch (error) {
      report.failed.push({ K: group[0].K, N: group[0].N, why: error.message.split('\n')[0] });
    }
    for (const s of sessions) await s.session.release();
  }
  if (!options.quiet) process.stdout.write('\r\x1b[K');
  writeFileSync(options.out, JSON.stringify(report, null, 1) + '\n');
  for (const f of report.failed) console.error(`bench/ort: K=${f.K} N=${f.N}${f.M ? ` M=${f.M}` : ''}: ${f.why}`);
  if (report.results.length === 0) process.exitCode = 1;
}

await main();
