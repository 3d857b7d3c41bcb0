// engine.mjs in Deno, its JSON.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { built, source } from './support.mjs';

const lavapipe = '/usr/share/vulkan/icd.d/lvp_icd.json';

export function runEngine(...options) {
  const deno = join(source, 'web', 'node_modules', '@deno', 'linux-x64-glibc', 'deno');
  const env = { ...process.env, DENO_NO_UPDATE_CHECK: '1', ...(!process.env.VK_DRIVER_FILES && existsSync(lavapipe) && { VK_DRIVER_FILES: lavapipe }) };
  const args = ['run', '--unstable-webgpu', '--no-config', '--no-lock', '--allow-read', '--allow-env', join(import.meta.dirname, 'engine.mjs'), built, ...options];
  const run = spawnSync(deno, args, { encoding: 'utf8', maxBuffer: 2 ** 28, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`Deno ended with ${run.status ?? run.signal}: ${run.stderr.slice(-4000)}`);
  return JSON.parse(run.stdout.trimEnd().split('\n').at(-1));
}
