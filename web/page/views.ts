// What the page shows of a device, an explanation, a verification and a measurement.
import type { BenchReport, Device, Explanation, VerifyReport, VerifyRow } from '../src/index.js';
import { chart } from './chart.js';
import { byId, bytes, digits, fillTable, make, time } from './dom.js';

export function showDevice(device: Device): void {
  const { profile } = device.profile;
  const { adapterInfo: info, limits } = profile;
  const sizes = info.subgroupMinSize === undefined ? 'none' : info.subgroupMinSize === info.subgroupMaxSize ? `${info.subgroupMinSize}` : `${info.subgroupMinSize} to ${info.subgroupMaxSize}`;
  const facts: [string, string][] = [
    ['Adapter', device.name], ['Vendor', [info.vendor, info.architecture].filter(Boolean).join(', ') || 'hidden by the browser'],
    ['Half precision', profile.features.includes('shader-f16') ? 'yes' : 'no'], ['Subgroups', sizes],
    ['Matrix units', profile.subgroupMatrixConfigs.map((c) => `${c.componentType} ${c.M}×${c.N}×${c.K}`).join(', ') || 'not shown to pages'],
    ['Workgroup memory', bytes(limits.maxComputeWorkgroupStorageSize ?? 0)], ['Largest binding', bytes(limits.maxStorageBufferBindingSize ?? 0)],
  ];
  byId('device-facts').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  byId('device-status').textContent = '';
  byId('device-profile').textContent = device.profile.text;
  byId('device-more').hidden = false;
}

interface GoldenPass { id: string; bindings: { name: string }[]; dispatch: number[] }
interface GoldenPlan { passes: GoldenPass[]; prepackPasses?: GoldenPass[] }

export function showExplanation(explanation: Explanation & { whyNot: string }, milliseconds: number): void {
  byId('explain-status').textContent = explanation.winner
    ? `${explanation.problem} runs by ${explanation.winner} (planned in ${digits(milliseconds, 2)} ms).`
    : `Nothing runs: ${explanation.whyNot}.`;
  fillTable(byId('explain-variants'), ['', 'Variant', 'Why'], explanation.variants.map((v) => (
    { cells: [v.verdict, { text: v.id, as: 'name' }, { text: v.why, as: 'why' }], ...(v.verdict === 'chosen' && { as: 'chosen' }) })));
  const plan = explanation.plan as GoldenPlan | null;
  const rows = plan ? [...(plan.prepackPasses ?? []).map((pass) => ({ pass, once: true })), ...plan.passes.map((pass) => ({ pass, once: false }))] : [];
  fillTable(byId('explain-passes'), ['Pass', { text: 'Workgroups', as: 'number' }, 'Bindings'], rows.map(({ pass, once }) => (
    { cells: [once ? `${pass.id} (once)` : pass.id, { text: pass.dispatch.join(' × '), as: 'number' }, { text: pass.bindings.map((b) => b.name).join(' '), as: 'name' }] })));
  byId('explain-wgsl').replaceChildren(...(explanation.wgsl ?? []).map(({ label, text }) => (
    make('details', {}, make('summary', {}, `WGSL of ${label}`), make('pre', { tabindex: '0' }, text)))));
}

export function showExplainError(message: string): void {
  byId('explain-status').textContent = message;
  for (const id of ['explain-variants', 'explain-passes', 'explain-wgsl']) byId(id).replaceChildren();
}

export function showVerify(report: VerifyReport): void {
  byId('verify-status').textContent = `${report.stopped ? 'Stopped: ' : ''}${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped; seed ${report.seed}.`;
  byId('verify-status').className = report.failed > 0 || report.passed === 0 ? '' : 'good';
  const first = report.rows.find((row) => !row.pass);
  const failure = byId('verify-failure');
  failure.hidden = !first;
  if (first) failure.textContent = `First failure: ${first.case}${first.variant ? ` by ${first.variant}` : ''}: ${first.why}`;
  const variants = new Map<string, VerifyRow[]>();
  for (const row of report.rows) variants.set(row.variant, [...variants.get(row.variant) ?? [], row]);
  const ran = [...variants].map(([variant, rows]) => {
    const failed = rows.filter((row) => !row.pass).length;
    const worst = Math.max(0, ...rows.map((row) => (row.bound ? (row.error ?? 0) / row.bound : 0)));
    return { cells: [
      { text: variant || 'none', as: 'name' as const }, { text: String(rows.length - failed), as: 'number' as const },
      { text: String(failed), as: failed ? 'failed' as const : 'number' as const }, { text: worst.toFixed(3), as: 'number' as const }, ''] };
  });
  const skipped = report.skips.map((skip) => ({ cells: [
    { text: skip.variant || skip.case, as: 'name' as const }, '', '', '', { text: `skipped: ${skip.why}`, as: 'why' as const }] }));
  fillTable(byId('verify-variants'), ['Variant', { text: 'Passed', as: 'number' }, { text: 'Failed', as: 'number' }, { text: 'Worst error / bound', as: 'number' }, ''], [...ran, ...skipped]);
}

export function showBench(report: BenchReport): void {
  const measured = report.rows.filter((row) => row.time);
  byId('bench-status').textContent = `${report.stopped ? 'Stopped: ' : ''}${measured.length} measured${measured.length < report.rows.length ? `, ${report.rows.length - measured.length} could not be` : ''}, by ${report.clock === 'timestamps' ? 'the GPU\'s timestamps' : 'the wall clock, since this device has no timestamps'}.`;
  fillTable(byId('bench-table'), [{ text: 'M', as: 'number' }, 'Variant', ...['Time', 'Spread', 'TFLOPS', 'Weights GB/s'].map((text) => ({ text, as: 'number' as const })), ''], report.rows.map((row) => ({
    cells: [
      { text: String(row.M), as: 'number' as const }, { text: row.variant, as: 'name' as const },
      { text: row.time ? time(row.time.median) : '', as: 'number' as const },
      { text: row.time ? `±${digits((row.time.high - row.time.low) / 2 / row.time.median * 100, 2)} %` : '', as: 'number' as const },
      { text: row.tflops === undefined ? '' : digits(row.tflops), as: 'number' as const },
      { text: row.weight_gb_per_s === undefined ? '' : digits(row.weight_gb_per_s), as: 'number' as const },
      { text: row.error ?? (row.chosen ? 'chosen' : ''), as: 'why' as const },
    ],
    ...(row.chosen && { as: 'chosen' }),
  })));
  const names = [...new Set(measured.map((row) => row.variant))];
  const series = names.map((name) => ({ name, points: measured.filter((row) => row.variant === name).map((row) => ({ x: row.M, y: row.tflops! })) }));
  const figure = byId('bench-figure');
  figure.hidden = measured.length === 0;
  if (measured.length === 0) return;
  byId('bench-chart').replaceChildren(chart(series, 'M, rows of A', 'TFLOPS'));
  const { K, N } = measured[0]!;
  byId('bench-caption').textContent = `K = ${K}, N = ${N}; median of ${measured[0]!.time!.count} samples each, weights in ${measured[0]!.copies} copies.`;
}
