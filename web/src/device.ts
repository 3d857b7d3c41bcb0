// A WebGPU device, opened here or the caller's, and what calls on it share: programs, uniform blocks, scratch, packed weights.
import { Core } from './core.js';
import { HalfbyteError, sentence } from './errors.js';
import { DeviceHandle, knownFeatures, knownLimits, readProfile } from './probe.js';
import { Programs } from './programs.js';
import type { PassPlan, Profile } from './types.js';

export const tensorPadding = 16;  // of buffers of our own, so that a shader may see the end of a tensor as whole vec4<f32>s
export const roundUp = (value: number, multiple: number): number => Math.ceil(value / multiple) * multiple;

const tensorUsage = 0x80 | 0x4 | 0x8;  // storage, copy from, copy to

export interface ProbeOptions { core?: Core; powerPreference?: GPUPowerPreference }

export interface PackedWeights { buffers: Map<string, GPUBuffer>; bytes: number }

export interface Statistics {
  programsCompiled: number; programHits: number; bindGroups: number; scratchBytes: number; packedCopies: number; packedBytes: number;
}

export class Device {
  readonly programs: Programs;
  readonly stats: Statistics = { programsCompiled: 0, programHits: 0, bindGroups: 0, scratchBytes: 0, packedCopies: 0, packedBytes: 0 };
  /** Set once the device is gone; every later call fails with it. */
  lost?: HalfbyteError;
  private uniforms = new Map<string, GPUBuffer>();
  private scratchBuffers: GPUBuffer[] = [];
  private packedWeights = new Map<string, { weights: PackedWeights; inputs: GPUBuffer[] }>();
  private ids = new WeakMap<GPUBuffer, number>();
  private lastId = 0;
  private callers = new Set<WeakRef<{ forget(buffer: GPUBuffer): void }>>();

  private constructor(readonly core: Core, readonly gpu: GPUDevice, readonly profile: DeviceHandle) {
    this.programs = new Programs(this);
    void gpu.lost.then((info) => { this.lost = new HalfbyteError('device_lost', `the device was lost (${info.reason}): ${info.message}`); });
  }

  /**
   * Opens the browser's adapter with every feature that kernels can use and its real limits.
   * Errors: unsupported (no WebGPU here), not_found (no adapter), gpu.
   */
  static async probe(options: ProbeOptions = {}): Promise<Device> {
    const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
    if (!gpu) throw new HalfbyteError('unsupported', noWebGpu());
    const adapter = await gpu.requestAdapter({ ...(options.powerPreference && { powerPreference: options.powerPreference }) });
    if (!adapter) throw new HalfbyteError('not_found', 'this browser has WebGPU but offers no adapter; it may have blocked the GPU or its driver');
    const requiredLimits: Record<string, number> = {};
    for (const name of knownLimits) {
      const value = (adapter.limits as unknown as Record<string, number | undefined>)[name];
      if (value !== undefined) requiredLimits[name] = value;
    }
    let device: GPUDevice;
    try {
      device = await adapter.requestDevice({
        label: 'halfbyte', requiredLimits, requiredFeatures: knownFeatures.filter((name) => adapter.features.has(name)) as GPUFeatureName[],
      });
    } catch (error) {
      throw new HalfbyteError('gpu', `the adapter gave no device: ${sentence(error)}`);
    }
    return Device.adopt(device, { ...(options.core && { core: options.core }), info: adapter.info });
  }

  /** Takes the caller's device as it is. `info`: its adapter's, where device.adapterInfo is not there. */
  static async adopt(device: GPUDevice, options: { core?: Core; info?: GPUAdapterInfo } = {}): Promise<Device> {
    const core = options.core ?? await Core.shared();
    const info = options.info ?? (device as { adapterInfo?: GPUAdapterInfo }).adapterInfo;
    if (!info) throw new HalfbyteError('invalid_argument', 'this browser\'s devices do not say which adapter they are of; give its info');
    const profile = readProfile(navigator.gpu, device, info, 'read off the device by halfbyte in a browser');
    return new Device(core, device, DeviceHandle.parse(core, JSON.stringify(profile)));
  }

  get info(): Profile['adapterInfo'] { return this.profile.profile.adapterInfo; }
  get name(): string { return this.info.description || this.info.device || `${this.info.vendor} ${this.info.architecture}`.trim() || 'unnamed adapter'; }
  limit(name: string): number { return (this.gpu.limits as unknown as Record<string, number>)[name] ?? 0; }

  check(): void { if (this.lost) throw this.lost; }

  /** Runs `body`, then throws the first WebGPU error it made, as `what`. */
  async scoped<T>(what: string, body: () => T | Promise<T>): Promise<T> {
    this.check();
    const scopes: [GPUErrorFilter, 'gpu' | 'out_of_memory'][] = [['validation', 'gpu'], ['out-of-memory', 'out_of_memory'], ['internal', 'gpu']];
    for (const [filter] of scopes) this.gpu.pushErrorScope(filter);
    // Popped as soon as `body` has returned, so that no other call's scopes come between.
    const running = (async () => body())();
    const errors = await Promise.all([...scopes].reverse().map(async ([, code]) => {
      const error = await this.gpu.popErrorScope();
      return error && new HalfbyteError(code, `${what}: ${error.message}`);
    }).concat(running.then(() => null, () => null)));
    const first = errors.find((error) => error !== null);
    if (first) throw this.lost ?? first;
    const result = await running;
    this.check();
    return result;
  }

  async createBuffer(what: string, bytes: number, usage = tensorUsage): Promise<GPUBuffer> {
    const size = roundUp(Math.max(bytes, 4), tensorPadding);
    const most = this.limit('maxBufferSize');
    if (size > most) throw new HalfbyteError('limit', `${what} needs a buffer of ${size} bytes, maxBufferSize is ${most}`);
    return this.scoped(`a buffer for ${what}`, () => this.gpu.createBuffer({ label: what, size, usage }));
  }

  write(buffer: GPUBuffer, bytes: Uint8Array, offset = 0): void {
    if (bytes.length === 0) return;  // Deno panics at it
    let padded = bytes as Uint8Array<ArrayBuffer>;
    if (bytes.length % 4 !== 0) {
      padded = new Uint8Array(roundUp(bytes.length, 4));
      padded.set(bytes);
    }
    this.gpu.queue.writeBuffer(buffer, offset, padded);
  }

  /** A copy of the first bytes of a buffer, when all that was submitted before is done. */
  async read(buffer: GPUBuffer, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const size = roundUp(bytes, 4);
    if (size === 0) return new Uint8Array(0);
    return this.scoped(`reading ${buffer.label || 'a buffer'}`, async () => {
      const staging = this.gpu.createBuffer({ label: 'read back', size, usage: 0x1 | 0x8 });
      const encoder = this.gpu.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
      this.gpu.queue.submit([encoder.finish()]);
      try {
        await staging.mapAsync(0x1);
        return new Uint8Array(staging.getMappedRange().slice(0, bytes));
      } catch (error) {
        throw this.lost ?? new HalfbyteError('gpu', `${buffer.label || 'a buffer'} could not be read back: ${sentence(error)}`);
      } finally {
        staging.destroy();
      }
    });
  }

  /** A number for a buffer, the same as long as it lives. */
  id(buffer: GPUBuffer): number {
    let id = this.ids.get(buffer);
    if (id === undefined) this.ids.set(buffer, id = ++this.lastId);
    return id;
  }

  /** A uniform block with these contents; equal contents share one. */
  uniform(bytes: number[]): GPUBuffer {
    const key = bytes.join();
    let buffer = this.uniforms.get(key);
    if (!buffer) {
      if (this.uniforms.size >= mostUniforms) this.uniforms.clear();
      buffer = this.gpu.createBuffer({ label: 'uniforms', size: roundUp(bytes.length, 16), usage: 0x40, mappedAtCreation: true });
      new Uint8Array(buffer.getMappedRange()).set(bytes);
      buffer.unmap();
      this.uniforms.set(key, buffer);
    }
    return buffer;
  }

  /** Scratch memory that all calls share, since passes of one queue run in order. Grown in powers of two. */
  async scratch(slot: number, bytes: number): Promise<GPUBuffer> {
    const known = this.scratchBuffers[slot];
    if (known && known.size >= bytes) return known;
    const most = Math.floor(this.limit('maxBufferSize') / tensorPadding) * tensorPadding;
    const size = Math.max(Math.min(2 ** Math.ceil(Math.log2(Math.max(bytes, 65536))), most), roundUp(bytes, tensorPadding));
    const buffer = await this.createBuffer(`scratch ${slot}`, size);
    const other = this.scratchBuffers[slot];
    if (other && other.size >= bytes) return other;
    this.stats.scratchBytes += size - (other?.size ?? 0);
    return this.scratchBuffers[slot] = buffer;
  }

  packed(key: string, inputs: GPUBuffer[], make: () => PackedWeights): PackedWeights {
    const known = this.packedWeights.get(key);
    if (known) return known.weights;
    const weights = make();
    this.packedWeights.set(key, { weights, inputs });
    this.stats.packedCopies += 1;
    this.stats.packedBytes += weights.bytes;
    return weights;
  }

  /** Lets go of everything kept for this buffer: bind groups, prepacked copies. Call it before the buffer is destroyed. */
  forget(buffer: GPUBuffer): void {
    for (const [key, { weights, inputs }] of this.packedWeights) {
      if (!inputs.includes(buffer)) continue;
      this.packedWeights.delete(key);
      this.stats.packedCopies -= 1;
      this.stats.packedBytes -= weights.bytes;
    }
    for (const caller of this.callers) {
      const call = caller.deref();
      if (call) call.forget(buffer);
      else this.callers.delete(caller);
    }
  }

  remember(call: { forget(buffer: GPUBuffer): void }): void {
    for (const caller of this.callers) if (!caller.deref()) this.callers.delete(caller);
    this.callers.add(new WeakRef(call));
  }

  /** The layout of a pass's bindings, made once for each order of kinds. */
  layout(pass: PassPlan): { group: GPUBindGroupLayout; pipeline: GPUPipelineLayout } { return this.programs.layout(pass); }

  /** Destroys a device that probe() opened. */
  destroy(): void { this.gpu.destroy(); }
}

// A decode loop whose M never repeats makes a new uniform block each time.
const mostUniforms = 4096;

function noWebGpu(): string {
  if (globalThis.isSecureContext === false) return 'WebGPU is only there on pages served by https or from this machine (127.0.0.1), and this one is not';
  return 'this browser has no WebGPU; current versions of Chrome, Edge, Safari and Firefox do, some behind a setting';
}
