import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createHastenedClock,
  type HastenedClock,
} from '../../../../src/connect/contract/hastened-clock.ts';
import { noteSockets } from '../../../../src/connect/socket/sighting.ts';
import { dayMs, minuteMs } from '../../../../src/lib/units.ts';
import {
  createMarketWatch,
  type MarketWatch,
} from '../../../../src/source/connect/market-watch.ts';
import type { Sighting } from '../../../../src/source/connect/protocol.ts';
import { createStateFile } from '../../../../src/system/state-file.ts';
import { toState } from '../../../connect/support/engine-state.ts';
import { createChance } from '../../../connect/support/link.ts';

const client = '01920000-0000-7000-8000-0000000000aa';
const begin = Date.UTC(2026, 2, 14, 12, 0, 0);
let directory: string;
let nowMs: number;
/** By how much the clock was set since the machine started. */
let setMs: number;
let failures: string[];
let watches: MarketWatch[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-market-'));
  [nowMs, setMs, failures, watches] = [begin, 0, [], []];
});
afterEach(async () => {
  for (const watch of watches) await watch.close();
  await rm(directory, { recursive: true, force: true });
});

const start = () => {
  const watch = createMarketWatch({
    directory,
    onSetAside: (_path, _keptAs, why) => void failures.push(why),
    now: () => new Date(nowMs),
    uptimeMs: () => nowMs - setMs,
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
/** No time passes, but the clock says something else from now on. */
const setClock = (to: number) => {
  setMs += to - nowMs;
  nowMs = to;
};
const see = (watch: MarketWatch, sighting: Sighting, isPublished = true) =>
  watch.take({ type: 'seen', sighting, isPublished });
const presence: Sighting = { kind: 'noted', isFirst: false, aheadMs: 0 };
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
const isWritten = (at = begin + 30 * minuteMs) =>
  expect.poll(() => readFile(path(), 'utf8')).toContain(`"writtenAt": ${at}`);
const path = () => join(directory, 'connect-market.json');
/** A span of five minutes. */
const span = (from: number) => ({ from, to: from + 5 });

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

  test('knows how long it lasts where a board learns only later what time it is', async () => {
    nowMs = 0;
    const watch = await open();
    stayConnected(watch, 5);
    expect(report(watch)?.standingSince).toEqual(new Date(5 * minuteMs));
    setClock(begin);
    expect(hour(watch)).toEqual({ valid: 5, known: 5 });
    expect(report(watch)?.standingSince).toEqual(new Date(begin));
    stayConnected(watch, 2);
    expect(count(watch, 'week')).toEqual({ valid: 7, known: 7 });
  });

  test.each([
    ['back', -60],
    ['forward', 400],
  ])('moves with a clock that is set %s', async (_, days) => {
    const watch = await open();
    stayConnected(watch, 20);
    see(watch, { kind: 'latency-test' });
    const testedAt = nowMs;
    setClock(nowMs + days * dayMs);
    stayConnected(watch, 20);
    expect(hour(watch)).toEqual({ valid: 40, known: 40 });
    expect(report(watch)?.latencyTestedAt).toEqual(new Date(testedAt + days * dayMs));
    // It is written as often as before, and goes on from there.
    await isWritten(begin + days * dayMs + 30 * minuteMs);
    expect(hour(await open())).toEqual({ valid: 40, known: 40 });
  });

  test('loses the minutes in which the machine slept', async () => {
    const watch = await open();
    stayConnected(watch, 10);
    nowMs += 10 * minuteMs;
    expect(hour(watch)).toEqual({ valid: 11, known: 20 });
  });

  test.each([
    ['in 1970', 60_000],
    ['an hour late', begin - 60 * minuteMs],
  ])('is not lost where a board starts %s, before its clock is set', async (_, startsAt) => {
    const first = await open();
    stayConnected(first, 45);
    await first.close();
    const stoppedAt = nowMs;
    setClock(startsAt);
    const second = await open();
    stayConnected(second, 4);
    setClock(stoppedAt + 5 * minuteMs);
    stayConnected(second, 1);
    expect(hour(second)).toEqual({ valid: 50, known: 50 });
  });

  test('stays as it is on the disk while nobody knows what time it is', async () => {
    const first = await open();
    stayConnected(first, 45);
    await first.close();
    const before = await readFile(path(), 'utf8');
    setClock(60_000);
    const second = await open();
    stayConnected(second, 90);
    await second.close();
    expect(await readFile(path(), 'utf8')).toBe(before);
  });

  test.each([
    ['spans that are not in order', { spans: [span(20), span(10)] }],
    ['spans that overlap', { spans: [span(10), span(10)] }],
    [
      'more spans than a week can have',
      { spans: Array.from({ length: 10_081 }, (_, at) => span(10 * at)) },
    ],
    ['a test at no moment', { speedTest: { at: 1e300, bytesPerSecond: 1, isWhole: true } }],
    ['a consumer at no moment', { lastConsumerAt: 9e15 }],
    ['no beginning', { since: undefined }],
  ])('with %s is set aside, and another one begins', async (_, odd) => {
    const sound = { clientId: client, since: 0, spans: [], writtenAt: begin, isLast: true };
    const file = createStateFile<object>({
      directory,
      name: 'connect-market',
      schema: z.object({}),
      onSetAside: () => undefined,
    });
    await file.write({ ...sound, ...odd });
    expect(hour(await open())).toEqual({ valid: 0, known: 0 });
    expect(failures).toEqual([expect.stringContaining('is wrong')]);
  });

  test('that cannot be read is told, left as it is, and tried again', async () => {
    await mkdir(path());
    const watch = await open();
    stayConnected(watch, 3);
    expect(report(watch)).toBeUndefined();
    expect(failures).toEqual([expect.stringContaining('connect-market')]);
    await rm(path(), { recursive: true });
    await watch.open(client);
    stayConnected(watch, 3);
    expect(hour(watch).valid).toBe(3);
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

describe('where a sandbox hastens its clock', () => {
  /** That clock, as the engine has it: its own goes on evenly while ours is set. */
  let clock: HastenedClock;
  const evenMs = () => nowMs - setMs;
  beforeEach(() => {
    clock = createHastenedClock();
  });
  /** The engine says how fast it goes. */
  const hasten = (watch: MarketWatch, clockRate: number) => {
    clock.hasten(clockRate, evenMs());
    watch.take(toState({ clockRate }));
  };
  /** Of so many minutes by that clock, each one is seen. */
  const stayHastened = (
    watch: MarketWatch,
    { minutes, rate }: { minutes: number; rate: number },
  ) => {
    for (let index = 0; index < 2 * minutes; index += 1) {
      nowMs += 30_000 / rate;
      see(watch, { ...presence, aheadMs: clock.time(evenMs()) - evenMs() });
    }
  };

  test('its minutes are counted, and the device is listed when it says so', async () => {
    const watch = await open();
    hasten(watch, 60);
    stayHastened(watch, { minutes: 200, rate: 60 });
    expect(report(watch)?.standing).toBe('waiting');
    // Of 504 minutes, 304 are left, or a few more, at a second each.
    const left = Number(report(watch)?.expectedAt) - nowMs;
    expect(left).toBeGreaterThan(303_000);
    expect(left).toBeLessThan(307_000);
    stayHastened(watch, { minutes: 307, rate: 60 });
    expect(report(watch)).toMatchObject({ standing: 'listed', standingSince: new Date(nowMs) });
    expect(hour(watch)).toEqual({ valid: 60, known: 60 });
  });

  test('nothing is lost where it goes as ours again, nor where the engine has not heard of it', async () => {
    const watch = await open();
    hasten(watch, 10);
    stayHastened(watch, { minutes: 30, rate: 10 });
    watch.take(toState({ clockRate: null }));
    stayHastened(watch, { minutes: 10, rate: 10 });
    hasten(watch, 1);
    stayHastened(watch, { minutes: 19, rate: 1 });
    expect(hour(watch)).toEqual({ valid: 59, known: 59 });
  });

  test('a restart costs the minutes that it takes by that clock', async () => {
    const first = await open();
    hasten(first, 10);
    stayHastened(first, { minutes: 20, rate: 10 });
    await first.close();
    nowMs += 30_000;
    const second = await open();
    stayHastened(second, { minutes: 2, rate: 10 });
    expect(hour(second)).toEqual({ valid: 23, known: 27 });
  });

  /**
   * The device's own notes, as its engine makes them in turns that come late, read later still.
   * The agent is asked for a report at any time.
   */
  const live = (
    watch: MarketWatch,
    { until, rate, late }: { until: number; rate: number; late: number },
  ) => {
    hasten(watch, rate);
    while (nowMs < until) {
      const turnMs = nowMs + Math.floor(late * chance());
      const notes = noteSockets([socket], turnMs, clock);
      nowMs = turnMs + Math.floor(late * chance());
      report(watch);
      for (const sighting of notes) see(watch, sighting);
    }
  };
  const socket = { isNoted: false, noteAt: begin + 35_000 };
  const chance = createChance(5);

  test('no minute is lost where it goes faster than processes have their turns', async () => {
    const watch = await open();
    for (const rate of [1, 1000, 6, 300, 6, 1000, 1, 60])
      live(watch, { until: nowMs + 61_000, rate, late: rate === 6 ? 900 : 300 });
    const { valid, known } = count(watch, 'week');
    expect(known).toBeGreaterThan(2300);
    // The first one was over before the socket was noted.
    expect(Number(known) - Number(valid)).toBeLessThanOrEqual(1);
  });

  test('a clock of ours that is set changes nothing of it', async () => {
    const watch = await open();
    hasten(watch, 10);
    stayHastened(watch, { minutes: 20, rate: 10 });
    const before = hour(watch);
    setClock(nowMs - 3 * dayMs);
    expect(hour(watch)).toEqual(before);
    stayHastened(watch, { minutes: 10, rate: 10 });
    expect(hour(watch)).toEqual({
      valid: Number(before.valid) + 10,
      known: Number(before.known) + 10,
    });
  });
});
