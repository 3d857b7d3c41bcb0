// engine.mjs BUILT [--own], run by Deno: the packages on Deno's WebGPU (wgpu and naga, as in Firefox). Prints one JSON object:
//   plain, own: for a device without optional features and for the one there is: every variant's programs, which the engine refuses
//               and why, and whether the variant is ever chosen
//   verify:     cases on the plain device by the variant that each gets there; with --own, verifyOwn: on the device there is
const [built, all] = Deno.args;
const dist = `${built}/package/dist`;
const { Core, Device, Package, verify } = await import(`file://${dist}/index.js`);
const core = await Core.load({ wasm: Deno.readFileSync(`${dist}/core/halfbyte.wasm`) });
const read = (name) => JSON.parse(Deno.readTextFileSync(`${dist}/kernels/${name}`));
const packages = read('index.json').map((name) => Package.create(core, read(`${name}.json`), `${name}/manifest.json`)).filter((pack) => pack.computes);
const say = (text) => console.error(`second engine: ${text}`);

const adapter = await navigator.gpu.requestAdapter();
if (!adapter) throw new Error('Deno found no adapter');

// Shapes with and without tails, and everything that changes a program.
function problems(pack) {
  const list = [];
  for (const dtype of ['float32', 'float16']) for (const bits of [2, 4, 8]) for (const epilogue of [{}, { zeroPoints: true }, { bias: true }, { zeroPoints: true, bias: true }]) {
    for (const M of [1, 4, 64, 512]) for (const [K, N, blockSize] of [[4096, 4096, 32], [144, 70, 16]]) for (const constantWeights of [true, false]) {
      try {
        list.push(pack.problem({ M, K, N, bits, blockSize, dtype, constantWeights, ...epilogue }));
      } catch (error) {
        if (error.code !== 'invalid_argument') throw error;  // the operator has no such tensor
      }
    }
  }
  return list;
}

async function compileOne(gpu, pass, wgsl) {
  gpu.pushErrorScope('validation');
  gpu.createShaderModule({ label: pass.label, code: wgsl });
  const error = await gpu.popErrorScope();
  return error && error.message.trim();
}

async function compileAll(device, pack) {
  const variants = {};
  const of = (id) => (variants[id] ??= { chosen: 0, programs: 0, refused: [] });
  const results = new Map();
  for (const problem of problems(pack)) {
    let verdicts;
    try {
      verdicts = pack.verdicts(device.profile, problem);
    } catch (error) {
      if (error.code === 'invalid_argument') continue;  // not a problem of this operator (its bits, its dtype)
      throw error;
    }
    let chosen = '';
    try {
      chosen = pack.plan(device.profile, problem, {}, () => false).plan.variant;
    } catch (error) {
      if (error.code !== 'not_eligible' && error.code !== 'limit') throw error;
    }
    for (const { variant, verdict } of verdicts) {
      if (verdict === 'rejected') continue;
      let planned;
      try {
        planned = pack.plan(device.profile, problem, { variant }, (program) => !results.has(program));
      } catch (error) {
        if (error.code === 'limit' || error.code === 'not_eligible') continue;
        throw error;
      }
      const entry = of(variant);
      if (variant === chosen) entry.chosen += 1;
      for (const pass of [...planned.plan.prepackPasses, ...planned.plan.passes]) {
        const text = planned.wgsl.get(pass.program);
        if (text !== undefined && !results.has(pass.program)) results.set(pass.program, await compileOne(device.gpu, pass, text));
        const key = `${pass.program}`;
        (entry.seen ??= new Set());
        if (entry.seen.has(key)) continue;
        entry.seen.add(key);
        entry.programs += 1;
        const message = results.get(pass.program);
        if (message) entry.refused.push({ pass: pass.id, problem: problem.id, chosen: variant === chosen, message });
      }
    }
  }
  for (const entry of Object.values(variants)) delete entry.seen;
  return variants;
}

const info = adapter.info;
const report = { deno: Deno.version.deno, adapter: info.description || info.device, packages: {} };
const plainDevice = await Device.adopt(await adapter.requestDevice(), { core, info });
const ownDevice = await Device.probe({ core });
report.plainFeatures = plainDevice.profile.profile.features;
report.ownFeatures = ownDevice.profile.profile.features;
for (const pack of packages) {
  const entry = report.packages[pack.name] = { variants: pack.variants };
  entry.plain = await compileAll(plainDevice, pack);
  say(`${pack.name}: compiled for a plain device`);
  entry.own = await compileAll(ownDevice, pack);
  say(`${pack.name}: compiled for this device`);
  if (!pack.files.cases) continue;
  const cases = async (device) => {
    const { passed, failed, skipped, seed, rows } = await verify(device, pack, { chosenOnly: true });
    return { passed, failed, skipped, seed, failures: rows.filter((row) => !row.pass), variants: [...new Set(rows.map((row) => row.variant))] };
  };
  entry.verify = await cases(plainDevice);
  if (all === '--own') entry.verifyOwn = await cases(ownDevice);
  say(`${pack.name}: ${entry.verify.passed} passed, ${entry.verify.failed} failed, ${entry.verify.skipped} skipped`);
}
console.log(JSON.stringify(report));
Deno.exit(0);
