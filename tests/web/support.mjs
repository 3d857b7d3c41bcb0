// What the web tests share: where things are, the core and the library as ./dev web built them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const source = join(import.meta.dirname, '..', '..');
export const built = process.env.HALFBYTE_WEB ?? join(source, 'build', 'web');
export const program = join(source, 'build', 'cmd', 'halfbyte');

export const library = () => import(join(built, 'package', 'dist', 'index.js'));
export async function loadCore() {
  const { Core } = await library();
  return Core.load({ wasm: readFileSync(join(built, 'package', 'dist', 'core', 'halfbyte.wasm')) });
}

export const packageNames = () => JSON.parse(readFileSync(join(built, 'package', 'dist', 'kernels', 'index.json'), 'utf8'));
export const packageFiles = (name) => JSON.parse(readFileSync(join(built, 'package', 'dist', 'kernels', `${name}.json`), 'utf8'));

// Numbers that another run does not have; HALFBYTE_TEST_SEED repeats one.
export function seededRandom(seed) {
  let state = BigInt(seed) & 0xFFFFFFFFFFFFFFFFn;
  const next = () => {
    state = (state + 0x9E3779B97F4A7C15n) & 0xFFFFFFFFFFFFFFFFn;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n) & 0xFFFFFFFFFFFFFFFFn;
    z = ((z ^ (z >> 27n)) * 0x94D049BB133111EBn) & 0xFFFFFFFFFFFFFFFFn;
    return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
  };
  return { below: (n) => Math.floor(next() * n), pick: (list) => list[Math.floor(next() * list.length)] };
}
export const testSeed = () => Number(process.env.HALFBYTE_TEST_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0]);
