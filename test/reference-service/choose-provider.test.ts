import { describe, expect, test } from 'vitest';
import { chooseProvider } from '../../src/reference-service/peers.ts';
import type { TunnelPeer } from '../../src/reference-service/proxies.ts';
import type { ProvideMode } from '../../src/service/profiles.ts';

const now = 1_800_000_000;

/** Peers as `name: [mode, seconds since the last handshake]`. */
function choose(
  peers: Record<string, readonly [ProvideMode, number | undefined]>,
  current?: string,
) {
  const all = Object.entries(peers).map(([name, [provideMode]]): TunnelPeer => {
    return { clientId: name, publicKey: name, address: '10.64.0.1', provideMode };
  });
  const traffic = Object.entries(peers).map(([publicKey, [, age]]) => {
    const allowedIps = publicKey === current ? ['0.0.0.0/0'] : [];
    return {
      publicKey,
      allowedIps,
      lastHandshakeAt: age === undefined ? undefined : now - age,
      rxBytes: 0,
      txBytes: 0,
    };
  });
  return chooseProvider({ peers: all, traffic, atMs: now * 1000 })?.publicKey;
}

describe("consumers' traffic goes to", () => {
  test.each(['default', 'network', 'friends', 'public', 'stream'] as const)(
    'a connected client of mode %s',
    (mode) => {
      expect(choose({ one: [mode, 10] })).toBe('one');
    },
  );
  test('nobody where the only client is of mode none', () => {
    expect(choose({ one: ['none', 10] })).toBeUndefined();
  });
  test('nobody where no client ever had a handshake', () => {
    expect(choose({ one: ['public', undefined] })).toBeUndefined();
  });
  test.each([
    [179, 'one'],
    [180, undefined],
  ])('a client whose handshake is %i s old: %s', (age, chosen) => {
    expect(choose({ one: ['public', age] })).toBe(chosen);
  });
  test('the current provider, though another was heard of later', () => {
    expect(choose({ one: ['public', 100], two: ['public', 1] }, 'one')).toBe('one');
  });
  test('the one heard of last, where the current one turned to none', () => {
    expect(choose({ one: ['none', 1], two: ['public', 100], three: ['public', 50] }, 'one')).toBe(
      'three',
    );
  });
});
