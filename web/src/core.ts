// The C++ core as WebAssembly: packages, selection, plans, rendered WGSL, cases, the reference. Commands and answers are JSON.
import createCore from './core/halfbyte.mjs';

import { type ErrorCode, HalfbyteError, sentence, type SourceLocation } from './errors.js';

interface Module {
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _halfbyte_perform(request: number, bytes: number): number;
  _halfbyte_answer_bytes(): number;
}

export interface CoreOptions {
  /** The module's bytes; where they are not given, they are fetched from beside the module (which only a browser can). */
  wasm?: ArrayBuffer | Uint8Array;
}

let folder = new URL('./', import.meta.url);

/** Where kernels/ is served, when that is not beside this file (a bundler moved it). */
export function setResourceFolder(url: string | URL): void { folder = new URL(url); }
export const resourceFolder = (): URL => folder;

let shared: Promise<Core> | undefined;

export class Core {
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder();
  private constructor(private readonly module: Module) {}

  static async load(options: CoreOptions = {}): Promise<Core> {
    try {
      return new Core(await createCore(options.wasm ? { wasmBinary: options.wasm } : {}) as Module);
    } catch (error) {
      throw new HalfbyteError('io', `the core, halfbyte.wasm, could not be loaded: ${sentence(error)}`);
    }
  }

  /** One module for everybody, loaded on first use; a failure is not kept. */
  static shared(): Promise<Core> {
    shared ??= Core.load();
    shared.catch(() => { shared = undefined; });
    return shared;
  }

  /** Throws what the core returns as an error. */
  perform<T>(command: string, fields: object = {}): T {
    const request = this.encoder.encode(JSON.stringify({ do: command, ...fields }));
    const text = this.with(request, (pointer) => {
      const answer = this.module._halfbyte_perform(pointer, request.length);
      return this.decoder.decode(this.module.HEAPU8.subarray(answer >>> 0, (answer >>> 0) + this.module._halfbyte_answer_bytes()));
    });
    const { value, error } = JSON.parse(text) as { value: T; error?: { code: ErrorCode; message: string; notes: string[]; where: SourceLocation } };
    if (error) throw new HalfbyteError(error.code, error.message, error.notes, error.where);
    return value;
  }

  /** A copy of part of the module's memory. */
  read(pointer: number, bytes: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.module.HEAPU8.subarray(pointer, pointer + bytes));
  }

  /** Calls `use` with a copy of `bytes` in the module's memory, which is freed afterwards. */
  with<T>(bytes: Uint8Array, use: (pointer: number) => T): T {
    const pointer = this.module._malloc(Math.max(bytes.length, 1)) >>> 0;
    if (pointer === 0) throw new HalfbyteError('out_of_memory', `the module has no room for ${bytes.length} bytes`);
    try {
      this.module.HEAPU8.set(bytes, pointer);
      return use(pointer);
    } finally {
      this.module._free(pointer);
    }
  }
}
