import { expect, test } from 'vitest';
import { createHoleWatch } from '../../../src/connect/provider/hole-watch.ts';
import {
  extendRun,
  findRenewal,
  isAtLimit,
  isPlanned,
  type RenewalFacts,
  toPackKind,
} from '../../../src/connect/provider/renewal.ts';

const now = 1_000_000;
const aged = (ms: number) => ({ createdAt: now - ms, cameAt: now - ms });
const ping: RenewalFacts = {
  kind: 'ping',
  isSignalLane: false,
  hasSignalLane: false,
  anchor: aged(720_000),
  time: now,
  dataRun: { since: now - 61_000, until: now - 1000 },
};
/** Data came for so long without a pause. */
const after = (ms: number): Partial<RenewalFacts> => ({
  dataRun: { since: now - 1000 - ms, until: now - 1000 },
});
const signals: RenewalFacts = {
  ...ping,
  kind: 'signals',
  isSignalLane: true,
  hasSignalLane: true,
  anchor: aged(240_000),
};

test.each<readonly [string, RenewalFacts, ReturnType<typeof findRenewal>]>([
  ['a ping in a pause', ping, 'idle'],
  ['a ping while data flows', { ...ping, dataRun: { since: now - 60_000, until: now } }, 'idle'],
  ['a ping before any data', { ...ping, dataRun: undefined }, undefined],
  ['a ping beside a lane of signals', { ...ping, hasSignalLane: true }, undefined],
  ['data', { ...ping, kind: 'data' }, undefined],
  ['a Pack without frames', { ...ping, kind: 'empty' }, undefined],
  ['a ping without a contract', { ...ping, anchor: undefined }, undefined],
  [
    'a ping with a contract that pays for minutes yet',
    { ...ping, anchor: aged(719_999) },
    undefined,
  ],
  [
    'a ping after a run that reached beyond the contract, were it to come again',
    { ...ping, ...after(600_000), anchor: aged(300_000) },
    'idle',
  ],
  [
    'a ping after a run that may come again before the contract is over',
    { ...ping, ...after(599_999), anchor: aged(300_000) },
    undefined,
  ],
  [
    'a ping after a long run, with a young contract',
    { ...ping, ...after(900_000), anchor: aged(239_999) },
    undefined,
  ],
  [
    'a ping with an old contract that came a moment ago',
    { ...ping, anchor: { createdAt: now - 800_000, cameAt: now - 119_999 } },
    undefined,
  ],
  ['signals on their lane', signals, 'signal'],
  ['signals with a young contract', { ...signals, anchor: aged(239_999) }, undefined],
  ['signals on a lane of data', { ...signals, isSignalLane: false }, undefined],
  [
    'signals of a consumer without data',
    { ...signals, dataRun: { since: now - 240_000, until: now - 240_000 } },
    undefined,
  ],
])('%s: acks are withheld by the rule %3$s', (_, facts, rule) => {
  expect(findRenewal(facts, now)).toBe(rule);
});

test('data after half a minute without any is another run', () => {
  const first = extendRun(undefined, 1000);
  expect(first).toEqual({ since: 1000, until: 1000 });
  expect(extendRun(first, 30_999)).toEqual({ since: 1000, until: 30_999 });
  expect(extendRun(first, 31_000)).toEqual({ since: 31_000, until: 31_000 });
});

test('a sequence that comes sooner than a consumer gives up was not waited for', () => {
  expect(isPlanned('idle', 24_999)).toBe(false);
  expect(isPlanned('signal', 25_000)).toBe(true);
  expect(isPlanned('limit', 60_000)).toBe(false);
});

test('the limit counts unpaid bytes, and holds where contracts run out', () => {
  const facts = { unpaidBytes: 99, mostUnpaidBytes: 100, isRunningOut: false };
  expect(isAtLimit(facts)).toBe(false);
  expect(isAtLimit({ ...facts, unpaidBytes: 100 })).toBe(true);
  expect(isAtLimit({ ...facts, isRunningOut: true })).toBe(true);
  // Without an unpaid byte it is not the age that contracts run out by.
  expect(isAtLimit({ ...facts, unpaidBytes: 0, isRunningOut: true })).toBe(false);
});

test('a Pack with anything in it that is not known is data', () => {
  const kindOf = (...types: number[]) =>
    toPackKind({ frames: types.map((type) => ({ type, bytes: Buffer.alloc(1), isRaw: true })) });
  expect([kindOf(), kindOf(17, 17), kindOf(20)]).toEqual(['empty', 'ping', 'signals']);
  expect([kindOf(17, 15), kindOf(20, 99), kindOf(15), kindOf(17, 20)]).toEqual(
    Array(4).fill('data'),
  );
});

test('a hole is counted once, when something waited for two seconds and nothing was sent', () => {
  const watch = createHoleWatch();
  const looks = [0, 1999, 2000, 5000].map((at) => watch.look({ queuedBytes: 1, packs: 5 }, at));
  expect(looks).toEqual([false, false, true, false]);
  expect(watch.look({ queuedBytes: 1, packs: 6 }, 5001)).toBe(false);
  expect(watch.look({ queuedBytes: 0, packs: 6 }, 9000)).toBe(false);
  expect(watch.look({ queuedBytes: 1, packs: 6 }, 10_999)).toBe(false);
  expect(watch.look({ queuedBytes: 1, packs: 6 }, 11_000)).toBe(true);
});
