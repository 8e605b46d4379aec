import { describe, expect, test } from 'vitest';
import { createUnseenHeaders } from '../../../src/data-path/unseen-headers.ts';

const nothing = { packets: 0, bytes: 0 };
/** So many packets of 20 segments with 1000 bytes, as the rules see them and as they leave. */
const seen = (packets: number) => ({ packets, bytes: packets * 20_050 });
const left = (packets: number) => ({ packets: packets * 20, bytes: packets * 21_000 });
const readingOf = (packets: number, place = 'tun9') => ({
  sent: left(packets),
  headerBytes: 0,
  place,
});
/** What so many packets lack. */
const lackOf = (packets: number) => ({ packets: packets * 19, bytes: packets * 950 });

/** One that has seen 100 packets, enough to tell how many headers are missing. */
function createTold() {
  const unseen = createUnseenHeaders();
  unseen.begin(readingOf(0), nothing);
  expect(unseen.take({ ...readingOf(100), handed: seen(100) })).toEqual(lackOf(100));
  return unseen;
}

describe('the headers that the rules do not see', () => {
  test('of packets that left after the last one was handed over are not lost', () => {
    const unseen = createTold();
    expect(unseen.take({ ...readingOf(100), handed: seen(110) })).toEqual(nothing);
    expect(unseen.take({ ...readingOf(110), handed: seen(110) })).toEqual(lackOf(10));
  });

  test('are taken to be as many as before where another table counts', () => {
    const unseen = createTold();
    expect(unseen.mostMissing(seen(10), 1.15)).toBe(
      Math.ceil(seen(10).bytes * 0.15 + seen(100).bytes * 1.15),
    );
    expect(unseen.take({ ...readingOf(110), handed: seen(10) })).toEqual(lackOf(10));
  });

  test('until another beginning are taken to be as many as before, and are kept back until then', () => {
    const unseen = createTold();
    unseen.begin(readingOf(0, 'other9'), seen(120));
    expect(unseen.mostMissing(seen(120), 1.15)).toBe(lackOf(20).bytes);
    expect(unseen.take({ ...readingOf(0, 'other9'), handed: seen(120) })).toEqual(lackOf(20));
    expect(unseen.mostMissing(seen(120), 1.15)).toBe(0);
  });

  test('go on from the last reading where a beginning has none', () => {
    const unseen = createTold();
    // Nothing was joined since: an estimate would say otherwise.
    const more = (of: { packets: number; bytes: number }) => ({
      packets: of.packets + 20,
      bytes: of.bytes + 20_000,
    });
    unseen.begin(undefined, more(seen(100)));
    const now = { ...readingOf(100), sent: more(left(100)), handed: more(seen(100)) };
    expect(unseen.take(now)).toEqual(nothing);
    unseen.begin(undefined, more(seen(110)));
    const later = { ...now, sent: more(left(110)), handed: more(seen(110)) };
    expect(unseen.take(later)).toEqual(lackOf(10));
  });

  test('go on without a gap where one more part is read from now on', () => {
    const unseen = createTold();
    expect(unseen.extend(left(7), { from: 'tun9', to: 'tun9,tun8' })).toBe(true);
    const now = { ...readingOf(117, 'tun9,tun8'), handed: seen(110) };
    expect(unseen.take(now)).toEqual(lackOf(10));
  });

  test('are not compared with another place by one more part', () => {
    const unseen = createTold();
    expect(unseen.extend(left(7), { from: 'tun9 in a tree', to: 'tun9,tun8' })).toBe(false);
    unseen.forget();
    expect(unseen.extend(left(7), { from: 'tun9', to: 'tun9,tun8' })).toBe(false);
  });

  test('are kept back while readings fail, and taken to be as many as before once that lasts', () => {
    const unseen = createTold();
    const handed = seen(110);
    for (let pass = 1; pass < 30; pass += 1) expect(unseen.skip(handed)).toEqual(nothing);
    expect(unseen.mostMissing(handed, 1.15)).toBeGreaterThan(lackOf(10).bytes);
    expect(unseen.skip(handed)).toEqual(lackOf(10));
    expect(unseen.mostMissing(handed, 1.15)).toBe(0);
    // The next reading cannot be compared with one from before.
    expect(unseen.take({ ...readingOf(500), handed: seen(130) })).toEqual(lackOf(20));
  });

  test('count failed readings from the last one that succeeded', () => {
    const unseen = createTold();
    for (let pass = 1; pass < 30; pass += 1) unseen.skip(seen(110));
    unseen.take({ ...readingOf(110), handed: seen(110) });
    expect(unseen.skip(seen(120))).toEqual(nothing);
  });
});
