import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Secret } from '../../../../src/lib/secret.ts';
import { isWireGuardKey, toPublicKey } from '../../../../src/system/wireguard-keys.ts';

const pinned = Array.from({ length: 6 }, () => randomBytes(32));

test.each([
  ...pinned.map((bytes) => bytes.toString('base64')),
  Buffer.alloc(32, 0xff).toString('base64'),
  Buffer.alloc(32, 1).toString('base64'),
])('the public key of %s is the one that wg computes', (privateKey) => {
  const expected = execFileSync('wg', ['pubkey'], { input: privateKey, encoding: 'utf8' }).trim();
  expect(toPublicKey(new Secret(privateKey))).toBe(expected);
});

test.each([
  '',
  'abcd',
  'a'.repeat(44),
  `${'a'.repeat(43)}=`,
  `${'A'.repeat(42)}==`,
  `${'-'.repeat(43)}=`,
  '='.repeat(44),
  Buffer.alloc(35, 1).toString('base64'),
])('%j is no key', (text) => {
  expect(isWireGuardKey(text)).toBe(false);
});

test('32 bytes in base64 are a key, but not 32 zeros, which to wg are none', () => {
  expect(pinned.every((bytes) => isWireGuardKey(bytes.toString('base64')))).toBe(true);
  expect(isWireGuardKey(Buffer.alloc(32).toString('base64'))).toBe(false);
});
