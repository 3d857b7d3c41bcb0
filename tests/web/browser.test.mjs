// The library and the page in a real browser.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { serve } from '../../web/tools/serve.mjs';
import { launch } from './chromium.mjs';
import { built, packageFiles, packageNames, seededRandom, source, testSeed } from './support.mjs';

const screenshots = join(built, 'screenshots');
let browser, server, origin, kernels, kernelsOrigin;
const opened = [];

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  server = await serve(built, 0);
  origin = `http://127.0.0.1:${server.address().port}`;
  kernels = await serve(join(source, 'kernels'), 0);
  kernelsOrigin = `http://127.0.0.1:${kernels.address().port}`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  kernels?.close();
});

// A page that must say nothing on its console and ask nobody but its own server.
async function open(path, options = {}, prepare = async () => {}) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  await prepare(context);
  const page = await context.newPage();
  page.setDefaultTimeout(900_000);
  page.problems = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.problems.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => page.problems.push(`page: ${error.message}`));
  page.on('request', (request) => { if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) page.problems.push(`request: ${request.url()}`); });
  opened.push(page);
  await page.goto(origin + path);
  return page;
}
const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.ready);

test('the library: probe, prepare, record, run, errors', async (t) => {
  const seed = testSeed(), random = seededRandom(seed);
  t.diagnostic(`HALFBYTE_TEST_SEED=${seed}`);
  const [M, K, N] = [5, 96, 70];
  const A = Array.from({ length: M * K }, () => random.below(17) - 8), codes = Array.from({ length: N * 3 * 16 }, () => random.below(256));
  const scales = Array.from({ length: N * 3 }, () => (random.below(5) + 1) / 8);
  const page = await open('/package/dist/kernels/index.json');
  const result = await page.evaluate(async ({ M, K, N, A, codes, scales, kernelsOrigin }) => {
    const { Device, Kernel, HalfbyteError, loadPackage, builtInPackages } = await import('/package/dist/index.js');
    const device = await Device.probe();
    const failing = async (body) => {
      try {
        await body();
        return 'nothing was thrown';
      } catch (error) {
        return error instanceof HalfbyteError ? `${error.code}: ${error.message}` : `not ours: ${error}`;
      }
    };
    const pack = await loadPackage('com.microsoft.MatMulNBits');
    const kernel = new Kernel(device, pack);
    const problem = pack.problem({ M, K, N, bits: 4, blockSize: 32, dtype: 'float32' });
    const arrays = { aT: new Float32Array(A), bT: new Uint8Array(codes), scalesT: new Float32Array(scales) };
    const call = await kernel.prepare(problem);
    const { yT } = await call.run(arrays);

    // The same, recorded twice into a pass of ours with buffers of ours.
    const buffers = {};
    for (const tensor of call.tensors) {
      buffers[tensor.key] = await device.createBuffer(tensor.key, tensor.bytes);
      if (!tensor.output) device.write(buffers[tensor.key], new Uint8Array(arrays[tensor.key].buffer));
    }
    const encoder = device.gpu.createCommandEncoder(), pass = encoder.beginComputePass();
    call.record(pass, buffers);
    const groups = device.stats.bindGroups;
    call.record(pass, buffers);
    const groupsAgain = device.stats.bindGroups;
    pass.end();
    device.gpu.queue.submit([encoder.finish()]);
    const recorded = new Float32Array((await device.read(buffers.yT, M * N * 4)).buffer);

    const { yT: missing, ...lacking } = buffers;
    const inPass = (body) => failing(() => {
      const other = device.gpu.createCommandEncoder().beginComputePass();
      try { body(other); } finally { other.end(); }
    });
    const small = await device.createBuffer('small', 16);
    const errors = {
      missing: await inPass((p) => call.record(p, lacking)),
      unknown: await inPass((p) => call.record(p, { ...buffers, zT: missing })),
      small: await inPass((p) => call.record(p, { ...buffers, yT: small })),
      offset: await inPass((p) => call.record(p, { ...buffers, aT: { buffer: buffers.aT, offset: 4, size: 16 } })),
      aliased: await inPass((p) => call.record(p, { ...buffers, yT: buffers.aT })),
      array: await failing(() => call.run({ ...arrays, aT: new Float32Array(3) })),
      shape: await failing(() => kernel.prepare({ ...problem, inputs: { ...problem.inputs, scalesT: { shape: [N, 4], dtype: 'float32' } } })),
      variant: await failing(() => kernel.prepare(problem, { variant: 'nope' })),
      notFound: await failing(() => loadPackage('no.such.Package')),
    };
    const names = await builtInPackages();
    const rows = [];
    for (const rowsOfA of [1, 2, 3, 7, 8, 31, 32, 33, 64, 65, 127, 128]) rows.push(await kernel.prepare(pack.problem({ M: rowsOfA, K: 256, N: 256, dtype: 'float32' })));
    const same = await kernel.prepare(problem) === call;
    device.destroy();
    await device.gpu.lost;
    await new Promise((resolve) => { setTimeout(resolve); });
    errors.lost = await failing(() => kernel.prepare(pack.problem({ M: 9, K: 64, N: 64, dtype: 'float32' })));
    return { names, yT: [...yT], recorded: [...recorded], newGroups: groupsAgain - groups, errors, programs: device.stats.programsCompiled, calls: rows.length, same };
  }, { M, K, N, A, codes, scales, kernelsOrigin });

  const expected = Array.from({ length: M * N }, (_, i) => {
    const m = Math.floor(i / N), n = i % N;
    let sum = 0;
    for (let k = 0; k < K; ++k) {
      const byte = codes[(n * 3 + Math.floor(k / 32)) * 16 + Math.floor(k % 32 / 2)];
      sum += A[m * K + k] * ((k % 2 ? byte >> 4 : byte & 15) - 8) * scales[n * 3 + Math.floor(k / 32)];
    }
    return sum;
  });
  // Small whole numbers times eighths: every order of summation is exact.
  assert.deepEqual(result.yT, expected);
  assert.deepEqual(result.recorded, expected);
  assert.equal(result.newGroups, 0, 'the second recording made bind groups');
  assert.equal(result.same, true);
  assert.deepEqual(result.names, packageNames());
  const { errors } = result;
  assert.match(errors.missing, /^invalid_argument: output yT was not given a buffer/);
  assert.match(errors.unknown, /^invalid_argument: zT is not a tensor of this call/);
  assert.match(errors.small, /^invalid_argument: yT .* needs 1400 bytes/);
  assert.match(errors.offset, /^invalid_argument: aT /);
  assert.match(errors.aliased, /^invalid_argument: .*lie in one buffer/);
  assert.match(errors.array, /^invalid_argument: aT has 12 bytes/);
  assert.match(errors.shape, /^invalid_argument: .*scalesT/);
  assert.match(errors.variant, /^(invalid_argument|not_found): /);
  assert.match(errors.notFound, /^not_found: .*404/);
  assert.match(errors.lost, /^device_lost: /);
  t.diagnostic(`${result.programs} programs for ${result.calls} numbers of rows and one more call`);
});

test('a package from the URL of its folder is the built-in one', async () => {
  const page = await open('/package/dist/kernels/index.json');
  const names = await page.evaluate(async (files) => {
    const { Core, Package, loadPackage } = await import('/package/dist/index.js');
    const core = await Core.shared();
    const from = [];
    for (const [name, given] of Object.entries(files)) {
      const inBundle = Package.create(core, given), fetched = await loadPackage(new URL(`/package/dist/kernels/${name}.json`, location.href));
      from.push([name, inBundle.hash === fetched.hash]);
    }
    return from;
  }, Object.fromEntries(packageNames().map((name) => [name, packageFiles(name)])));
  for (const [name, same] of names) assert.ok(same, name);
});

test('verify finds a kernel that is wrong', async () => {
  const files = packageFiles('com.microsoft.MatMulNBits');
  const file = 'matmul-nbits.wgsl.jinja';
  const wrong = files.templates[file].replace('return sum + bias_at(n);', 'return sum * 1.01 + bias_at(n);');
  assert.notEqual(wrong, files.templates[file], 'the template has changed, so must this test');
  const cases = JSON.stringify(JSON.parse(files.cases).filter((c) => c.inputs.aT.shape.reduce((a, b) => a * b, 1) < 4000).slice(0, 12));
  const page = await open('/package/dist/kernels/index.json');
  const [good, bad] = await page.evaluate(async ({ files, file, wrong, cases }) => {
    const { Core, Device, Package, verify } = await import('/package/dist/index.js');
    const core = await Core.shared(), device = await Device.probe();
    const run = (templates) => verify(device, Package.create(core, { ...files, templates }), { cases, variant: 'scalar' });
    return [await run(files.templates), await run({ ...files.templates, [file]: wrong })];
  }, { files, file, wrong, cases });
  assert.ok(good.passed > 0);
  assert.equal(good.failed, 0, JSON.stringify(good.rows.filter((row) => !row.pass)));
  assert.ok(bad.failed > good.passed / 2, `${bad.failed} failed, ${bad.passed} passed`);
  assert.match(bad.rows.find((row) => !row.pass).why, /\d/);
});

test('the page: device, profile, explain', async () => {
  const page = await open('/page/');
  await ready(page);
  assert.equal(await page.locator('#problem').isVisible(), false, await page.locator('#problem').innerText());
  assert.match(await page.locator('#device-facts').innerText(), /swiftshader/i);
  const [save] = await Promise.all([page.waitForEvent('download'), page.click('#download-profile')]);
  const profile = JSON.parse(readFileSync(await save.path(), 'utf8'));
  assert.ok(profile.limits.maxComputeInvocationsPerWorkgroup > 0 && profile.adapterInfo.architecture === 'swiftshader');

  await page.selectOption('#package', 'com.microsoft.MatMulNBits');
  await page.fill('[name=M]', '128');
  await page.selectOption('[name=dtype]', 'float32');
  assert.match(await page.locator('#explain-status').innerText(), /^M128-K4096-N4096-q4b32-float32 runs by \w+/);
  assert.equal(await page.locator('#explain-variants tr.chosen').count(), 1);
  const rows = await page.locator('#explain-variants tbody tr').count();
  assert.ok(rows > 5, `${rows} variants`);
  await page.locator('#explain-wgsl summary').first().click();
  assert.match(await page.locator('#explain-wgsl pre').first().innerText(), /@compute/);
  assert.match(page.url(), /M=128/);
  await page.fill('[name=K]', '0');
  assert.match(await page.locator('#explain-status').innerText(), /no allowed number/);
  await page.fill('[name=K]', '64');
  for (const name of await page.locator('#package option').allInnerTexts()) {
    await page.selectOption('#package', name);
    assert.match(await page.locator('#explain-status').innerText(), /runs by|Nothing runs/, name);
  }
});

test('the page with the keyboard alone', async () => {
  const page = await open('/page/#M=7&dtype=float32&K=256&N=64');
  await ready(page);
  assert.equal(await page.inputValue('[name=M]'), '7');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name || document.activeElement.tagName));
  }
  for (const wanted of ['download-profile', 'package', 'M', 'K', 'N', 'bits', 'zeroPoints', 'verify-start', 'bench-start', 'report-download']) assert.ok(reached.has(wanted), `${wanted} is not reached: ${[...reached]}`);
  await page.locator('[name=M]').focus();
  await page.keyboard.press('ArrowUp');
  assert.match(await page.locator('#explain-status').innerText(), /^M8-/);
});

test('the page: bench on a tiny shape, report', async () => {
  const page = await open('/page/#M=1&dtype=float32&K=64&N=32');
  await ready(page);
  await page.fill('#bench-rows', '1 3');
  await page.fill('#bench-rotate', '0');
  await page.check('#bench-all');
  await page.focus('#bench-start');
  await page.keyboard.press('Enter');
  await page.waitForSelector('body[data-bench=done]');
  assert.match(await page.locator('#bench-status').innerText(), /^\d+ measured/);
  assert.ok(await page.locator('#bench-chart svg circle').count() >= 2);
  const [save] = await Promise.all([page.waitForEvent('download'), page.click('#report-download')]);
  const report = JSON.parse(readFileSync(await save.path(), 'utf8'));
  assert.ok(report.bench.rows.filter((row) => row.time).every((row) => row.time.median > 0 && row.tflops > 0));
  assert.ok(report.bench.rows.some((row) => row.chosen && row.time));
  assert.equal(report.explain.winner !== null, true);
  await page.screenshot({ path: join(screenshots, 'bench.png'), fullPage: true });
});

test('the page: verify every case of every package', async (t) => {
  const page = await open('/page/#dtype=float32');
  await ready(page);
  for (const name of await page.locator('#package option').allInnerTexts()) {
    await page.selectOption('#package', name);
    await page.evaluate(() => { delete document.body.dataset.verify; });
    const start = performance.now();
    await page.click('#verify-start');
    await page.waitForSelector('body[data-verify=done]');
    const status = await page.locator('#verify-status').innerText();
    const [, passed, failed] = /(\d+) passed, (\d+) failed, \d+ skipped; seed \d+/.exec(status) ?? [];
    t.diagnostic(`${name}: ${status} ${((performance.now() - start) / 1000).toFixed(0)} s`);
    assert.ok(Number(passed) > 0, `${name}: ${status}`);
    assert.equal(Number(failed), 0, `${name}: ${status} ${await page.locator('#verify-failure').innerText()}`);
    await page.screenshot({ path: join(screenshots, `verify-${name}.png`), fullPage: true });
  }
});

test('a browser without WebGPU is told so', async () => {
  const page = await open('/page/', {}, (context) => context.addInitScript(() => { Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }); }));
  await ready(page);
  assert.match(await page.locator('#problem').innerText(), /no WebGPU/);
  assert.equal(await page.locator('#verify-start').isDisabled(), true);
  await page.screenshot({ path: join(screenshots, 'no-webgpu.png') });
});

test('light and dark, desktop and phone', async () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const [device, viewport] of [['desktop', { width: 1200, height: 900 }], ['phone', { width: 360, height: 740 }]]) {
      const page = await open('/page/#M=128&dtype=float32', { colorScheme, viewport });
      await ready(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${device}: the page is ${overflow} pixels too wide`);
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(Number(/\d+/.exec(ground)[0]) > 128, colorScheme === 'light', `${colorScheme}: ${ground}`);
      await page.screenshot({ path: join(screenshots, `${device}-${colorScheme}.png`), fullPage: true });
    }
  }
});

test('no page complained, and none asked anybody else', () => {
  assert.ok(opened.length > 5);
  const expected = /no\.such\.Package|status of 404/;  // asked for above
  assert.deepEqual(opened.flatMap((page) => page.problems).filter((problem) => !expected.test(problem)), []);
});
