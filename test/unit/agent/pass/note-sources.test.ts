import { describe, expect, test } from 'vitest';
import {
  explainSource,
  noteSilence,
  noteWrong,
  nothingNoted,
} from '../../../../src/agent/pass/note-sources.ts';
import { TributaryError } from '../../../../src/errors/codes.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 14, 12, 0, seconds));
const failed = new TributaryError('tunnel-failed', 'making it: refused');
const life = { since: at(0), until: undefined };

describe('what a pass notes of a source', () => {
  test('a problem keeps its beginning while it is the same, and ends with a pass without it', () => {
    const first = noteWrong(nothingNoted, { problem: failed, shortfall: undefined }, at(1));
    const second = noteWrong(first, { problem: failed, shortfall: undefined }, at(2));
    expect(second.problem).toEqual({
      code: 'tunnel-failed',
      message: 'making it: refused',
      since: at(1),
    });
    expect(noteWrong(second, { problem: undefined, shortfall: undefined }, at(3))).toEqual(
      nothingNoted,
    );
  });

  test('a silence keeps its beginning until the source is alive', () => {
    const silent = { isThere: true, life: undefined };
    const first = noteSilence(nothingNoted, silent, at(1));
    expect(noteSilence(first, silent, at(9)).silentSince).toEqual(at(1));
    expect(noteSilence(first, { isThere: true, life }, at(9)).silentSince).toBeUndefined();
  });

  test('a life that has run out is a silence', () => {
    const over = { since: at(0), until: at(5) };
    const noted = noteSilence(nothingNoted, { isThere: true, life: over }, at(6));
    expect(noted.silentSince).toEqual(at(6));
  });

  test('without a device there is no silence', () => {
    const first = noteSilence(nothingNoted, { isThere: true, life: undefined }, at(1));
    const gone = noteSilence(first, { isThere: false, life: undefined }, at(2));
    expect(gone.silentSince).toBeUndefined();
  });

  test('a problem and a silence do not end each other', () => {
    const silent = noteSilence(nothingNoted, { isThere: true, life: undefined }, at(1));
    const both = noteWrong(silent, { problem: failed, shortfall: undefined }, at(2));
    expect(both.silentSince).toEqual(at(1));
    expect(noteSilence(both, { isThere: true, life }, at(3)).problem?.code).toBe('tunnel-failed');
  });
});

test.each([
  ['wireguard', "IPv6 cannot be forwarded here: the tunnel's IPv6 address is left out"],
  ['program', 'IPv6 cannot be forwarded here: the IPv6 address of program is left out'],
])('what %s lacks without IPv6 is said of it', (name, said) => {
  const source = {
    failure: undefined,
    name,
    device: 'any0',
    collision: undefined,
    nearEnd: undefined,
    overheadBytes: 0,
    observed: { kind: 'absent' },
    isSeen: true,
  } as const;
  const { problem, shortfall } = explainSource({ ...source, missing: 'ipv6' }, undefined);
  expect(problem).toBeUndefined();
  expect(shortfall?.message).toContain(said);
  const all = explainSource({ ...source, missing: 'everything' }, undefined);
  expect(all).toMatchObject({ problem: { code: 'no-ipv6' }, shortfall: undefined });
});
