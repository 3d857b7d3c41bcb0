// A package on a device, and its calls: problems planned and compiled, recorded into the caller's compute pass with the
// caller's buffers.
import { type BoundPass, bindPass, record, sliced, type TensorRange } from './bind.js';
import { type Device, type PackedWeights, roundUp, tensorPadding } from './device.js';
import { HalfbyteError } from './errors.js';
import type { Package } from './package.js';
import type { Program } from './programs.js';
import type { CallTensor, DType, Plan, PlanBinding, Problem, SelectOptions } from './types.js';

/** Part of a buffer; the offset is a multiple of 256. `size`: bind exactly this much. */
export interface BufferPart { buffer: GPUBuffer; offset?: number; size?: number }
export type Buffers = Record<string, GPUBuffer | BufferPart>;

/** A tensor's contents: typed array or bytes, row-major. float16 as its bits (Uint16Array) or Float16Array. */
export type Arrays = Record<string, ArrayBufferView>;

const mostCalls = 4096;
const mostBindSets = 256;

interface BindSet { buffers: GPUBuffer[]; passes: BoundPass[] }

export class Kernel {
  private calls = new Map<string, Promise<Call>>();
  constructor(readonly device: Device, readonly pack: Package) {}

  /**
   * Chooses a variant, plans it and compiles what is not compiled yet. Equal problems get the same call. Any M at any time.
   * Errors: invalid_argument (a wrong shape, dtype or attribute), not_eligible (notes say for each variant why not), limit, gpu.
   */
  prepare(problem: Problem, options: SelectOptions = {}): Promise<Call> {
    const { id: _, ...rest } = problem;
    const key = JSON.stringify([rest, options]);
    let call = this.calls.get(key);
    if (!call) {
      if (this.calls.size >= mostCalls) this.calls.clear();
      call = this.make(problem, options);
      this.calls.set(key, call);
      call.catch(() => this.calls.delete(key));
    }
    return call;
  }

  private async make(problem: Problem, options: SelectOptions): Promise<Call> {
    this.device.check();
    const { programs } = this.device;
    const { plan, wgsl } = this.pack.plan(this.device.profile, problem, options, (program) => !programs.has(program));
    return Call.create(this.device, plan, wgsl);
  }

  /** prepare() for these inputs, then Call.run(). Shapes by manifest key; the dtype is the array's, or the one given. */
  async run(problem: Problem, inputs: Arrays): Promise<Record<string, Float32Array | Uint16Array | Uint8Array>> {
    return (await this.prepare(problem)).run(inputs);
  }
}

export class Call {
  /** Inputs, then outputs, each with its shape and bytes: what record() wants. */
  readonly tensors: readonly (CallTensor & { output: boolean })[];
  private sets = new Map<string, BindSet>();

  private constructor(
    readonly device: Device, readonly plan: Plan, private readonly programs: Program[], private readonly prepackPrograms: Program[],
    private readonly scratch: GPUBuffer[],
  ) {
    this.tensors = [...plan.inputs.map((t) => ({ ...t, output: false })), ...plan.outputs.map((t) => ({ ...t, output: true }))];
  }

  static async create(device: Device, plan: Plan, wgsl: Map<string, string>): Promise<Call> {
    const [programs, prepackPrograms] = await Promise.all([device.programs.get(plan.passes, wgsl), device.programs.get(plan.prepackPasses, wgsl)]);
    const scratch = await Promise.all(plan.scratch.map((buffer) => device.scratch(buffer.slot, buffer.bytes)));
    const call = new Call(device, plan, programs, prepackPrograms, scratch);
    device.remember(call);
    return call;
  }

  get variant(): string { return this.plan.variant; }

  /**
   * Encodes the call into the caller's pass. Every tensor of `tensors` must be given; a buffer that is written may not hold an
   * input of the same call. Constant inputs must hold their contents already when first given (prepacking them is a submit of its own).
   * With buffers seen before, no WebGPU object is made. On an error, and when an output has no elements, nothing is encoded.
   */
  record(pass: GPUComputePassEncoder, buffers: Buffers): void {
    this.device.check();
    if (this.plan.empty) return;
    const parts = this.parts(buffers);
    const key = [...parts.values()].map((part) => `${this.device.id(part.buffer)}:${part.offset ?? 0}:${part.size ?? ''}`).join();
    let set = this.sets.get(key);
    if (set) {
      this.sets.delete(key);  // last used goes last
    } else {
      set = this.bind(parts);
      const oldest = this.sets.keys().next();
      if (this.sets.size >= mostBindSets && !oldest.done) this.sets.delete(oldest.value);
    }
    this.sets.set(key, set);
    record(pass, set.passes);
  }

  /** Uploads, computes, waits, reads back. float16 outputs come as their bits, in a Uint16Array. */
  async run(inputs: Arrays): Promise<Record<string, Float32Array | Uint16Array | Uint8Array>> {
    const { device } = this;
    const buffers: Record<string, GPUBuffer> = {};
    try {
      for (const tensor of this.tensors) {
        const contents = inputs[tensor.key];
        if (!tensor.output && !contents) throw new HalfbyteError('invalid_argument', `input ${tensor.key} was not given`);
        if (!tensor.output && contents!.byteLength !== tensor.bytes) {
          throw new HalfbyteError('invalid_argument',
            `${tensor.key} has ${contents!.byteLength} bytes, ${tensor.dtype}[${tensor.shape}] needs ${tensor.bytes}`);
        }
        const buffer = buffers[tensor.key] = await device.createBuffer(tensor.key, tensor.bytes);
        if (!tensor.output) device.write(buffer, new Uint8Array(contents!.buffer, contents!.byteOffset, contents!.byteLength));
      }
      await this.submit(buffers);
      const outputs: Record<string, Float32Array | Uint16Array | Uint8Array> = {};
      for (const tensor of this.plan.outputs) outputs[tensor.key] = typed(tensor.dtype, await device.read(buffers[tensor.key]!, tensor.bytes));
      return outputs;
    } finally {
      for (const buffer of Object.values(buffers)) {
        device.forget(buffer);
        buffer.destroy();
      }
    }
  }

  /** One recording in a pass of its own, submitted; errors of WebGPU come back as this call's. */
  async submit(buffers: Buffers): Promise<void> {
    await this.device.scoped(`running ${this.plan.package}/${this.plan.variant}`, () => {
      const encoder = this.device.gpu.createCommandEncoder();
      const pass = encoder.beginComputePass();
      try {
        this.record(pass, buffers);
      } finally {
        pass.end();
      }
      this.device.gpu.queue.submit([encoder.finish()]);
    });
  }

  /** Fills the scratch memory with 0xFF, so that a kernel that reads what it did not write shows. */
  poisonScratch(): void {
    this.plan.scratch.forEach((planned, index) => {
      this.device.write(this.scratch[index]!, new Uint8Array(roundUp(planned.bytes, tensorPadding)).fill(0xFF));
    });
  }

  /** Drops bind groups that use this buffer; Device.forget() calls it. */
  forget(buffer: GPUBuffer): void {
    for (const [key, set] of this.sets) if (set.buffers.includes(buffer)) this.sets.delete(key);
  }

  private parts(buffers: Buffers): Map<string, BufferPart> {
    const parts = new Map<string, BufferPart>();
    for (const tensor of this.tensors) {
      const given = buffers[tensor.key];
      if (!given) throw new HalfbyteError('invalid_argument', `${tensor.output ? 'output' : 'input'} ${tensor.key} was not given a buffer`);
      parts.set(tensor.key, 'buffer' in given ? given : { buffer: given });
    }
    for (const key of Object.keys(buffers)) {
      if (!parts.has(key)) throw new HalfbyteError('invalid_argument', `${key} is not a tensor of this call`);
    }
    return parts;
  }

  private range(tensor: CallTensor, part: BufferPart): TensorRange {
    const { buffer, offset = 0, size } = part;
    if (offset + (size ?? 0) > buffer.size) {
      throw new HalfbyteError('invalid_argument', `${tensor.key} is said to be at offset ${offset} with size ${size ?? 0}, but its buffer has ${buffer.size} bytes`);
    }
    const available = size ?? buffer.size - offset;
    const needed = roundUp(tensor.bytes, 4);
    if (available < needed) {
      throw new HalfbyteError('invalid_argument',
        `${tensor.key} [${tensor.shape}] needs ${needed} bytes (${tensor.bytes} rounded up to 4), its buffer has ${available} from offset ${offset} on`);
    }
    return { buffer, offset, bytes: tensor.bytes, available, exact: size !== undefined };
  }

  private bind(parts: Map<string, BufferPart>): BindSet {
    const ranges = new Map<string, TensorRange>();
    for (const tensor of this.tensors) ranges.set(tensor.key, this.range(tensor, parts.get(tensor.key)!));
    const packed = this.plan.prepackPasses.length > 0 ? this.pack(ranges) : undefined;
    const resolve = (binding: PlanBinding) => this.resolve(binding, ranges, packed);
    const passes = this.plan.passes.map((pass, i) => bindPass(this.device, pass, this.programs[i]!, resolve));
    return { buffers: [...parts.values()].map((part) => part.buffer), passes };
  }

  private resolve(binding: PlanBinding, ranges: Map<string, TensorRange>, packed: PackedWeights | undefined): TensorRange {
    const own = (buffer: GPUBuffer, bytes: number, available: number): TensorRange => ({ buffer, offset: 0, bytes, available, exact: false });
    switch (binding.kind) {
      case 'uniform': {
        const buffer = this.device.uniform(binding.uniform);
        return own(buffer, binding.uniform.length, buffer.size);
      }
      case 'argument': {
        const range = ranges.get(binding.source);
        if (range) return sliced(range, binding);
        break;
      }
      case 'scratch': {
        const index = this.plan.scratch.findIndex((planned) => planned.id === binding.source);
        const planned = this.plan.scratch[index];
        // Bound as large as planned: the shared buffer is larger, and a shader may ask for its array's length.
        if (planned) return own(this.scratch[index]!, planned.bytes, roundUp(planned.bytes, tensorPadding));
        break;
      }
      case 'prepacked': {
        const planned = this.plan.prepacked.find((buffer) => buffer.id === binding.source);
        const buffer = packed?.buffers.get(binding.source);
        if (planned && buffer) return own(buffer, planned.bytes, buffer.size);
        break;
      }
    }
    throw new HalfbyteError('internal', `the plan binds ${binding.source}, which it does not declare`);
  }

  // The packed copy of these constant inputs, made once for each set of buffers, whichever variant asks.
  private pack(ranges: Map<string, TensorRange>): PackedWeights {
    const read = new Set(this.plan.prepackPasses.flatMap((pass) => pass.bindings.filter((b) => b.kind === 'argument').map((b) => b.source)));
    const used = [...ranges].filter(([key]) => read.has(key));
    const key = `${this.plan.prepackKey}|${used.map(([name, r]) => `${name}:${this.device.id(r.buffer)}:${r.offset}:${r.bytes}`).join()}`;
    return this.device.packed(key, used.map(([, range]) => range.buffer), () => {
      const weights: PackedWeights = { buffers: new Map(), bytes: 0 };
      for (const planned of this.plan.prepacked) {
        const size = roundUp(planned.bytes, tensorPadding);
        const most = this.device.limit('maxBufferSize');
        if (size > most) throw new HalfbyteError('limit', `packed ${planned.id} needs a buffer of ${size} bytes, maxBufferSize is ${most}`);
        weights.buffers.set(planned.id, this.device.gpu.createBuffer({ label: `packed ${planned.id}`, size, usage: 0x80 | 0x4 | 0x8 }));
        weights.bytes += size;
      }
      const encoder = this.device.gpu.createCommandEncoder();
      const pass = encoder.beginComputePass();
      const bound = this.plan.prepackPasses.map((planned, i) => (
        bindPass(this.device, planned, this.prepackPrograms[i]!, (binding) => this.resolve(binding, ranges, weights))));
      record(pass, bound);
      pass.end();
      this.device.gpu.queue.submit([encoder.finish()]);
      return weights;
    });
  }
}

function typed(dtype: DType, bytes: Uint8Array<ArrayBuffer>): Float32Array | Uint16Array | Uint8Array {
  if (dtype === 'float32') return new Float32Array(bytes.buffer);
  return dtype === 'float16' ? new Uint16Array(bytes.buffer) : bytes;
}
