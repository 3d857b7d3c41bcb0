// One pass's buffers, checked before WebGPU sees them, since its own errors come too late to say which tensor is wrong.
import { type Device, roundUp } from './device.js';
import { HalfbyteError } from './errors.js';
import type { Program } from './programs.js';
import type { PassPlan, PlanBinding } from './types.js';

export interface TensorRange {
  buffer: GPUBuffer; offset: number;
  bytes: number;      // of the tensor
  available: number;  // from the offset on
  exact: boolean;     // bind all of `available`
}
export interface BoundPass { pipeline: GPUComputePipeline; group: GPUBindGroup; dispatch: [number, number, number] }

const shown = (binding: PlanBinding) => binding.source || binding.name;
const align4 = (bytes: number) => roundUp(bytes, 4);

/** What of an argument this binding binds: all of it, or the binding's slice. */
export function sliced(whole: TensorRange, { slice }: PlanBinding): TensorRange {
  if (!slice) return whole;
  // Only the last slice ends where the caller said that the tensor does.
  const last = slice.offset + slice.bytes >= whole.bytes;
  return {
    buffer: whole.buffer, offset: whole.offset + slice.offset, bytes: slice.bytes,
    available: whole.available - Math.min(slice.offset, whole.available), exact: whole.exact && last,
  };
}

function wgslStride(type: string): number {
  const scalar = (name: string) => (name === 'f16' ? 2 : 4);
  const vector = /^vec([234])<(\w+)>$/.exec(type);
  if (vector) return (vector[1] === '2' ? 2 : 4) * scalar(vector[2]!);  // a vec3 takes the room of a vec4
  const short = /^vec([234])([fhiu])$/.exec(type);
  if (short) return (short[1] === '2' ? 2 : 4) * (short[2] === 'h' ? 2 : 4);
  return scalar(type);
}

// A shader that sees a tensor as vec4s may look at whole ones only, so reads are rounded up to the element where the buffer has
// room; writes never are, for what follows the tensor is not ours.
function boundSize(binding: PlanBinding, range: TensorRange): number {
  if (range.exact) return range.available;
  const stride = wgslStride(binding.elementType);
  const needed = Math.max(align4(range.bytes), binding.length ? align4(binding.length * stride) : 0);
  if (range.available < needed) {
    throw new HalfbyteError('invalid_argument',
      `the buffer of ${shown(binding)} has ${range.available} bytes from offset ${range.offset} on, ${needed} are needed (${range.bytes} rounded up to 4)`);
  }
  const whole = roundUp(needed, Math.max(stride, 4));
  return !binding.write && whole <= range.available ? whole : needed;
}

function checkRange(device: Device, binding: PlanBinding, range: TensorRange, size: number): void {
  const uniform = binding.kind === 'uniform';
  const alignment = device.limit(uniform ? 'minUniformBufferOffsetAlignment' : 'minStorageBufferOffsetAlignment');
  if (range.offset % alignment !== 0) {
    throw new HalfbyteError('invalid_argument',
      `${shown(binding)} starts at offset ${range.offset} of its buffer, which must be a multiple of ${alignment} (minStorageBufferOffsetAlignment); copy it to an aligned place`);
  }
  if ((range.buffer.usage & (uniform ? 0x40 : 0x80)) === 0) {
    throw new HalfbyteError('invalid_argument', `the buffer of ${shown(binding)} was made without ${uniform ? 'UNIFORM' : 'STORAGE'} usage`);
  }
  const most = device.limit(uniform ? 'maxUniformBufferBindingSize' : 'maxStorageBufferBindingSize');
  if (size > most) throw new HalfbyteError('limit', `${shown(binding)} needs ${size} bytes in one binding, maxStorageBufferBindingSize is ${most}`);
}

// WebGPU's usage scope is one dispatch, and its unit is the whole buffer: reading one part and writing another is refused.
function checkAliasing(bound: { binding: PlanBinding; range: TensorRange; size: number }[]): void {
  bound.forEach((a, i) => bound.slice(i + 1).forEach((b) => {
    if (a.range.buffer !== b.range.buffer) return;
    const [writesA, writesB] = [a.binding.write, b.binding.write];
    if (!writesA && !writesB) return;
    const apart = a.range.offset + a.size <= b.range.offset || b.range.offset + b.size <= a.range.offset;
    if (writesA && writesB && apart) return;
    const what = writesA && writesB ? 'write overlapping parts of' : 'both read and write';
    throw new HalfbyteError('invalid_argument',
      `${shown(a.binding)} and ${shown(b.binding)} lie in one buffer, and WebGPU cannot ${what} it in one dispatch; give ${shown(writesA ? a.binding : b.binding)} a buffer of its own`);
  }));
}

export function bindPass(device: Device, pass: PassPlan, program: Program, resolve: (binding: PlanBinding) => TensorRange): BoundPass {
  const bound = pass.bindings.map((binding) => {
    const range = resolve(binding);
    const size = boundSize(binding, range);
    checkRange(device, binding, range, size);
    return { binding, range, size };
  });
  checkAliasing(bound);
  const group = device.gpu.createBindGroup({
    label: pass.label, layout: program.layout,
    entries: bound.map(({ range, size }, binding) => ({ binding, resource: { buffer: range.buffer, offset: range.offset, size } })),
  });
  device.stats.bindGroups += 1;
  return { pipeline: program.pipeline, group, dispatch: pass.dispatch };
}

export function record(pass: GPUComputePassEncoder, bound: BoundPass[]): void {
  for (const { pipeline, group, dispatch } of bound) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...dispatch);
  }
}
