import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAddressPool } from '../../../src/connect/packet/address-pool.ts';
import { createAddressRange } from '../../../src/connect/packet/address-range.ts';
import { assertLaw } from '../../unit/law.ts';
import { watchCollections } from '../support/collections.ts';
import { testIds } from '../support/contracts.ts';
import { address } from '../support/packets.ts';

const ids = testIds();
const consumers = Array.from({ length: 5 }, (_, at) => ids.next(at));
const createPool = (count: number, key = Buffer.alloc(32)) =>
  createAddressPool(
    {
      ipv4: { first: Buffer.from([100, 64, 0, 1]), count },
      ipv6: { first: Buffer.from('fd00'.padEnd(32, '0'), 'hex'), count },
    },
    key,
  );

test('each address of each consumer has one of its own, and leads back', () => {
  const step = fc.record({
    consumer: fc.nat(4),
    version: fc.constantFrom(4 as const, 6 as const),
    last: fc.nat(5),
    leaves: fc.nat(9),
  });
  assertLaw(fc.array(step), (steps) => {
    const pool = createPool(200);
    const given = new Map<string, string>();
    for (const { consumer, version, last, leaves } of steps) {
      const id = consumers[consumer] as (typeof consumers)[number];
      const inner = address(version, last);
      const outer = pool.outer(id, inner) as Buffer;
      expect(pool.inner(outer)).toEqual({ consumer: id, address: inner });
      const key = `${consumer}:${inner.toString('hex')}`;
      expect(given.get(key) ?? outer.toString('hex')).toBe(outer.toString('hex'));
      given.set(key, outer.toString('hex'));
      expect(new Set(given.values()).size).toBe(given.size);
      if (leaves > 0) continue;
      pool.release(id);
      for (const known of [...given.keys()])
        if (known.startsWith(`${consumer}:`)) given.delete(known);
      expect(pool.inner(outer)).toBeUndefined();
    }
    expect(pool.size()).toBe(given.size);
  });
});

test('nobody gets more than sixteen, and an empty pool gives none', () => {
  const pool = createPool(20);
  const [one, other] = consumers as [(typeof consumers)[number], (typeof consumers)[number]];
  const given = Array.from({ length: 40 }, (_, at) => pool.outer(one, address(4, at)));
  expect(given.filter((outer) => outer !== undefined).length).toBe(16);
  const rest = Array.from({ length: 10 }, (_, at) => pool.outer(other, address(4, at)));
  expect(rest.filter((outer) => outer !== undefined).length).toBe(4);
  pool.release(one);
  expect(pool.outer(other, address(4, 99))).toBeDefined();
});

test('an address that belongs to nobody leads nowhere', () => {
  expect(createPool(5).inner(address(4, 1))).toBeUndefined();
});

test('after a restart each consumer has its address again, in whatever order they come back', () => {
  const many = Array.from({ length: 40 }, (_, at) => ids.next(at));
  const addressOf = (pool: ReturnType<typeof createPool>) => (id: (typeof many)[number]) =>
    pool.outer(id, address(4, 1))?.toString('hex');
  const before = many.map(addressOf(createPool(60_000)));
  const after = many.toReversed().map(addressOf(createPool(60_000)));
  expect(after.toReversed()).toEqual(before);
  // Without the key, nobody can choose an address to get another consumer's.
  expect(many.map(addressOf(createPool(60_000, Buffer.alloc(32, 1))))).not.toEqual(before);
});

test('an address of an earlier life is restored, but from nobody, and only where it is one of the pool', () => {
  const [one, other] = consumers as [(typeof consumers)[number], (typeof consumers)[number]];
  const inner = address(4, 1);
  const toPair = (last: number) => ({ inner, outer: Buffer.from([100, 64, 0, last]) });
  const pool = createPool(20);
  pool.restore(one, toPair(5));
  expect(pool.outer(one, inner)).toEqual(toPair(5).outer);
  expect(pool.pairs(one)).toEqual([toPair(5)]);
  pool.restore(other, toPair(5));
  expect(pool.inner(toPair(5).outer)?.consumer).toBe(one);
  pool.restore(one, toPair(6));
  for (const outside of [0, 21]) pool.restore(other, toPair(outside));
  pool.restore(other, { inner, outer: Buffer.from([100, 65, 0, 5]) });
  expect(pool.pairs(other)).toEqual([]);
  expect(pool.size()).toBe(1);
});

test('what a consumer had is given to others only when nothing else is left', () => {
  const pool = createPool(8);
  const [one, other] = consumers as [(typeof consumers)[number], (typeof consumers)[number]];
  const had = [0, 1, 2].map((at) => pool.outer(one, address(4, at))?.toString('hex'));
  pool.release(one);
  const others = Array.from({ length: 8 }, (_, at) => pool.outer(other, address(4, at)));
  const given = others.map((outer) => outer?.toString('hex'));
  expect(given.slice(0, 5).filter((outer) => had.includes(outer))).toEqual([]);
  expect(new Set(given).size).toBe(8);
});

test('in a pool of which all but one are given out, that one is found at once', () => {
  const count = 60_000;
  const range = createAddressRange({ first: Buffer.from([100, 64, 0, 1]), count });
  const [one, other] = consumers as [(typeof consumers)[number], (typeof consumers)[number]];
  const given = Array.from({ length: count }, () => range.take(0, one) as Buffer);
  expect(new Set(given.map((address) => address.toString('hex'))).size).toBe(count);
  expect(range.take(0, one)).toBeUndefined();
  // Each time, the only one is far from where it is looked for.
  for (let round = 0; round < 3000; round++) {
    const address = given[(round * 7919 + 1000) % count] as Buffer;
    range.release(address, one);
    expect(range.take(0, other)).toEqual(address);
  }
});

test('of addresses that others had, the one that was released first is given first', () => {
  const count = 100;
  const range = createAddressRange({ first: Buffer.from([100, 64, 0, 1]), count });
  const [one, other] = consumers as [(typeof consumers)[number], (typeof consumers)[number]];
  const given = Array.from({ length: count }, () => range.take(0, one) as Buffer);
  const released = [70, 30, 50].map((at) => given[at] as Buffer);
  for (const address of released) range.release(address, one);
  expect(range.take(50, one)).toEqual(released[2]);
  expect([range.take(0, other), range.take(0, other)]).toEqual(released.slice(0, 2));
});

test('of those who left, no more is kept than there are addresses', () => {
  using collections = watchCollections();
  const pool = createPool(1000);
  for (let at = 0; at < 3000; at++) {
    const consumer = ids.next(at);
    pool.outer(consumer, address(4, 1));
    pool.release(consumer);
  }
  expect(collections.count()['packet/address-range.ts']).toBe(1000);
});
