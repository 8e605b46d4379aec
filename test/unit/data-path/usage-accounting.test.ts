import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import {
  openUsageAccounting,
  type UsageAccounting,
  type UsageLimits,
} from '../../../src/data-path/usage-accounting.ts';
import type { ForwardedTotals } from '../../../src/gateway/policy.ts';
import { createDisk, failWith } from '../../faults/disk.ts';

const start = new Date('2026-05-04T12:00:00Z');
const createProvide = (cap: string) =>
  configSchema.shape.provide.parse({ time_zone: 'UTC', cap: { bytes: cap } });
const createTotals = (bytes: number) => ({
  up: { packets: 0, bytes: 0 },
  down: { packets: 1, bytes },
});

let directory: string;
beforeEach(async () => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'performance'] });
  directory = await mkdtemp(join(tmpdir(), 'tributary-accounting-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true, force: true });
});

const open = (cap: string, inDirectory = directory) => openWith(createProvide(cap), inDirectory);
const create = (limits: UsageLimits, inDirectory = directory) =>
  openUsageAccounting({
    directory: inDirectory,
    limits: () => limits,
    onSetAside: () => undefined,
    now: () => new Date(),
  });
const openWith = async (limits: UsageLimits, inDirectory = directory) => {
  const accounting = create(limits, inDirectory);
  await accounting.load();
  return accounting;
};

test.each([
  ['1 MB', 0, false],
  ['1 MB', 1_000_000 - 65_536, false],
  ['1 MB', 1_000_000 - 65_535, true],
  ['1 MB', 1_000_000, true],
  ['1 MB', 2_000_000, true],
  ['10 KB', 0, false],
  ['10 KB', 1, true],
])(
  'with a cap of %s of which %i bytes are used, a packet may no longer fit: %s',
  async (cap, bytes, isCapReached) => {
    const accounting = await open(cap);
    await note(accounting, createTotals(bytes));
    expect(accounting.current()).toMatchObject({ bytes, isCapReached });
  },
);

test('a clock that goes back shows the period that counts, not an earlier one', async () => {
  const accounting = await open('1 GB');
  await note(accounting, createTotals(1));
  const before = accounting.current()?.period;
  vi.setSystemTime(new Date('1970-01-01T00:00:10Z'));
  await note(accounting, createTotals(2));
  expect(accounting.current()).toMatchObject({ bytes: 2, period: before });
});

describe('when the cap will be reached', () => {
  const reachedAfter = async (hours: number) => {
    const accounting = await open('100 MB');
    await note(accounting, createTotals(0));
    vi.advanceTimersByTime(hours * 3_600_000);
    await note(accounting, createTotals(20_000_000));
    return accounting;
  };

  test('is said from the second day on, by the time that was counted', async () => {
    expect((await reachedAfter(23)).current()?.reachedAt).toBeUndefined();
    await rm(join(directory, 'usage.json'));
    vi.setSystemTime(start);
    // The period began on the first of May, of which this device knows nothing.
    expect((await reachedAfter(36)).current()?.reachedAt).toEqual(new Date('2026-05-12T00:00:00Z'));
    expect((await open('100 MB')).current()?.reachedAt).toEqual(new Date('2026-05-12T00:00:00Z'));
  });

  test('counts from the beginning of a period that was seen whole', async () => {
    const accounting = await reachedAfter(36);
    vi.setSystemTime(new Date('2026-06-03T00:00:00Z'));
    await note(accounting, createTotals(20_000_001));
    expect(accounting.current()?.reachedAt).toBeUndefined();
    await note(accounting, createTotals(40_000_001));
    expect(accounting.current()?.reachedAt).toEqual(new Date('2026-06-11T00:00:00Z'));
  });

  test('is not counted from 1970 where the clock was set late', async () => {
    vi.setSystemTime(0);
    const accounting = await open('100 MB');
    await note(accounting, createTotals(0));
    vi.setSystemTime(start);
    await note(accounting, createTotals(0));
    vi.setSystemTime(start.getTime() + 36 * 3_600_000);
    await note(accounting, createTotals(20_000_000));
    expect(accounting.current()?.reachedAt).toEqual(new Date('2026-05-12T00:00:00Z'));
  });
});

/** A reading, as a pass of the data path takes it. */
async function note(accounting: UsageAccounting, totals: ForwardedTotals): Promise<void> {
  accounting.take(totals);
  await accounting.keep();
}

const readWritten = async () =>
  JSON.parse(await readFile(join(directory, 'usage.json'), 'utf8')).data.totalDownBytes;

const uncapped = { time_zone: 'UTC' };

test('use of a cap is noted ahead by a thousandth, and exactly at the end', async () => {
  const accounting = await open('1 GB');
  await note(accounting, createTotals(1000));
  await note(accounting, createTotals(500_000));
  expect(await readWritten()).toBe(1000);
  await note(accounting, createTotals(501_001));
  expect(await readWritten()).toBe(501_001);
  await note(accounting, createTotals(600_000));
  await accounting.close(undefined);
  expect(await readWritten()).toBe(600_000);
  const next = await open('1 GB');
  next.take(undefined);
  await note(next, createTotals(600_000));
  expect(next.current()?.bytes).toBe(600_000);
});

test('a restart that finds the kernel’s counters counts no more than what passed', async () => {
  await note(await open('1 GB'), createTotals(1000));
  const next = await open('1 GB');
  await note(next, createTotals(5000));
  expect(next.current()?.bytes).toBe(5000);
});

test.each([
  ['slow', 100_000],
  ['fast', 2_400_000],
])('ten power cuts on a %s line let no second cap pass', async (_, perPass) => {
  const capBytes = 40_000_000;
  let passed = 0;
  for (let boot = 0; boot < 40; boot += 1) {
    const accounting = await open('40 MB');
    // Without a table in the kernel there are no counters.
    accounting.take(undefined);
    let total = accounting.totals().down.bytes;
    for (let pass = 0; pass <= 10; pass += 1) {
      await note(accounting, createTotals(total));
      const left = Math.max(0, (accounting.stopAtBytes() ?? 0) - total);
      // The kernel stops at the cap; the power goes before the last of the passes is read.
      passed += Math.min(perPass, left);
      total += Math.min(perPass, left);
    }
  }
  expect(passed).toBeLessThanOrEqual(capBytes);
  expect(passed).toBeGreaterThan(capBytes / 4);
});

test('without a cap, less than 64 MiB of new bytes wait three hours to be written', async () => {
  const accounting = await openWith(uncapped);
  const trifle = 64 * 1024 ** 2 - 1;
  await note(accounting, createTotals(1));
  vi.advanceTimersByTime(3 * 3_600_000 - 1);
  await note(accounting, createTotals(1 + trifle));
  expect(await readWritten()).toBe(1);
  vi.advanceTimersByTime(1);
  await note(accounting, createTotals(1 + trifle));
  expect(await readWritten()).toBe(1 + trifle);
});

test('64 MiB are worth writing to the byte, whichever way they went, once a minute at most', async () => {
  const accounting = await openWith(uncapped);
  const totals = (up: number, down: number) => ({
    up: { packets: 1, bytes: up },
    down: { packets: 1, bytes: down },
  });
  const half = 32 * 1024 ** 2;
  await note(accounting, totals(5_000_000, 1));
  vi.advanceTimersByTime(60_000);
  await note(accounting, totals(5_000_000 + half, half));
  expect(await readWritten()).toBe(1);
  await note(accounting, totals(5_000_000 + half, half + 1));
  expect(await readWritten()).toBe(half + 1);
  await note(accounting, totals(5_000_000 + half, 4 * half));
  expect(await readWritten()).toBe(half + 1);
});

test('an unchanged count is not written again', async () => {
  const accounting = await openWith(uncapped);
  await note(accounting, createTotals(1000));
  await rm(join(directory, 'usage.json'));
  accounting.take(createTotals(1000));
  await accounting.close(undefined);
  await expect(readWritten()).rejects.toMatchObject({ code: 'ENOENT' });
  await accounting.close(createTotals(2000));
  expect(await readWritten()).toBe(2000);
});

test('a cap at rest writes nothing', async () => {
  const accounting = await open('1 GB');
  await note(accounting, createTotals(1000));
  await rm(join(directory, 'usage.json'));
  for (let hours = 0; hours < 9; hours += 1) {
    vi.advanceTimersByTime(3_600_000);
    await note(accounting, createTotals(1000));
  }
  await expect(readWritten()).rejects.toMatchObject({ code: 'ENOENT' });
});

test('before the first reading there is nothing to write or to show, and a cap all the same', async () => {
  const accounting = await open('1 GB');
  await accounting.keep();
  await accounting.close(undefined);
  await expect(readWritten()).rejects.toMatchObject({ code: 'ENOENT' });
  expect([accounting.current(), accounting.stopAtBytes()]).toEqual([undefined, 10 ** 9]);
});

describe('the last part of a cap, in which only what is open goes on', () => {
  test.each([
    ['1 GB', 979_999_999, 980_000_000],
    ['500 GB', 498_999_999_999, 499_000_000_000],
    ['1 MB', 934_463, 934_464],
  ])('begins, with a cap of %s, after the expected bytes', async (cap, before, from) => {
    const accounting = await open(cap);
    await note(accounting, createTotals(before));
    expect(accounting.current()?.isEnding).toBe(false);
    expect(accounting.newUntilBytes()).toBe(from);
    await note(accounting, createTotals(from));
    expect(accounting.current()).toMatchObject({ isEnding: true, isCapReached: false });
  });

  test('comes again in the next period, and never without a cap', async () => {
    const accounting = await open('1 GB');
    await note(accounting, createTotals(990_000_000));
    vi.setSystemTime(new Date('2026-06-01T00:00:01Z'));
    await note(accounting, createTotals(990_000_000));
    expect(accounting.current()?.isEnding).toBe(false);
    expect(accounting.newUntilBytes()).toBe(990_000_000 + 980_000_000);
    const without = await openWith(uncapped);
    await note(without, createTotals(10 ** 15));
    expect([without.newUntilBytes(), without.current()?.isEnding]).toEqual([undefined, false]);
  });
});

describe('a cap as a provider counts that counts both ways', () => {
  const openLine = (bytes: number) =>
    openWith({ time_zone: 'UTC', cap: { bytes, period: 'month', reset_day: 1, counts: 'line' } });

  test('counts 2.1 times what is forwarded, and stops the kernel so much earlier', async () => {
    const accounting = await openLine(2.1e9);
    await note(accounting, createTotals(400_000_000));
    expect(accounting.current()).toMatchObject({
      bytes: 840_000_000,
      isCapReached: false,
      isEnding: false,
    });
    expect([accounting.stopAtBytes(), accounting.newUntilBytes()]).toEqual([10 ** 9, 980_000_000]);
    vi.setSystemTime(new Date('2026-06-01T00:00:01Z'));
    expect(accounting.stopAtBytes()).toBe(10 ** 9 + 400_000_000);
  });

  test.each([
    [10 ** 9 - 65_536, false],
    [10 ** 9 - 65_535, true],
    [10 ** 9, true],
  ])('is used up where the kernel may have stopped (%i: %s)', async (bytes, isCapReached) => {
    const accounting = await openLine(2.1e9);
    await note(accounting, createTotals(bytes));
    expect(accounting.current()?.isCapReached).toBe(isCapReached);
  });

  test('smaller than a packet is used up by any packet', async () => {
    const accounting = await openLine(1);
    await note(accounting, createTotals(1));
    expect(accounting.current()?.isCapReached).toBe(true);
  });

  test('is reached on the day on which that much will be counted', async () => {
    const accounting = await openLine(210_000_000);
    await note(accounting, createTotals(0));
    vi.advanceTimersByTime(36 * 3_600_000);
    await note(accounting, createTotals(20_000_000));
    expect(accounting.current()?.reachedAt).toEqual(new Date('2026-05-12T00:00:00Z'));
  });

  test('is worth writing by what it allows', async () => {
    const accounting = await openLine(2.1e9);
    await note(accounting, createTotals(1));
    await note(accounting, createTotals(500_001));
    expect(await readWritten()).toBe(1);
    await note(accounting, createTotals(500_002));
    expect(await readWritten()).toBe(500_002);
  });
});

describe('the total at which the kernel stops', () => {
  test('is the cap after all that was counted before the period', async () => {
    const accounting = await open('1 GB');
    await note(accounting, createTotals(5_000_000));
    expect(accounting.stopAtBytes()).toBe(10 ** 9);
    vi.setSystemTime(new Date('2026-06-01T00:00:01Z'));
    expect(accounting.stopAtBytes()).toBe(10 ** 9 + 5_000_000);
  });

  test('is missing without a cap, which is never used up', async () => {
    const accounting = await openWith(uncapped);
    await note(accounting, createTotals(10 ** 15));
    expect(accounting.stopAtBytes()).toBeUndefined();
    expect(accounting.current()).toMatchObject({
      isCapReached: false,
      bytes: 10 ** 15,
      period: { start: new Date('2026-05-01T00:00Z'), end: new Date('2026-06-01T00:00Z') },
    });
    vi.advanceTimersByTime(60_000);
    await note(accounting, createTotals(10 ** 15 + 64 * 1024 ** 2));
    expect(await readWritten()).toBe(10 ** 15 + 64 * 1024 ** 2);
  });

  test('follows the owner’s period', async () => {
    const accounting = await openWith({
      time_zone: 'UTC',
      cap: { bytes: 10 ** 9, period: 'week', reset_day: 3 },
    });
    await note(accounting, createTotals(1));
    expect(accounting.current()?.period).toEqual({
      start: new Date('2026-04-29T00:00Z'),
      end: new Date('2026-05-06T00:00Z'),
    });
  });
});

test('a new period is written down however little was used', async () => {
  const accounting = await open('1 GB');
  await note(accounting, createTotals(1));
  vi.setSystemTime(new Date('2026-06-01T00:00:01Z'));
  vi.advanceTimersByTime(60_000);
  await note(accounting, createTotals(2));
  expect(await readWritten()).toBe(2);
});

test('the count is known only after the kernel was asked, which may be ahead of the file', async () => {
  const first = await open('1 GB');
  expect(first.counted()).toBeUndefined();
  await note(first, createTotals(1000));
  const second = await open('1 GB');
  expect(second.counted()).toBeUndefined();
  await note(second, createTotals(1500));
  expect(second.counted()).toEqual(createTotals(1500));
});

test('a disk that takes nothing is said with every reading until a write succeeds, and the count goes on', async () => {
  const missing = join(directory, 'missing');
  const accounting = await open('1 GB', missing);
  await expect(note(accounting, createTotals(1000))).rejects.toMatchObject({
    code: 'state-unwritable',
  });
  await expect(note(accounting, createTotals(2000))).rejects.toMatchObject({
    code: 'state-unwritable',
  });
  expect(accounting.current()?.bytes).toBe(2000);
  await mkdir(missing);
  vi.advanceTimersByTime(5_000);
  await note(accounting, createTotals(3000));
  await note(accounting, createTotals(4000));
});

test('a disk that turned read-only is said with the next reading, hours before the next write', async () => {
  const accounting = await open('1 GB');
  await note(accounting, createTotals(1000));
  using disk = await createDisk(directory);
  disk.meddle(failWith('EROFS', ['open']));
  for (let reading = 0; reading < 2; reading += 1)
    await expect(note(accounting, createTotals(1000))).rejects.toMatchObject({
      code: 'state-unwritable',
      message: expect.stringContaining('EROFS'),
    });
  disk.meddle(undefined);
  await note(accounting, createTotals(1000));
});

test('a disk that does not say whether it is read-only is looked at once, and holds no pass up', async () => {
  const accounting = await open('1 GB');
  await note(accounting, createTotals(1000));
  using disk = await createDisk(directory);
  const { promise, resolve } = Promise.withResolvers<void>();
  let looks = 0;
  disk.meddle(async () => {
    looks += 1;
    await promise;
  });
  await note(accounting, createTotals(1000));
  await note(accounting, createTotals(1000));
  expect(looks).toBe(1);
  resolve();
});

test('forwarding stops at the totals with which the period began, and the cap on top', async () => {
  const accounting = await open('1 MB');
  expect(accounting.stopAtBytes()).toBe(1_000_000);
  await note(accounting, createTotals(400_000));
  expect(accounting.stopAtBytes()).toBe(1_000_000);
  vi.setSystemTime(new Date('2026-06-01T00:00:01Z'));
  expect(accounting.stopAtBytes()).toBe(1_400_000);
  await note(accounting, createTotals(500_000));
  expect(accounting.stopAtBytes()).toBe(1_500_000);
});

test('a missing reading changes nothing, and nothing is written before the first', async () => {
  const accounting = await open('1 MB');
  accounting.take(undefined);
  await accounting.keep();
  expect([accounting.counted(), accounting.current()]).toEqual([undefined, undefined]);
  await expect(readWritten()).rejects.toThrow();
});

test('without a cap nothing stops, and the month is the period', async () => {
  const accounting = await openWith(uncapped);
  await note(accounting, createTotals(5));
  expect(accounting.stopAtBytes()).toBeUndefined();
  expect(accounting.current()).toMatchObject({
    isCapReached: false,
    period: { end: new Date('2026-06-01T00:00:00Z') },
  });
});

describe('a clock that was once in the future', () => {
  test('freezes no cap: what counts in the present period is all that was used in it', async () => {
    const accounting = await open('1 GB');
    await note(accounting, createTotals(100));
    vi.setSystemTime(new Date('2036-02-03T00:00:00Z'));
    await note(accounting, createTotals(150));
    vi.setSystemTime(start);
    await note(accounting, createTotals(250));
    expect(accounting.current()).toMatchObject({
      bytes: 250,
      period: { start: new Date('2026-05-01T00:00Z') },
    });
    vi.setSystemTime(new Date('2026-06-01T00:00:01Z'));
    await note(accounting, createTotals(260));
    expect(accounting.current()).toMatchObject({
      bytes: 0,
      period: { start: new Date('2026-06-01T00:00Z') },
    });
    expect(accounting.stopAtBytes()).toBe(10 ** 9 + 260);
  });

  test('is left behind by the next start too', async () => {
    vi.setSystemTime(new Date('2036-02-03T00:00:00Z'));
    await note(await open('1 GB'), createTotals(150));
    vi.setSystemTime(start);
    const accounting = await open('1 GB');
    await note(accounting, createTotals(250));
    expect(accounting.current()).toMatchObject({
      bytes: 250,
      period: { start: new Date('2026-05-01T00:00Z') },
    });
  });
});

test('a clock that is late at each start, and set afterwards, opens no second cap', async () => {
  await note(await open('1 GB'), createTotals(100));
  for (let boot = 1; boot <= 3; boot += 1) {
    vi.setSystemTime(new Date('2026-03-01T00:00:00Z'));
    const accounting = await open('1 GB');
    await note(accounting, createTotals(100 * boot));
    vi.setSystemTime(start);
    vi.advanceTimersByTime(60_000);
    await note(accounting, createTotals(100 * boot + 100));
    expect(accounting.current()?.bytes).toBe(100 * boot + 100);
    await accounting.close(undefined);
  }
});

describe('a file that cannot be read', () => {
  const path = () => join(directory, 'usage.json');
  const capped = {
    time_zone: 'UTC',
    cap: { bytes: 10 ** 9, period: 'month', reset_day: 1 },
  } as const;

  test('is asked for again until it can, and what it holds counts', async () => {
    await note(await open('1 GB'), createTotals(5000));
    const text = await readFile(path(), 'utf8');
    await rm(path());
    await mkdir(path());
    const accounting = create(capped);
    await expect(accounting.load()).rejects.toMatchObject({ code: 'state-unreadable' });
    // A look at the kernel meanwhile is no beginning.
    accounting.take(createTotals(1));
    await expect(accounting.close(createTotals(1))).rejects.toMatchObject({
      code: 'state-unreadable',
    });
    await rm(path(), { recursive: true });
    await writeFile(path(), text);
    await accounting.load();
    expect(accounting.totals()).toEqual(createTotals(5000));
    await accounting.load();
    await note(accounting, createTotals(6000));
    await accounting.load();
    expect(accounting.current()?.bytes).toBe(6000);
  });

  test('because it is garbage does not restart a cap: it is left in place for its owner to decide', async () => {
    await writeFile(path(), 'garbage');
    const accounting = create(capped);
    await expect(accounting.load()).rejects.toMatchObject({
      code: 'state-unreadable',
      message: expect.stringContaining(path()),
    });
    expect(await readdir(directory)).toEqual(['usage.json']);
    await rm(path());
    await accounting.load();
    expect(accounting.stopAtBytes()).toBe(10 ** 9);
  });

  test('because it is garbage stops nobody where there is no cap', async () => {
    await writeFile(path(), 'garbage');
    await note(await openWith(uncapped), createTotals(7));
    expect(await readWritten()).toBe(7);
  });
});

test('each start shows by one write whether the disk takes what is counted', async () => {
  await note(await open('1 GB'), createTotals(1000));
  await rm(directory, { recursive: true });
  const accounting = await open('1 GB');
  accounting.take(createTotals(1000));
  await expect(accounting.keep()).rejects.toMatchObject({ code: 'state-unwritable' });
});

test('a write that does not end is waited for a second, at the end for six, and never written beside', async () => {
  const accounting = await open('1 GB');
  using disk = await createDisk(directory);
  const { promise, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  disk.meddle((act) => {
    if (act !== 'sync') return undefined;
    writes += 1;
    return promise;
  });
  await note(accounting, createTotals(1000));
  accounting.take(createTotals(2000));
  const late = { code: 'state-unwritable', message: expect.stringContaining('takes very long') };
  await expect(accounting.keep()).rejects.toMatchObject(late);
  // A stop must not forget what the kernel counted.
  await expect(accounting.close(createTotals(3000))).rejects.toMatchObject(late);
  expect([writes, await readdir(directory)]).toEqual([
    1,
    [expect.stringMatching(/^\.usage\.json\./)],
  ]);
  resolve();
  await expect
    .poll(() => accounting.close(undefined).then(readWritten, () => undefined))
    .toBe(3000);
});
