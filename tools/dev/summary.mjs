// summary.mjs JUNIT.xml RESULTS: what ctest ran, counted by test case, not by program. Prints every failure and every skip with
// its reason, and as the last line "N passed, N failed, N skipped". Exit 1 when anything failed, or nothing passed.
//
// A ctest test is counted by its GoogleTest report RESULTS/NAME.json where there is one, by its TAP points where it prints TAP, else as
// one test. A program that failed but reports no failed case (it crashed, or a sanitizer spoke at exit) is one failure of its own.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const unescapeXml = (text) => text.replace(/&(lt|gt|quot|apos|amp|#\d+|#x[0-9a-fA-F]+);/g, (whole, name) => {
  const named = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  if (name in named) return named[name];
  return String.fromCodePoint(name[1] === 'x' ? parseInt(name.slice(2), 16) : Number(name.slice(1)));
});

// [{name, status: passed|failed|skipped, output}] of ctest's JUnit file.
export function readJunit(xml) {
  const tests = [];
  for (const [, attributes, body = ''] of xml.matchAll(/<testcase\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const name = unescapeXml(/\bname="([^"]*)"/.exec(attributes)[1]);
    const word = /\bstatus="([^"]*)"/.exec(attributes)?.[1];
    const output = unescapeXml(/<system-out>([\s\S]*?)<\/system-out>/.exec(body)?.[1] ?? '');
    const why = unescapeXml(/<(?:failure|skipped)\b[^>]*\bmessage="([^"]*)"/.exec(body)?.[1] ?? '');
    const status = word === 'run' ? 'passed' : word === 'notrun' && /<skipped/.test(body) && /SKIP/.test(why) ? 'skipped' : word === 'disabled' ? 'skipped' : 'failed';
    tests.push({ name, status, output, why });
  }
  return tests;
}

const lastLine = (text) => text.trimEnd().split('\n').at(-1) ?? '';

function gtestCases(report) {
  const cases = [];
  for (const suite of report.testsuites ?? []) {
    for (const test of suite.testsuite ?? []) {
      const name = `${suite.name}.${test.name}`;
      if (test.status === 'NOTRUN') {
        if (/^DISABLED_|\/DISABLED_/.test(test.name)) cases.push({ name, status: 'skipped', reason: 'disabled in the source' });
      } else if (test.failures?.length) {
        cases.push({ name, status: 'failed', reason: test.failures.map((f) => f.failure).join('\n') });
      } else if (test.result === 'SKIPPED') {
        const message = test.skipped?.[0]?.message ?? '';
        cases.push({ name, status: 'skipped', reason: message.split('\n').filter((line) => !/^\S+:\d+$|^Skipped$/.test(line)).join(' ').trim() });
      } else {
        cases.push({ name, status: 'passed' });
      }
    }
  }
  return cases;
}

function tapCases(output) {
  if (!/^TAP version/m.test(output)) return [];
  return [...output.matchAll(/^(not )?ok \d+(?: - )?(.*?)(?: # SKIP ?(.*))?$/gm)].map(([, not, name, skip]) => (
    { name, status: skip !== undefined ? 'skipped' : not ? 'failed' : 'passed', reason: skip ?? output }));
}

// The cases of one ctest test.
export function casesOf(test, report) {
  const cases = report ? gtestCases(report) : tapCases(test.output);
  const named = cases.map((c) => ({ ...c, name: `${test.name}: ${c.name}` }));
  if (test.status === 'failed' && !cases.some((c) => c.status === 'failed')) {
    return [...named, { name: test.name, status: 'failed', reason: `${test.why}\n${test.output}`.trim() }];
  }
  if (cases.length) return named;
  return [{ name: test.name, status: test.status, reason: lastLine(test.output) || test.why }];
}

export function sum(cases) {
  const count = (status) => cases.filter((c) => c.status === status).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

function main([junit, results]) {
  const tests = readJunit(readFileSync(junit, 'utf8'));
  const cases = tests.flatMap((test) => {
    const file = join(results, `${test.name}.json`);
    return casesOf(test, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  });
  for (const test of tests) {
    const { passed, failed, skipped } = sum(cases.filter((c) => c.name === test.name || c.name.startsWith(`${test.name}: `)));
    console.log(`${failed ? 'FAILED' : 'ok    '} ${test.name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
  for (const c of cases.filter((c) => c.status === 'skipped')) console.log(`SKIPPED ${c.name}: ${c.reason || 'no reason given'}`);
  for (const c of cases.filter((c) => c.status === 'failed')) console.log(`FAILED ${c.name}\n${c.reason.split('\n').slice(-60).map((line) => `    ${line}`).join('\n')}`);
  const { passed, failed, skipped } = sum(cases);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = main(process.argv.slice(2));
