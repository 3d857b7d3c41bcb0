// Every case of a package x every variant that can run it on this device, against the reference in double: `halfbyte verify`
// in the browser. Tensors have guard bytes after them, outputs and scratch are poisoned before every run.
import { type Call, Kernel } from './call.js';
import { type Device, roundUp, tensorPadding } from './device.js';
import { HalfbyteError, sentence } from './errors.js';
import type { Package } from './package.js';
import type { Problem, TensorDesc, TensorsInCore } from './types.js';

export interface VerifyOptions {
  /** Of the package's cases.json; default: the package's own. */
  cases?: string;
  variant?: string;
  /** Only the variant that each case would get; default: every one that can run it. */
  chosenOnly?: boolean;
  /** Of cases without a seed of their own; default: a fresh one, which the report names. */
  seed?: number;
  progress?(state: { done: number; of: number; case: string; variant: string; passed: number; failed: number }): void;
  signal?: AbortSignal;
}
export interface VerifyRow { case: string; variant: string; pass: boolean; error: number | null; bound: number | null; max_abs_error: number | null; why?: string }
export interface VerifySkip { case: string; variant: string; why: string }
export interface VerifyReport {
  package: string; package_hash: string; adapter: string; seed: number; passed: number; failed: number; skipped: number; worst_ratio: number;
  stopped: boolean; rows: VerifyRow[]; skips: VerifySkip[];
}

interface MadeCase { tensors: number; inputs: TensorsInCore; outputKey: string; output: TensorDesc; problem: Problem }
interface Comparison { pass: boolean; error: number | null; bound: number | null; maxAbsError: number | null; worst: number; got: number | null; expected: number | null; nans: number; why: string }

const guard = 64;
const inputGuard = 0xFF, outputGuard = 0xA5, poison = 0xFF;

export const freshSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! + 1;

/** Errors: invalid_argument (no cases, an unknown variant), parse, device_lost; whatever else goes wrong is that case's failure. */
export async function verify(device: Device, pack: Package, options: VerifyOptions = {}): Promise<VerifyReport> {
  const text = options.cases ?? pack.files.cases;
  if (text === undefined) throw new HalfbyteError('invalid_argument', `the package ${pack.name} has no cases.json`);
  if (options.variant && !pack.variants.includes(options.variant)) {
    throw new HalfbyteError('invalid_argument', `the package has no variant '${options.variant}'`, pack.variants);
  }
  return new Verifier(device, pack, options).run(text);
}

class Verifier {
  private readonly kernel: Kernel;
  private readonly report: VerifyReport;
  private readonly ran = new Set<string>();
  private readonly refused = new Map<string, string>();
  private done = 0;
  private of = 0;

  constructor(private readonly device: Device, private readonly pack: Package, private readonly options: VerifyOptions) {
    this.kernel = new Kernel(device, pack);
    this.report = {
      package: pack.name, package_hash: pack.hash, adapter: device.name, seed: options.seed ?? freshSeed(),
      passed: 0, failed: 0, skipped: 0, worst_ratio: 0, stopped: false, rows: [], skips: [],
    };
  }

  async run(text: string): Promise<VerifyReport> {
    const { core } = this.pack;
    const { cases, list } = core.perform<{ cases: number; list: { id: string }[] }>('loadCases', { file: 'cases.json', text });
    this.of = list.length;
    try {
      for (let index = 0; index < list.length && !this.stopped(); ++index, ++this.done) {
        await this.runCase(list[index]!.id, cases, index);
        await new Promise((resolve) => { setTimeout(resolve); });  // the page stays alive
      }
    } finally {
      core.perform('unload', { kind: 'cases', handle: cases });
    }
    for (const variant of this.pack.variants) {
      if (!this.wanted(variant) || this.ran.has(variant) || this.report.stopped) continue;
      const why = this.refused.get(variant) ?? (this.options.chosenOnly ? 'no case chooses it here' : 'there are no cases');
      this.report.skips.push({ case: '', variant, why });
    }
    this.report.skipped = this.report.skips.length;
    return this.report;
  }

  private stopped(): boolean { return this.report.stopped ||= this.options.signal?.aborted ?? false; }
  private wanted(variant: string): boolean { return !this.options.variant || this.options.variant === variant; }

  private add(id: string, variant: string, comparison: Partial<Comparison>, why: string): void {
    const { error = null, bound = null, maxAbsError = null } = comparison;
    const pass = why === '';
    this.report.rows.push({ case: id, variant, pass, error, bound, max_abs_error: maxAbsError, ...(why && { why }) });
    this.report[pass ? 'passed' : 'failed'] += 1;
    if (pass && error !== null && bound) this.report.worst_ratio = Math.max(this.report.worst_ratio, error / bound);
  }

  private tell(id: string, variant: string): void {
    const { passed, failed } = this.report;
    this.options.progress?.({ done: this.done, of: this.of, case: id, variant, passed, failed });
  }

  private async runCase(id: string, cases: number, index: number): Promise<void> {
    const { core } = this.pack;
    let made: MadeCase;
    try {
      made = core.perform<MadeCase>('makeCase', { package: this.pack.handle, cases, index, seed: this.report.seed });
    } catch (error) {
      this.add(id, '', {}, `the case cannot be made: ${sentence(error)}`);
      return;
    }
    try {
      await this.runMade(id, made);
    } finally {
      core.perform('unload', { kind: 'tensors', handle: made.tensors });
    }
  }

  private async runMade(id: string, made: MadeCase): Promise<void> {
    let eligible: string[];
    try {
      eligible = this.eligible(made.problem);
    } catch (error) {
      this.add(id, '', {}, `no variant was considered: ${sentence(error)}`);
      return;
    }
    if (made.output.shape.includes(0)) {
      await this.attempt(id, '', () => this.runEmpty(id, made));
      return;
    }
    if (eligible.length === 0) {
      if (!this.options.variant) this.report.skips.push({ case: id, variant: '', why: await this.whyNone(made.problem) });
      return;
    }
    let tensors: CaseBuffers | undefined;
    try {
      if (!await this.attempt(id, '', async () => { tensors = await CaseBuffers.create(this.device, this.pack, made); })) return;
      for (const variant of eligible) {
        if (this.stopped()) return;
        this.tell(id, variant);
        if (!await this.attempt(id, variant, () => this.runVariant(id, made, tensors!, variant))) this.ran.add(variant);
      }
    } finally {
      tensors?.destroy();
    }
  }

  // A lost device ends the run; anything else thrown is that pair's failure.
  private async attempt(id: string, variant: string, body: () => Promise<void>): Promise<boolean> {
    try {
      await body();
      return true;
    } catch (error) {
      if (error instanceof HalfbyteError && error.code === 'device_lost') throw error;
      this.add(id, variant, {}, sentence(error));
      return false;
    }
  }

  private async runEmpty(id: string, made: MadeCase): Promise<void> {
    this.tell(id, '');
    const call = await this.kernel.prepare(made.problem, this.select(this.options.variant));
    const inputs = Object.fromEntries(Object.entries(made.inputs).map(([key, t]) => [key, this.pack.core.read(t.pointer, t.bytes)]));
    const output = (await call.run(inputs))[made.outputKey];
    this.add(id, call.variant, {}, output?.length === 0 ? '' : 'the output has elements');
    this.ran.add(call.variant);
  }

  private select(variant: string | undefined) { return variant ? { variant } : {}; }

  private eligible(problem: Problem): string[] {
    const chosen = this.options.chosenOnly ? this.chosen(problem) : undefined;
    return this.pack.verdicts(this.device.profile, problem).filter(({ variant, verdict, why }) => {
      if (!this.wanted(variant) || (chosen !== undefined && variant !== chosen)) return false;
      if (verdict === 'rejected') this.refused.set(variant, why);
      return verdict !== 'rejected';
    }).map(({ variant }) => variant);
  }

  // Empty: none.
  private chosen(problem: Problem): string {
    try {
      return this.pack.plan(this.device.profile, problem, {}, () => false).plan.variant;
    } catch (error) {
      if (error instanceof HalfbyteError && (error.code === 'not_eligible' || error.code === 'limit')) return '';
      throw error;
    }
  }

  private async whyNone(problem: Problem): Promise<string> {
    try {
      this.pack.plan(this.device.profile, problem, {}, () => false);
      return 'no variant is eligible';
    } catch (error) {
      return sentence(error);
    }
  }

  private async runVariant(id: string, made: MadeCase, tensors: CaseBuffers, variant: string): Promise<void> {
    let call: Call;
    try {
      call = await this.kernel.prepare(made.problem, { variant });
    } catch (error) {
      if (!(error instanceof HalfbyteError) || (error.code !== 'limit' && error.code !== 'not_eligible')) throw error;
      this.refused.set(variant, error.message);  // its plan exceeds a limit of this device
      return;
    }
    tensors.poisonOutput();
    call.poisonScratch();
    await call.submit(tensors.buffers(call));
    const { output, overwritten } = await tensors.readOutput();
    const comparison = this.pack.core.with(output, (pointer) => (
      this.pack.core.perform<Comparison>('compare', { tensors: made.tensors, pointer, ...call.plan.numerics })));
    const why = overwritten || (comparison.pass ? '' : comparison.why || 'the result is wrong');
    this.ran.add(variant);
    this.add(id, variant, comparison, why);
  }
}

// The buffers of one case: every tensor followed by guard bytes that are bound with it.
class CaseBuffers {
  private readonly entries = new Map<string, { buffer: GPUBuffer; bytes: number; guard: number }>();
  private constructor(private readonly device: Device, private readonly outputKey: string) {}

  static async create(device: Device, pack: Package, made: MadeCase): Promise<CaseBuffers> {
    const buffers = new CaseBuffers(device, made.outputKey);
    try {
      for (const [key, tensor] of Object.entries(made.inputs)) {
        const entry = await buffers.add(key, tensor.bytes);
        const bytes = new Uint8Array(entry.buffer.size).fill(inputGuard);
        bytes.set(pack.core.read(tensor.pointer, tensor.bytes));
        device.write(entry.buffer, bytes);
      }
      const elements = made.output.shape.reduce((product, extent) => product * extent, 1);
      await buffers.add(made.outputKey, elements * (made.output.dtype === 'float16' ? 2 : 4));
    } catch (error) {
      buffers.destroy();
      throw error;
    }
    return buffers;
  }

  private async add(key: string, bytes: number) {
    // A tensor that fills a whole binding has no room for a guard.
    const room = roundUp(bytes + guard, 4) > this.device.limit('maxStorageBufferBindingSize') ? 0 : guard;
    const entry = { buffer: await this.device.createBuffer(key, roundUp(bytes + room, tensorPadding)), bytes, guard: room };
    this.entries.set(key, entry);
    return entry;
  }

  buffers(call: Call) {
    return Object.fromEntries(call.tensors.map(({ key }) => {
      const entry = this.entries.get(key);
      if (!entry) throw new HalfbyteError('invalid_argument', `input ${key} was not given`);
      const exposed = Math.floor((entry.bytes + entry.guard) / 4) * 4;
      return [key, entry.guard === 0 ? { buffer: entry.buffer } : { buffer: entry.buffer, size: exposed }];
    }));
  }

  poisonOutput(): void {
    const { buffer, bytes } = this.entries.get(this.outputKey)!;
    this.device.write(buffer, new Uint8Array(buffer.size).fill(outputGuard).fill(poison, 0, bytes));
  }

  async readOutput(): Promise<{ output: Uint8Array; overwritten: string }> {
    const entry = this.entries.get(this.outputKey)!;
    const all = await this.device.read(entry.buffer, entry.bytes + entry.guard);
    const changed = all.subarray(entry.bytes).findIndex((byte) => byte !== outputGuard);
    return {
      output: all.subarray(0, entry.bytes),
      overwritten: changed < 0 ? '' : `byte ${changed} after the output's end was overwritten (${all[entry.bytes + changed]!.toString(16)} instead of a5)`,
    };
  }

  destroy(): void {
    for (const { buffer } of this.entries.values()) {
      this.device.forget(buffer);
      buffer.destroy();
    }
  }
}
