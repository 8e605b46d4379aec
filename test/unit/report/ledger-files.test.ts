import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Figures, ledgerFigures, pickFigures } from '../../../src/report/ledger-figures.ts';
import {
  appendLines,
  dropOldest,
  findNewestLine,
  ledgerBytes,
  readLines,
} from '../../../src/report/ledger-files.ts';
import { isCounted, startAt, unitMs } from '../../../src/report/ledger-line.ts';
import { createLedgerWorld } from './ledger-world.ts';

const most = Number.MAX_SAFE_INTEGER;
const mostFigures = Object.fromEntries(ledgerFigures.map(({ name }) => [name, most])) as Figures;

/** The longest lines that a month can have. */
function makeMonth(year: number, month: number) {
  const days = Array.from({ length: new Date(Date.UTC(year, month, 0)).getUTCDate() }, (_, index) =>
    Date.UTC(year, month - 1, index + 1),
  );
  const service = {
    serviceOnlineSeconds: 86_400,
    serviceBytes: most,
    servicePayoutUsdc: 123_456.123_456,
  };
  return [
    ...days.map((dayMs) => ({ start: startAt('day', dayMs), ...service })),
    ...days.flatMap((dayMs) =>
      Array.from({ length: 24 }, (_, hour) => ({
        start: startAt('hour', dayMs + hour * unitMs.hour),
        ...mostFigures,
        serviceOnlineSeconds: 3600,
        sequence: 10_000_000 + dayMs / unitMs.hour,
        reached: mostFigures,
      })),
    ),
  ];
}

async function measureFolder(directory: string) {
  const names = await readdir(join(directory, 'ledger'));
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(directory, 'ledger', name))).size),
  );
  return {
    names: names.toSorted(),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    largest: Math.max(...sizes),
  };
}

const countOf = async (directory: string, first: string, last: string) =>
  (await readLines(directory, { first, last })).size;

describe('the files of a ledger', () => {
  test('take 17.5 MiB at most, whatever comes in 24 years, of which they keep 400 days by the hour and 20 years by the day', async () => {
    const { directory } = await createLedgerWorld();
    expect(ledgerBytes).toBe(17.5 * 2 ** 20);
    for (let month = 0; month < 24 * 12; month += 1) {
      const lines = makeMonth(2026 + Math.floor(month / 12), (month % 12) + 1);
      await appendLines(directory, lines);
      await dropOldest(directory, lines[0]?.start.slice(0, 7) ?? '');
    }
    const { names, bytes, largest } = await measureFolder(directory);
    expect(bytes).toBeLessThanOrEqual(ledgerBytes);
    expect(largest).toBeLessThanOrEqual(512 * 1024);
    expect(names).toHaveLength(15 + 20);
    const lastMs = Date.UTC(2049, 11, 31, 23);
    const firstMs = lastMs - 400 * unitMs.day;
    expect(
      await countOf(directory, startAt('hour', firstMs), startAt('hour', lastMs)),
    ).toBeGreaterThan(400 * 24);
    const days = await readLines(directory, { first: '2029-12-31', last: '2048-09-30' });
    expect(days.size).toBe((Date.UTC(2048, 8, 30) - Date.UTC(2029, 11, 31)) / unitMs.day + 1);
    expect([...days.values()].filter(isCounted)).toHaveLength(days.size);
  });

  test('stay as small while the same hour is written again and again, and know what was written last', async () => {
    const { directory, path } = await createLedgerWorld();
    const others = makeMonth(2026, 5).slice(0, 300);
    await appendLines(
      directory,
      others.map((line) => ({ ...line, sequence: 1 })),
    );
    for (let sequence = 2; sequence < 300; sequence += 1) {
      const line = { start: '2026-05-04T09:00Z', ...pickFigures({ upBytes: sequence }), sequence };
      await appendLines(
        directory,
        Array.from({ length: 20 }, () => line),
      );
      expect((await stat(path)).size).toBeLessThan(2 ** 19 + 10_000);
      expect(await findNewestLine(directory)).toMatchObject(line);
    }
    expect(await countOf(directory, '2026-05-01', '2026-05-31')).toBe(others.length);
  });

  test('give up first what a clock that ran ahead left behind, and keep the days of what they give up', async () => {
    const { directory } = await createLedgerWorld();
    const addMonth = async (name: string) => {
      const line = { start: `${name}-02T05:00Z`, ...pickFigures({ upBytes: 5 }), sequence: 1 };
      await appendLines(directory, [line, { start: `${name}-02`, serviceBytes: 4 }]);
      await dropOldest(directory, name);
    };
    for (const name of ['2099-01', '2099-02']) await addMonth(name);
    for (let month = 0; month < 15; month += 1)
      await addMonth(startAt('day', Date.UTC(2026, month)).slice(0, 7));
    const { names } = await measureFolder(directory);
    expect(names.filter((name) => name.length > '2026.jsonl'.length).at(0)).toBe('2026-01.jsonl');
    expect(names).toHaveLength(15 + 1);
    await addMonth('2027-04');
    expect((await measureFolder(directory)).names).not.toContain('2026-01.jsonl');
    const days = await readLines(directory, { first: '2026-01-01', last: '2026-01-31' });
    expect([...days.values()]).toMatchObject([
      { start: '2026-01-02', upBytes: 5, serviceBytes: 4 },
    ]);
  });

  test('lose nothing when a power cut comes between keeping the days of a month and its end', async () => {
    const { directory } = await createLedgerWorld();
    for (let month = 0; month < 16; month += 1)
      await appendLines(directory, makeMonth(2026, month + 1));
    const first = await readFile(join(directory, 'ledger', '2026-01.jsonl'));
    const read = () => readLines(directory, { first: '2026-01-01', last: '2026-01-31' });
    await dropOldest(directory, '2027-04');
    const days = await read();
    await writeFile(join(directory, 'ledger', '2026-01.jsonl'), first);
    await dropOldest(directory, '2027-04');
    expect(await read()).toEqual(days);
    expect(days.size).toBe(31);
  });
});
