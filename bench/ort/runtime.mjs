// ONNX Runtime's npm package, looked for beside this checkout (node_modules) and in NODE_PATH.
import { createRequire } from 'node:module';

// {ort, version}. Ends the program with exit code 3 when it is not installed; `program` begins the message.
export function loadRuntime(program) {
  // onnxruntime-node 1.30 takes float16 as Float16Array where the engine has one (node 24), but then hands its native part an
  // array of 0 bytes. Without the class it takes, and gives, the bits as Uint16Array.
  delete globalThis.Float16Array;
  const require = createRequire(import.meta.url);
  try {
    return { ort: require('onnxruntime-node'), version: require('onnxruntime-node/package.json').version };
  } catch (error) {
    console.error(`${program}: onnxruntime-node cannot be loaded: ${error.message.split('\n')[0]}`);
    process.exit(3);
  }
}
