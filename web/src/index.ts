// halfbyte in the browser, start here.
//
//   const device = await Device.probe();                                       // or Device.adopt(yours)
//   const kernel = new Kernel(device, await loadPackage('com.microsoft.MatMulNBits'));
//   const call = await kernel.prepare(problem);                                // chosen, planned, compiled
//   call.record(pass, { aT, bT, scalesT, yT });                                // into your compute pass, any number of times
//   const { yT } = await call.run({ aT, bT, scalesT });                        // or the simple way, with arrays
//
// Selection and plans are the C++ core's, compiled to WebAssembly: the same answers as the native library's. Everything that fails
// throws (or rejects with) a HalfbyteError.
export { bench, type BenchOptions, type BenchReport, type BenchRow } from './bench.js';
export { type Arrays, type BufferPart, type Buffers, Call, Kernel } from './call.js';
export { Core, type CoreOptions, setResourceFolder } from './core.js';
export { Device, type ProbeOptions, type Statistics } from './device.js';
export { type ErrorCode, HalfbyteError } from './errors.js';
export { builtInPackages, loadPackage, Package, type PackageFiles } from './package.js';
export { DeviceHandle } from './probe.js';
export type * from './types.js';
export { freshSeed, verify, type VerifyOptions, type VerifyReport, type VerifyRow, type VerifySkip } from './verify.js';
