// Debian's headless Chromium with WebGPU on SwiftShader, driven by playwright-core.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { source } from './support.mjs';

// No watchdog: beside other tests the GPU process may wait long for a core.
export async function launch() {
  const { chromium } = await import(pathToFileURL(join(source, 'web', 'node_modules', 'playwright-core', 'index.mjs')));
  const executablePath = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
  if (!executablePath) throw new Error('there is no Chromium; ./dev web adds it to the private root');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--disable-gpu-watchdog'] });
}
