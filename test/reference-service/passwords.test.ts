import { expect, test } from 'vitest';
import { signInHandlers } from '../../src/reference-service/answer-sign-in.ts';
import type { Backend } from '../../src/reference-service/backend.ts';

const codes = { redeem: () => 'the network' };
const logins = { setPassword: () => undefined };
const set = (password: string) =>
  signInHandlers.passwordSet({ codes, logins } as unknown as Backend, {
    request: { reset_code: 'code', password },
    ownClientId: undefined,
    network: undefined,
  });

test.each([
  ['8', 'x'.repeat(8)],
  ['1000', 'x'.repeat(1000)],
])('a password may have %s characters', async (_, password) => {
  expect(await set(password)).toEqual({});
});

test.each([
  ['7', 'x'.repeat(7)],
  ['7 that take more than one place', '👋'.repeat(7)],
  ['1001', 'x'.repeat(1001)],
  ['8 blank', ' '.repeat(8)],
])('a password may not have %s characters', async (_, password) => {
  await expect(set(password)).rejects.toThrow(/8 to 1000/);
});
