import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { readHistory } from '../../../src/report/history.ts';
import { type Ledger, openLedger } from '../../../src/report/ledger.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const startMs = Date.UTC(2026, 4, 4);

/** A state directory and a clock that is moved by hand. */
export async function createLedgerWorld() {
  vi.useFakeTimers({ now: startMs, toFake: ['Date', 'performance'] });
  const directory = await mkdtemp(join(tmpdir(), 'tributary-ledger-'));
  onTestFinished(async () => {
    vi.useRealTimers();
    for (const path of [directory, `${directory}-copy`])
      await rm(path, { recursive: true, force: true });
  });
  return openWorld(directory);
}

/** Opens the world of a ledger in a directory that is already there. */
export function openWorld(directory: string) {
  return {
    directory,
    /** The file of the month in which the clock begins. */
    path: join(directory, 'ledger', '2026-05.jsonl'),
    open: () => openLedger({ directory, now: () => new Date() }),
    hours: (sinceMs = 0) =>
      readHistory({ unit: 'hour', sinceMs }, { directory, nowMs: Date.now() }),
    days: (sinceMs = 0) => readHistory({ unit: 'day', sinceMs }, { directory, nowMs: Date.now() }),
  };
}

/**
 * A reading at which so many bytes went up ever, twice as many down, and traffic is let through.
 */
export function createReading(bytes: number, refusedPackets = 0, isProviding = true) {
  return { upBytes: bytes, downBytes: 2 * bytes, refusedPackets, isProviding };
}

/** Counts on for some hours, a thousand bytes in each, a reading every 15 minutes. */
export async function countHours(
  ledger: Ledger,
  hours: number,
  fromBytes: number,
): Promise<number> {
  let bytes = fromBytes;
  for (let quarter = 0; quarter < hours * 4; quarter += 1) {
    vi.advanceTimersByTime(hourMs / 4);
    bytes += 250;
    await ledger.note(createReading(bytes));
  }
  return bytes;
}

export function sum(rows: readonly { readonly upBytes: number }[]): number {
  return rows.reduce((total, { upBytes }) => total + upBytes, 0);
}
