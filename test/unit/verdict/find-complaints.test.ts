import { expect, test } from 'vitest';
import { findComplaints } from '../../verdict/find-complaints.ts';

test.each([
  ['(node:123) ExperimentalWarning: SQLite is an experimental feature'],
  ['npm warn deprecated glob@7.2.3: no longer supported'],
  ['lint/suspicious ━━ Found 1 warning.'],
  ['    at Server.<anonymous> (/project/test/flow/some.test.ts:12:5)'],
  ['    at file:///project/src/agent/run-loop.ts:40:11'],
  ['    at async runLoop (node:internal/process/task_queues:103:5)'],
])('a passing run does not print %j', (line) => {
  expect(findComplaints(`before\n\u001b[33m${line}\u001b[39m\nafter`)).toEqual([line.trim()]);
});

test.each([
  [' ✓  unit  test/unit/a.test.ts > a warning is given once 1200ms'],
  ['  named  a clock behind'],
  ['   at most 3 of them'],
  ['mended after 31 ms'],
])('a passing run may print %j', (line) => {
  expect(findComplaints(line)).toEqual([]);
});
