// The counting of tests: a sum that hides a failure would make every other test worthless.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { casesOf, readJunit, sum } from '../../tools/dev/summary.mjs';

const junit = (body) => readJunit(`<?xml version="1.0"?><testsuite name="x" tests="1">${body}</testsuite>`);
const counted = (body, report) => sum(junit(body).flatMap((t) => casesOf(t, report)));

const PASSED = '<testcase name="a" classname="a" time="0.1" status="run"><system-out>fine &lt;here&gt;</system-out></testcase>';
const FAILED = '<testcase name="a" classname="a" time="0.1" status="fail"><failure message="Failed"/><system-out>boom</system-out></testcase>';
const SKIPPED = '<testcase name="a" classname="a" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>why\nthere is no GPU\n</system-out></testcase>';
const MISSING = '<testcase name="a" classname="a" time="0" status="notrun"><skipped message="Unable to find executable"/><system-out></system-out></testcase>';
const gtest = (...tests) => ({ testsuites: [{ name: 'S', testsuite: tests.map((t, i) => ({ name: `t${i}`, status: 'RUN', result: 'COMPLETED', ...t })) }] });

test('a program that says nothing is one test', () => {
  assert.deepEqual(counted(PASSED), { passed: 1, failed: 0, skipped: 0 });
  assert.deepEqual(counted(FAILED), { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(counted(SKIPPED), { passed: 0, failed: 0, skipped: 1 });
});

test('a skipped program gives its last line as the reason', () => {
  assert.equal(casesOf(junit(SKIPPED)[0])[0].reason, 'there is no GPU');
});

test('a program that is not there has failed, not been skipped', () => {
  assert.deepEqual(counted(MISSING), { passed: 0, failed: 1, skipped: 0 });
});

test('the cases of GoogleTest are counted', () => {
  const report = gtest({}, { failures: [{ failure: 'no' }] }, { result: 'SKIPPED', skipped: [{ message: 'x_test.cpp:5\nno shared folder\n' }] });
  assert.deepEqual(counted(FAILED, report), { passed: 1, failed: 1, skipped: 1 });
  assert.equal(casesOf(junit(FAILED)[0], report)[2].reason, 'no shared folder');
});

test('a crash after, or beside, passing cases is a failure of its own', () => {
  assert.deepEqual(counted(FAILED, gtest({}, {})), { passed: 2, failed: 1, skipped: 0 });
  assert.deepEqual(counted(FAILED), { passed: 0, failed: 1, skipped: 0 });
});

test('points of TAP are counted, with their skips', () => {
  const tap = (status) => `<testcase name="a" status="${status}"><system-out>TAP version 13\nok 1 - one\nnot ok 2 - two\n# why\nok 3 - three # SKIP no network\n1..3\n</system-out></testcase>`;
  assert.deepEqual(counted(tap('fail')), { passed: 1, failed: 1, skipped: 1 });
  const late = `<testcase name="a" status="fail"><system-out>TAP version 13\nok 1 - one\n</system-out></testcase>`;
  assert.deepEqual(counted(late), { passed: 1, failed: 1, skipped: 0 });
});

test('names and output come out of XML as they went in', () => {
  const [one] = junit('<testcase name="a &amp; &quot;b&quot; &gt; c" status="run"><system-out>&lt;x&gt; &#10;&#x41;</system-out></testcase>');
  assert.equal(one.name, 'a & "b" > c');
  assert.equal(one.output, '<x> \nA');
});
