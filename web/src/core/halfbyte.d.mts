// The Emscripten module; halfbyte.mjs and halfbyte.wasm are made beside this by ./dev web.
export default function createCore(options: { wasmBinary?: ArrayBuffer | Uint8Array }): Promise<unknown>;
