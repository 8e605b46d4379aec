import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Payment } from '../../../src/connect/sequence/payment.ts';
import { countPackBytes } from '../../../src/connect/wire/pack.ts';
import { assertLaw } from '../../unit/law.ts';
import { freeOfCharge } from '../support/free-of-charge.ts';
import type { LinkNature } from '../support/link.ts';
import { createPair, type Delivered, type Pair } from '../support/pair.ts';

/** From a cable in the house to a satellite, with the losses of a bad radio. */
const anyNature = fc.record({
  loss: fc.constantFrom(0, 0.01, 0.03, 0.05),
  duplication: fc.constantFrom(0, 0.01, 0.2),
  delay: fc.integer({ min: 1, max: 150 }),
  jitter: fc.integer({ min: 0, max: 30 }),
});
const houseNature = fc.record({
  loss: fc.constantFrom(0, 0.01, 0.03, 0.05),
  duplication: fc.constantFrom(0, 0.2),
  delay: fc.integer({ min: 1, max: 5 }),
  jitter: fc.constant(0),
});
const anyTraffic = fc.record({
  count: fc.integer({ min: 1, max: 300 }),
  bytes: fc.constantFrom(1, 40, 300, 1060),
  /** Frames a ms. */
  pace: fc.constantFrom(0.02, 0.5, 4, 600),
});

interface Traffic {
  readonly count: number;
  readonly bytes: number;
  /** Frames a ms. */
  readonly pace: number;
}

/** Offers the traffic at its pace, until all has come and is acknowledged. */
function drive(pair: Pair, traffic: Traffic): void {
  const deadline = traffic.count / traffic.pace + 60_000;
  let offered = 0;
  const isDone = () =>
    pair.delivered.length === traffic.count && pair.sender.counters().unackedBytes === 0;
  while (pair.now() < deadline && !isDone())
    pair.run(pair.now() + 50, (now) => {
      for (; offered < Math.min(traffic.count, (now + 1) * traffic.pace); offered++) {
        const bytes = Buffer.alloc(Math.max(4, traffic.bytes));
        bytes.writeUInt32BE(offered);
        if (!pair.sender.offer({ type: 16, bytes, isRaw: true }, now)) break;
      }
      expect(pair.sender.counters().unackedBytes).toBeLessThanOrEqual(2 * 1024 * 1024);
      return offered === traffic.count ? deadline : now + 1 / traffic.pace;
    });
}

/** The longest time in which nothing came though something was on its way. */
function longestSilence(delivered: readonly Delivered[], traffic: Traffic): number {
  let longest = 0;
  let last = 0;
  for (const [index, { at }] of delivered.entries()) {
    const offeredAt = Math.floor(index / traffic.pace);
    longest = Math.max(longest, at - Math.max(last, offeredAt));
    last = at;
  }
  return longest;
}

/**
 * 3 s, and 1 s where the round trip is at most 10 ms; chance may lose one Pack again and again, and
 * what is said of it, so each loss beyond the second may cost more.
 */
function longestAllowed({ delay, jitter }: LinkNature, pair: Pair): number {
  const isShort = 2 * (delay + jitter) <= 10;
  const further = Math.max(0, pair.mostLost() + pair.acksLostInRow() - 2);
  return isShort ? 1000 + further * 500 : 3000 + further * 1000;
}

test('every packet comes once and in order, nothing is stuck, and memory is bounded', () => {
  const natures = fc.oneof(anyNature, houseNature);
  assertLaw(fc.tuple(natures, anyTraffic, fc.nat()), ([nature, traffic, seed]) => {
    const pair = createPair({ nature, seed, payment: freeOfCharge });
    drive(pair, traffic);
    expect(pair.delivered.map(({ bytes }) => bytes.readUInt32BE())).toEqual(
      Array.from({ length: traffic.count }, (_, at) => at),
    );
    expect(longestSilence(pair.delivered, traffic)).toBeLessThan(longestAllowed(nature, pair));
    expect(pair.sender.counters()).toMatchObject({ unackedBytes: 0, queuedBytes: 0 });
    expect(pair.budget.used()).toBe(0);
    expect(pair.sendBudget.used()).toBe(0);
  });
});

test('a Pack that nothing follows is not stuck where it is lost', () => {
  for (let seed = 0; seed < 300; seed++) {
    const nature = { loss: 0.1, duplication: 0, delay: 5, jitter: 0 };
    const pair = createPair({ nature, seed, payment: freeOfCharge });
    const traffic = { count: 1 + (seed % 2), bytes: 40, pace: 0.02 };
    drive(pair, traffic);
    expect(pair.delivered.length).toBe(traffic.count);
    expect(longestSilence(pair.delivered, traffic)).toBeLessThan(3000);
  }
});

test('a full window with a hole in it gets on, too', () => {
  for (const [seed, loss] of [0.001, 0.01, 0.03].entries()) {
    const pair = createPair({
      nature: { loss, duplication: 0, delay: 20, jitter: 5 },
      seed,
      payment: freeOfCharge,
      queueBytes: 1024 * 1024,
    });
    const frame = { type: 16, bytes: Buffer.alloc(1060), isRaw: true };
    pair.run(3000, (now) => {
      while (pair.sender.offer(frame, now));
      return now + 20;
    });
    const silence = longestSilence(pair.delivered, { count: 0, bytes: 0, pace: 1000 });
    expect(silence).toBeLessThan(1000);
    expect(pair.sender.counters()).toMatchObject({ distrusted: 0 });
  }
});

test('on a link that loses nothing, at most one in a hundred is sent twice', () => {
  const lossless = anyNature.map((nature) => ({ ...nature, loss: 0 }));
  assertLaw(fc.tuple(lossless, anyTraffic, fc.nat()), ([nature, traffic, seed]) => {
    const pair = createPair({ nature, seed, payment: freeOfCharge });
    drive(pair, traffic);
    expect(pair.delivered.length).toBe(traffic.count);
    const { packs, resent } = pair.sender.counters();
    // Of fewer than a hundred, one.
    expect(resent).toBeLessThanOrEqual(Math.max(1, packs / 100));
  });
});

test('both ends count the same bytes of each contract', () => {
  assertLaw(fc.tuple(anyNature, anyTraffic, fc.nat()), ([nature, traffic, seed]) => {
    const sent = { taken: 0, acked: 0, received: 0 };
    const payment: Payment = {
      take(bytes) {
        sent.taken += bytes;
        return { kind: 'charged', by: contract };
      },
      contractLength: () => contract.contract.length,
      acked(_, bytes) {
        sent.acked += bytes;
      },
    };
    const pair = createPair({
      nature,
      seed,
      payment,
      deliver(pack) {
        sent.received += countPackBytes(pack.frames);
        return true;
      },
    });
    drive(pair, traffic);
    expect(sent.received).toBe(sent.taken);
    expect(sent.acked).toBe(sent.taken);
  });
});
const contract = { contractId: 'c'.repeat(16) as never, contract: Buffer.from('contract') };
