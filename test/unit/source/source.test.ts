import { expect, test } from 'vitest';
import {
  keepsDevice,
  type SourceWish,
  toPresent,
  wantIssuedTunnel,
} from '../../../src/source/source.ts';
import { isAlive } from '../../../src/source/source-report.ts';

const now = new Date('2026-03-14T12:00:00Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const present: SourceWish = {
  kind: 'present',
  device: 'program0',
  addresses: [{ family: 4, address: '10.88.0.1' }],
  mtu: 1400,
  outer: undefined,
  overheadBytes: 0,
  settings: undefined,
};

test.each([
  ['is dead before its first sign of life', undefined, false],
  ['without an end is alive until it denies it', { since: at(-9000), until: undefined }, true],
  ['is alive until its end', { since: at(-60), until: at(1) }, true],
  ['is alive at its end', { since: at(-60), until: at(0) }, true],
  ['is dead after its end', { since: at(-60), until: at(-1) }, false],
  ['is alive where its begin seems to lie ahead', { since: at(60), until: at(200) }, true],
] as const)('a source %s', (_, life, expected) => {
  expect(isAlive(life, now)).toBe(expected);
});

test('a device that is to be absent does not stay, one that is left alone does', () => {
  expect(keepsDevice({ kind: 'absent', device: 'program0' })).toBe(false);
  expect(keepsDevice({ kind: 'untouched', device: 'program0' })).toBe(true);
  expect(keepsDevice(present)).toBe(true);
});

test('only a device that is wanted now is made', () => {
  expect(toPresent({ kind: 'absent', device: 'program0' })).toBeUndefined();
  expect(toPresent({ kind: 'untouched', device: 'program0' })).toBeUndefined();
  expect(toPresent(present)).toBe(present);
});

test('a set of sources wants the issued tunnel where one of them does', () => {
  const [own, other] = [{ wantsIssuedTunnel: true }, { wantsIssuedTunnel: false }];
  expect([[], [other], [own], [other, own]].map(wantIssuedTunnel)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('a kind of wish that is not asked for does not compile', () => {
  const name = (wish: SourceWish): string => {
    if (wish.kind === 'present' || wish.kind === 'absent') return wish.kind;
    // @ts-expect-error: one kind is left.
    return wish.kind satisfies never;
  };
  expect(name(present)).toBe('present');
});
