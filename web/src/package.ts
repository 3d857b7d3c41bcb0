// Kernel packages: built in, from a URL, or from texts that the caller has.
import { Core, resourceFolder } from './core.js';
import { HalfbyteError } from './errors.js';
import type { DeviceHandle } from './probe.js';
import type { Explanation, Matmul, Plan, Problem, SelectOptions, Verdict } from './types.js';

/** The files of a package. Templates go by file name ("gemv.wgsl.jinja"), those of a package that it `uses` by "NAME:file". */
export interface PackageFiles { manifest: string; templates: Record<string, string>; cases?: string; bench?: string }

interface Loaded {
  package: number; name: string; hash: string; variants: string[]; warnings: string[]; computes: boolean;
  tensors: { key: string; onnx: string; optional: boolean; output: boolean }[];
}

export class Package {
  private constructor(readonly core: Core, readonly files: PackageFiles, private readonly loaded: Loaded) {}

  /** Checks everything in the package; `file` names the manifest in messages. */
  static create(core: Core, files: PackageFiles, file = 'manifest.json'): Package {
    return new Package(core, files, core.perform<Loaded>('loadPackage', { file, manifest: files.manifest, templates: files.templates }));
  }

  get name(): string { return this.loaded.name; }
  get hash(): string { return this.loaded.hash; }
  get variants(): readonly string[] { return this.loaded.variants; }
  get warnings(): readonly string[] { return this.loaded.warnings; }
  get tensors() { return this.loaded.tensors; }
  /** Does the package say what it computes? Only then can problems be made from plain numbers, and results be verified. */
  get computes(): boolean { return this.loaded.computes; }
  get handle(): number { return this.loaded.package; }

  problem(matmul: Matmul): Problem {
    return this.core.perform('matmulProblem', { package: this.handle, bits: 4, blockSize: 32, dtype: 'float16', ...matmul });
  }

  explain(profile: DeviceHandle, problem: Problem, options: { variant?: string; wgsl?: boolean } = {}): Explanation & { whyNot: string } {
    const { json, whyNot } = this.core.perform<{ json: string; whyNot: string }>(
      'explain', { package: this.handle, profile: profile.handle, problem, ...options });
    return { ...JSON.parse(json) as Explanation, whyNot };
  }

  /** Every variant in the manifest's order. */
  verdicts(profile: DeviceHandle, problem: Problem): Verdict[] {
    return this.core.perform('verdicts', { package: this.handle, profile: profile.handle, problem });
  }

  /** The plan, and the WGSL of those passes that `wanted` says are needed. */
  plan(profile: DeviceHandle, problem: Problem, options: SelectOptions = {}, wanted: (program: string) => boolean = () => true): { plan: Plan; wgsl: Map<string, string> } {
    const plan = this.core.perform<Plan & { plan: number }>('plan', { package: this.handle, profile: profile.handle, problem, ...options });
    const wgsl = new Map<string, string>();
    try {
      for (const prepack of [true, false]) {
        (prepack ? plan.prepackPasses : plan.passes).forEach((pass, index) => {
          if (wgsl.has(pass.program) || !wanted(pass.program)) return;
          wgsl.set(pass.program, this.core.perform<string>('render', { package: this.handle, plan: plan.plan, prepack, pass: index }));
        });
      }
    } finally {
      this.core.perform('unload', { kind: 'plan', handle: plan.plan });
    }
    return { plan, wgsl };
  }

  /** Frees the core's copy; the package must not be used afterwards. */
  unload(): void { this.core.perform('unload', { kind: 'package', handle: this.handle }); }
}

const builtInFolder = () => new URL('kernels/', resourceFolder());

/** The names of the packages that come with this one. */
export async function builtInPackages(folder: URL = builtInFolder()): Promise<string[]> {
  return JSON.parse(await fetchText(new URL('index.json', folder))) as string[];
}

/**
 * A package by name (one of builtInPackages()), by the URL of its folder or its manifest.json, or of a bundle (one JSON file that has
 * PackageFiles), or from its files. Templates are found through the manifest: what its passes name, and what those include.
 */
export async function loadPackage(from: string | URL | PackageFiles, options: { core?: Core; folder?: URL } = {}): Promise<Package> {
  const core = options.core ?? await Core.shared();
  if (typeof from === 'object' && !(from instanceof URL)) return Package.create(core, from);
  const text = String(from);
  if (/^[A-Za-z0-9_.-]+$/.test(text) && !text.endsWith('.json')) {
    const url = new URL(`${text}.json`, options.folder ?? builtInFolder());
    return Package.create(core, await fetchBundle(url), `${text}/manifest.json`);
  }
  const url = new URL(text, typeof document === 'undefined' ? undefined : document.baseURI);
  if (url.pathname.endsWith('.json') && !url.pathname.endsWith('/manifest.json')) return Package.create(core, await fetchBundle(url), url.pathname);
  const folder = url.pathname.endsWith('/manifest.json') ? new URL('./', url) : new URL(`${url.pathname.replace(/\/?$/, '/')}${url.search}`, url);
  return Package.create(core, await fetchFolder(folder), new URL('manifest.json', folder).pathname);
}

async function fetchText(url: URL): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new HalfbyteError('io', `${url} could not be fetched: ${error instanceof Error ? error.message : error}`);
  }
  if (!response.ok) throw new HalfbyteError('not_found', `${url} answered ${response.status} ${response.statusText}`);
  return response.text();
}

async function fetchBundle(url: URL): Promise<PackageFiles> {
  const text = await fetchText(url);
  let files: Partial<PackageFiles>;
  try {
    files = JSON.parse(text) as Partial<PackageFiles>;
  } catch (error) {
    throw new HalfbyteError('parse', `${url} is not a bundle of a package: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof files.manifest !== 'string' || typeof files.templates !== 'object') {
    throw new HalfbyteError('parse', `${url} is not a bundle of a package: it lacks "manifest" (a text) or "templates" (texts by name)`);
  }
  return files as PackageFiles;
}

async function fetchFolder(folder: URL): Promise<PackageFiles> {
  const manifest = await fetchText(new URL('manifest.json', folder));
  const templates: Record<string, string> = {};
  const wanted = shadersOf(manifest);
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (name in templates) continue;
    const sibling = /^([^:/]+):([^:/]+)$/.exec(name);
    const text = await fetchText(sibling ? new URL(`../${sibling[1]}/${sibling[2]}`, folder) : new URL(name, folder));
    templates[name] = text;
    for (const [, included] of text.matchAll(/\{#include "([^"]+)"#\}/g)) wanted.push(sibling ? `${sibling[1]}:${included}` : included!);
  }
  const optional = (name: string) => fetchText(new URL(name, folder)).catch(() => undefined);
  const [cases, bench] = await Promise.all([optional('cases.json'), optional('bench.json')]);
  return { manifest, templates, ...(cases !== undefined && { cases }), ...(bench !== undefined && { bench }) };
}

// The shaders that passes name. What is wrong with the manifest is the core's to say.
function shadersOf(manifest: string): string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    for (const [key, member] of Object.entries(value)) {
      if (key === 'shader' && typeof member === 'string') found.push(member);
      else walk(member);
    }
  };
  try {
    walk(JSON.parse(manifest));
  } catch {
    return [];
  }
  return [...new Set(found)];
}
