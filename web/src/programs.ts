// Compute pipelines, cached by the identity of what was compiled.
import type { Device } from './device.js';
import { HalfbyteError, sentence } from './errors.js';
import type { PassPlan, PlanBinding } from './types.js';

export interface Program { pipeline: GPUComputePipeline; layout: GPUBindGroupLayout }

function bindingType(binding: PlanBinding): GPUBufferBindingType {
  if (binding.kind === 'uniform') return 'uniform';
  return binding.write ? 'storage' : 'read-only-storage';
}

export class Programs {
  private programs = new Map<string, Promise<Program>>();
  private layouts = new Map<string, { group: GPUBindGroupLayout; pipeline: GPUPipelineLayout }>();
  constructor(private readonly device: Device) {}

  has(program: string): boolean { return this.programs.has(program); }

  layout(pass: PassPlan): { group: GPUBindGroupLayout; pipeline: GPUPipelineLayout } {
    const types = pass.bindings.map(bindingType);
    const key = types.join();
    let layout = this.layouts.get(key);
    if (!layout) {
      const group = this.device.gpu.createBindGroupLayout({
        label: key, entries: types.map((type, binding) => ({ binding, visibility: 0x4, buffer: { type } })),
      });
      layout = { group, pipeline: this.device.gpu.createPipelineLayout({ bindGroupLayouts: [group] }) };
      this.layouts.set(key, layout);
    }
    return layout;
  }

  /** Compiles what is not compiled yet; a failure is not kept. `wgsl`: of the programs that has() did not know. */
  async get(passes: PassPlan[], wgsl: Map<string, string>): Promise<Program[]> {
    return Promise.all(passes.map((pass) => {
      const known = this.programs.get(pass.program);
      if (known) {
        this.device.stats.programHits += 1;
        return known;
      }
      const text = wgsl.get(pass.program);
      if (text === undefined) throw new HalfbyteError('internal', `the program of ${pass.label} was not rendered`);
      const compiling = this.compile(pass, text);
      this.programs.set(pass.program, compiling);
      compiling.then(() => { this.device.stats.programsCompiled += 1; }, () => this.programs.delete(pass.program));
      return compiling;
    }));
  }

  private async compile(pass: PassPlan, wgsl: string): Promise<Program> {
    const layout = await this.device.scoped(`binding layout of ${pass.label}`, () => this.layout(pass));
    const { gpu } = this.device;
    gpu.pushErrorScope('validation');
    const module = gpu.createShaderModule({ label: pass.label, code: wgsl });
    const invalid = await gpu.popErrorScope();
    if (invalid) {
      const info = await module.getCompilationInfo?.();
      const message = info?.messages.find((m) => m.type === 'error');
      throw new HalfbyteError('gpu', `shader ${pass.label}: ${message ? `${message.lineNum}:${message.linePos}: ${message.message}` : invalid.message}`);
    }
    try {
      const pipeline = await gpu.createComputePipelineAsync({ label: pass.label, layout: layout.pipeline, compute: { module } });
      return { pipeline, layout: layout.group };
    } catch (error) {
      throw this.device.lost ?? new HalfbyteError('gpu', `pipeline of ${pass.label}: ${sentence(error)}`);
    }
  }
}
