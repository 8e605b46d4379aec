import { expect, test } from 'vitest';
import { calm, download as downloadFast } from '../support/fast-download.ts';
import { createFlow } from '../support/flow.ts';

const minute = 60_000;
const download = {
  nature: calm,
  downPerSecond: 50,
  downBytes: 1000,
  upPerSecond: 0,
  upBytes: 60,
  hasAcks: true,
} as const;

test('an hour of a download in direct mode is paid, without a silence', () => {
  const flow = createFlow({ ...download, seed: 1, isDirect: true });
  flow.run(60 * minute);
  const { down } = flow;
  expect(down.received).toBe(down.sent);
  expect(down.sent).toBeGreaterThan(179_000);
  expect(down.paidBytes).toBeGreaterThan(0.99 * down.sentBytes);
  expect(flow.longestSilence()).toBeLessThan(500);
  expect(flow.identities()).toBe(1);
});

test('minutes of a fast download in direct mode are paid over a renewal, without a silence', () => {
  const { sentBytes, paidBytes, isWhole, longestSilence, identities } = downloadFast(6 * minute);
  expect(sentBytes).toBeGreaterThan(350_000_000);
  expect(isWhole).toBe(true);
  expect(paidBytes).toBeGreaterThan(0.99 * sentBytes);
  expect(longestSilence).toBeLessThan(500);
  expect(identities).toBe(1);
}, 240_000);

test('with a pause of 35 s each quarter of an hour, one connection lives and is paid', () => {
  const flow = createFlow({
    ...download,
    seed: 2,
    // A pause is long enough where a ping comes in its first seconds.
    steadyPings: 1000,
    isPaused: (now) => now % (15 * minute) >= 15 * minute - 35_000,
  });
  flow.run(60 * minute);
  const { down } = flow;
  expect(down.received).toBe(down.sent);
  expect(down.paidBytes).toBeGreaterThan(0.75 * down.sentBytes);
  expect(flow.identities()).toBe(1);
  expect(flow.longestSilence()).toBeLessThan(500);
});

test('without a pause there is no silence, and what is not paid stays within the limit', () => {
  const mostUnpaidBytes = 10_000_000;
  const flow = createFlow({ ...download, seed: 3, mostUnpaidBytes });
  flow.run(60 * minute);
  const { down } = flow;
  const { bridgedBytes, ended, holes } = flow.world.engine.counters().renewals;
  expect(down.received).toBeGreaterThan(0.99 * down.sent);
  expect(flow.longestSilence()).toBeLessThan(2000);
  expect([holes, flow.identities()]).toEqual([0, ended + 1]);
  expect(ended).toBeGreaterThan(0);
  // Within a minute of the limit the consumer has come back as another one.
  expect(bridgedBytes).toBeLessThan((ended + 1) * (mostUnpaidBytes + 60 * 53_000));
  expect(down.paidBytes).toBeGreaterThan(0.75 * down.sentBytes);
});
