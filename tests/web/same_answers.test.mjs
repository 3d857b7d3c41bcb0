// The WebAssembly core gives the native program's answers, to the byte: plans, reasons, WGSL.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { built, library, loadCore, packageFiles, packageNames, program, seededRandom, source, testSeed } from './support.mjs';

let core, DeviceHandle, Package;
const scratch = mkdtempSync(join(tmpdir(), 'halfbyte-web-'));
after(() => rmSync(scratch, { recursive: true }));
before(async () => {
  ({ DeviceHandle, Package } = await library());
  core = await loadCore();
});

const native = (...args) => execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] });
const profilesOf = (folder) => readdirSync(folder).filter((name) => name.endsWith('.json')).sort().map((name) => join(folder, name));
const handleOf = (file) => DeviceHandle.parse(core, readFileSync(file, 'utf8'), file);

// Lines of `halfbyte plan --wgsl` by both, of every profile x request.
function comparePlans(pack, nativeArgs, profileFolder, requestsFile) {
  const expected = native('plan', ...nativeArgs, '--profile', profileFolder, '--requests', requestsFile, '--wgsl').trimEnd().split('\n');
  const requests = readFileSync(requestsFile, 'utf8');
  const ours = profilesOf(profileFolder).flatMap((file) => (
    core.perform('planLines', { package: pack.handle, profile: handleOf(file).handle, requests }).map(({ id, plan, error, wgsl }) => (
      `{"profile":${JSON.stringify(basename(file, '.json'))},"request":${JSON.stringify(id)},"plan":${plan ?? JSON.stringify({ error })},"wgsl":${JSON.stringify(wgsl)}}`))));
  assert.equal(ours.length, expected.length);
  const different = ours.filter((line, i) => line !== expected[i]);
  if (different.length > 0) {
    const i = ours.findIndex((line, j) => line !== expected[j]);
    assert.equal(ours[i], expected[i], `${different.length} of ${ours.length} lines differ, the first is line ${i + 1}`);
  }
  return { lines: ours, texts: new Set(ours.flatMap((line) => JSON.parse(line).wgsl)).size };
}

const compat = join(source, '..', 'shared', 'compat');
test('every plan of the public manifest, and its WGSL from our templates', { skip: !existsSync(compat) && 'there is no ../shared beside this checkout' }, (t) => {
  const templates = packageFiles('com.microsoft.MatMulNBits').templates;
  const manifest = join(compat, 'com.microsoft.MatMulNBits', 'manifest.json');
  const pack = Package.create(core, { manifest: readFileSync(manifest, 'utf8'), templates }, manifest);
  const { lines, texts } = comparePlans(pack, [manifest, '--templates', join(source, 'kernels', 'com.microsoft.MatMulNBits')], join(compat, 'profiles'), join(compat, 'requests.json'));
  const golden = readFileSync(join(compat, 'golden', 'MatMulNBits.jsonl'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  assert.equal(lines.length, golden.length);
  assert.ok(golden.length > 0);
  golden.forEach((expected, i) => {
    const { plan } = JSON.parse(lines[i]);
    if (expected.plan.error) assert.ok(plan.error, `line ${i + 1} has a plan, the oracle an error`);
    else assert.deepEqual(plan, expected.plan, `line ${i + 1} is not the oracle's`);
  });
  t.diagnostic(`${lines.length} plans equal the native ones and the oracle's, ${texts} distinct WGSL texts`);
  pack.unload();
});

test('the golden plans and WGSL of our own package', (t) => {
  const folder = join(source, 'kernels', 'com.microsoft.MatMulNBits');
  const pack = Package.create(core, packageFiles('com.microsoft.MatMulNBits'), join(folder, 'manifest.json'));
  const requestsFile = join(source, 'tests', 'golden', 'requests.json');
  const { lines, texts } = comparePlans(pack, [folder], join(source, 'profiles'), requestsFile);
  const requests = new Map(JSON.parse(readFileSync(requestsFile, 'utf8')).map((request) => [request.id, request]));
  const wgsl = join(source, 'tests', 'golden', 'wgsl');
  const files = readdirSync(wgsl);
  assert.ok(files.length > 0);
  for (const name of files) {
    const [, stem, id, text] = /^\/\/ ([^,]+), (.*)\n([^]*)$/.exec(readFileSync(join(wgsl, name), 'utf8'));
    const planned = pack.plan(handleOf(join(source, 'profiles', `${stem}.json`)), requests.get(id));
    assert.ok([...planned.wgsl.values()].includes(text), `${name} is not among the texts of ${id} on ${stem}`);
  }
  t.diagnostic(`${lines.length} plans, ${texts} distinct WGSL texts, ${files.length} golden files`);
  pack.unload();
});

test('explain: random shapes of every package on every profile', (t) => {
  const seed = testSeed(), random = seededRandom(seed);
  t.diagnostic(`HALFBYTE_TEST_SEED=${seed}`);
  let compared = 0, planned = 0;
  for (const name of packageNames()) {
    const folder = join(source, 'kernels', name);
    const pack = Package.create(core, packageFiles(name), join(folder, 'manifest.json'));
    if (!pack.computes) continue;
    const anyBits = 'bits' in (JSON.parse(pack.files.manifest).attributes ?? {});
    for (const file of profilesOf(join(source, 'profiles'))) {
      const profile = handleOf(file);
      for (let i = 0; i < 3; ++i) {
        const matmul = {
          M: random.pick([1, 2, 3, 16, 33, 128, 1000, 4096]), K: random.pick([32, 96, 144, 1024, 4096]), N: random.pick([1, 7, 64, 70, 1000, 11008]),
          bits: anyBits ? random.pick([2, 4, 4, 8]) : 4, blockSize: random.pick([16, 32, 32, 64, 128]), dtype: random.pick(['float16', 'float32']),
          bias: random.below(2) === 1, constantWeights: random.below(4) > 0,
        };
        if (pack.tensors.some((tensor) => /zero/i.test(tensor.key))) matmul.zeroPoints = random.below(2) === 1;
        const options = ['-M', matmul.M, '-K', matmul.K, '-N', matmul.N, '--bits', matmul.bits, '--block-size', matmul.blockSize, '--dtype', matmul.dtype];
        for (const [flag, on] of [['--zero-points', matmul.zeroPoints], ['--bias', matmul.bias], ['--changing-weights', !matmul.constantWeights]]) if (on) options.push(flag);
        const expected = nativeExplain([folder, '--profile', file, ...options.map(String), '--wgsl', '--json']);
        let ours;
        try {
          const { json } = core.perform('explain', { package: pack.handle, profile: profile.handle, problem: pack.problem(matmul), wgsl: true });
          ours = json;
          if (JSON.parse(json).winner) ++planned;
        } catch (error) {
          ours = `error: ${error.message}`;
        }
        assert.equal(ours, expected, `${name} on ${basename(file)}: ${JSON.stringify(matmul)}`);
        ++compared;
      }
      profile.unload();
    }
    pack.unload();
  }
  assert.ok(planned > 0, 'nothing was planned');
  t.diagnostic(`${compared} explanations equal, ${planned} of them with a plan`);
});

// The JSON, or the error in the form that the core's have.
function nativeExplain(args) {
  try {
    return native('explain', ...args).trimEnd();
  } catch (error) {
    if (error.status === 1) return error.stdout.trimEnd();  // nothing runs; the JSON says why
    return `error: ${/^halfbyte[^:]*: (.*)$/m.exec(error.stderr)?.[1] ?? error.stderr}`;
  }
}

test('errors are the library\'s: code, sentence, place', () => {
  const throws = (body) => {
    try {
      body();
    } catch (error) {
      return error;
    }
    throw new Error('nothing was thrown');
  };
  const files = packageFiles('com.microsoft.MatMulNBits');
  const broken = throws(() => Package.create(core, { ...files, manifest: files.manifest.replace('"variants"', '"variant"') }, 'x/manifest.json'));
  assert.equal(broken.name, 'HalfbyteError');
  assert.equal(broken.code, 'parse');
  assert.match(broken.message, /^x\/manifest\.json:\d+:\d+: /);
  const file = join(scratch, 'manifest.json');
  writeFileSync(file, '{"domain": 3}');
  const said = (() => {
    try {
      return native('plan', file, '--profile', join(source, 'profiles'), '--requests', file);
    } catch (error) {
      return error.stderr;
    }
  })();
  const ours = throws(() => Package.create(core, { manifest: '{"domain": 3}', templates: {} }, file));
  assert.ok(said.includes(ours.message), `native: ${said}\nours: ${ours.message}`);
  assert.equal(throws(() => core.perform('fly')).code, 'invalid_argument');
  assert.equal(throws(() => core.perform('plan', { package: 999 })).code, 'invalid_argument');
  const pack = Package.create(core, files);
  const profile = handleOf(join(source, 'profiles', 'baseline-no-features.json'));
  const forced = throws(() => pack.plan(profile, pack.problem({ M: 64, K: 64, N: 64, dtype: 'float32' }), { variant: 'sgmat_packed' }));
  assert.equal(forced.code, 'not_eligible');
  assert.match(forced.message + forced.notes.join(), /sgmat_packed/);
});

test('deep nesting and broken text are errors, not a crash', () => {
  for (const text of ['', '{', '['.repeat(100000), `{"a":`.repeat(5000), '\u0000', '"\\ud800"']) {
    assert.throws(() => Package.create(core, { manifest: text, templates: {} }), { name: 'HalfbyteError', code: 'parse' });
    assert.throws(() => DeviceHandle.parse(core, text), { name: 'HalfbyteError', code: 'parse' });
  }
});

test('size: at most 900 kB, 300 kB with gzip; and the time of the first plan', async (t) => {
  const file = join(built, 'package', 'dist', 'core', 'halfbyte.wasm');
  const raw = statSync(file).size, packed = gzipSync(readFileSync(file), { level: 9 }).length;
  const start = performance.now();
  const fresh = await loadCore();
  const loaded = performance.now();
  const pack = Package.create(fresh, packageFiles('com.microsoft.MatMulNBits'));
  const profile = DeviceHandle.parse(fresh, readFileSync(join(source, 'profiles', 'apple-m4.json'), 'utf8'));
  const ready = performance.now();
  pack.plan(profile, pack.problem({ M: 1, K: 4096, N: 4096 }), {}, () => false);
  const planned = performance.now();
  pack.plan(profile, pack.problem({ M: 1, K: 4096, N: 4096 }));
  const end = performance.now();
  t.diagnostic(`halfbyte.wasm ${raw} bytes, ${packed} with gzip; ${(loaded - start).toFixed(1)} ms to load, ${(ready - loaded).toFixed(1)} ms for the package, ${(planned - ready).toFixed(1)} ms for the first plan, ${(end - planned).toFixed(1)} ms for its WGSL`);
  assert.ok(raw <= 900_000, `${raw} bytes`);
  assert.ok(packed <= 300_000, `${packed} bytes with gzip`);
});
