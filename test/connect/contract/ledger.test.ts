import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { closedByServiceAge } from '../../../src/connect/contract/ages.ts';
import { createIncomingContracts } from '../../../src/connect/contract/incoming.ts';
import { createReceivedContracts } from '../../../src/connect/contract/received-contracts.ts';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import { createServiceClock } from '../../../src/connect/contract/service-clock.ts';
import { createReportQueue } from '../../../src/connect/control/report-queue.ts';
import type { CloseContract } from '../../../src/connect/wire/contract-messages.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { assertLaw } from '../../unit/law.ts';
import { makeContract, testIds } from '../support/contracts.ts';

const start = 1_700_000_000_000;
const ids = testIds(5);
const ownId = ids.next(1);
const consumer = ids.next(2);
const stranger = ids.next(3);
const secrets = completeSecrets((length) => Buffer.alloc(length, 9));
const secret = secrets.get(3) as Buffer;

function createLedger(earlier?: ReturnType<ReturnType<typeof createReceivedContracts>['save']>) {
  return createReceivedContracts({
    verifyBy: () => ({ ownId, secrets, wish: 'public' }),
    clock: createServiceClock(),
    earlier,
  });
}

function contractOf(byteCount: number, sourceId = consumer, at = start) {
  // An id source never goes back, and this one has to.
  const contractId = at < start ? testIds().next(at) : ids.next(at);
  return {
    contractId,
    bytes: makeContract({ contractId, sourceId, destinationId: ownId, byteCount, secret, mode: 3 }),
  };
}

function packOf(bytes: number, contract?: Buffer): Pack {
  return {
    messageId: ids.next(start),
    sequenceId: ids.next(start),
    sequenceNumber: 0,
    isHead: false,
    frames: bytes === 0 ? [] : [{ type: 15, bytes: Buffer.alloc(bytes), isRaw: true }],
    wantsNoAck: false,
    contract,
    tag: undefined,
    contractId: undefined,
    lane: { forceStream: false, isCompanion: false, number: 0 },
  };
}

const sum = (reports: readonly CloseContract[]) =>
  reports.reduce((all, { ackedByteCount }) => all + ackedByteCount, 0);

test('one contract on many lanes carries its bytes once', () => {
  const ledger = createLedger();
  const { bytes } = contractOf(10_000);
  const lanes = Array.from({ length: 36 }, () => createIncomingContracts(ledger, consumer));
  let carried = 0;
  for (const lane of lanes)
    for (let count = 0; count < 20; count++)
      if (lane.pay(packOf(1000, bytes), start)) carried += 1000;
  expect(carried).toBe(10_000);
  for (const lane of lanes) lane.end();
  expect(sum(ledger.takeReports(start))).toBe(10_000);
});

test('the contract in use is looked at again as soon as a byte of it is another one', () => {
  const ledger = createLedger();
  const lane = createIncomingContracts(ledger, consumer);
  const { bytes } = contractOf(10_000);
  expect(lane.pay(packOf(1000, bytes), start)).toBe(true);
  expect(lane.pay(packOf(1000, Buffer.from(bytes)), start)).toBe(true);
  let refused = 0;
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    const fresh = createIncomingContracts(createLedger(), consumer);
    const isGood = fresh.pay(packOf(1, changed), start);
    expect(lane.pay(packOf(1, changed), start), `byte ${at}`).toBe(isGood);
    if (!isGood) refused++;
  }
  expect(refused).toBeGreaterThan(bytes.length - 4);
  const next = contractOf(500);
  expect(lane.pay(packOf(400, next.bytes), start)).toBe(true);
  expect(lane.pay(packOf(400, next.bytes), start)).toBe(false);
  expect(lane.pay(packOf(400, bytes), start)).toBe(true);
});

test('what was counted is reported by age, each byte once, within the contract', () => {
  const ledger = createLedger();
  const { bytes } = contractOf(5000);
  const lane = createIncomingContracts(ledger, consumer);
  expect(lane.pay(packOf(1000, bytes), start)).toBe(true);
  expect(ledger.takeReports(start + 224_000)).toEqual([]);
  expect(ledger.takeReports(start + 225_000)).toMatchObject([
    { ackedByteCount: 1000, isCheckpoint: true },
  ]);
  expect(lane.pay(packOf(2000), start + 230_000)).toBe(true);
  expect(ledger.takeReports(start + 284_000)).toEqual([]);
  expect(ledger.takeReports(start + 285_000)).toMatchObject([
    { ackedByteCount: 2000, isCheckpoint: true },
  ]);
  expect(lane.pay(packOf(2000), start + 300_000)).toBe(true);
  expect(lane.pay(packOf(1), start + 300_000)).toBe(false);
  lane.end();
  // The contract in use is the anchor of the answers: it is not closed.
  expect(ledger.takeReports(start + 301_000)).toMatchObject([
    { ackedByteCount: 2000, isCheckpoint: true },
  ]);
});

test('a contract that is used on is reported on at the moments of all others, until it is settled for certain', () => {
  const at = (age: number) => start - (start % 15_000) + age;
  const ledger = createLedger();
  const contracts = [4000, 11_000].map((later) => ({
    ...contractOf(1_000_000, consumer, at(later)),
    lane: createIncomingContracts(ledger, consumer),
  }));
  for (const { lane, bytes } of contracts) lane.pay(packOf(100, bytes), at(12_000));
  for (let age = 12_000; age < 300_000; age += 1000) ledger.takeReports(at(age));
  const told: number[] = [];
  for (let age = 300_000; age < 1_200_000; age += 1000) {
    for (const { lane } of contracts) lane.pay(packOf(300), at(age));
    if (ledger.takeReports(at(age)).length === 2) told.push(age);
  }
  const last = 900_000;
  expect(told).toEqual(Array.from({ length: 41 }, (_, nth) => last - 15_000 * (40 - nth)));
});

test('who only pings is not reported on again and again', () => {
  const ledger = createLedger();
  const lane = createIncomingContracts(ledger, consumer);
  lane.pay(packOf(1000, contractOf(5000).bytes), start);
  ledger.takeReports(start + 285_000);
  for (let age = 300_000; age < 900_000; age += 20_000) {
    lane.pay(packOf(1), start + age);
    expect(ledger.takeReports(start + age)).toEqual([]);
  }
});

test.each([
  ['', false],
  [', also by a provider that starts again each minute', true],
])('of what came late, too little is reported for a dispute%s', (_, isRestarted) => {
  const mebibyte = 1024 * 1024;
  const { bytes } = contractOf(200 * mebibyte);
  let ledger = createLedger();
  let lane = createIncomingContracts(ledger, consumer);
  lane.pay(packOf(1000, bytes), start);
  expect(sum(ledger.takeReports(start + 299_000))).toBe(1000);
  let late = 0;
  for (let age = 300_000; age < 900_000; age += 5000) {
    if (isRestarted && age % 60_000 === 0) {
      ledger = createLedger(ledger.save());
      lane = createIncomingContracts(ledger, consumer);
      lane.pay(packOf(0, bytes), start + age);
    }
    lane.pay(packOf(mebibyte), start + age);
    late += sum(ledger.takeReports(start + age));
  }
  lane.end();
  late += sum(ledger.takeReports(start + 900_000));
  expect(late).toBeLessThanOrEqual(8 * mebibyte);
  expect(late).toBeGreaterThan(7 * mebibyte);
});

test('packets alone are bridged by a contract that the service has closed: pings are charged, not carried', () => {
  const lane = createIncomingContracts(createLedger(), consumer);
  const { bytes } = contractOf(5000);
  const pingOf = { type: messageTypes.ipPing, bytes: Buffer.alloc(70), isRaw: true };
  const packetOf = { type: messageTypes.ipPacketToProvider, bytes: Buffer.alloc(90), isRaw: true };
  expect(lane.pay({ ...packOf(1000, bytes), frames: [packetOf] }, start)).toBe(true);
  expect(lane.unpaidBytes()).toBe(0);
  const late = start + closedByServiceAge;
  expect(lane.pay({ ...packOf(1), frames: [packetOf, pingOf] }, late)).toBe(true);
  expect(lane.pay({ ...packOf(1), frames: [pingOf] }, late)).toBe(true);
  expect(lane.unpaidBytes()).toBe(90);
});

test('the age counts from the creation, also where the clocks are years apart', () => {
  const ledger = createLedger();
  const lane = createIncomingContracts(ledger, consumer);
  const here = 4_000_000;
  // The first comes at once; the second was made three minutes before it is used.
  const soon = contractOf(5000, consumer, start);
  const spare = contractOf(5000, consumer, start + 1000);
  lane.pay(packOf(100, soon.bytes), here);
  lane.pay(packOf(100, spare.bytes), here + 181_000);
  const due = ledger.takeReports(here + 226_500);
  expect(due.map(({ contractId }) => contractId)).toEqual([soon.contractId, spare.contractId]);
});

test('what a closed contract carried is not in doubt as well where its report is lost', () => {
  const ledger = createLedger();
  const lane = createIncomingContracts(ledger, consumer);
  const { bytes } = contractOf(5000);
  lane.pay(packOf(100, bytes), start);
  const queue = createReportQueue();
  const lose = (now: number): void => {
    queue.add(ledger.takeReports(now));
    queue.take(now);
    queue.answered({ kind: 'failed', reason: 'unknown', message: '' }, now);
  };
  lose(start + 286_000);
  expect([queue.doubtfulBytes(), lane.unpaidBytes()]).toEqual([100, 0]);
  lane.pay(packOf(7, undefined), start + 299_999);
  lane.pay(packOf(1000, undefined), start + 300_000);
  lane.end();
  lose(start + 400_000);
  // Each byte is taken off once.
  expect([queue.doubtfulBytes(), lane.unpaidBytes()]).toEqual([107, 1000]);
});

test('a fifth open contract closes the first, which nobody can use again', () => {
  const ledger = createLedger();
  const lane = createIncomingContracts(ledger, consumer);
  const contracts = Array.from({ length: 5 }, () => contractOf(1000));
  for (const { bytes } of contracts) expect(lane.pay(packOf(10, bytes), start)).toBe(true);
  expect(ledger.takeReports(start)).toEqual([
    {
      contractId: contracts[0]?.contractId,
      ackedByteCount: 10,
      unackedByteCount: 0,
      isCheckpoint: false,
    },
  ]);
  expect(lane.pay(packOf(10, contracts[0]?.bytes), start)).toBe(false);
  expect(ledger.counters().refused).toEqual({ finished: 1 });
});

test('nobody uses another’s contract, and an old one that is not known is refused', () => {
  const ledger = createLedger();
  const own = contractOf(1000);
  expect(createIncomingContracts(ledger, consumer).pay(packOf(1, own.bytes), start)).toBe(true);
  expect(createIncomingContracts(ledger, stranger).pay(packOf(1, own.bytes), start)).toBe(false);
  const old = contractOf(1000, consumer, start - 25 * 3_600_000);
  expect(createIncomingContracts(ledger, consumer).pay(packOf(1, old.bytes), start)).toBe(false);
  expect(ledger.counters().refused).toEqual({ 'foreign-source': 1, 'too-old': 1 });
});

test('a Pack without any contract is not paid', () => {
  expect(createIncomingContracts(createLedger(), consumer).pay(packOf(1), start)).toBe(false);
});

test('after a restart, nothing is counted twice', () => {
  const before = createLedger();
  const { bytes } = contractOf(5000);
  createIncomingContracts(before, consumer).pay(packOf(1000, bytes), start);
  expect(sum(before.takeReports(start + 225_000))).toBe(1000);
  const after = createLedger(JSON.parse(JSON.stringify(before.save())));
  const lane = createIncomingContracts(after, consumer);
  expect(lane.pay(packOf(4001, bytes), start + 226_000)).toBe(false);
  expect(lane.pay(packOf(4000, bytes), start + 226_000)).toBe(true);
  lane.end();
  expect(sum(after.takeReports(start + 227_000))).toBe(4000);
});

test('after a restart, an old contract is still its consumer’s, and one that nobody uses is closed an hour later', () => {
  const before = createLedger();
  const [used, unused] = [contractOf(5000), contractOf(5000)];
  for (const { bytes } of [used, unused])
    createIncomingContracts(before, consumer).pay(packOf(1000, bytes), start);
  const restart = start + 3 * 3_600_000;
  const after = createLedger(JSON.parse(JSON.stringify(before.save())));
  after.takeReports(restart);
  const lane = createIncomingContracts(after, consumer);
  expect(lane.pay(packOf(100, used.bytes), restart + 1000)).toBe(true);
  after.takeReports(restart + 3_600_000);
  expect(after.createdAt(unused.contractId)).toBe(start);
  const closed = after.takeReports(restart + 3_600_001).filter((one) => !one.isCheckpoint);
  expect(closed).toMatchObject([{ contractId: unused.contractId }]);
  expect(lane.pay(packOf(100), restart + 3_600_002)).toBe(true);
});

test('whatever happens, no contract is reported above what it carried or was made for', () => {
  const step = fc.record({
    contract: fc.nat(5),
    lane: fc.nat(3),
    bytes: fc.integer({ min: 0, max: 700 }),
    after: fc.integer({ min: 0, max: 100_000 }),
    ends: fc.boolean(),
  });
  assertLaw(fc.array(step, { maxLength: 80 }), (steps) => {
    const ledger = createLedger();
    const contracts = Array.from({ length: 6 }, () => contractOf(1500));
    const lanes = [0, 1, 2, 3].map(() => createIncomingContracts(ledger, consumer));
    const carried = new Map<string, number>();
    const reported = new Map<string, number>();
    let now = start;
    const report = () => {
      for (const { contractId, ackedByteCount } of ledger.takeReports(now))
        reported.set(contractId, (reported.get(contractId) ?? 0) + ackedByteCount);
    };
    for (const { contract, lane, bytes, after, ends } of steps) {
      now += after;
      const { contractId, bytes: encoded } = contracts[contract] as (typeof contracts)[number];
      if (lanes[lane]?.pay(packOf(bytes, encoded), now))
        carried.set(contractId, (carried.get(contractId) ?? 0) + Math.max(1, bytes));
      if (ends) lanes[lane]?.end();
      report();
    }
    for (const lane of lanes) lane.end();
    report();
    for (const [contractId, bytes] of reported) {
      expect(bytes).toBeLessThanOrEqual(1500);
      expect(bytes).toBeLessThanOrEqual(carried.get(contractId) ?? 0);
    }
  });
});

/** Of that many contracts, all but four are finished by those after them. */
function finishMany(ledger: ReturnType<typeof createLedger>, count: number) {
  const lane = createIncomingContracts(ledger, consumer);
  const contracts = Array.from({ length: count }, (_, nth) =>
    contractOf(1000, consumer, start + 10 * nth),
  );
  for (const [nth, { bytes }] of contracts.entries())
    expect(lane.pay(packOf(10, bytes), start + 10 * nth)).toBe(true);
  return contracts;
}
const saved = (ledger: ReturnType<typeof createLedger>) =>
  JSON.parse(JSON.stringify(ledger.save())) as ReturnType<typeof ledger.save>;

test('what is finished is not carried again after a restart, and after the one that follows', () => {
  const before = createLedger();
  const [first, ...others] = finishMany(before, 6);
  const again = createLedger(saved(createLedger(saved(before))));
  const isPaid = ({ bytes } = contractOf(1000)) =>
    createIncomingContracts(again, consumer).pay(packOf(10, bytes), start + 60_000);
  expect([first, ...others].map((one) => isPaid(one))).toEqual([
    false,
    false,
    ...Array(4).fill(true),
  ]);
  expect(again.counters().refused).toEqual({ finished: 2 });
  expect(isPaid(contractOf(1000, consumer, start + 60_000))).toBe(true);
});

test('of more than are remembered, the oldest are refused all the same, and nothing that is newer', () => {
  const before = createLedger();
  const contracts = finishMany(before, 6000);
  const { finished } = before.save();
  expect(finished?.contracts.length).toBeLessThanOrEqual(4096);
  const again = createLedger(saved(before));
  for (const ledger of [before, again]) {
    const isPaid = ({ bytes }: { readonly bytes: Buffer }) =>
      createIncomingContracts(ledger, consumer).pay(packOf(10, bytes), start + 60_000);
    for (const one of contracts.slice(0, -4)) expect(isPaid(one)).toBe(false);
    expect(ledger.counters().refused).toMatchObject({ finished: expect.any(Number) });
    expect(ledger.counters().refused['too-old']).toBeGreaterThan(1500);
    expect(isPaid(contractOf(1000, consumer, start + 60_000))).toBe(true);
  }
});

test('no more is written down than what an hour has finished', () => {
  const ledger = createLedger();
  const lane = createIncomingContracts(ledger, consumer);
  const minute = 60_000;
  for (let at = 0; at < 600; at++)
    lane.pay(
      packOf(10, contractOf(1000, consumer, start + at * minute).bytes),
      start + at * minute,
    );
  expect(ledger.save().finished?.contracts.length).toBeLessThanOrEqual(60);
  // An id source never goes back, so this is of another one.
  const contractId = testIds(77).next(start + 500 * minute);
  const parties = { sourceId: consumer, destinationId: ownId };
  const old = makeContract({ contractId, ...parties, byteCount: 1000, secret, mode: 3 });
  const fresh = createIncomingContracts(ledger, consumer);
  expect(fresh.pay(packOf(10, old), start + 600 * minute)).toBe(false);
});

test('contracts that one consumer has made and does not use keep nobody else from one', () => {
  const ledger = createLedger();
  const used = contractOf(1000);
  const lane = createIncomingContracts(ledger, consumer);
  expect(lane.pay(packOf(10, used.bytes), start)).toBe(true);
  for (let count = 0; count < 17_000; count++)
    expect(ledger.admit(contractOf(1000, stranger).bytes, stranger, start + 1000).kind).toBe(
      'verified',
    );
  const other = createIncomingContracts(ledger, consumer);
  expect(other.pay(packOf(10, contractOf(1000).bytes), start + 2000)).toBe(true);
  expect(lane.pay(packOf(10), start + 2000)).toBe(true);
  expect(ledger.save().received.length).toBeLessThanOrEqual(16_384);
});
