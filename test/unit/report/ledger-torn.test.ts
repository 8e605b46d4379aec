import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { openUsageAccounting } from '../../../src/data-path/usage-accounting.ts';
import { ledgerFigures } from '../../../src/report/ledger-figures.ts';
import { parseLine, renderLine, startAt } from '../../../src/report/ledger-line.ts';
import {
  countHours,
  createLedgerWorld,
  createReading,
  hourMs,
  openWorld,
  startMs,
  sum,
} from './ledger-world.ts';

const whole = fc.nat(Number.MAX_SAFE_INTEGER);
const anyFigures = fc.record(Object.fromEntries(ledgerFigures.map(({ name }) => [name, whole])), {
  requiredKeys: [],
});
const anyLine = fc
  .tuple(fc.constantFrom('hour', 'day'), fc.nat(4e12), anyFigures, whole, anyFigures)
  .map(([unit, atMs, own, sequence, reached]) => ({
    start: startAt(unit, atMs),
    ...own,
    sequence,
    reached,
  }));

describe('a line', () => {
  test('is read back unchanged', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const text = renderLine(line);
        expect(text).toMatch(/^\n\{"start":"[^\n]*\}$/);
        expect(parseLine(text.slice(1))).toEqual(line);
        expect(JSON.parse(text)).toMatchObject(line);
      }),
    );
  });

  test('is ignored with any byte changed', () => {
    fc.assert(
      fc.property(anyLine, fc.nat(), fc.integer({ min: 1, max: 255 }), (line, position, change) => {
        const text = renderLine(line).slice(1);
        const at = position % text.length;
        const changed = String.fromCharCode(text.charCodeAt(at) ^ change);
        expect(parseLine(text.slice(0, at) + changed + text.slice(at + 1))).toBeUndefined();
      }),
    );
  });
});

const toText = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row));

describe('a ledger survives', () => {
  test('a write that ends at any byte: it holds what it held before, or what it was to hold', async () => {
    const { open, hours, path } = await createLedgerWorld();
    const ledger = await open();
    let bytes = await countHours(ledger, 25, 0);
    for (let round = 0; round < 4; round += 1) {
      vi.advanceTimersByTime(60_000);
      bytes += 1;
      await ledger.note(createReading(bytes));
      const before = await readFile(path);
      const rowsBefore = toText(await hours(startMs));
      await ledger.close();
      const after = await readFile(path);
      const rowsAfter = toText(await hours(startMs));
      expect(rowsAfter).not.toEqual(rowsBefore);
      expect(after.subarray(0, before.length)).toEqual(before);
      for (let cut = before.length; cut < after.length; cut += 1) {
        await writeFile(path, after.subarray(0, cut));
        expect(toText(await hours(startMs))).toEqual(rowsBefore);
      }
      await writeFile(path, after);
      expect(toText(await hours(startMs))).toEqual(rowsAfter);
    }
  });

  test('being cut at every byte: whole rows stay, none is made up, and it goes on', async () => {
    const { open, hours, path } = await createLedgerWorld();
    const ledger = await open();
    const bytes = await countHours(ledger, 10, 0);
    await ledger.close();
    const content = await readFile(path);
    const rows = toText(await hours(startMs));
    const other = await mkdtemp(join(tmpdir(), 'tributary-ledger-cut-'));
    onTestFinished(() => rm(other, { recursive: true, force: true }));
    const cutWorld = openWorld(other);
    // Makes the folder.
    await (await cutWorld.open()).note(createReading(0));
    await writeFile(cutWorld.path, content);
    let rowsBefore = rows.length;
    for (let cut = content.length; cut >= 0; cut -= 1) {
      await truncate(cutWorld.path, cut);
      const left = toText(await cutWorld.hours(startMs));
      // The newest row may be an earlier state of itself; the others are as they were.
      expect(left.slice(0, -1)).toEqual(rows.slice(0, Math.max(0, left.length - 1)));
      expect(left.length).toBeLessThanOrEqual(rowsBefore);
      expect(left.length).toBeGreaterThanOrEqual(rowsBefore - 1);
      rowsBefore = left.length;
    }
    expect(rowsBefore).toBe(0);
    await fc.assert(
      fc.asyncProperty(fc.nat(content.length), async (cut) => {
        await writeFile(cutWorld.path, content.subarray(0, cut));
        const before = sum(await cutWorld.hours(startMs));
        const again = await cutWorld.open();
        await again.note(createReading(bytes));
        await again.note(createReading(bytes + 11));
        await again.close();
        const after = await cutWorld.hours(startMs);
        expect(sum(after)).toBeGreaterThanOrEqual(before + 11);
        expect(sum(after)).toBeLessThanOrEqual(bytes + 11);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ['zeros', Buffer.alloc(4096)],
    ['half a line', Buffer.from('\n{"start":"2026-05-04T09:00Z","providingSec')],
    [
      'lines that are none',
      Buffer.from(
        '\n\n{}\n[]\nnull\n{"start":"2026-05-04T09:00Z","upBytes":7,"check":"00000000"}\n',
      ),
    ],
    ['noise', Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256))],
  ])('%s after its end: every row is there, and it goes on', async (_name, garbage) => {
    const { open, hours, path } = await createLedgerWorld();
    const ledger = await open();
    const bytes = await countHours(ledger, 5, 0);
    await ledger.close();
    const rows = toText(await hours());
    await writeFile(path, Buffer.concat([await readFile(path), garbage]));
    expect(toText(await hours())).toEqual(rows);
    const again = await open();
    await again.note(createReading(bytes + 5));
    await again.close();
    const after = await hours();
    expect(toText(after).slice(0, -1)).toEqual(rows.slice(0, -1));
    expect(sum(after)).toBe(bytes - 250 + 5);
  });

  test('a wrong line anywhere: it alone is lost', async () => {
    const { open, hours, days, path } = await createLedgerWorld();
    const ledger = await open();
    await countHours(ledger, 30, 0);
    await ledger.close();
    const lines = (await readFile(path, 'utf8')).split('\n');
    const rows = toText(await hours());
    const lost = lines.findIndex((line) => line.includes('T07:00Z'));
    await writeFile(
      path,
      lines.with(lost, lines[lost]?.replace('"upBytes":1', '"upBytes":9') ?? '').join('\n'),
    );
    expect(toText(await hours())).toEqual(
      rows.filter((row) => !row.includes(`${startMs + 7 * hourMs}`)),
    );
    expect(sum(await days())).toBe(sum(await hours()));
  });

  test('a renaming that a power cut undid: the longer file says the same as the shorter', async () => {
    const { open, hours, path } = await createLedgerWorld();
    const ledger = await open();
    let bytes = await countHours(ledger, 5, 0);
    await ledger.close();
    const content = await readFile(path, 'utf8');
    const longer = content.repeat(Math.ceil(2 ** 19 / content.length));
    await writeFile(path, longer);
    bytes += 7;
    await ledger.note(createReading(bytes));
    await ledger.close();
    expect((await readFile(path)).length).toBeLessThan(2 * content.length);
    const rows = toText(await hours());
    await writeFile(path, longer);
    const again = await open();
    await again.note(createReading(bytes));
    await again.close();
    expect(toText(await hours())).toEqual(rows);
    expect(sum(await hours())).toBe(bytes - 250);
  });
});

/**
 * The kernel's counters, the state file and the ledger, with every way in which an agent can end.
 */
type Event = {
  readonly kind: 'traffic' | 'pass' | 'hour' | 'kill' | 'stop' | 'power-cut';
  readonly bytes: number;
};

const anyEvents = (kinds: readonly Event['kind'][]) =>
  fc.array(
    fc.record({ kind: fc.constantFrom(...kinds), bytes: fc.integer({ min: 0, max: 200e6 }) }),
    {
      maxLength: 25,
    },
  );

async function live(directory: string, events: readonly Event[]) {
  const world = openWorld(directory);
  const provide = configSchema.shape.provide.parse({ time_zone: 'UTC' });
  const start = async () => {
    const accounting = openUsageAccounting({
      directory,
      limits: () => provide,
      onSetAside: () => undefined,
      now: () => new Date(),
    });
    await accounting.load();
    return { accounting, ledger: await world.open() };
  };
  let agent = await start();
  /** undefined: there is no table. */
  let kernel: number | undefined;
  let passed = 0;
  const readKernel = () => ({
    up: { packets: 0, bytes: kernel ?? 0 },
    down: { packets: 0, bytes: 0 },
  });
  const note = () => agent.ledger.note(createReading(agent.accounting.counted()?.up.bytes ?? 0));
  const pass = async () => {
    kernel ??= agent.accounting.totals().up.bytes;
    agent.accounting.take(readKernel());
    await agent.accounting.keep();
    await note();
  };
  const happen: Readonly<Record<Event['kind'], (bytes: number) => Promise<void>>> = {
    async traffic(bytes) {
      kernel = (kernel ?? 0) + bytes;
      passed += bytes;
    },
    pass,
    async hour() {
      vi.advanceTimersByTime(hourMs);
      await pass();
    },
    async kill() {
      agent = await start();
      await pass();
    },
    async 'power-cut'() {
      kernel = undefined;
      agent = await start();
      await pass();
    },
    async stop() {
      await agent.accounting.close(readKernel());
      await note();
      await agent.ledger.close();
      kernel = undefined;
      agent = await start();
      await pass();
    },
  };
  await pass();
  for (const { kind, bytes } of events) await happen[kind](bytes);
  await pass();
  await agent.ledger.close();
  return { passed, counted: sum(await world.hours(startMs)), days: sum(await world.days(startMs)) };
}

describe('of what was forwarded, a ledger', () => {
  const inNewDirectory = async (events: readonly Event[]) => {
    vi.useFakeTimers({ now: startMs, toFake: ['Date', 'performance'] });
    const directory = await mkdtemp(join(tmpdir(), 'tributary-ledger-'));
    try {
      return await live(directory, events);
    } finally {
      vi.useRealTimers();
      await rm(directory, { recursive: true, force: true });
    }
  };

  test('loses and doubles nothing over any number of kills and restarts', async () => {
    const events = anyEvents(['traffic', 'traffic', 'pass', 'hour', 'kill', 'stop']);
    await fc.assert(
      fc.asyncProperty(events, async (own) => {
        const { passed, counted, days } = await inNewDirectory(own);
        expect({ counted, days }).toEqual({ counted: passed, days: passed });
      }),
      { numRuns: 20 },
    );
  });

  test('doubles nothing over power cuts, and loses no more than was not written', async () => {
    const events = anyEvents(['traffic', 'pass', 'hour', 'kill', 'stop', 'power-cut']);
    await fc.assert(
      fc.asyncProperty(events, async (own) => {
        const { passed, counted, days } = await inNewDirectory(own);
        expect(counted).toBeLessThanOrEqual(passed);
        expect(days).toBe(counted);
      }),
      { numRuns: 20 },
    );
  });

  test('counts on from a state file that a power cut put back, and doubles nothing', async () => {
    const traffic = (bytes: number): readonly Event[] => [
      { kind: 'traffic', bytes },
      { kind: 'hour', bytes: 0 },
    ];
    const cut: Event = { kind: 'power-cut', bytes: 0 };
    const events = [...traffic(100e6), ...traffic(1e6), ...traffic(0), cut, ...traffic(5e6)];
    expect(await inNewDirectory(events)).toEqual({ passed: 106e6, counted: 106e6, days: 106e6 });
  });

  test('loses nothing to ten kills in a row', async () => {
    const events = Array.from({ length: 10 }, (): readonly Event[] => [
      { kind: 'traffic', bytes: 1_000_003 },
      { kind: 'kill', bytes: 0 },
      { kind: 'traffic', bytes: 17 },
      { kind: 'hour', bytes: 0 },
    ]).flat();
    const { passed, counted } = await inNewDirectory(events);
    expect(passed).toBe(10_000_200);
    expect(counted).toBe(passed);
  });
});
