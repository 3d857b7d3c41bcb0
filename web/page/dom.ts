// Small helpers over the DOM; text is always set as text.

export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element as T;
}

type Child = Node | string;

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: { [name: string]: string } = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export interface Cell { text: string; as?: 'number' | 'name' | 'why' | 'failed' }

export function fillTable(table: HTMLTableElement, heads: (string | Cell)[], rows: { cells: (string | Cell)[]; as?: string }[]): void {
  const cell = (tag: 'th' | 'td', value: string | Cell) => {
    const { text, as } = typeof value === 'string' ? { text: value, as: undefined } : value;
    return make(tag, { ...(tag === 'th' && { scope: 'col' }), ...(as && { class: as }) }, text);
  };
  table.replaceChildren();
  if (rows.length === 0) return;
  table.append(make('thead', {}, make('tr', {}, ...heads.map((head) => cell('th', head)))));
  table.append(make('tbody', {}, ...rows.map((row) => make('tr', row.as ? { class: row.as } : {}, ...row.cells.map((value) => cell('td', value))))));
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = make('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const digits = (value: number, significant = 3): string => (
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : Number(value.toPrecision(significant)).toString());

export function time(seconds: number): string {
  if (seconds < 1e-3) return `${digits(seconds * 1e6)} µs`;
  return seconds < 1 ? `${digits(seconds * 1e3)} ms` : `${digits(seconds)} s`;
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${digits(value)} ${units[unit]}`;
}
