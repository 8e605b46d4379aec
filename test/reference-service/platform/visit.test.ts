import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Line } from '../../../src/reference-service/platform/residents.ts';
import { createVisit } from '../../../src/reference-service/platform/visit.ts';

const second = 1000;

/** A socket on a clock whose pace the test sets. */
function open() {
  const world = { now: 0, platformNow: 0, rate: 1000 };
  const line: Line = { send: () => undefined, end: () => undefined, bufferedBytes: () => 0 };
  const visit = createVisit({
    caller: { clientId: '00000000-0000-0000-0000-000000000001', networkId: '' },
    line,
    resident: { instanceId: 'one', host: 0, number: 0 },
    clocks: () => ({ now: world.now, platformNow: world.platformNow }),
    rate: () => world.rate,
    isFirst: true,
    randomBytes,
  });
  return {
    world,
    visit,
    pass(ms: number): void {
      world.now += ms;
      world.platformNow += ms * world.rate;
    },
  };
}

test('a note that comes just after the clock was hastened counts what was heard before', () => {
  const { world, visit, pass } = open();
  visit.heard(Buffer.alloc(0));
  pass(64);
  expect(visit.takeSyncs()).toMatchObject([{ messages: 1 }]);
  world.rate = 1;
  pass(second);
  expect(visit.takeSyncs()).toMatchObject([{ messages: 1 }]);
});

test('minutes that passed between the last look and the end of the haste are noted', () => {
  const { world, visit, pass } = open();
  visit.heard(Buffer.alloc(0));
  pass(64);
  visit.takeSyncs();
  pass(120);
  world.rate = 1;
  expect(visit.takeSyncs()).toHaveLength(4);
});

test('a client that has said nothing for more than half a minute is not heard in any note', () => {
  const { world, visit, pass } = open();
  visit.heard(Buffer.alloc(0));
  pass(64);
  visit.takeSyncs();
  world.rate = 1;
  pass(31 * second);
  expect(visit.takeSyncs()).toMatchObject([{ messages: 0 }]);
  world.rate = 1000;
  pass(60);
  expect(visit.takeSyncs().map(({ messages }) => messages)).toEqual([0, 0]);
});
