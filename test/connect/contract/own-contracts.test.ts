import { expect, test } from 'vitest';
import { closedByServiceAge, renewAge } from '../../../src/connect/contract/ages.ts';
import { createOwnContracts } from '../../../src/connect/contract/own-contracts.ts';
import { createServiceClock } from '../../../src/connect/contract/service-clock.ts';
import { makeContract, testIds } from '../support/contracts.ts';

const start = 1_700_000_000_000;
const mebibyte = 1024 * 1024;

function setUp(clock = createServiceClock()) {
  const ids = testIds();
  const ownId = ids.next(1);
  const peerId = ids.next(2);
  const own = createOwnContracts({ ownId, peerId, clock });
  const make = (byteCount: number, now: number, to = peerId) =>
    makeContract({
      contractId: ids.next(now),
      sourceId: ownId,
      destinationId: to,
      byteCount,
      secret: Buffer.alloc(32),
      mode: 4,
    });
  return { own, make, ownId };
}

test('a contract is asked for once, opened with one byte, and rolled over at four fifths', () => {
  const { own, make } = setUp();
  expect(own.take(1000, start).kind).toBe('waits');
  expect(own.step(start).ask).toBe(mebibyte);
  expect(own.step(start).ask).toBeUndefined();
  expect(own.granted(make(10_000, start), start)).toBe(true);
  const opened = own.take(1000, start);
  expect(opened.kind).toBe('opens');
  // A spare is asked for as soon as one is in use, and is larger.
  expect(own.step(start).ask).toBe(mebibyte + (127 * mebibyte) / 4);
  own.granted(make(20_000, start), start);
  for (let count = 0; count < 7; count++) expect(own.take(1000, start).kind).toBe('charged');
  // 7,001 of 8,000 are taken.
  expect(own.take(1000, start).kind).toBe('opens');
  if (opened.kind !== 'opens') throw new Error('not opened');
  expect(own.step(start).reports).toEqual([]);
  own.acked(opened.by, 7001);
  expect(own.step(start).reports).toMatchObject([{ ackedByteCount: 7001, isCheckpoint: false }]);
});

test('counts are reported by age, and traffic moves on to a young spare', () => {
  const { own, make } = setUp();
  own.take(10, start);
  own.step(start);
  own.granted(make(mebibyte, start), start);
  const first = own.take(10, start);
  if (first.kind !== 'opens') throw new Error('not opened');
  own.acked(first.by, 1);
  let opened = 0;
  let reported = 0;
  let taken = 1;
  let given = 0;
  for (let now = start; now < start + 600_000; now += 1000) {
    const { ask, reports } = own.step(now);
    if (ask !== undefined) own.granted(make(mebibyte, now), now);
    for (const report of reports) {
      if (report.ackedByteCount === 0) given++;
      reported += report.ackedByteCount;
    }
    let charge = own.take(100, now);
    if (charge.kind === 'opens') {
      own.acked(charge.by, 1);
      taken += 1;
      opened++;
      charge = own.take(100, now);
    }
    if (charge.kind !== 'charged' || charge.by === undefined) throw new Error('not charged');
    own.acked(charge.by, 100);
    taken += 100;
  }
  for (const { ackedByteCount } of own.end()) reported += ackedByteCount;
  // At 235 s of each one's creation, which is up to a minute before it was opened.
  expect(opened).toBe(3);
  expect(reported).toBe(taken);
  expect(given).toBeGreaterThan(6);
});

test('what a minute needs is reckoned by a hastened clock', () => {
  const clock = createServiceClock();
  clock.hasten(60, start);
  const { own, make } = setUp(clock);
  own.take(10, start);
  own.step(start);
  own.granted(make(262_500, start), start);
  own.take(10, start);
  own.step(start);
  own.refused(start);
  // 60,000 bytes in each of its minutes, for two of them: 90,000 of 210,000 are left.
  for (let count = 0; count < 120; count++) own.take(1000, start + (count * 1000) / 60);
  expect(own.isRunningOut(start + 2000)).toBe(false);
  for (let count = 120; count < 160; count++) own.take(1000, start + (count * 1000) / 60);
  expect(own.isRunningOut(start + 2700)).toBe(true);
});

test('in a pause, spares are asked for by the busiest minute before it', () => {
  const { own, make } = setUp();
  own.anchored(start);
  own.take(mebibyte, start);
  own.step(start);
  own.granted(make(64 * mebibyte, start), start);
  own.take(mebibyte, start);
  own.step(start);
  own.granted(make(mebibyte, start), start);
  for (let count = 0; count < 10; count++) own.take(mebibyte, start);
  // Nothing was sent in the last minute, and the service may soon refuse us.
  expect(own.step(start + renewAge).ask).toBeGreaterThan(15 * 10 * mebibyte);
});

test('refusals are retried more and more slowly, and the spare is kept', () => {
  const { own, make } = setUp();
  own.take(10, start);
  own.step(start);
  own.granted(make(mebibyte, start), start);
  own.take(10, start);
  const asked: number[] = [];
  for (let now = start; now < start + 20_000; now += 500) {
    own.take(10, now);
    if (own.step(now).ask === undefined) continue;
    asked.push(now - start);
    own.refused(now);
  }
  expect(asked).toEqual([0, 1000, 3000, 7000, 12_000, 17_000]);
  // Old as it is, the contract goes on by its bytes: another one is not to be had.
  expect(own.take(10, start + 400_000).kind).toBe('charged');
});

test.each([
  ['are given back when less is sent', false, 3],
  ['are kept when less is sent, once the service has refused one', true, 0],
])('spares %s', (_, isRefused, count) => {
  const { own, make } = setUp();
  own.anchored(start - renewAge);
  own.take(mebibyte, start);
  own.step(start);
  own.granted(make(64 * mebibyte, start), start);
  for (let taken = 0; taken < 40; taken++) own.take(mebibyte, start);
  for (let spares = 0; spares < 4; spares++) {
    expect(own.step(start).ask).toBeGreaterThan(0);
    if (isRefused && spares === 3) own.refused(start);
    else own.granted(make(128 * mebibyte, start), start);
  }
  const { reports } = own.step(start + 360_000);
  expect(reports.filter(({ isCheckpoint }) => !isCheckpoint)).toHaveLength(count);
});

test('what was sent when the service had closed its contract is not taken off again where it gets no ack', () => {
  const { own, make } = setUp();
  own.take(1000, start);
  own.step(start);
  own.granted(make(mebibyte, start), start);
  const opened = own.take(1000, start);
  if (opened.kind !== 'opens') throw new Error('not opened');
  const send = (bytes: number, now: number): void => {
    expect(own.take(bytes, now).kind).toBe('charged');
    own.carried(bytes, now);
  };
  send(1000, start);
  own.refused(start);
  send(500, start + closedByServiceAge);
  send(200, start + closedByServiceAge);
  expect([own.unpaidBytes(), own.abandonedBytes()]).toEqual([700, 1001]);
  own.acked(opened.by, 1001);
  expect(own.abandonedBytes()).toBe(0);
  own.acked(opened.by, 500);
  expect([own.unpaidBytes(), own.abandonedBytes()]).toEqual([700, 0]);
});

test('a late report says how much of it is unpaid as it is', () => {
  const { own, make } = setUp();
  own.take(1000, start);
  own.step(start);
  own.granted(make(mebibyte, start), start);
  const opened = own.take(1000, start);
  if (opened.kind !== 'opens') throw new Error('not opened');
  own.refused(start);
  const send = (bytes: number, now: number): void => {
    own.take(bytes, now);
    own.carried(bytes, now);
    own.acked(opened.by, bytes);
  };
  own.acked(opened.by, 1);
  send(400, start);
  own.step(start + 285_000);
  send(3000, start + 299_000);
  send(5000, start + closedByServiceAge);
  expect(own.step(start + closedByServiceAge + 15_000).reports).toMatchObject([
    { ackedByteCount: 8000, bridgedByteCount: 5000, isCheckpoint: true },
  ]);
});

test('a contract for somebody else is discarded, and one that comes too late is given back', () => {
  const { own, make, ownId } = setUp();
  own.take(10, start);
  own.step(start);
  expect(own.granted(make(mebibyte, start, ownId), start)).toBe(false);
  expect(own.granted(Buffer.from('ff', 'hex'), start)).toBe(false);
  // Unknown fields of 3 KB, beside which no packet fits into a message.
  const padding = Buffer.alloc(3003, Buffer.from([0x78, 0x01]));
  expect(own.granted(Buffer.concat([make(mebibyte, start), padding]), start)).toBe(false);
  own.step(start + 5000);
  expect(own.end()).toEqual([]);
  expect(own.granted(make(mebibyte, start), start)).toBe(true);
  expect(own.step(start + 5001).reports).toMatchObject([
    { ackedByteCount: 0, isCheckpoint: false },
  ]);
});
