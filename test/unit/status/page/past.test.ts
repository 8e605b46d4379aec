import { expect, test } from 'vitest';
import { createPastReader } from '../../../../src/status/page/past.ts';
import type { ReadHistory } from '../../../../src/status/source.ts';
import { providingFacts } from '../../../../tools/docs/sample-facts.ts';
import { makeSource } from '../../../../tools/docs/sample-source.ts';
import { createHistoryRow, keepRows } from '../sample-past.ts';

const dayMs = 86_400_000;

/** A reader at a time of its own, and every question that it asked for days of a month. */
function startReader(rows: Parameters<typeof keepRows>[0]['day']) {
  const clock = { now: new Date('2026-03-02T12:00:00Z'), ms: 0 };
  const asked: string[] = [];
  const keep = keepRows({ hour: [], day: rows });
  const history: ReadHistory = (question) => {
    if (question.untilMs !== undefined)
      asked.push(new Date(question.sinceMs).toISOString().slice(0, 7));
    return keep(question);
  };
  const read = createPastReader(
    { ...makeSource(providingFacts), history, now: () => clock.now },
    () => clock.ms,
  );
  return {
    asked,
    async readAt(time: string) {
      clock.now = new Date(time);
      clock.ms += 100_000;
      await read();
      await new Promise(setImmediate);
      return (await read())?.months ?? [];
    },
  };
}

test('months are summed a day at a time, and the service is believed of whole ones alone', async () => {
  const day = (time: string, serviceBytes: number | undefined) =>
    createHistoryRow(Date.parse(time), {
      upBytes: 10,
      downBytes: 1,
      providingSeconds: 60,
      refusedPackets: 2,
      serviceBytes,
    });
  const { readAt } = startReader([
    day('2025-12-31T00:00:00Z', 9),
    day('2026-01-05T00:00:00Z', 9),
    day('2026-01-31T00:00:00Z', undefined),
    day('2026-02-01T00:00:00Z', 9),
    day('2026-02-28T00:00:00Z', 10),
  ]);
  const months = await readAt('2026-03-14T12:00:00Z');
  expect(
    months.map(({ startMs, upBytes, serviceBytes }) => [
      new Date(startMs).getUTCMonth(),
      upBytes,
      serviceBytes,
    ]),
  ).toEqual([
    [11, 10, 9],
    [0, 20, undefined],
    [1, 20, 19],
  ]);
});

test('a month that is over is read once, but for the last one in its first days', async () => {
  const rows = Array.from({ length: 400 }, (_, index) =>
    createHistoryRow(Date.parse('2026-03-02T00:00:00Z') - index * dayMs),
  );
  const { asked, readAt } = startReader(rows);
  expect(await readAt('2026-03-01T12:00:00Z')).toHaveLength(11);
  expect(asked).toHaveLength(11);
  await readAt('2026-03-02T12:00:00Z');
  await readAt('2026-03-05T12:00:00Z');
  expect(asked.slice(11)).toEqual(['2026-02', '2026-02']);
  await readAt('2026-03-05T13:00:00Z');
  await readAt('2026-03-20T12:00:00Z');
  expect(asked).toHaveLength(13);
});
