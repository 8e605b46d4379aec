import { expect, test } from 'vitest';
import type { Report } from '../../../src/connect/contract/account.ts';
import type { ControlFailure, Done } from '../../../src/connect/control/control-client.ts';
import { createReportQueue, type ReportQueue } from '../../../src/connect/control/report-queue.ts';
import { testIds } from '../support/contracts.ts';

const ids = testIds();
const done: Done = { kind: 'done' };
const fail = (reason: ControlFailure['reason']): ControlFailure => ({
  kind: 'failed',
  reason,
  message: '',
});
const reportOf = (isCheckpoint: boolean, ackedByteCount = 7): Report => ({
  contractId: ids.next(1),
  ackedByteCount,
  unackedByteCount: 0,
  isCheckpoint,
});
const makeMany = (count: number): readonly Report[] =>
  Array.from({ length: count }, () => reportOf(true));

/** Asks each second until `lastAt`; gives what the service took, and how often it was asked. */
function serve(
  queue: ReportQueue,
  answer: (batch: readonly Report[], now: number) => Done | ControlFailure,
  lastAt: number,
) {
  const accepted: Report[] = [];
  let asked = 0;
  for (let now = 0; now <= lastAt; now += 1000) {
    const batch = queue.take(now);
    if (batch.length === 0) continue;
    asked++;
    const outcome = answer(batch, now);
    if (outcome.kind === 'done') accepted.push(...batch);
    queue.answered(outcome, now);
  }
  return { accepted, asked };
}

test('reports that were not sent are sent again; of those in doubt, only closes are', () => {
  const queue = createReportQueue();
  const [checkpoint, close] = [reportOf(true), reportOf(false)];
  queue.add([checkpoint, close]);
  expect(queue.take(0).length).toBe(2);
  expect(queue.take(0)).toEqual([]);
  queue.answered(fail('not-sent'), 0);
  expect(queue.take(999)).toEqual([]);
  expect(queue.take(1000).length).toBe(2);
  queue.answered(fail('unknown'), 1000);
  expect(queue.take(3000)).toEqual([close]);
  expect(queue.doubtfulBytes()).toBe(7);
  queue.answered(done, 3000);
  expect(queue.waiting()).toBe(0);
  queue.add(makeMany(250));
  expect(queue.take(3000).length).toBe(100);
});

test.each([0, 57, 99, 130])(
  'one report that is refused (number %i) keeps no other waiting',
  (at) => {
    const queue = createReportQueue();
    const reports = makeMany(250);
    const bad = reports[at] as Report;
    queue.add(reports);
    const { accepted, asked } = serve(
      queue,
      (batch) => (batch.includes(bad) ? fail('refused') : done),
      60_000,
    );
    expect(new Set(accepted)).toEqual(new Set(reports.filter((one) => one !== bad)));
    expect(accepted.length).toBe(249);
    expect(queue.givenUp()).toEqual({ reports: 1, bytes: 7 });
    expect([queue.waiting(), queue.save()]).toEqual([0, []]);
    expect(asked).toBeLessThan(40);
  },
);

test('where a service refuses everything, nothing is given up, and all is sent when it is back', () => {
  const queue = createReportQueue();
  const reports = makeMany(150);
  queue.add(reports);
  const away = 3_600_000;
  const first = serve(queue, () => fail('refused'), away);
  expect(queue.waiting()).toBe(150);
  expect(queue.save().length).toBe(150);
  expect(first.asked).toBeLessThan(140);
  let isBack = false;
  const { accepted } = serve(
    {
      ...queue,
      take: (now) => queue.take(away + now),
      answered: (outcome, now) => queue.answered(outcome, away + now),
    },
    () => {
      isBack = true;
      return done;
    },
    120_000,
  );
  expect(isBack).toBe(true);
  expect(new Set(accepted)).toEqual(new Set(reports));
  expect(queue.givenUp().reports).toBe(0);
});

test('a checkpoint that was set aside is in no books while it is on its way again', () => {
  const queue = createReportQueue();
  queue.add([reportOf(true)]);
  queue.take(0);
  queue.answered(fail('refused'), 0);
  expect(queue.save().length).toBe(1);
  expect(queue.take(1000).length).toBe(1);
  expect([queue.waiting(), queue.save()]).toEqual([1, []]);
  queue.answered(fail('unknown'), 1000);
  expect([queue.waiting(), queue.doubtfulBytes(), queue.givenUp().reports]).toEqual([0, 7, 0]);
});
