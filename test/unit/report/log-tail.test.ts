import { expect, test } from 'vitest';
import { createLogTail } from '../../../src/report/log-tail.ts';
import { createLogger } from '../../../src/report/logger.ts';

const at = new Date('2026-05-04T12:00:00Z');

function openTail(isJournal: boolean) {
  const written: string[] = [];
  const tail = createLogTail({ write: (line) => written.push(line) }, () => at);
  const settings = { level: 'info', format: 'auto' } as const;
  const log = createLogger(settings, { isTty: !isJournal, isJournal, destination: tail });
  return { written, tail, log };
}

test.each([true, false])(
  'the log goes where it went, and its lines are kept (journal: %s)',
  (is) => {
    const { written, tail, log } = openTail(is);
    log.warn({ reason: 'no answer' }, 'the service');
    expect(written).toEqual([expect.stringMatching(/^(<4>|\d\d:\d\d:\d\d warn )/)]);
    expect(tail.lines()).toEqual([{ at, text: 'warn  the service  reason="no answer"' }]);
  },
);

test('only the last lines are kept, and of a long one its beginning', () => {
  const { tail, log } = openTail(true);
  for (let line = 1; line <= 250; line += 1) log.info({ x: 'y'.repeat(2_000) }, `line ${line}`);
  const texts = tail.lines().map(({ text }) => text);
  expect([texts.length, texts.at(-1)?.slice(0, 14)]).toEqual([100, 'info  line 250']);
  expect(Math.max(...texts.map(({ length }) => length))).toBe(400);
});
