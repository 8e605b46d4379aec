import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPeerKeys, type KeyAsk } from '../../../src/connect/provider/peer-keys.ts';
import {
  contract,
  contractKeys,
  storedContract,
} from '../../../src/connect/wire/contract-messages.ts';
import { createIdSource, type Id } from '../../../src/connect/wire/id.ts';
import { encode } from '../../../src/connect/wire/message.ts';

const ids = createIdSource({ randomBytes });
const peer = ids.next(1);
const [older, newer] = [ids.next(2), ids.next(3)];
const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** A contract that says this key of its destination. */
function saying(key: Buffer | undefined, contractId: Id): Buffer {
  const parties = { sourceId: peer, destinationId: peer };
  const stored = { contractId, transferByteCount: 1, ...parties, priority: 1 };
  const storedBytes = encode(storedContract, stored);
  const keys = { destinationKey: key, destinationCertificates: undefined };
  return Buffer.concat([
    encode(contract, { storedBytes, hmac: Buffer.alloc(32), mode: 3 }),
    encode(contractKeys, { ...keys, certificatesSignature: undefined }),
  ]);
}

function start() {
  const told: (Buffer | undefined)[] = [];
  const keys = createPeerKeys((_, key) => void told.push(key));
  const ask = (now: number): KeyAsk => {
    const [first] = keys.takeAsks(now);
    if (first === undefined) throw new Error('nothing is asked');
    return first;
  };
  return { keys, ask, counts: () => told.at(-1) };
}

test('who offers to seal is asked about at once, and counts once the platform has answered', () => {
  const { keys, ask, counts } = start();
  keys.granted(peer, saying(one, older));
  expect(keys.takeAsks(0)).toEqual([]);
  keys.want(peer);
  const asked = ask(0);
  keys.granted(peer, saying(one, older));
  expect(counts()).toBeUndefined();
  keys.found(asked, one);
  expect(counts()).toEqual(one);
  expect(keys.takeAsks(10_000)).toEqual([]);
});

test.each([
  ['the contract', undefined, one],
  ['the platform', one, undefined],
])('where %s alone says a key, it counts', (_, found, granted) => {
  const { keys, ask, counts } = start();
  keys.want(peer);
  keys.granted(peer, saying(granted, older));
  keys.found(ask(0), found);
  expect(counts()).toEqual(one);
});

test('while two keys are said none counts, and it is asked again each second', () => {
  const { keys, ask, counts } = start();
  keys.want(peer);
  keys.granted(peer, saying(one, older));
  keys.found(ask(0), other);
  expect(counts()).toBeUndefined();
  expect(keys.takeAsks(999)).toEqual([]);
  keys.found(ask(1000), other);
  expect(counts()).toBeUndefined();
  keys.granted(peer, saying(other, newer));
  keys.found(ask(2000), other);
  expect(counts()).toEqual(other);
});

test('an older contract that comes later says nothing', () => {
  const { keys, ask, counts } = start();
  keys.want(peer);
  keys.found(ask(0), other);
  keys.granted(peer, saying(other, newer));
  keys.granted(peer, saying(one, older));
  expect(counts()).toEqual(other);
});

test('after a restart what was known is forgotten, and so is an answer to an earlier ask', () => {
  const { keys, ask, counts } = start();
  keys.restarted(peer);
  expect(keys.takeAsks(0)).toEqual([]);
  keys.want(peer);
  const before = ask(0);
  keys.restarted(peer);
  const after = ask(1000);
  keys.found(before, one);
  expect(counts()).toBeUndefined();
  keys.found(after, other);
  expect(counts()).toEqual(other);
  keys.forget(peer);
  keys.restarted(peer);
  expect(keys.takeAsks(5000)).toEqual([]);
});

test('who is started again and again is asked about once a second', () => {
  const { keys } = start();
  keys.want(peer);
  let asks = 0;
  for (let now = 0; now < 10_000; now += 10) {
    asks += keys.takeAsks(now).length;
    keys.restarted(peer);
  }
  expect(asks).toBe(10);
});
