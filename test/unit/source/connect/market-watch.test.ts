import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createMarketWatch,
  type MarketWatch,
} from '../../../../src/source/connect/market-watch.ts';
import type { Sighting } from '../../../../src/source/connect/protocol.ts';
import { toState } from '../../../connect/support/engine-state.ts';

const client = '01920000-0000-7000-8000-0000000000aa';
const begin = Date.UTC(2026, 2, 14, 12, 0, 0);
let directory: string;
let nowMs: number;
let failures: string[];
let watches: MarketWatch[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-market-'));
  [nowMs, failures, watches] = [begin, [], []];
});
afterEach(async () => {
  for (const watch of watches) await watch.close();
  await rm(directory, { recursive: true, force: true });
});

const start = () => {
  const watch = createMarketWatch({
    directory,
    onSetAside: () => undefined,
    now: () => new Date(nowMs),
    onFailure: ({ message }) => void failures.push(message),
  });
  watches.push(watch);
  return watch;
};
const open = async (clientId = client) => {
  const watch = start();
  await watch.open(clientId);
  return watch;
};
const see = (watch: MarketWatch, sighting: Sighting, isPublished = true) =>
  watch.take({ type: 'seen', sighting, isPublished });
const presence: Sighting = { kind: 'noted', isFirst: false };
/** So many minutes of a connection that goes on. */
const stayConnected = (watch: MarketWatch, minutes: number) => {
  for (let count = 0; count < 2 * minutes; count += 1) {
    nowMs += 30_000;
    see(watch, presence);
  }
};
const report = (watch: MarketWatch) => watch.report({ isConnected: true, wish: 'public' });
/** The minutes of the last hour, or of the last week. */
const count = (watch: MarketWatch, window: 'hour' | 'week' = 'hour') => {
  const { valid, known } = report(watch)?.minutes[window] ?? {};
  return { valid, known };
};
const hour = (watch: MarketWatch) => count(watch);

/** The record of the first half an hour is on the disk. */
const isWritten = () =>
  expect
    .poll(() => readFile(join(directory, 'connect-market.json'), 'utf8'))
    .toContain(`"writtenAt": ${begin + 30 * 60_000}`);

describe('the record of a device at the market', () => {
  test('begins with the first whole minute, and a minute counts when it is over', async () => {
    const watch = await open();
    expect(hour(watch)).toEqual({ valid: 0, known: 0 });
    stayConnected(watch, 3);
    // The third full minute has just begun.
    expect(hour(watch)).toEqual({ valid: 3, known: 3 });
    nowMs += 60_000;
    expect(hour(watch)).toEqual({ valid: 4, known: 4 });
    nowMs += 120_000;
    expect(hour(watch)).toEqual({ valid: 4, known: 6 });
  });

  test('goes on over a restart, which costs the minutes that it takes', async () => {
    const first = await open();
    stayConnected(first, 20);
    await first.close();
    nowMs += 5 * 60_000;
    const second = await open();
    stayConnected(second, 2);
    expect(hour(second)).toEqual({ valid: 23, known: 27 });
    expect((await stat(join(directory, 'connect-market.json'))).mode & 0o777).toBe(0o600);
  });

  test('takes a connection that a crash ended for one that lasted half an hour more at most', async () => {
    const first = await open();
    stayConnected(first, 45);
    await isWritten();
    nowMs += 3 * 60_000;
    expect(hour(await open())).toEqual({ valid: 48, known: 48 });
  });

  test('takes no more than that for valid where the device was away for longer', async () => {
    const first = await open();
    stayConnected(first, 40);
    await isWritten();
    nowMs += 60 * 60_000;
    expect(count(await open(), 'week')).toEqual({ valid: 60, known: 100 });
  });

  test('is another one for another client', async () => {
    const first = await open();
    stayConnected(first, 20);
    await first.close();
    expect(hour(await open('another'))).toEqual({ valid: 0, known: 0 });
  });

  test('begins anew where a board learns only later what time it is', async () => {
    nowMs = 30_000;
    const watch = await open();
    see(watch, presence);
    nowMs = begin;
    expect(hour(watch)).toEqual({ valid: 0, known: 0 });
    stayConnected(watch, 2);
    expect(count(watch, 'week')).toEqual({ valid: 2, known: 2 });
  });

  test('that cannot be written is told, and goes on in memory', async () => {
    const watch = await open();
    await watch.close();
    await rm(directory, { recursive: true });
    await writeFile(directory, '');
    stayConnected(watch, 3);
    await watch.close();
    expect(failures).toEqual([expect.stringContaining('connect-market')]);
    expect(hour(watch)).toEqual({ valid: 3, known: 3 });
  });
});

describe('what a report tells', () => {
  test('is nothing before the record was read', () => {
    expect(report(start())).toBeUndefined();
  });

  test('since when the standing is what it is', async () => {
    const watch = await open();
    expect(report(watch)).toMatchObject({ standing: 'waiting', standingSince: new Date(begin) });
    nowMs += 90_000;
    expect(report(watch)?.standingSince).toEqual(new Date(begin));
    expect(watch.report({ isConnected: false, wish: 'public' })).toMatchObject({
      standing: 'offline',
      standingSince: new Date(nowMs),
    });
  });

  test('the last tests of the line and the last consumer, also after a restart', async () => {
    const first = await open();
    const fresh = { speedTest: undefined, latencyTestedAt: undefined, lastConsumerAt: undefined };
    expect(report(first)).toMatchObject(fresh);
    first.take(toState());
    expect(report(first)).toMatchObject(fresh);
    see(first, { kind: 'latency-test' });
    nowMs += 1000;
    see(first, { kind: 'speed-test', bytesPerSecond: 6_000_000, isWhole: true });
    nowMs += 1000;
    const busy = toState({ counters: { ...toState().counters, upBytes: 10 } });
    first.take(busy);
    const told = {
      latencyTestedAt: new Date(begin),
      speedTest: { at: new Date(begin + 1000), bytesPerSecond: 6_000_000, isWhole: true },
      lastConsumerAt: new Date(begin + 2000),
    };
    nowMs += 60_000;
    // A count that did not grow is nobody's traffic.
    first.take(busy);
    expect(report(first)).toMatchObject(told);
    await first.close();
    const second = await open();
    expect(report(second)).toMatchObject(told);
    // Another engine begins at zero.
    second.take(toState());
    expect(report(second)).toMatchObject(told);
    second.take(busy);
    expect(report(second)).toMatchObject({ lastConsumerAt: new Date(nowMs) });
  });
});
