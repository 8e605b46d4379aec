import { describe, expect, test } from 'vitest';
import {
  hasFreshHandshake,
  isHandshakeOverdue,
} from '../../../../src/source/wireguard/handshake.ts';
import { ago, now } from '../../../../tools/docs/sample-facts.ts';

describe('handshake', () => {
  test.each([
    { age: 205, keepalive: 25, isFresh: true },
    { age: 206, keepalive: 25, isFresh: false },
    { age: 300, keepalive: 120, isFresh: true },
    { age: 205, keepalive: undefined, isFresh: true },
    { age: 206, keepalive: undefined, isFresh: false },
    { age: -3600, keepalive: 25, isFresh: true },
  ])(
    'of $age s at a keepalive of $keepalive s is fresh: $isFresh',
    ({ age, keepalive, isFresh }) => {
      const tunnel = { lastHandshakeAt: ago(age), persistentKeepaliveSeconds: keepalive };
      expect(hasFreshHandshake(tunnel, now)).toBe(isFresh);
    },
  );

  test.each([
    { age: 160, keepalive: 25, isOverdue: false },
    { age: 161, keepalive: 25, isOverdue: true },
    { age: 160, keepalive: undefined, isOverdue: false },
    { age: 161, keepalive: undefined, isOverdue: true },
    { age: 195, keepalive: 60, isOverdue: false },
    { age: -3600, keepalive: 25, isOverdue: false },
  ])('of $age s at a keepalive of $keepalive s leaves the next overdue: $isOverdue', (given) => {
    const tunnel = { lastHandshakeAt: ago(given.age), persistentKeepaliveSeconds: given.keepalive };
    expect(isHandshakeOverdue(tunnel, now)).toBe(given.isOverdue);
  });

  test('that never happened is overdue', () => {
    expect(
      isHandshakeOverdue({ lastHandshakeAt: undefined, persistentKeepaliveSeconds: 25 }, now),
    ).toBe(true);
  });

  test('that never happened is not fresh', () => {
    expect(
      hasFreshHandshake({ lastHandshakeAt: undefined, persistentKeepaliveSeconds: 25 }, now),
    ).toBe(false);
  });
});
