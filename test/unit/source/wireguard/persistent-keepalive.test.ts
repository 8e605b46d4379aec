import { describe, expect, it } from 'vitest';
import { choosePersistentKeepaliveSeconds } from '../../../../src/source/wireguard/handshake.ts';

describe('PersistentKeepalive', () => {
  it.each([
    [25, 60, 25],
    [90, 60, 60],
    [90, 21_600, 60],
    [undefined, 60, 25],
    [undefined, 10, 10],
    [0, 60, 25],
    [-3, 60, 25],
    [Number.NaN, 60, 25],
    [0.5, 60, 1],
  ])('named as %j, with a renewal every %j s, becomes %j s', (text, renewSeconds, seconds) => {
    expect(choosePersistentKeepaliveSeconds(text, renewSeconds)).toBe(seconds);
  });
});
