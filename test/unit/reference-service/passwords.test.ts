import { scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createCodes, hashPassword } from '../../../src/reference-service/codes.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { createNetworks } from '../../../src/reference-service/networks.ts';
import { makeDirectory } from './make-directory.ts';

function open() {
  const clock = { nowMs: 1_800_000_000_000 };
  const database = openDatabase(makeDirectory());
  const { networkId } = createNetworks(database, () => clock.nowMs).ensureFirst();
  const codes = createCodes(database, 'alphanumeric', () => clock.nowMs);
  const readHash = () => database.prepare('select password_hash from network').get()?.password_hash;
  const reset = (code: string, password = 'correct horse') =>
    codes.resetPassword(code, password).then(
      () => 'set',
      (error) => error.message,
    );
  return { clock, database, networkId, codes, readHash, reset };
}

const badCode = 'Invalid, expired or used reset code.';

describe('a reset code', () => {
  test('sets a password once', async () => {
    const { networkId, codes, readHash, reset } = open();
    const code = codes.issueResetCode(networkId, 10);
    expect(await reset(code)).toBe('set');
    const first = readHash();
    expect(await reset(code, 'another password')).toBe(badCode);
    expect(readHash()).toBe(first);
  });
  test.each([
    [599_999, 'set'],
    [600_000, badCode],
  ])('of ten minutes after %i ms: %s', async (laterMs, outcome) => {
    const { clock, networkId, codes, reset } = open();
    const code = codes.issueResetCode(networkId, 10);
    clock.nowMs += laterMs;
    expect(await reset(code)).toBe(outcome);
  });
  test('is still good after a password that was refused', async () => {
    const { networkId, codes, readHash, reset } = open();
    const code = codes.issueResetCode(networkId, 10);
    expect(await reset(code, '1234567')).toMatch(/8 to 1000/);
    expect(readHash()).toBeNull();
    expect(await reset(code)).toBe('set');
  });
  test('is kept as a hash, and an expired one not at all', () => {
    const { clock, database, networkId, codes } = open();
    const issued = [codes.issueResetCode(networkId, 10)];
    clock.nowMs += 600_000;
    issued.push(codes.issueResetCode(networkId, 10));
    const rows = database.prepare('select * from reset_code').all();
    expect(rows).toHaveLength(1);
    for (const code of issued) expect(JSON.stringify(rows)).not.toContain(code);
  });
  test('that nobody issued is bad', async () => {
    expect(await open().reset('never-was')).toBe(badCode);
  });
});

describe('a password', () => {
  test.each([
    ['of 7 characters', 'x'.repeat(7), false],
    ['of 8 characters', 'x'.repeat(8), true],
    ['of 7 characters that take more than one place', '👋'.repeat(7), false],
    ['of 1000 characters', 'x'.repeat(1000), true],
    ['of 1001 characters', 'x'.repeat(1001), false],
  ])('%s', async (_, password, isTaken) => {
    const outcome = await hashPassword(password).then(
      () => true,
      () => false,
    );
    expect(outcome).toBe(isTaken);
  });
  test('is kept as a salted hash that it can be checked against', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(one).not.toBe(other);
    const [, salt = '', hash = ''] = one.split(':');
    expect(scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32).toString('base64url')).toBe(hash);
  });
});
