import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { readClaims } from '../../src/service/jwt.ts';

const jwtOf = (payload: unknown) =>
  new Secret(`eyJ9.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sig`);

describe('claims', () => {
  it('are read without a key', () => {
    const token = jwtOf({
      network_id: 'n',
      network_name: 'home',
      user_id: 'u',
      client_id: 'c',
      exp: 1_800_000_000,
      aud: ['x'],
    });
    expect(readClaims(token)).toEqual({
      networkId: 'n',
      networkName: 'home',
      userId: 'u',
      clientId: 'c',
      expiresAtMs: 1_800_000_000_000,
    });
  });

  it('of the wrong type count as absent', () => {
    expect(readClaims(jwtOf({ client_id: 7, network_id: '', exp: 'soon' }))).toEqual({});
  });

  it.each([
    '',
    'opaque',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    `a.${Buffer.from('[1').toString('base64url')}.c`,
  ])('of %j are none', (text) => {
    expect(readClaims(new Secret(text))).toBeUndefined();
  });

  it('are none for a payload that is no object', () => {
    for (const payload of [null, 7, 'text', [1]])
      expect(readClaims(jwtOf(payload))).toBeUndefined();
  });

  it('never throw', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (text, payload) => {
        readClaims(new Secret(text));
        readClaims(jwtOf(payload));
      }),
    );
  });
});
