// The same plans on another engine: Deno's WebGPU is wgpu with naga, as in Firefox; here on lavapipe.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { runEngine } from './run_engine.mjs';

let report;
before(() => { report = runEngine(); });

test('a plain device has no optional feature', () => {
  assert.deepEqual(report.plainFeatures.filter((name) => name !== 'core-features-and-limits'), []);
});

test('nothing that a plain device would choose is refused', (t) => {
  assert.ok(Object.keys(report.packages).length > 0, 'there are no packages');
  for (const [name, { plain }] of Object.entries(report.packages)) {
    const chosen = Object.entries(plain).filter(([, variant]) => variant.chosen > 0);
    assert.ok(chosen.length > 0, `${name}: a plain device chooses nothing`);
    for (const [variant, { refused }] of chosen) {
      const bad = refused.filter((program) => program.chosen);
      assert.deepEqual(bad, [], `${name}/${variant} is refused`);
    }
    t.diagnostic(`${name}: ${chosen.map(([variant, v]) => `${variant} (${v.programs})`).join(', ')}`);
  }
});

test('what it computes is right', (t) => {
  for (const [name, { verify }] of Object.entries(report.packages)) {
    if (!verify) continue;
    assert.deepEqual(verify.failures, [], `${name}, seed ${verify.seed}`);
    assert.ok(verify.passed > 0, `${name}: no case ran`);
    t.diagnostic(`${name}: ${verify.passed} passed, ${verify.skipped} skipped, by ${verify.variants.join(', ')}, seed ${verify.seed}`);
  }
});
