import { expect, test } from 'vitest';
import { accountHandlers } from '../../src/reference-service/answer-account.ts';
import type { Backend } from '../../src/reference-service/backend.ts';

const codes = { redeem: () => 'the network' };
const set = (password: string) =>
  accountHandlers.passwordSet({ codes } as unknown as Backend, {
    request: { reset_code: 'code', password },
    ownClientId: undefined,
    network: undefined,
  });

test.each([
  ['8', 'x'.repeat(8)],
  ['1000', 'x'.repeat(1000)],
])('a password may have %s characters', (_, password) => {
  expect(set(password)).toEqual({});
});

test.each([
  ['7', 'x'.repeat(7)],
  ['7 that take more than one place', '👋'.repeat(7)],
  ['1001', 'x'.repeat(1001)],
])('a password may not have %s characters', (_, password) => {
  expect(() => set(password)).toThrow(/8 to 1000/);
});
