import { expect, test } from 'vitest';
import { createTokenUse } from '../../../src/connect/socket/token-use.ts';

const day = 24 * 60 * 60;
/** From second 0 on good for thirty days; `name` makes it another one. */
const makeToken = (name: string, claims: unknown = { iat: 0, exp: 30 * day }): string =>
  `${name}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
const at = (days: number): number => days * day * 1000;

test.each([
  ['in the first half of the life of the one in use', makeToken('a'), 14, false],
  ['in the second half', makeToken('a'), 15, true],
  ['before it was issued, by a clock that is not set yet', makeToken('a'), -1, false],
  ['where the one in use does not say how long it is good', makeToken('a', {}), 1, true],
  ['where its claims are none', makeToken('a', null), 1, true],
  ['where it is no such token', 'token', 1, true],
])('a token that is renewed %s: whether a socket is opened with it', (_, used, days, isWanted) => {
  let token = used;
  const use = createTokenUse(() => token);
  expect(use.take()).toBe(used);
  expect([use.isNewThere(), use.isNewWanted(at(days))]).toEqual([false, false]);
  token = makeToken('b');
  expect(use.isNewWanted(at(days))).toBe(isWanted);
  expect(use.isNewThere()).toBe(true);
  expect(use.take()).toBe(token);
  expect(use.isNewWanted(at(days))).toBe(false);
});

test('after a refusal, a socket is opened with the next token at once', () => {
  let token: string | undefined = makeToken('a');
  const use = createTokenUse(() => token);
  use.take();
  token = undefined;
  expect(use.isNewWanted(at(1))).toBe(false);
  token = makeToken('b');
  expect(use.isNewWanted(at(1))).toBe(true);
  use.take();
  token = makeToken('c');
  expect(use.isNewWanted(at(1))).toBe(false);
});
