import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMeter, type Reading } from '../../src/reference-service/peers.ts';
import type { TunnelPeer } from '../../src/reference-service/proxies.ts';

const startMs = 1_800_000_000_000;
const peers: readonly TunnelPeer[] = ['a', 'b'].map((name) => {
  return {
    clientId: `client-${name}`,
    publicKey: name,
    address: '10.64.0.1',
    provideMode: 'public',
  };
});

interface Look {
  readonly afterMs: number;
  readonly rx: number;
  readonly handshakeAgeSeconds?: number;
  readonly chosen?: string;
}

/** A reading in which only peer a does anything. */
function createReading({ afterMs, rx, handshakeAgeSeconds, chosen }: Look): Reading {
  const atMs = startMs + afterMs;
  const lastHandshakeAt =
    handshakeAgeSeconds === undefined ? undefined : atMs / 1000 - handshakeAgeSeconds;
  const idle = { lastHandshakeAt: undefined, rxBytes: 0, txBytes: 0 };
  const rows = [
    { ...idle, publicKey: 'a', lastHandshakeAt, rxBytes: rx },
    { ...idle, publicKey: 'b' },
  ];
  const traffic = rows.map((row) => ({
    ...row,
    allowedIps: row.publicKey === chosen ? ['0.0.0.0/0'] : [],
  }));
  return { peers, traffic, atMs };
}

function run(looks: readonly Look[]) {
  const meter = createMeter(startMs);
  return looks.map((look) => meter(createReading(look))[0]);
}

describe('bytes', () => {
  test('add up to what the counters say, however often they are read', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 1 }), (steps) => {
        let rx = 0;
        const looks = steps.map((step, index) => {
          rx += step;
          return { afterMs: index * 1000, rx };
        });
        const sum = run(looks).reduce((total, usage) => total + (usage?.rxBytes ?? 0), 0);
        expect(sum).toBe(rx);
      }),
    );
  });
  test('of counters that began anew are counted from zero', () => {
    expect(
      run([
        { afterMs: 0, rx: 500 },
        { afterMs: 1000, rx: 30 },
      ]).map((usage) => usage?.rxBytes),
    ).toEqual([500, 30]);
  });
  test('of a peer that the interface does not know are none', () => {
    const [, usage] = createMeter(startMs)({ peers, traffic: [], atMs: startMs });
    expect(usage).toMatchObject({
      clientId: 'client-b',
      isConnected: false,
      rxBytes: 0,
      txBytes: 0,
      onlineMs: 0,
    });
  });
});

describe('time online', () => {
  test('runs while the handshake is recent, and not otherwise', () => {
    const looks = [
      { afterMs: 5000, rx: 0, handshakeAgeSeconds: 3 },
      { afterMs: 9000, rx: 0, handshakeAgeSeconds: 181 },
      { afterMs: 12_000, rx: 0 },
    ];
    expect(run(looks).map((usage) => [usage?.isConnected, usage?.onlineMs])).toEqual([
      [true, 5000],
      [false, 0],
      [false, 0],
    ]);
  });
  test('does not run while the service slept, nor backwards with the clock', () => {
    const looks = [
      { afterMs: 86_400_000, rx: 0, handshakeAgeSeconds: 1 },
      { afterMs: 1000, rx: 0, handshakeAgeSeconds: 1 },
    ];
    expect(run(looks).map((usage) => usage?.onlineMs)).toEqual([30_000, 0]);
  });
});

describe('sessions', () => {
  const moved = 100_000;
  test.each<readonly [string, readonly Look[], readonly number[]]>([
    [
      'one for a stretch in which traffic moved',
      [1, 2, 3].map((step) => ({ afterMs: step * 5000, rx: step * moved, chosen: 'a' })),
      [1, 0, 0],
    ],
    [
      'none for keepalives',
      [1, 2].map((step) => ({ afterMs: step * 5000, rx: step * 300, chosen: 'a' })),
      [0, 0],
    ],
    ['none for traffic of one who is not chosen', [{ afterMs: 5000, rx: moved, chosen: 'b' }], [0]],
    [
      'another after nobody was chosen for a while',
      [
        { afterMs: 5000, rx: moved, chosen: 'a' },
        { afterMs: 6000, rx: moved },
        { afterMs: 7000, rx: 2 * moved, chosen: 'a' },
      ],
      [1, 0, 1],
    ],
    [
      'another after a minute of silence',
      [
        { afterMs: 5000, rx: moved, chosen: 'a' },
        { afterMs: 70_000, rx: 2 * moved, chosen: 'a' },
      ],
      [1, 1],
    ],
  ])('%s', (_, looks, sessions) => {
    expect(run(looks).map((usage) => usage?.sessions)).toEqual(sessions);
  });
});

describe('a consumer', () => {
  test('had what moved since its session began at whoever was chosen', () => {
    const looks = [
      { afterMs: 5000, rx: 300, chosen: 'a' },
      { afterMs: 10_000, rx: 10_300, chosen: 'a' },
      { afterMs: 15_000, rx: 10_400, chosen: 'a' },
      { afterMs: 20_000, rx: 90_400 },
    ];
    expect(run(looks).map((usage) => usage?.consumerBytes)).toEqual([0, 10_000, 100, 0]);
  });
  test('shows how fast the client is, also to one who looks often', () => {
    const looks = [250, 500, 750, 1000, 1250].map((afterMs) => ({
      afterMs,
      rx: afterMs * 1000,
      chosen: 'a',
    }));
    expect(run(looks).map((usage) => usage?.bytesPerSecond)).toEqual([
      undefined,
      undefined,
      undefined,
      1_000_000,
      undefined,
    ]);
  });
});
