// What a device can do, in the format of profiles/: the only thing that selection and planning know of it.
import type { Core } from './core.js';
import type { Profile, SubgroupMatrixConfig } from './types.js';

// The names that src/gpu/features.cpp has.
export const knownFeatures = [
  'core-features-and-limits', 'shader-f16', 'subgroups', 'subgroup-size-control', 'timestamp-query', 'chromium-experimental-subgroup-matrix',
] as const;
const languageFeatures = [
  'readonly_and_readwrite_storage_textures', 'packed_4x8_integer_dot_product', 'unrestricted_pointer_parameters', 'pointer_composite_access',
  'uniform_buffer_standard_layout', 'subgroup_id', 'texture_and_sampler_let', 'subgroup_uniformity', 'linear_indexing', 'immediate_address_space',
  'buffer_view', 'swizzle_assignment', 'sized_binding_array',
];
export const knownLimits = [
  'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupStorageSize', 'maxComputeWorkgroupsPerDimension', 'maxStorageBufferBindingSize', 'maxBufferSize',
  'maxStorageBuffersPerShaderStage', 'maxUniformBuffersPerShaderStage', 'maxUniformBufferBindingSize', 'minStorageBufferOffsetAlignment',
  'minUniformBufferOffsetAlignment', 'maxBindGroups', 'maxBindingsPerBindGroup',
] as const;

/** "SwiftShader Device (Subzero)" -> "swiftshader-device-subzero" */
function shortName(info: Profile['adapterInfo']): string {
  const text = (info.device || `${info.vendor} ${info.architecture}`).toLowerCase();
  return text.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'unnamed';
}

type Info = GPUAdapterInfo & { subgroupMatrixConfigs?: Iterable<SubgroupMatrixConfig> };

export function readProfile(gpu: GPU, device: GPUDevice, info: Info, source: string): Profile {
  const features = knownFeatures.filter((name) => device.features.has(name)).sort();
  const has = (name: typeof knownFeatures[number]) => features.includes(name);
  const adapterInfo: Profile['adapterInfo'] = {
    vendor: String(info.vendor ?? ''), architecture: String(info.architecture ?? ''), device: String(info.device ?? ''), description: String(info.description ?? ''),
  };
  // Without subgroups WebGPU reports 4 and 128, which say nothing; a manifest must see that nothing is known.
  if (has('subgroups')) {
    if (info.subgroupMinSize !== undefined) adapterInfo.subgroupMinSize = info.subgroupMinSize;
    if (info.subgroupMaxSize !== undefined) adapterInfo.subgroupMaxSize = info.subgroupMaxSize;
  }
  const f16 = (c: SubgroupMatrixConfig) => c.componentType === 'f16' || c.resultComponentType === 'f16';
  const configs = has('chromium-experimental-subgroup-matrix') ? [...info.subgroupMatrixConfigs ?? []] : [];
  const limits: Record<string, number> = {};
  for (const name of knownLimits) {
    const value = (device.limits as unknown as Record<string, number | undefined>)[name];
    if (value !== undefined) limits[name] = value;
  }
  return {
    name: shortName(adapterInfo), source, adapterInfo, features,
    wgslLanguageFeatures: languageFeatures.filter((name) => gpu.wgslLanguageFeatures?.has(name)).sort(),
    limits,
    subgroupMatrixConfigs: configs.filter((c) => has('shader-f16') || !f16(c)).map(({ componentType, resultComponentType, M, N, K }) => (
      { componentType, resultComponentType, M, N, K })),
  };
}

/** A profile in the core: a device's own, or one that was modelled or read off elsewhere. */
export class DeviceHandle {
  private constructor(readonly core: Core, readonly handle: number, readonly name: string, readonly text: string) {}
  /** `file` names the text in messages. */
  static parse(core: Core, text: string, file = 'profile.json'): DeviceHandle {
    const loaded = core.perform<{ profile: number; name: string; text: string }>('loadProfile', { file, text });
    return new DeviceHandle(core, loaded.profile, loaded.name, loaded.text);
  }
  get profile(): Profile { return JSON.parse(this.text) as Profile; }
  unload(): void { this.core.perform('unload', { kind: 'profile', handle: this.handle }); }
}
