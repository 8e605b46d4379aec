import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { openUsageAccounting } from '../../../src/data-path/usage-accounting.ts';
import { areas, countedLayout } from '../../../src/report/ledger-places.ts';
import { decodeRecord, encodeRecord, recordBytes } from '../../../src/report/ledger-record.ts';
import { countHours, createLedgerWorld, dayMs, hourMs, startMs, sum, toReading, toWorld } from './ledger-world.ts';

const whole = (most: number) => fc.option(fc.integer({ min: 0, max: most }), { nil: undefined });
const anyValues = fc.record({
  number: whole(2 ** 32 - 2),
  sequence: whole(2 ** 32 - 2),
  providingSeconds: whole(86_400),
  upBytes: whole(2 ** 48 - 2),
  downBytes: whole(2 ** 48 - 2),
  refusedPackets: whole(2 ** 48 - 2),
  peakBytesPerSecond: whole(2 ** 48 - 2),
  totalUpBytes: whole(Number.MAX_SAFE_INTEGER),
  totalDownBytes: whole(Number.MAX_SAFE_INTEGER),
  totalRefusedPackets: whole(2 ** 48 - 2),
});

describe('a record', () => {
  test('comes back as it was written, at its own place alone', () => {
    fc.assert(
      fc.property(anyValues, fc.nat(1e6), (values, offset) => {
        const record = encodeRecord(countedLayout, values, offset);
        expect(record.length).toBe(recordBytes);
        expect(decodeRecord(countedLayout, record, offset)).toEqual(values);
        expect(decodeRecord(countedLayout, record, offset + recordBytes)).toBeUndefined();
      }),
    );
  });

  test('is none with any byte changed', () => {
    fc.assert(
      fc.property(anyValues, fc.nat(recordBytes - 1), fc.integer({ min: 1, max: 255 }), (values, position, change) => {
        const record = encodeRecord(countedLayout, values, 0);
        record[position] = (record[position] ?? 0) ^ change;
        expect(decodeRecord(countedLayout, record, 0)).toBeUndefined();
      }),
    );
  });
});

/** Where two contents of the file differ: the write that lies between them. */
function toWrite(before: Buffer, after: Buffer) {
  const start = after.findIndex((byte, index) => byte !== before[index]);
  const slot = start - (start % recordBytes);
  return { slot, record: after.subarray(slot, slot + recordBytes) };
}

describe('a ledger survives', () => {
  test('a write that ends at any byte: it holds what it held before, or what it was to hold', async () => {
    const { open: openOwn, hours, path } = await createLedgerWorld();
    const ledger = await openOwn();
    let bytes = await countHours(ledger, 25, 0);
    for (let round = 0; round < 4; round += 1) {
      vi.advanceTimersByTime(60_000);
      bytes += 1;
      await ledger.note(toReading(bytes));
      const before = await readFile(path);
      const rowsBefore = await hours(startMs);
      await ledger.close();
      const after = await readFile(path);
      const rowsAfter = await hours(startMs);
      const { slot, record } = toWrite(before, after);
      expect(slot).toBeGreaterThan(0);
      const file = await open(path, 'r+');
      await file.truncate(before.length);
      for (let cut = 0; cut <= recordBytes; cut += 1) {
        await file.write(before, slot, recordBytes, slot);
        await file.write(record, 0, cut, slot);
        expect([JSON.stringify(rowsBefore), JSON.stringify(rowsAfter)]).toContain(JSON.stringify(await hours(startMs)));
      }
      await file.close();
      await writeFile(path, after);
    }
  }, 60_000);

  test('being cut at every byte: whole rows stay, none is made up, and it goes on', async () => {
    const { open: openOwn, hours, path } = await createLedgerWorld();
    const ledger = await openOwn();
    const bytes = await countHours(ledger, 10, 0);
    await ledger.close();
    const content = await readFile(path);
    const rows = new Set((await hours(startMs)).map((row) => JSON.stringify(row)));
    const isUsed = (slot: number) => content.subarray(slot, slot + recordBytes).some((byte) => byte !== 0);
    const slots = Array.from({ length: Math.ceil(content.length / recordBytes) }, (_, index) => index * recordBytes);
    const cuts = slots.filter(isUsed).flatMap((slot) => Array.from({ length: recordBytes }, (_, byte) => slot + byte));
    const other = await mkdtemp(join(tmpdir(), 'tributary-ledger-cut-'));
    onTestFinished(() => rm(other, { recursive: true, force: true }));
    const cutWorld = toWorld(other);
    let rowsBefore = rows.size;
    await writeFile(cutWorld.path, content);
    for (const cut of cuts.toReversed()) {
      await truncate(cutWorld.path, cut);
      const left = await cutWorld.hours(startMs);
      const newest = left.at(-1);
      // The newest row may be an older copy of itself; the others are as they were.
      expect(left.filter((row) => row !== newest && !rows.has(JSON.stringify(row)))).toEqual([]);
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
        await again.note(toReading(bytes));
        await again.note(toReading(bytes + 11));
        await again.close();
        const after = await cutWorld.hours(startMs);
        expect(sum(after)).toBeGreaterThanOrEqual(before + 11);
        expect(sum(after)).toBeLessThanOrEqual(bytes + 11);
      }),
      { numRuns: 20 },
    );
  }, 60_000);

  test('a day row that was torn: it is summed up again at the next start', async () => {
    const { open: openOwn, days, path } = await createLedgerWorld();
    const ledger = await openOwn();
    await ledger.note(toReading(0));
    await countHours(ledger, 25, 0);
    await ledger.close();
    const content = await readFile(path);
    const offset = areas.day.offset + ((startMs / dayMs) % areas.day.rows) * recordBytes;
    expect(content[offset + 20]).toBeDefined();
    content.fill(0xaa, offset + 10, offset + 30);
    await writeFile(path, content);
    const wanted = [
      { startMs, upBytes: 23_750 },
      { startMs: startMs + dayMs, upBytes: 1250 },
    ];
    expect(await days()).toMatchObject(wanted);
  });
});

/** The kernel's counters, the state file and the ledger, with every way in which an agent can end. */
type Event = { readonly kind: 'traffic' | 'pass' | 'hour' | 'kill' | 'stop' | 'power-cut'; readonly bytes: number };

const anyEvents = (kinds: readonly Event['kind'][]) =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), bytes: fc.integer({ min: 0, max: 200e6 }) }), {
    maxLength: 25,
  });

async function live(directory: string, events: readonly Event[]) {
  const world = toWorld(directory);
  const provide = configSchema.shape.provide.parse({ time_zone: 'UTC' });
  const start = async () => ({
    accounting: await openUsageAccounting({
      directory,
      limits: () => provide,
      onSetAside: () => undefined,
      now: () => new Date(),
    }),
    ledger: await world.open(),
  });
  let agent = await start();
  /** undefined: there is no table. */
  let kernel: number | undefined;
  let passed = 0;
  const toKernel = () => ({ up: { packets: 0, bytes: kernel ?? 0 }, down: { packets: 0, bytes: 0 } });
  const note = () => agent.ledger.note(toReading(agent.accounting.counted()?.up.bytes ?? 0));
  const pass = async () => {
    kernel ??= agent.accounting.totals().up.bytes;
    agent.accounting.take(toKernel());
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
      await agent.accounting.close(toKernel());
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
  }, 60_000);

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
  }, 60_000);

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
