import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import type { IssuedTunnel } from '../../../../src/identity/registration-files.ts';
import { readCurrentTunnel } from '../../../../src/source/wireguard/current-tunnel.ts';
import { toServiceContext } from '../../../../src/source/wireguard/endpoint.ts';
import { createIssued, proxyPublicKey, renderIssuedText } from './issued-fixture.ts';

const start = new Date('2026-05-04T12:00:00Z');

/** A source whose endpoint's name resolves to `address.now`, or to nothing. */
function createNamed(issued: { now: IssuedTunnel | undefined }, isServiceOnLoopback = false) {
  const address: { now: string | undefined } = { now: '203.0.113.7:51820' };
  let lookups = 0;
  const contexts: unknown[] = [];
  const source = readCurrentTunnel(
    () => issued.now,
    () => ({ isServiceOnLoopback }),
    {
      resolveName: async (_, context) => {
        lookups += 1;
        contexts.push(context);
        if (address.now === 'bug') throw new TypeError('a bug');
        if (address.now === undefined) throw new TributaryError('tunnel-failed', 'no such name');
        return address.now.split(' ');
      },
    },
  );
  return { source, address, contexts, countLookups: () => lookups };
}

beforeEach(() => void vi.useFakeTimers({ now: start, toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the endpoint of a tunnel', () => {
  test('without an address leaves a tunnel that is there as it is, and says so', async () => {
    const { source, address } = createNamed({ now: createIssued(renderIssuedText()) });
    address.now = undefined;
    const { tunnel, refusal } = await source.current();
    expect(tunnel).toBe('unresolved');
    expect(refusal?.code).toBe('tunnel-failed');
    address.now = '203.0.113.7:51820';
    expect(await source.current()).toMatchObject({
      tunnel: { endpoint: '203.0.113.7:51820' },
      refusal: undefined,
    });
  });

  test('is resolved once, however often it is asked for', async () => {
    const { source, countLookups } = createNamed({ now: createIssued(renderIssuedText()) });
    for (let pass = 0; pass < 5; pass += 1) {
      expect(await source.current()).toMatchObject({ tunnel: { endpoint: '203.0.113.7:51820' } });
    }
    expect(countLookups()).toBe(1);
  });

  test('stays while handshakes are fresh, whatever the name says', async () => {
    const { source, address, countLookups } = createNamed({
      now: createIssued(renderIssuedText()),
    });
    await source.current();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(600_000);
    const fresh = new Date(Date.now() - 120_000);
    expect(await source.resolveAgain(fresh, new Date())).toBeUndefined();
    expect(countLookups()).toBe(1);
  });

  test('moves with its name once the last handshake is stale', async () => {
    const { source, address } = createNamed({ now: createIssued(renderIssuedText()) });
    await source.current();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(200_000);
    const moved = await source.resolveAgain(start, new Date());
    expect(moved).toEqual({ peerPublicKey: proxyPublicKey, endpoint: '203.0.113.8:51820' });
    expect(await source.current()).toMatchObject({ tunnel: { endpoint: '203.0.113.8:51820' } });
  });

  test('stays where the name has no answer, and is asked for again only after a while', async () => {
    const { source, address, countLookups } = createNamed({
      now: createIssued(renderIssuedText()),
    });
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

describe('an endpoint that is resolved again', () => {
  test.each([
    [149_999, undefined],
    [150_000, '203.0.113.8:51820'],
  ])('%i ms after the last handshake is %s', async (ageMs, endpoint) => {
    const { source, address } = createNamed({ now: createIssued(renderIssuedText()) });
    await source.current();
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(600_000);
    const moved = await source.resolveAgain(new Date(Date.now() - ageMs), new Date());
    expect(moved?.endpoint).toBe(endpoint);
  });

  test('is not looked up before the first handshake, and does not move where the address is unchanged', async () => {
    const { source, countLookups } = createNamed({ now: createIssued(renderIssuedText()) });
    vi.advanceTimersByTime(600_000);
    expect(await source.resolveAgain(undefined, new Date())).toBeUndefined();
    expect(countLookups()).toBe(0);
    await source.current();
    vi.advanceTimersByTime(600_000);
    expect(await source.resolveAgain(undefined, new Date())).toBeUndefined();
    expect(countLookups()).toBe(2);
  });

  test('belongs to the present peer, whose key may have changed while its address did not', async () => {
    const issued: { now: IssuedTunnel | undefined } = { now: createIssued(renderIssuedText()) };
    const { source, address, countLookups } = createNamed(issued);
    await source.current();
    const other = `${'a'.repeat(42)}A=`;
    issued.now = createIssued(renderIssuedText({ PublicKey: `PublicKey = ${other}` }));
    expect(await source.current()).toMatchObject({
      tunnel: { spec: { peer: { publicKey: other } } },
    });
    expect(countLookups()).toBe(1);
    address.now = '203.0.113.8:51820';
    vi.advanceTimersByTime(600_000);
    expect(await source.resolveAgain(undefined, new Date())).toEqual({
      peerPublicKey: other,
      endpoint: '203.0.113.8:51820',
    });
  });

  test.each([
    ['name', 'Endpoint = other.example.net:51820'],
    ['port', 'Endpoint = proxy.example.net:51821'],
  ])('is looked up at once where it has another %s', async (_, line) => {
    const issued: { now: IssuedTunnel | undefined } = { now: createIssued(renderIssuedText()) };
    const { source, countLookups } = createNamed(issued);
    await source.current();
    issued.now = createIssued(renderIssuedText({ Endpoint: line }));
    await source.current();
    expect(countLookups()).toBe(2);
  });

  test('passes on what is no failure of the name', async () => {
    const { source, address } = createNamed({ now: createIssued(renderIssuedText()) });
    address.now = 'bug';
    await expect(source.current()).rejects.toThrow('a bug');
    address.now = '203.0.113.7:51820';
    await source.current();
    address.now = 'bug';
    vi.advanceTimersByTime(600_000);
    await expect(source.resolveAgain(undefined, new Date())).rejects.toThrow('a bug');
  });

  test.each([true, false])(
    'may lead to this device where the service is on it: %s',
    async (isServiceOnLoopback) => {
      const text = renderIssuedText({ Endpoint: 'Endpoint = localhost:51820' });
      const { source, contexts } = createNamed({ now: createIssued(text) }, isServiceOnLoopback);
      const { tunnel, refusal } = await source.current();
      expect([tunnel === undefined, refusal?.code]).toEqual(
        isServiceOnLoopback ? [false, undefined] : [true, 'wireguard-text-refused'],
      );
      vi.advanceTimersByTime(600_000);
      await source.resolveAgain(undefined, new Date());
      expect(contexts).toEqual(
        isServiceOnLoopback ? [{ isServiceOnLoopback }, { isServiceOnLoopback }] : [],
      );
    },
  );
});

test('an address with which hands were shaken is noted as good for its name', async () => {
  const text = renderIssuedText({ Endpoint: 'Endpoint = proxy.example:51820' });
  const noted: string[] = [];
  const names = {
    lookUp: async () => ['2001:db8::9', '203.0.113.9'],
    noteGood: (...good: readonly string[]) => void noted.push(good.join(' ')),
  };
  const issued = createIssued(text);
  const source = readCurrentTunnel(
    () => issued,
    () => ({ isServiceOnLoopback: false }),
    { names },
  );
  await source.current();
  vi.advanceTimersByTime(10_000);
  source.noteHandshake(new Date(start.getTime() - 1_001), new Date());
  expect(noted).toEqual([]);
  source.noteHandshake(new Date(), new Date());
  expect(noted).toEqual(['proxy.example 2001:db8::9']);
});

test('a private endpoint is taken as soon as the owner names it', async () => {
  const issued = createIssued(renderIssuedText({ Endpoint: 'Endpoint = 192.168.77.1:51820' }));
  let context = toServiceContext('https://service.example', []);
  const source = readCurrentTunnel(
    () => issued,
    () => context,
  );
  expect((await source.current()).refusal?.code).toBe('wireguard-text-refused');
  context = toServiceContext('https://service.example', ['192.168.77.1']);
  expect(await source.current()).toMatchObject({
    tunnel: { endpoint: '192.168.77.1:51820' },
    refusal: undefined,
  });
});

test('a text is read once, and a bug in its reading is not taken for a refusal', async () => {
  const issued: { now: IssuedTunnel | undefined } = { now: createIssued(renderIssuedText()) };
  const { source } = createNamed(issued);
  const specOf = async () => {
    const { tunnel } = await source.current();
    return typeof tunnel === 'object' ? tunnel.spec : undefined;
  };
  expect(await specOf()).toBe(await specOf());
  const reveal = () => {
    throw new TypeError('a bug');
  };
  issued.now = { ...createIssued(''), text: { reveal } as never };
  await expect(source.current()).rejects.toBeInstanceOf(TypeError);
});

describe('a text that is refused', () => {
  const hostile = createIssued(`${renderIssuedText()}\nPostUp = true`);

  test('makes no tunnel where there was none, and says why', async () => {
    const { tunnel, refusal } = await createNamed({ now: hostile }).source.current();
    expect(tunnel).toBeUndefined();
    expect(refusal?.code).toBe('wireguard-text-refused');
  });

  test('leaves the tunnel before it, until a good one comes', async () => {
    const issued: { now: IssuedTunnel | undefined } = { now: createIssued(renderIssuedText()) };
    const { source } = createNamed(issued);
    const before = await source.current();
    issued.now = hostile;
    const during = await source.current();
    expect(during.tunnel).toEqual(before.tunnel);
    expect(during.refusal?.code).toBe('wireguard-text-refused');
    issued.now = createIssued(renderIssuedText());
    expect((await source.current()).refusal).toBeUndefined();
  });

  test('does not outlive its registration', async () => {
    const issued: { now: IssuedTunnel | undefined } = { now: createIssued(renderIssuedText()) };
    const { source } = createNamed(issued);
    await source.current();
    issued.now = undefined;
    expect(await source.current()).toEqual({ tunnel: undefined, refusal: undefined });
  });
});
