// packages.mjs KERNELS OUT: every package of KERNELS as one JSON file (PackageFiles of src/package.ts) in OUT, and OUT/index.json with
// their names. Templates are those of the folder, and of the packages it `uses` under "NAME:file", as the native program loads them.
import { mkdirSync, readdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function templatesOf(folder, prefix = '') {
  const names = readdirSync(folder).filter((name) => name.endsWith('.wgsl.jinja')).sort();
  return Object.fromEntries(names.map((name) => [prefix + name, readFileSync(join(folder, name), 'utf8')]));
}

export function packageFiles(kernels, name) {
  const folder = join(kernels, name);
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
  const templates = templatesOf(folder);
  for (const used of JSON.parse(manifest).uses ?? []) Object.assign(templates, templatesOf(join(kernels, used), `${used}:`));
  const optional = (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : undefined);
  return { manifest, templates, cases: optional('cases.json'), bench: optional('bench.json') };
}

export function packageNames(kernels) {
  return readdirSync(kernels).filter((name) => existsSync(join(kernels, name, 'manifest.json'))).sort();
}

if (process.argv[1] === import.meta.filename) {
  const [kernels, out] = process.argv.slice(2);
  mkdirSync(out, { recursive: true });
  const names = packageNames(kernels);
  for (const name of names) writeFileSync(join(out, `${name}.json`), JSON.stringify(packageFiles(kernels, name)));
  writeFileSync(join(out, 'index.json'), JSON.stringify(names));
}
