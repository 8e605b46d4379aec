import { describe, expect, test } from 'vitest';
import { hasFreshHandshake } from '../../../src/tunnel/fresh-handshake.ts';
import { ago, now } from '../health/sample-facts.ts';

describe('handshake', () => {
  test.each([
    { age: 205, keepalive: 25, isFresh: true },
    { age: 206, keepalive: 25, isFresh: false },
    { age: 300, keepalive: 120, isFresh: true },
    { age: 205, keepalive: undefined, isFresh: true },
    { age: 206, keepalive: undefined, isFresh: false },
    { age: -3600, keepalive: 25, isFresh: true },
  ])('of $age s at a keepalive of $keepalive s is fresh: $isFresh', ({ age, keepalive, isFresh }) => {
    const tunnel = { lastHandshakeAt: ago(age), persistentKeepaliveSeconds: keepalive };
    expect(hasFreshHandshake(tunnel, now)).toBe(isFresh);
  });

  test('that never was is not fresh', () => {
    expect(hasFreshHandshake({ lastHandshakeAt: undefined, persistentKeepaliveSeconds: 25 }, now)).toBe(false);
  });
});
