// Writes just enough of ONNX's protobuf to make chains of MatMulNBits.
//
// A message is built as a list of Buffers, so that large weights are copied once only, when the file is put together.

function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

const integer = (field, value) => [varint(field * 8), varint(value)];
const size = (parts) => parts.reduce((sum, part) => sum + part.length, 0);
const message = (field, parts) => [varint(field * 8 + 2), varint(size(parts)), ...parts];
const text = (field, value) => message(field, [Buffer.from(value)]);

export const FLOAT = 1, UINT8 = 2, FLOAT16 = 10;

export function tensor(name, type, dims, data) {
  return [...dims.flatMap((d) => integer(1, d)), ...integer(2, type), ...text(8, name), ...message(9, [data])];
}

export function node(type, domain, inputs, outputs, attributes) {
  const attribute = ([name, value]) => message(5, [...text(1, name), ...integer(3, value), ...integer(20, 2)]);
  return [...inputs.flatMap((i) => text(1, i)), ...outputs.flatMap((o) => text(2, o)), ...text(3, outputs[0]), ...text(4, type),
          ...Object.entries(attributes).flatMap(attribute), ...text(7, domain)];
}

// dims: numbers, or names of free dimensions.
export function value(name, type, dims) {
  const dim = (d) => message(1, typeof d === 'number' ? integer(1, d) : text(2, d));
  return [...text(1, name), ...message(2, message(1, [...integer(1, type), ...message(2, dims.flatMap(dim))]))];
}

export function model({ nodes, initializers, inputs, outputs }) {
  const graph = [...nodes.flatMap((n) => message(1, n)), ...text(2, 'chain'), ...initializers.flatMap((i) => message(5, i)),
                 ...inputs.flatMap((i) => message(11, i)), ...outputs.flatMap((o) => message(12, o))];
  const opset = (domain, version) => message(8, [...text(1, domain), ...integer(2, version)]);
  return Buffer.concat([...integer(1, 10), ...text(2, 'halfbyte'), ...message(7, graph), ...opset('', 21), ...opset('com.microsoft', 1)]);
}
