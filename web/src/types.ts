// The values that the core's JSON carries.

export type DType = 'float32' | 'float16' | 'uint8' | 'int8' | 'int32' | 'uint32' | 'int64' | 'bool8';

export interface TensorDesc { shape: number[]; dtype: DType }

/** One call of an operator: a "request" of docs/manifest.md. `constant`: inputs whose contents never change (prepacking needs it). */
export interface Problem {
  id?: string;
  attrs: Record<string, number | string>;
  inputs: Record<string, TensorDesc>;
  tunables?: Record<string, number>;
  constant?: string[];
}

/** A matrix multiplication in plain numbers; Package.problem() turns it into the operator's own form. */
export interface Matmul {
  M: number; K: number; N: number;
  bits?: number; blockSize?: number; dtype?: 'float16' | 'float32';
  zeroPoints?: boolean; bias?: boolean; accuracyLevel?: number;
  /** Every input but the activations is constant; default true. */
  constantWeights?: boolean;
}

export interface SelectOptions { variant?: string; prefer?: string[]; exclude?: string[] }

export interface PlanBinding {
  name: string; kind: 'argument' | 'scratch' | 'prepacked' | 'uniform'; source: string; write: boolean;
  elementType: string; length: number | null; uniform: number[];
  /** Of an argument that is too large for one binding: the bytes that are bound. */
  slice: { offset: number; bytes: number } | null;
}
export interface PassPlan { id: string; shader: string; label: string; program: string; dispatch: [number, number, number]; bindings: PlanBinding[] }
/** `slot`: scratch buffers of one slot share memory. */
export interface BufferPlan extends TensorDesc { id: string; bytes: number; slot: number }
export interface CallTensor extends TensorDesc { key: string; bytes: number }
export interface Numerics { accumulate: string; multiply: string; activations: string }

export interface Plan {
  package: string; variant: string; demoted: boolean; empty: boolean;
  /** Of N, each with passes of its own, where the weights exceed one binding. */
  parts: number;
  inputs: CallTensor[]; outputs: CallTensor[]; scratch: BufferPlan[]; passes: PassPlan[];
  prepacked: BufferPlan[]; prepackPasses: PassPlan[]; prepackKey: string; prepackedInputs: string[]; numerics: Numerics;
}

export interface Verdict { variant: string; verdict: 'chosen' | 'eligible' | 'demoted' | 'rejected'; why: string }

/** What `halfbyte explain --json` prints. */
export interface Explanation {
  package: string; profile: string; problem: string; winner: string | null;
  variants: { id: string; verdict: Verdict['verdict']; priority: number; why: string }[];
  numerics: string | null; plan: unknown; wgsl?: { label: string; text: string }[];
}

/** Where tensors lie in the core's memory, until they are unloaded. */
export type TensorsInCore = Record<string, TensorDesc & { pointer: number; bytes: number }>;

export interface SubgroupMatrixConfig { componentType: string; resultComponentType: string; M: number; N: number; K: number }

/** The format of profiles/ and of `halfbyte device --json`. */
export interface Profile {
  name: string; source: string;
  adapterInfo: { vendor: string; architecture: string; device: string; description: string; subgroupMinSize?: number; subgroupMaxSize?: number };
  features: string[]; wgslLanguageFeatures: string[]; limits: Record<string, number>; subgroupMatrixConfigs: SubgroupMatrixConfig[];
}
