import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noSums } from '../../../../src/source/connect/consumer-figures.ts';
import { openKeptSums } from '../../../../src/source/connect/kept-sums.ts';
import type { ConsumerSums } from '../../../../src/source/source-report.ts';

let directory: string;
let aside: string[];

beforeEach(async () => {
  vi.useFakeTimers({ now: new Date('2026-05-20T12:00:00Z'), toFake: ['Date', 'performance'] });
  directory = await mkdtemp(join(tmpdir(), 'tributary-sums-'));
  aside = [];
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true, force: true });
});

const create = () =>
  openKeptSums({
    directory,
    onSetAside: (path) => aside.push(path),
    now: () => new Date(),
  });
const open = async () => {
  const sums = create();
  await sums.load();
  return sums;
};
const toSums = (change: Partial<ConsumerSums>): ConsumerSums => ({ ...noSums, ...change });
const readWritten = async () =>
  JSON.parse(await readFile(join(directory, 'connect-sums.json'), 'utf8')).data;

test('sums go on over restarts of the agent, each of which counts from zero', async () => {
  const first = await open();
  first.take(toSums({ downBytes: 100, bridgedBytes: 30, acceptedContracts: 2 }));
  first.take(toSums({ downBytes: 150, bridgedBytes: 30, acceptedContracts: 3 }));
  await first.close();
  vi.setSystemTime(new Date('2026-05-21T12:00:00Z'));
  const second = await open();
  second.take(toSums({ downBytes: 7, unpaidBytes: 1 }));
  const expected = toSums({
    downBytes: 157,
    bridgedBytes: 30,
    acceptedContracts: 3,
    unpaidBytes: 1,
  });
  expect(second.read()).toEqual({
    ...expected,
    countedSince: new Date('2026-05-20T12:00:00Z'),
    month: expected,
  });
});

test('a month has what came to the sums in it, and the next one begins with nothing', async () => {
  const sums = await open();
  sums.take(toSums({ upBytes: 100 }));
  vi.setSystemTime(new Date('2026-06-01T00:00:00Z'));
  expect(sums.read()).toMatchObject({ upBytes: 100, month: noSums });
  sums.take(toSums({ upBytes: 130 }));
  expect(sums.read()).toMatchObject({ upBytes: 130, month: { upBytes: 30 } });
  vi.setSystemTime(new Date('2026-05-31T23:59:00Z'));
  expect(sums.read()).toMatchObject({ upBytes: 130, month: { upBytes: 100 } });
});

test('without a clock, what is counted goes to the newest month', async () => {
  const first = await open();
  first.take(toSums({ upBytes: 100 }));
  await first.close();
  vi.setSystemTime(new Date('1970-01-01T00:00:10Z'));
  const second = await open();
  second.take(toSums({ upBytes: 5 }));
  expect(second.read()).toMatchObject({ upBytes: 105, month: { upBytes: 105 } });
});

test('what is counted before the clock was ever set belongs to the month in which it is', async () => {
  vi.setSystemTime(new Date('1970-01-01T00:00:10Z'));
  const sums = await open();
  sums.take(toSums({ upBytes: 5 }));
  expect(sums.read()).toMatchObject({ upBytes: 5, countedSince: undefined, month: noSums });
  vi.setSystemTime(new Date('2026-05-20T12:00:00Z'));
  sums.take(toSums({ upBytes: 6 }));
  expect(sums.read()).toMatchObject({ upBytes: 6, month: { upBytes: 6 } });
});

test('a clock that ran ahead leaves months that are dropped before older ones', async () => {
  const sums = await open();
  for (let month = 0; month < 14; month += 1) {
    vi.setSystemTime(new Date(Date.UTC(2026, 4 + month)));
    sums.take(toSums({ upBytes: 1 + month }));
  }
  vi.setSystemTime(new Date('2099-01-01T00:00:00Z'));
  sums.take(toSums({ upBytes: 100 }));
  vi.setSystemTime(new Date('2027-07-01T00:00:00Z'));
  sums.take(toSums({ upBytes: 101 }));
  await sums.close();
  const { months, total } = await readWritten();
  expect(Object.keys(months)).toHaveLength(15);
  expect(Object.keys(months)).toContain('2026-05');
  expect(Object.keys(months)).not.toContain('2099-01');
  expect(total.upBytes).toBe(101);
});

test('whatever an engine names, the total never falls and adds up over months and restarts', async () => {
  const amount = fc.oneof(fc.nat(1000), fc.constant(Number.MAX_SAFE_INTEGER));
  const step = fc.record({
    named: fc.record({ upBytes: amount, unpaidBytes: amount }),
    hours: fc.nat(1500),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 4 }), async (runs) => {
      await rm(join(directory, 'connect-sums.json'), { force: true });
      vi.setSystemTime(new Date('2026-05-20T12:00:00Z'));
      let before = noSums;
      for (const run of runs) {
        const sums = await open();
        for (const { named, hours } of run) {
          vi.advanceTimersByTime(hours * 3_600_000);
          sums.take(toSums(named));
          const { month, countedSince, ...total } = sums.read() ?? expect.fail('it was read');
          expect(countedSince).toBeInstanceOf(Date);
          expect(total.upBytes).toBeGreaterThanOrEqual(before.upBytes);
          expect(total.unpaidBytes).toBeGreaterThanOrEqual(month.unpaidBytes);
          expect(total.upBytes).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
          before = total;
        }
        await sums.close();
      }
      expect(aside).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('an engine that names less than before adds nothing until it names more', async () => {
  const sums = await open();
  for (const upBytes of [100, 0, 100, 101]) sums.take(toSums({ upBytes }));
  expect(sums.read()).toMatchObject({ upBytes: 101 });
});

test('it is written at once, then seldom, and at the end', async () => {
  const sums = await open();
  await sums.keep();
  expect(await readdir(directory)).toEqual([]);
  sums.take(toSums({ downBytes: 1 }));
  await sums.keep();
  expect((await readWritten()).total.downBytes).toBe(1);
  sums.take(toSums({ downBytes: 64 * 1024 ** 2 }));
  vi.advanceTimersByTime(3 * 3_600_000 - 1);
  await sums.keep();
  expect((await readWritten()).total.downBytes).toBe(1);
  sums.take(toSums({ downBytes: 64 * 1024 ** 2 + 1 }));
  await sums.keep();
  expect((await readWritten()).total.downBytes).toBe(64 * 1024 ** 2 + 1);
  sums.take(toSums({ downBytes: 64 * 1024 ** 2 + 2 }));
  await sums.close();
  expect((await readWritten()).total.downBytes).toBe(64 * 1024 ** 2 + 2);
});

test('a broken file is set aside, and counting begins again', async () => {
  const path = join(directory, 'connect-sums.json');
  await writeFile(path, '{"version":1,');
  const sums = await open();
  expect(aside).toEqual([path]);
  expect(sums.read()).toMatchObject({ upBytes: 0 });
});

test('while it cannot be read nothing is shown, and what is counted meanwhile is added to it', async () => {
  const first = await open();
  first.take(toSums({ upBytes: 100 }));
  await first.close();
  const path = join(directory, 'connect-sums.json');
  const kept = await readFile(path, 'utf8');
  await rm(path);
  await mkdir(path);
  const second = create();
  await expect(second.load()).rejects.toMatchObject({ code: 'state-unreadable' });
  second.take(toSums({ upBytes: 5 }));
  expect(second.read()).toBeUndefined();
  await second.keep();
  await rm(path, { recursive: true });
  await writeFile(path, kept);
  await chmod(path, 0o600);
  await second.load();
  expect(second.read()).toMatchObject({ upBytes: 105, month: { upBytes: 105 } });
});

test('a sum that an earlier version did not count is 0, and one of a later version is left out', async () => {
  const sums = await open();
  sums.take(toSums({ upBytes: 3 }));
  await sums.close();
  const { hash } = await import('node:crypto');
  const data = { total: { upBytes: 3, laterBytes: 9 }, months: { '2026-05': { upBytes: 3 } } };
  const sha256 = hash('sha256', JSON.stringify(data));
  const path = join(directory, 'connect-sums.json');
  await writeFile(path, JSON.stringify({ version: 1, sha256, data }));
  const next = await open();
  expect(aside).toEqual([]);
  expect(next.read()).toEqual({
    ...toSums({ upBytes: 3 }),
    countedSince: undefined,
    month: toSums({ upBytes: 3 }),
  });
});
