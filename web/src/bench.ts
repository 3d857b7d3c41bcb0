// How fast a problem runs here: warm, weights rotated over more bytes than caches hold, by timestamps where the device has them.
import { type Call, Kernel } from './call.js';
import type { Device } from './device.js';
import { HalfbyteError, sentence } from './errors.js';
import type { Package } from './package.js';
import type { Matmul, Problem, TensorsInCore } from './types.js';
import { freshSeed } from './verify.js';

export interface BenchOptions {
  /** Only these variants; default: the chosen one. 'all': every one that can run. */
  variants?: string[] | 'all';
  samples?: number;
  /** Weights are copied until they take this many bytes, and the copies used in turn. */
  rotateBytes?: number;
  /** One sample takes about this long; a timestamp of a browser has steps of 100 us. */
  sampleSeconds?: number;
  progress?(text: string): void;
  signal?: AbortSignal;
}
export interface Summary { count: number; median: number; low: number; high: number; min: number; max: number }
export interface BenchRow {
  problem: string; M: number; K: number; N: number; variant: string; chosen: boolean;
  /** Seconds of one call. */
  time?: Summary;
  repetitions?: number; copies?: number; tflops?: number; weight_gb_per_s?: number;
  /** Why it could not be measured. */
  error?: string;
}
export interface BenchReport {
  package: string; package_hash: string; adapter: string; clock: 'timestamps' | 'wall'; seed: number; stopped: boolean; rows: BenchRow[];
}

type Recorder = (pass: GPUComputePassEncoder, repetition: number) => void;

/** One call at each shape. Errors: those of Package.problem(); what goes wrong with one variant is its row's error. */
export async function bench(device: Device, pack: Package, shapes: Matmul[], options: BenchOptions = {}): Promise<BenchReport> {
  const seed = freshSeed();
  const kernel = new Kernel(device, pack);
  const clock = new Clock(device, options.sampleSeconds ?? 0.02, options.samples ?? 7);
  const report: BenchReport = {
    package: pack.name, package_hash: pack.hash, adapter: device.name, clock: clock.fromGpu ? 'timestamps' : 'wall', seed, stopped: false, rows: [],
  };
  try {
    for (const shape of shapes) {
      const problem = pack.problem(shape);
      const weights = await Weights.create(device, pack, problem, seed, options.rotateBytes ?? 128 * 2 ** 20);
      try {
        for (const { variant, chosen } of variantsOf(device, pack, weights.problem, options)) {
          if (options.signal?.aborted) {
            report.stopped = true;
            return report;
          }
          options.progress?.(`${problem.id ?? ''} by ${variant}`);
          report.rows.push(await measure(kernel, weights, shape, variant, chosen, clock, pack));
          await new Promise((resolve) => { setTimeout(resolve); });
        }
      } finally {
        weights.destroy();
      }
    }
  } finally {
    clock.destroy();
  }
  return report;
}

function variantsOf(device: Device, pack: Package, problem: Problem, options: BenchOptions): { variant: string; chosen: boolean }[] {
  const { plan } = pack.plan(device.profile, problem, {}, () => false);
  const able = pack.verdicts(device.profile, problem).filter((v) => v.verdict !== 'rejected').map((v) => v.variant);
  const wanted = options.variants === 'all' ? able : options.variants ? able.filter((v) => options.variants!.includes(v)) : [plan.variant];
  return wanted.map((variant) => ({ variant, chosen: variant === plan.variant }));
}

async function measure(kernel: Kernel, weights: Weights, shape: Matmul, variant: string, chosen: boolean, clock: Clock, pack: Package): Promise<BenchRow> {
  const { M, K, N } = shape;
  const row: BenchRow = { problem: weights.problem.id ?? '', M, K, N, variant, chosen };
  try {
    const call = await kernel.prepare(weights.problem, { variant });
    const { samples, repetitions } = await clock.time((pass, repetition) => call.record(pass, weights.buffers(call, repetition)), `${variant} on ${row.problem}`);
    const time = pack.core.perform<Summary>('statistics', { samples });
    return {
      ...row, time, repetitions, copies: weights.copies,
      tflops: 2 * M * N * K / time.median / 1e12, weight_gb_per_s: weights.constantBytes / time.median / 1e9,
    };
  } catch (error) {
    if (error instanceof HalfbyteError && error.code === 'device_lost') throw error;
    return { ...row, error: sentence(error) };
  }
}

// A problem's tensors on the device: constant ones in several copies, used in turn.
class Weights {
  private constants: Map<string, GPUBuffer>[] = [];
  private others = new Map<string, GPUBuffer>();
  constantBytes = 0;
  private constructor(private readonly device: Device, readonly problem: Problem) {}
  get copies(): number { return this.constants.length; }

  static async create(device: Device, pack: Package, problem: Problem, seed: number, rotateBytes: number): Promise<Weights> {
    const made = pack.core.perform<{ problem: Problem; tensors: number; inputs: TensorsInCore }>('benchInputs', { package: pack.handle, problem, seed });
    const weights = new Weights(device, made.problem);
    try {
      await weights.upload(pack, made.inputs, rotateBytes);
      const { plan } = pack.plan(device.profile, made.problem, {}, () => false);
      for (const output of plan.outputs) weights.others.set(output.key, await device.createBuffer(output.key, output.bytes));
    } catch (error) {
      weights.destroy();
      throw error;
    } finally {
      pack.core.perform('unload', { kind: 'tensors', handle: made.tensors });
    }
    return weights;
  }

  private async upload(pack: Package, inputs: TensorsInCore, rotateBytes: number): Promise<void> {
    const constant = Object.entries(inputs).filter(([key]) => this.problem.constant?.includes(key));
    this.constantBytes = constant.reduce((sum, [, tensor]) => sum + tensor.bytes, 0);
    const copies = Math.max(1, Math.min(64, Math.ceil(rotateBytes / Math.max(this.constantBytes, 1))));
    const put = async (key: string) => {
      const buffer = await this.device.createBuffer(key, inputs[key]!.bytes);
      this.device.write(buffer, pack.core.read(inputs[key]!.pointer, inputs[key]!.bytes));
      return buffer;
    };
    for (let copy = 0; copy < copies; ++copy) {
      const buffers = new Map<string, GPUBuffer>();
      this.constants.push(buffers);
      for (const [key] of constant) buffers.set(key, await put(key));
    }
    for (const key of Object.keys(inputs)) if (!this.problem.constant?.includes(key)) this.others.set(key, await put(key));
  }

  buffers(call: Call, repetition: number): { [key: string]: GPUBuffer } {
    const constants = this.constants[repetition % this.constants.length]!;
    return Object.fromEntries(call.tensors.map(({ key }) => [key, (constants.get(key) ?? this.others.get(key))!]));
  }

  destroy(): void {
    for (const buffer of [...this.constants.flatMap((buffers) => [...buffers.values()]), ...this.others.values()]) {
      this.device.forget(buffer);
      buffer.destroy();
    }
  }
}

const mostRepetitions = 4096;

class Clock {
  readonly fromGpu: boolean;
  private readonly queries?: GPUQuerySet;
  private readonly resolved?: GPUBuffer;
  private repetition = 0;

  constructor(private readonly device: Device, private readonly sampleSeconds: number, private readonly samples: number) {
    this.fromGpu = device.gpu.features.has('timestamp-query');
    if (!this.fromGpu) return;
    this.queries = device.gpu.createQuerySet({ type: 'timestamp', count: 2 });
    this.resolved = device.gpu.createBuffer({ label: 'timestamps', size: 16, usage: 0x200 | 0x4 });
  }

  destroy(): void {
    this.queries?.destroy();
    this.resolved?.destroy();
  }

  // Seconds of `count` repetitions in one pass.
  private async run(record: Recorder, count: number, what: string): Promise<number> {
    const { gpu } = this.device;
    const start = performance.now();
    await this.device.scoped(`measuring ${what}`, () => {
      const encoder = gpu.createCommandEncoder();
      const pass = encoder.beginComputePass(this.queries && { timestampWrites: { querySet: this.queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } });
      for (let i = 0; i < count; ++i) record(pass, this.repetition++);
      pass.end();
      if (this.queries) encoder.resolveQuerySet(this.queries, 0, 2, this.resolved!, 0);
      gpu.queue.submit([encoder.finish()]);
    });
    await gpu.queue.onSubmittedWorkDone();
    const wall = (performance.now() - start) / 1e3;
    if (!this.queries) return wall;
    const [begin, end] = new BigUint64Array((await this.device.read(this.resolved!, 16)).buffer);
    return Number(end! - begin!) / 1e9;
  }

  // Without timestamps a span also takes the time to submit it and to hear of its end: twice the work minus once takes that out.
  private async span(record: Recorder, count: number, what: string): Promise<number> {
    const once = await this.run(record, count, what);
    return this.fromGpu ? once : await this.run(record, 2 * count, what) - once;
  }

  async time(record: Recorder, what: string): Promise<{ samples: number[]; repetitions: number }> {
    let count = 1;
    await this.run(record, 1, what);  // programs' first run, and prepacking
    for (;;) {
      const seconds = await this.run(record, count, what);
      if (seconds >= this.sampleSeconds || count >= mostRepetitions) break;
      count = Math.min(mostRepetitions, Math.max(2 * count, Math.min(10 * count, Math.ceil(count * this.sampleSeconds / Math.max(seconds, 1e-6)))));
    }
    const samples: number[] = [];
    for (let i = 0; i < this.samples; ++i) {
      const seconds = await this.span(record, count, what);
      if (seconds > 0) samples.push(seconds / count);
    }
    if (samples.length === 0) throw new HalfbyteError('gpu', `no time could be measured: every sample of ${count} repetitions came out as zero`);
    return { samples, repetitions: count };
  }
}
