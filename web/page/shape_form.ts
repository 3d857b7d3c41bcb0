// The form with operator and shape; its values are kept in the address, so that a link shows the same.
import type { Matmul } from '../src/index.js';
import { byId } from './dom.js';

const form = () => byId<HTMLFormElement>('shape');
const defaults = new Map<string, string>();

function fields(): (HTMLInputElement | HTMLSelectElement)[] {
  return [...form().elements].filter((e): e is HTMLInputElement | HTMLSelectElement => e instanceof HTMLInputElement || e instanceof HTMLSelectElement);
}
const isCheck = (field: Element): field is HTMLInputElement => field instanceof HTMLInputElement && field.type === 'checkbox';
const valueOf = (field: HTMLInputElement | HTMLSelectElement) => (isCheck(field) ? String(field.checked) : field.value);

export function readAddress(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const field of fields()) {
    if (!defaults.has(field.name)) defaults.set(field.name, valueOf(field));
    const value = given.get(field.name);
    if (value === null) continue;
    if (isCheck(field)) field.checked = value === 'true';
    else if (!(field instanceof HTMLSelectElement) || [...field.options].some((option) => option.value === value)) field.value = value;
  }
}

export function writeAddress(): void {
  const changed = fields().filter((field) => field.name && valueOf(field) !== defaults.get(field.name)).map((field) => [field.name, valueOf(field)]);
  history.replaceState(null, '', changed.length ? `#${new URLSearchParams(changed)}` : location.pathname + location.search);
}

/** Nothing when a field holds what cannot be; the browser marks it. */
export function readShape(): Matmul | undefined {
  if (!form().checkValidity()) return undefined;
  const data = new FormData(form());
  const number = (name: string) => Number(data.get(name));
  const level = data.get('accuracyLevel');
  return {
    M: number('M'), K: number('K'), N: number('N'), bits: number('bits'), blockSize: number('blockSize'),
    dtype: data.get('dtype') as 'float16' | 'float32',
    zeroPoints: data.has('zeroPoints'), bias: data.has('bias'), constantWeights: data.has('constantWeights'),
    ...(level !== '' && level !== null && { accuracyLevel: Number(level) }),
  };
}

export function onShape(changed: () => void): void {
  form().addEventListener('submit', (event) => event.preventDefault());
  form().addEventListener('input', () => {
    writeAddress();
    changed();
  });
}
