import { cp, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import {
  countHours,
  createLedgerWorld,
  createReading,
  dayMs,
  hourMs,
  openWorld,
  startMs,
  sum,
} from './ledger-world.ts';

describe('a ledger', () => {
  test('keeps what was counted by the hour and by the day', async () => {
    const { open, hours, days } = await createLedgerWorld();
    const ledger = await open();
    await ledger.note(createReading(5000, 3));
    vi.advanceTimersByTime(60_000);
    await ledger.note(createReading(6000, 10));
    vi.advanceTimersByTime(60_000);
    await ledger.note(createReading(6000, 10, false));
    vi.advanceTimersByTime(hourMs);
    await ledger.note(createReading(6000, 10, false));
    vi.advanceTimersByTime(dayMs);
    await ledger.note(createReading(6500, 10));
    await ledger.close();
    const first = {
      startMs,
      providingSeconds: 120,
      upBytes: 1000,
      downBytes: 2000,
      refusedPackets: 7,
    };
    expect(await hours()).toMatchObject([
      { ...first, peakBytesPerSecond: 50, serviceOnlineSeconds: undefined },
      { startMs: startMs + hourMs, providingSeconds: 0, upBytes: 0 },
      { startMs: startMs + dayMs + hourMs, upBytes: 500, downBytes: 1000 },
    ]);
    expect(await days()).toMatchObject([first, { startMs: startMs + dayMs, upBytes: 500 }]);
    expect(await days(startMs + 1)).toMatchObject([{ startMs: startMs + dayMs }]);
  });

  test('has no more seconds of providing in an hour than it has, and loses none at its end', async () => {
    const { open, hours } = await createLedgerWorld();
    const ledger = await open();
    await ledger.note(createReading(0));
    for (let index = 0; index < 3 * 80; index += 1) {
      vi.advanceTimersByTime(45_000);
      await ledger.note(createReading(0));
    }
    await ledger.close();
    expect((await hours()).map(({ providingSeconds }) => providingSeconds)).toEqual([
      3600, 3600, 3600, 0,
    ]);
  });

  test('does not count the time that its process stood still', async () => {
    const { open, hours } = await createLedgerWorld();
    const ledger = await open();
    await ledger.note(createReading(0));
    vi.advanceTimersByTime(1_800_000);
    await ledger.note(createReading(0));
    await ledger.close();
    expect(await hours()).toMatchObject([{ providingSeconds: 120 }]);
  });

  test('shows hours that are not written yet to who asks the agent', async () => {
    const { open, hours, directory } = await createLedgerWorld();
    const ledger = await open();
    await countHours(ledger, 30, 0);
    const { readHistory } = await import('../../../src/report/history.ts');
    const place = { directory, nowMs: Date.now(), unwritten: ledger.unwritten() };
    const written = await hours();
    const all = await readHistory({ unit: 'hour', sinceMs: 0 }, place);
    expect(all.slice(0, -1)).toEqual(written);
    expect(all.at(-1)).toMatchObject({ startMs: startMs + 30 * hourMs });
    expect(sum(await readHistory({ unit: 'day', sinceMs: 0 }, place))).toBe(sum(all));
  });

  test('is written once an hour at rest, and every ten minutes under traffic', async () => {
    const { open, path } = await createLedgerWorld();
    const ledger = await open();
    const countWrites = async (bytesAMinute: number) => {
      let writes = 0;
      let before = await readFile(path).catch(() => Buffer.alloc(0));
      for (let minute = 0; minute < 120; minute += 1) {
        vi.advanceTimersByTime(60_000);
        bytes += bytesAMinute;
        await ledger.note(createReading(bytes));
        const after = await readFile(path).catch(() => Buffer.alloc(0));
        if (!after.equals(before)) writes += 1;
        before = after;
      }
      return writes;
    };
    let bytes = 0;
    await ledger.note(createReading(bytes));
    expect(await countWrites(1000)).toBe(2);
    const busy = await countWrites(100e6);
    expect(busy).toBeGreaterThanOrEqual(12);
    expect(busy).toBeLessThanOrEqual(14);
  });

  test('keeps hours for 400 days and days for twenty years, in files of mode 0600', async () => {
    const { open, directory, hours, days } = await createLedgerWorld();
    for (const year of [2026, 2030, 2045, 2047]) {
      vi.setSystemTime(Date.UTC(year, 0, 20, 12));
      const ledger = await open();
      await ledger.note(createReading(year));
      await countHours(ledger, 24 * 2, year);
      await ledger.close();
    }
    expect((await stat(`${directory}/ledger/2047-01.jsonl`)).mode & 0o777).toBe(0o600);
    expect((await stat(`${directory}/ledger`)).mode & 0o777).toBe(0o700);
    const years = (rows: readonly { startMs: number }[]) => [
      ...new Set(rows.map((row) => new Date(row.startMs).getUTCFullYear())),
    ];
    expect(years(await hours())).toEqual([2047]);
    expect(years(await days())).toEqual([2030, 2045, 2047]);
  });

  test('drops the hours of the oldest month while it runs, and keeps their days', async () => {
    const { open, directory, hours, days } = await createLedgerWorld();
    const ledger = await open();
    let bytes = 0;
    await ledger.note(createReading(bytes));
    for (let month = 0; month < 18; month += 1) {
      vi.setSystemTime(Date.UTC(2026, 4 + month, 4));
      bytes += 10;
      await ledger.note(createReading(bytes));
    }
    await ledger.close();
    const files = await readdir(`${directory}/ledger`);
    expect(files.filter((name) => name.length > '2026.jsonl'.length).toSorted()[0]).toBe(
      '2026-08.jsonl',
    );
    expect(sum(await days())).toBe(bytes);
    // The 4th of August is in a file, and longer ago than 402 days.
    expect(sum(await hours())).toBe(bytes - 40);
  });

  test('books what grew while no agent ran to the hour of the last one, under whose permit it passed', async () => {
    const { open, hours } = await createLedgerWorld();
    const before = await open();
    await before.note(createReading(1000, 3));
    vi.advanceTimersByTime(60_000);
    await before.note(createReading(1100, 3));
    await before.close();
    vi.advanceTimersByTime(3 * hourMs);
    const after = await open();
    await after.note(createReading(1600, 8));
    vi.advanceTimersByTime(60_000);
    await after.note(createReading(1620, 9));
    await after.close();
    expect(await hours()).toMatchObject([
      { startMs, upBytes: 600, downBytes: 1200, refusedPackets: 5, providingSeconds: 60 },
      {
        startMs: startMs + 3 * hourMs,
        upBytes: 20,
        downBytes: 40,
        refusedPackets: 1,
        providingSeconds: 60,
      },
    ]);
  });
});

describe('with a clock that jumps, a ledger', () => {
  test('stays in its newest row while the clock was never set', async () => {
    const { open, hours } = await createLedgerWorld();
    const ledger = await open();
    const bytes = await countHours(ledger, 3, 0);
    await ledger.close();
    vi.setSystemTime(10_000);
    const after = await open();
    await countHours(after, 3, bytes);
    await after.close();
    const rows = await hours();
    expect(rows.map((row) => row.startMs)).toEqual(
      [0, 1, 2, 3].map((hour) => startMs + hour * hourMs),
    );
    expect(sum(rows)).toBe(bytes + 3000 - 250);
  });

  test('has at most an hour’s seconds in that row', async () => {
    const { open, hours } = await createLedgerWorld();
    const ledger = await open();
    await ledger.note(createReading(0));
    vi.setSystemTime(10_000);
    for (let minute = 0; minute < 120; minute += 1) {
      vi.advanceTimersByTime(60_000);
      await ledger.note(createReading(minute));
    }
    await ledger.close();
    expect(await hours()).toMatchObject([{ startMs, providingSeconds: 3600 }]);
    expect(ledger.unwritten()).toMatchObject([{ providingSeconds: 3600 }]);
  });

  test('waits for a first clock, and then files all that was counted', async () => {
    const { open, hours } = await createLedgerWorld();
    vi.setSystemTime(10_000);
    const ledger = await open();
    await ledger.note(createReading(0));
    await countHours(ledger, 2, 0);
    expect(await hours()).toEqual([]);
    vi.setSystemTime(startMs);
    await ledger.note(createReading(2500));
    await ledger.close();
    expect(await hours()).toMatchObject([{ startMs, upBytes: 2500 }]);
  });

  test.each([1, 12, 48])(
    'that is %i hours late files nothing before the newest row',
    async (hoursLate) => {
      const { open, hours } = await createLedgerWorld();
      const ledger = await open();
      await ledger.note(createReading(0));
      vi.setSystemTime(startMs - hoursLate * hourMs);
      await ledger.note(createReading(100));
      vi.setSystemTime(startMs + hourMs);
      await ledger.note(createReading(300));
      await ledger.close();
      expect(await hours()).toMatchObject([
        { startMs, upBytes: 100 },
        { startMs: startMs + hourMs, upBytes: 200 },
      ]);
    },
  );

  test('leaves behind what a clock that ran years ahead made it file, and goes on in the present', async () => {
    const { open, hours, days } = await createLedgerWorld();
    const ledger = await open();
    await ledger.note(createReading(0));
    await ledger.note(createReading(100));
    vi.setSystemTime(Date.UTC(2099, 0, 1));
    await ledger.note(createReading(150));
    await ledger.close();
    vi.setSystemTime(startMs + hourMs);
    const after = await open();
    await after.note(createReading(150));
    vi.advanceTimersByTime(60_000);
    await after.note(createReading(350));
    await after.close();
    const again = await open();
    await again.note(createReading(360));
    await again.close();
    expect(await hours()).toMatchObject([
      { startMs, upBytes: 100 },
      { startMs: startMs + hourMs, upBytes: 210 },
    ]);
    expect(sum(await days())).toBe(310);
  });
});

describe('a ledger whose file fails', () => {
  test('holds the hours until there is room, and says so with every reading', async () => {
    const { open, hours, days, directory } = await createLedgerWorld();
    const ledger = await open();
    await ledger.note(createReading(0));
    await rename(directory, `${directory}-away`);
    let bytes = 0;
    let failures = 0;
    for (let hour = 0; hour < 30; hour += 1) {
      vi.advanceTimersByTime(hourMs);
      bytes += 1000;
      await ledger.note(createReading(bytes)).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'state-unwritable' });
        failures += 1;
      });
    }
    expect(failures).toBe(30);
    await rename(`${directory}-away`, directory);
    await ledger.note(createReading(bytes));
    await ledger.close();
    expect((await hours()).map(({ upBytes }) => upBytes)).toEqual([
      0,
      ...Array.from({ length: 30 }, () => 1000),
    ]);
    expect(sum(await days())).toBe(bytes);
  });

  test('goes on as two independent ledgers after its card was copied', async () => {
    const one = await createLedgerWorld();
    const before = await one.open();
    const bytes = await countHours(before, 5, 0);
    await before.close();
    const copy = `${one.directory}-copy`;
    await mkdir(copy);
    await cp(one.directory, copy, { recursive: true });
    const other = openWorld(copy);
    const [here, there] = [await one.open(), await other.open()];
    await here.note(createReading(bytes + 7));
    await countHours(there, 3, bytes);
    await here.close();
    await there.close();
    expect(sum(await one.hours())).toBe(bytes - 250 + 7);
    expect(sum(await other.hours())).toBe(bytes - 250 + 3000);
  });
});
