import { describe, expect, test } from 'vitest';
import { createHandshakeClock } from '../../../../src/source/wireguard/handshake.ts';

/** A machine whose clock can be set; times in seconds. */
function createMachine(startedAt: number) {
  let [started, up] = [startedAt, 0];
  const clock = createHandshakeClock(
    () => new Date((started + up) * 1000),
    () => up * 1000,
  );
  return {
    pass(seconds: number) {
      up += seconds;
    },
    set(at: number) {
      started = at - up;
    },
    note: (at: number | undefined) => clock.note(at),
    at() {
      const at = clock.lastHandshakeAt();
      return at && at.getTime() / 1000;
    },
  };
}

const right = Date.parse('2026-11-21T12:00:00Z') / 1000;

describe('the last handshake', () => {
  test('has WireGuard’s time while the clock is not set', () => {
    const machine = createMachine(right);
    machine.note(undefined);
    expect(machine.at()).toBeUndefined();
    machine.pass(10.7);
    machine.note(right + 10);
    machine.pass(100);
    machine.note(right + 10);
    expect(machine.at()).toBe(right + 10);
    machine.pass(20);
    machine.note(right + 130);
    expect(machine.at()).toBe(right + 130);
    machine.note(undefined);
    expect(machine.at()).toBeUndefined();
  });

  test.each([
    ['forward by decades', 0, right],
    ['back by decades', right, 0],
    ['by a minute', right, right + 60],
  ])('keeps its age when the clock is set %s', (_, from, to) => {
    const machine = createMachine(from);
    machine.note(undefined);
    machine.pass(20);
    machine.note(from + 15);
    machine.set(to);
    expect(machine.at()).toBe(to - 5);
    machine.pass(30);
    machine.note(from + 15);
    expect(machine.at()).toBe(to - 5);
  });

  test.each([
    ['forward', 0, right],
    ['back', right, 0],
  ])('that came just before the clock was set %s is no older than the last look', (_, from, to) => {
    const machine = createMachine(from);
    machine.pass(1000);
    machine.note(undefined);
    machine.pass(8);
    machine.set(to);
    machine.note(from + 1005);
    expect(machine.at()).toBe(to - 8);
  });

  test.each([
    ['three seconds before the last look is taken as it is', 7, 7],
    ['two seconds before it too', 8, 8],
    ['four seconds before it is no older than the last look', 6, 10],
    ['three seconds ahead is taken as it is', 23, 23],
    ['four seconds ahead is no older than the last look', 24, 10],
  ])('that was noted %s', (_, notedAt, at) => {
    const machine = createMachine(right);
    machine.pass(10);
    machine.note(undefined);
    machine.pass(10);
    machine.note(right + notedAt);
    expect(machine.at()).toBe(right + at);
  });

  test('keeps the time that was noted before the first look, and is never in the future', () => {
    const old = createMachine(right);
    old.note(right - 5000);
    expect(old.at()).toBe(right - 5000);
    const young = createMachine(0);
    young.note(right);
    expect(young.at()).toBe(0);
    young.pass(300);
    expect(young.at()).toBe(0);
    const minute = createMachine(0);
    minute.note(60);
    expect(minute.at()).toBe(0);
  });

  test('that came just before the clock was set is no older than the last look, however long the machine is up', () => {
    const machine = createMachine(0);
    machine.pass(1000);
    machine.note(undefined);
    machine.pass(8);
    machine.set(right);
    machine.note(1005);
    expect(machine.at()).toBe(right - 8);
  });

  test.each([
    ['a moment after the last look', 1, 1],
    ['as long before the last look as clocks are corrected', -3, -3],
    ['longer before the last look', -4, 0],
    ['as far ahead as clocks are corrected', 23, 23],
    ['further ahead', 24, 0],
  ])('with a stamp %s (%i s) counts as being from %i s', (_, stamp, at) => {
    const machine = createMachine(right);
    machine.note(undefined);
    machine.pass(20);
    machine.note(right + stamp);
    expect(machine.at()).toBe(right + at);
  });

  test('with a stamp in the future at the first look counts as being from that look', () => {
    const machine = createMachine(right);
    machine.note(right + 5000);
    expect(machine.at()).toBe(right);
  });

  test.each([
    ['stays with a clock that is set by as little as clocks are corrected', 3, -1],
    ['moves with one that is set by more', 4, 3],
  ])('%s', (_, by, at) => {
    const machine = createMachine(right);
    machine.note(right - 1);
    machine.set(right + by);
    expect(machine.at()).toBe(right + at);
  });

  test('is not moved by a clock that is corrected a little', () => {
    const machine = createMachine(right);
    machine.note(right - 1);
    machine.pass(60);
    machine.set(right + 61);
    expect(machine.at()).toBe(right - 1);
    machine.set(right + 63);
    expect(machine.at()).toBe(right - 1);
    machine.set(right + 64);
    expect(machine.at()).toBe(right + 3);
  });
});
