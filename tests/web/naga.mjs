// naga.mjs FILE.md: runs every variant on the second engine and writes its table into FILE between the marks below (made at the end
// where there are none).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { runEngine } from './run_engine.mjs';

const begin = '<!-- second engine: written by ./dev web naga -->', end = '<!-- end of the second engine -->';

// The first line of an engine's message, without the label of one program.
const oneLine = (message) => message.split('\n').find((line) => /error/i.test(line)).trim().replace(/^Shader '[^']*' /, '').replaceAll('|', '\\|');

export function table(report) {
  const lines = [
    begin, '## A second engine: wgpu and naga', '',
    `Deno ${report.deno} (npm package \`deno\`: the WebGPU implementation of Firefox) on ${report.adapter}. The variants' programs for shapes with and without tails, every`,
    'dtype, number of bits and epilogue; "plain" is a device without optional features, "here" this one with ' +
      `${report.ownFeatures.filter((name) => name !== 'core-features-and-limits').join(', ') || 'none'}. Cases are those of cases.json by the variant that each gets here; on a plain device none fails (tests/web/second_engine.test.mjs).`, '',
    '| package | variant | plain: chosen | plain: programs | here: programs | refused | cases here |', '|---|---|---|---|---|---|---|',
  ];
  for (const [name, { variants, plain, own, verifyOwn: verify }] of Object.entries(report.packages)) {
    for (const variant of variants) {
      const p = plain[variant], o = own[variant];
      const refused = [...new Set([...p?.refused ?? [], ...o?.refused ?? []].map((program) => `${program.pass}: ${oneLine(program.message)}`))];
      const failures = verify?.failures.filter((row) => row.variant === variant) ?? [];
      const cases = verify?.variants.includes(variant) ? (failures.length ? `${failures.length} failed` : 'all right') : '';
      const counts = p || o ? [p?.chosen ? 'yes' : 'no', p?.programs ?? 0, o?.programs ?? 0, refused.join('; ') || 'none', cases] : ['', '', '', 'not eligible for any of them on these devices', ''];
      lines.push(`| ${name} | ${variant} | ${counts.join(' | ')} |`);
    }
  }
  lines.push('', ...Object.entries(report.packages).map(([name, { verifyOwn: verify }]) => (verify ? `${name}: ${verify.passed} passed, ${verify.failed} failed, ${verify.skipped} skipped (seed ${verify.seed}).` : `${name}: no cases.`)), end, '');
  return lines.join('\n');
}

export function replaceSection(text, section) {
  const from = text.indexOf(begin), to = text.indexOf(end);
  if (from < 0 || to < from) return `${text}${text && !text.endsWith('\n') ? '\n' : ''}${text ? '\n' : ''}${section}`;
  return text.slice(0, from) + section + text.slice(to + end.length).replace(/^\n/, '');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = process.argv[2];
  const section = table(runEngine('--own'));
  writeFileSync(file, replaceSection(existsSync(file) ? readFileSync(file, 'utf8') : '', section));
  console.log(section);
}
