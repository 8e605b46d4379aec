import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TributaryError } from '../../../src/lib/errors.ts';
import { createTunnelSource } from '../../../src/tunnel/current-tunnel.ts';
import type { IssuedTunnel } from '../../../src/tunnel/issued.ts';
import { proxyPublicKey, toIssued, toIssuedText } from './issued-fixture.ts';

const start = new Date('2026-05-04T12:00:00Z');

/** A source whose endpoint's name resolves to `address.now`, or to nothing. */
function createNamed(issued: { now: IssuedTunnel | undefined }) {
  const address: { now: string | undefined } = { now: '203.0.113.7:51820' };
  let lookups = 0;
  const source = createTunnelSource(
    () => issued.now,
    () => false,
    async () => {
      lookups += 1;
      if (address.now === undefined) throw new TributaryError('tunnel-failed', 'no such name');
      return address.now;
    },
  );
  return { source, address, countLookups: () => lookups };
}

beforeEach(() => void vi.useFakeTimers({ now: start, toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the endpoint of a tunnel', () => {
  test('without an address leaves a tunnel that is there as it is, and says so', async () => {
    const { source, address } = createNamed({ now: toIssued(toIssuedText()) });
    address.now = undefined;
    const { tunnel, refusal } = await source.current();
    expect(tunnel).toBe('unresolved');
    expect(refusal?.code).toBe('tunnel-failed');
    address.now = '203.0.113.7:51820';
    expect(await source.current()).toMatchObject({ tunnel: { endpoint: '203.0.113.7:51820' }, refusal: undefined });
  });

  test('is resolved once, however often it is asked for', async () => {
    const { source, countLookups } = createNamed({ now: toIssued(toIssuedText()) });
    for (let pass = 0; pass < 5; pass += 1) {
      expect(await source.current()).toMatchObject({ tunnel: { endpoint: '203.0.113.7:51820' } });
    }
    expect(countLookups()).toBe(1);
  });

  test('stays while handshakes are fresh, whatever the name says', async () => {
    const { source, address, countLookups } = createNamed({ now: toIssued(toIssuedText()) });
    await source.current();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(600_000);
    const fresh = new Date(Date.now() - 120_000);
    expect(await source.resolveAgain(fresh, new Date())).toBeUndefined();
    expect(countLookups()).toBe(1);
  });

  test('moves with its name once the last handshake is stale', async () => {
    const { source, address } = createNamed({ now: toIssued(toIssuedText()) });
    await source.current();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(200_000);
    const moved = await source.resolveAgain(start, new Date());
    expect(moved).toEqual({ peerPublicKey: proxyPublicKey, endpoint: '203.0.113.8:51820' });
    expect(await source.current()).toMatchObject({ tunnel: { endpoint: '203.0.113.8:51820' } });
  });

  test('stays where the name has no answer, and is asked for again only after a while', async () => {
    const { source, address, countLookups } = createNamed({ now: toIssued(toIssuedText()) });
    await source.current();
    address.now = undefined;
    vi.advanceTimersByTime(200_000);
    expect(await source.resolveAgain(undefined, new Date())).toBeUndefined();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(10_000);
    expect(await source.resolveAgain(undefined, new Date())).toBeUndefined();
    expect(countLookups()).toBe(2);
    vi.advanceTimersByTime(20_000);
    expect((await source.resolveAgain(undefined, new Date()))?.endpoint).toBe('203.0.113.8:51820');
  });
});

describe('what may go wrong beside', () => {
  test('an endpoint has no news before there is a tunnel', async () => {
    expect(await createNamed({ now: undefined }).source.resolveAgain(undefined, new Date())).toBeUndefined();
  });

  test('a name that says the same again is no news', async () => {
    const { source, countLookups } = createNamed({ now: toIssued(toIssuedText()) });
    await source.current();
    vi.advanceTimersByTime(200_000);
    expect(await source.resolveAgain(undefined, new Date())).toBeUndefined();
    expect(countLookups()).toBe(2);
  });

  test('a handshake is stale from the 150th second on', async () => {
    const { source, address } = createNamed({ now: toIssued(toIssuedText()) });
    await source.current();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(200_000);
    expect(await source.resolveAgain(new Date(Date.now() - 149_999), new Date())).toBeUndefined();
    expect(await source.resolveAgain(new Date(Date.now() - 150_000), new Date())).toBeDefined();
  });

  test('an error that is a bug is no refusal', async () => {
    const issued = { now: toIssued(toIssuedText()) };
    const bug = new Error('a bug');
    let isBroken = true;
    const source = createTunnelSource(
      () => issued.now,
      () => false,
      async () => {
        if (isBroken) throw bug;
        return '203.0.113.7:51820';
      },
    );
    await expect(source.current()).rejects.toBe(bug);
    isBroken = false;
    await source.current();
    isBroken = true;
    await expect(source.resolveAgain(undefined, new Date(Date.now() + 200_000))).resolves.toBeUndefined();
    vi.advanceTimersByTime(200_000);
    await expect(source.resolveAgain(undefined, new Date())).rejects.toBe(bug);
    issued.now = {
      ...toIssued(''),
      text: {
        reveal: () => {
          throw bug;
        },
      } as never,
    };
    await expect(source.current()).rejects.toBe(bug);
  });
});

describe('a new text', () => {
  const anotherPeer = `${'a'.repeat(42)}A=`;

  test('is read once', async () => {
    const { source } = createNamed({ now: toIssued(toIssuedText()) });
    const specOf = async () => Object(await source.current()).tunnel.spec;
    expect(await specOf()).toBe(await specOf());
  });

  test.each([
    ['another name', 'Endpoint = other.example.net:51820', 2],
    ['another port', 'Endpoint = proxy.example.net:51821', 2],
    ['the same name and port', 'Endpoint = proxy.example.net:51820', 1],
  ])('with %s is resolved as it should be', async (_, endpoint, lookups) => {
    const issued = { now: toIssued(toIssuedText()) };
    const { source, countLookups } = createNamed(issued);
    await source.current();
    issued.now = toIssued(toIssuedText({ Endpoint: endpoint }));
    await source.current();
    expect(countLookups()).toBe(lookups);
  });

  test('with another peer at the same place moves that peer', async () => {
    const issued = { now: toIssued(toIssuedText()) };
    const { source, address } = createNamed(issued);
    await source.current();
    issued.now = toIssued(toIssuedText({ PublicKey: `PublicKey = ${anotherPeer}` }));
    await source.current();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(200_000);
    expect((await source.resolveAgain(undefined, new Date()))?.peerPublicKey).toBe(anotherPeer);
  });

  test.each([true, false])(
    'that leads to this device is taken where the service is on it: %s',
    async (isOnLoopback) => {
      const contexts: unknown[] = [];
      const source = createTunnelSource(
        () => toIssued(toIssuedText({ Endpoint: 'Endpoint = localhost:51820' })),
        () => isOnLoopback,
        async (_, context) => {
          contexts.push(context);
          return '127.0.0.1:51820';
        },
      );
      expect((await source.current()).refusal === undefined).toBe(isOnLoopback);
      expect(contexts).toEqual(isOnLoopback ? [{ isServiceOnLoopback: true }] : []);
    },
  );
});

describe('a text that is refused', () => {
  const hostile = toIssued(`${toIssuedText()}\nPostUp = true`);

  test('makes no tunnel where there was none, and says why', async () => {
    const { tunnel, refusal } = await createNamed({ now: hostile }).source.current();
    expect(tunnel).toBeUndefined();
    expect(refusal?.code).toBe('wireguard-text-refused');
  });

  test('leaves the tunnel before it, until a good one comes', async () => {
    const issued: { now: IssuedTunnel | undefined } = { now: toIssued(toIssuedText()) };
    const { source } = createNamed(issued);
    const before = await source.current();
    issued.now = hostile;
    const during = await source.current();
    expect(during.tunnel).toEqual(before.tunnel);
    expect(during.refusal?.code).toBe('wireguard-text-refused');
    issued.now = toIssued(toIssuedText());
    expect((await source.current()).refusal).toBeUndefined();
  });

  test('does not outlive its registration', async () => {
    const issued: { now: IssuedTunnel | undefined } = { now: toIssued(toIssuedText()) };
    const { source } = createNamed(issued);
    await source.current();
    issued.now = undefined;
    expect(await source.current()).toEqual({ tunnel: undefined, refusal: undefined });
  });
});
