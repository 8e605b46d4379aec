import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { toUuid } from '../../../src/connect/wire/id.ts';
import { createResidents, type Line } from '../../../src/reference-service/platform/residents.ts';
import { createVisits } from '../../../src/reference-service/platform/visits.ts';
import { testIds } from '../../connect/support/contracts.ts';

/** Sockets of which one may break, by a clock of their own. */
function openVisits() {
  const ids = testIds();
  let now = 1_000_000;
  const failures: string[] = [];
  const residents = createResidents(() => now);
  const visits = createVisits({
    residents,
    forwards: { noteContract: () => undefined, mayPass: () => true, sweep: () => undefined },
    clocks: () => ({ now, platformNow: now }),
    rate: () => 1,
    newId: () => ids.next(now),
    randomBytes: Buffer.alloc,
    onControlFrame: () => undefined,
    resetStreams: () => [],
    attempt(work) {
      try {
        work();
      } catch (error) {
        failures.push(String(error));
      }
    },
    onOpened: () => ({ onMeasured: () => undefined, onClosed: () => undefined }),
    onConnection: () => undefined,
  });
  const open = () => {
    const sent: Buffer[] = [];
    let isBroken = false;
    const line: Line = {
      send(bytes) {
        if (isBroken) throw new Error('it broke');
        sent.push(bytes);
      },
      end: () => undefined,
      bufferedBytes: () => 0,
    };
    const clientId = toUuid(ids.next(now));
    visits.open({ clientId, networkId: randomUUID() }, randomUUID(), line);
    const pings = () => sent.filter(({ length }) => length === 0).length;
    const breakOff = () => {
      isBroken = true;
    };
    return { pings, breakOff };
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { visits, failures, open, pass };
}

test('a socket that fails is no reason to leave the others without a ping', () => {
  const { visits, failures, open, pass } = openVisits();
  const [bad, good] = [open(), open()];
  bad.breakOff();
  pass(5000);
  visits.step();
  expect(good.pings()).toBe(1);
  expect(failures).toEqual(['Error: it broke']);
});

test('what a new client is told and cannot be sent is a failure, and no end of the service', () => {
  vi.useFakeTimers();
  try {
    const { failures, open } = openVisits();
    open().breakOff();
    vi.runAllTimers();
    expect(failures).toEqual(['Error: it broke']);
  } finally {
    vi.useRealTimers();
  }
});
