// A line chart on two logarithmic axes, as SVG. The table beside it has the same numbers.
import { digits, make } from './dom.js';

export interface Series { name: string; points: { x: number; y: number }[] }

const width = 640, height = 300;
const box = { left: 56, right: 12, top: 12, bottom: 36 };

function svg(tag: string, attributes: { [name: string]: string | number }, text?: string): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

// 1, 2, 5 times powers of ten around [low, high], every power only where there are many.
function ticks(low: number, high: number): number[] {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  const steps = to - from > 3 ? [1] : [1, 2, 5];
  const all: number[] = [];
  for (let power = from; power <= to; ++power) for (const step of steps) all.push(step * 10 ** power);
  const first = all.findLastIndex((tick) => tick <= low), last = all.findIndex((tick) => tick >= high);
  return all.slice(Math.max(first, 0), last < 0 ? undefined : last + 1);
}

export function chart(series: Series[], xName: string, yName: string): HTMLElement {
  const points = series.flatMap((s) => s.points);
  const xs = [...new Set(points.map((p) => p.x))].sort((a, b) => a - b);
  const yTicks = ticks(Math.min(...points.map((p) => p.y)), Math.max(...points.map((p) => p.y)));
  const scale = (value: number, low: number, high: number, from: number, to: number) => (
    high > low ? from + (Math.log(value / low) / Math.log(high / low)) * (to - from) : (from + to) / 2);
  const x = (value: number) => scale(value, xs[0]!, xs.at(-1)!, box.left + 12, width - box.right - 12);
  const y = (value: number) => scale(value, yTicks[0]!, yTicks.at(-1)!, height - box.bottom, box.top);

  const root = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${yName} by ${xName}; the table has the numbers` });
  for (const tick of yTicks) {
    root.append(svg('line', { class: 'grid', x1: box.left, x2: width - box.right, y1: y(tick), y2: y(tick) }));
    root.append(svg('text', { x: box.left - 6, y: y(tick) + 4, 'text-anchor': 'end' }, tick < 1e-3 ? tick.toExponential(0) : digits(tick)));
  }
  for (const tick of xs) root.append(svg('text', { x: x(tick), y: height - box.bottom + 16, 'text-anchor': 'middle' }, digits(tick)));
  root.append(svg('text', { x: width / 2, y: height - 4, 'text-anchor': 'middle' }, xName));
  root.append(svg('text', { x: 12, y: height / 2, 'text-anchor': 'middle', transform: `rotate(-90 12 ${height / 2})` }, yName));
  series.forEach((s, i) => {
    const group = svg('g', { class: `s${i % 6 + 1}` });
    group.append(svg('polyline', { class: 'series', points: s.points.map((p) => `${x(p.x)},${y(p.y)}`).join(' ') }));
    for (const p of s.points) group.append(svg('circle', { class: 'dot', cx: x(p.x), cy: y(p.y), r: 4 }));
    root.append(group);
  });
  const legend = make('ul', { class: 'legend' }, ...series.map((s, i) => (
    make('li', { class: `s${i % 6 + 1}` }, make('span', { class: 'swatch', 'aria-hidden': 'true' }), make('span', {}, s.name)))));
  return make('div', {}, root, legend);
}
