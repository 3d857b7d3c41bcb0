// NumPy's .npy files, the few kinds that ONNX tensors need.
import { readFileSync, writeFileSync } from 'node:fs';

const DESCR = { float32: '<f4', float16: '<f2', int64: '<i8', int32: '<i4', uint8: '|u1', bool: '|b1' };
const ARRAY = { float32: Float32Array, float16: Uint16Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, bool: Uint8Array };

// data: a typed array, or for float16 anything that views 16-bit elements.
export function writeNpy(path, { type, dims, data }) {
  if (!(type in DESCR)) throw new Error(`cannot write ${type} as .npy`);
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(', ')})`;
  let header = `{'descr': '${DESCR[type]}', 'fortran_order': False, 'shape': ${shape}, }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';  // 10 bytes in front, data on a multiple of 64
  const front = Buffer.alloc(10);
  front.write('\x93NUMPY\x01\x00', 'latin1');
  front.writeUInt16LE(header.length, 8);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  writeFileSync(path, Buffer.concat([front, Buffer.from(header, 'latin1'), bytes]));
}

export function readNpy(path) {
  const file = readFileSync(path);
  if (file.length < 12 || file.toString('latin1', 0, 6) !== '\x93NUMPY') throw new Error(`${path} is not a .npy file`);
  const wide = file[6] > 1;  // version 2 and up: a header length of 4 bytes
  const start = wide ? 12 : 10;
  const length = wide ? file.readUInt32LE(8) : file.readUInt16LE(8);
  const header = file.toString('latin1', start, start + length);
  const descr = /'descr':\s*'([^']+)'/.exec(header)?.[1];
  const type = Object.keys(DESCR).find((key) => DESCR[key] === descr);
  if (!type || /'fortran_order':\s*True/.test(header)) throw new Error(`${path}: a ${descr} array in this order is not read`);
  const dims = /'shape':\s*\(([^)]*)\)/.exec(header)[1].split(',').filter((s) => s.trim()).map(Number);
  const body = file.subarray(start + length);
  const copy = body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength);  // aligned
  return { type, dims, data: new ARRAY[type](copy) };
}
