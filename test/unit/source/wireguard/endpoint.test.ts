import { describe, expect, test } from 'vitest';
import { messageOf } from '../../../../src/lib/errors.ts';
import {
  findEndpointFault,
  resolveEndpoint,
  type ServiceContext,
  toServiceContext,
} from '../../../../src/source/wireguard/endpoint.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import { createIssued, renderIssuedText } from './issued-fixture.ts';

describe('an endpoint', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7:51820'],
    ['2001:db8::7', '[2001:db8::7]:51820'],
  ])('that is an address (%s) is taken as it is', async (host, expected) => {
    expect(await resolveEndpoint({ host, port: 51820 }, { isServiceOnLoopback: false })).toEqual([
      expected,
    ]);
  });

  test('whose name leads to this device is refused', async () => {
    await expect(
      resolveEndpoint({ host: 'localhost', port: 51820 }, { isServiceOnLoopback: false }),
    ).rejects.toMatchObject({
      code: 'tunnel-failed',
      message: expect.stringContaining('this device itself'),
    });
  });

  test('whose name leads to this device is taken where the service is on it too', async () => {
    for (const taken of await resolveEndpoint(
      { host: 'localhost', port: 51820 },
      { isServiceOnLoopback: true },
    ))
      expect(taken).toMatch(/^(127\.0\.0\.1|\[::1\]):51820$/);
  });

  test('whose name nobody knows is a failure that names it', async () => {
    await expect(
      resolveEndpoint({ host: 'nobody.invalid', port: 51820 }, { isServiceOnLoopback: false }),
    ).rejects.toMatchObject({
      code: 'tunnel-failed',
      message: expect.stringContaining('nobody.invalid'),
    });
  });

  test('is looked up by its name alone, and the answer is used unchanged', async () => {
    const asked: string[] = [];
    const lookUp = async (host: string) => {
      asked.push(host);
      return ['2001:db8::9', '203.0.113.9'];
    };
    const context = { isServiceOnLoopback: false };
    expect(await resolveEndpoint({ host: 'proxy.example', port: 1 }, context, { lookUp })).toEqual([
      '[2001:db8::9]:1',
      '203.0.113.9:1',
    ]);
    expect(asked).toEqual(['proxy.example']);
  });

  test.each([
    ['another machine', '203.0.113.9', ['203.0.113.9:1', '203.0.113.7:1']],
    ['this device', '127.0.0.1', ['203.0.113.7:1']],
    ['it as well', '203.0.113.7', ['203.0.113.7:1']],
  ])('that was good before is there where its name leads to %s', async (_, answer, expected) => {
    const context = { isServiceOnLoopback: false };
    const names = { lookUp: async () => [answer], alsoGood: () => ['203.0.113.7'] };
    const found = resolveEndpoint({ host: 'proxy.example', port: 1 }, context, names);
    expect(await found).toEqual(expected);
  });

  test('has to be a possible server, even where it is an address', async () => {
    for (const host of ['127.0.0.1', '169.254.169.254', 'fe80::1']) {
      await expect(
        resolveEndpoint({ host, port: 1 }, { isServiceOnLoopback: false }),
      ).rejects.toMatchObject({
        code: 'tunnel-failed',
        message: expect.stringMatching(
          /^resolving the tunnel's endpoint \S+: \S+ (is this device itself|can be no server)/,
        ),
      });
    }
  });

  describe('in a private network', () => {
    const near = [
      '10.1.2.3',
      '172.31.0.1',
      '192.168.77.1',
      '100.64.0.1',
      'fd00::1',
      '64:ff9b:1::a00:1',
      '2002:a00:1::1',
    ];
    const resolveNear = (context: ServiceContext) =>
      Promise.all(
        near.map((address) =>
          resolveEndpoint({ host: 'proxy.example', port: 1 }, context, {
            lookUp: async () => [address],
          }).then(
            () => 'taken',
            (error: unknown) => messageOf(error),
          ),
        ),
      );

    test('is refused, with what to write', async () => {
      for (const [index, outcome] of (
        await resolveNear(toServiceContext('https://service.example', []))
      ).entries()) {
        expect(outcome).toContain(`${near[index]} is in a private network`);
        expect(outcome).toContain(`write ${near[index]} into gateway.allow_destinations`);
      }
    });

    test.each([
      ['where the owner names it', 'https://service.example', near],
      ['where the service itself is at a private address', 'http://192.168.77.9:8080', []],
      ['where the service itself is at a private address of IPv6', 'http://[fd00::9]:8080', []],
      ['in a trial on one machine', 'http://127.0.0.1:8080', []],
    ])('is taken %s', async (_, baseUrl, allowed) => {
      expect(await resolveNear(toServiceContext(baseUrl, allowed))).toEqual(
        near.map(() => 'taken'),
      );
    });

    test('is refused in the issued text too', () => {
      const issued = createIssued(renderIssuedText({ Endpoint: 'Endpoint = 192.168.77.1:51820' }));
      expect(() =>
        parseIssuedTunnel(issued, toServiceContext('https://service.example', [])),
      ).toThrow('private network');
      const named = toServiceContext('https://service.example', ['192.168.77.0/24']);
      expect(parseIssuedTunnel(issued, named).peer.endpoint.host).toBe('192.168.77.1');
    });
  });

  test.each([
    ['64:ff9b::2d4c:60c0', undefined],
    ['64:ff9b::45.76.96.192', undefined],
    ['64:ff9b::c0a8:101', 'leads to 192.168.1.1'],
    ['64:ff9b::1', 'leads to 0.0.0.1'],
    ['64:ff9b::7f00:1', 'leads to 127.0.0.1'],
    ['64:ff9b:1::c000:201', 'is in a private network'],
  ])('that NAT64 translates (%s) is judged by the address of IPv4 inside', (address, fault) => {
    const found = findEndpointFault(address, toServiceContext('https://service.example', []));
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
  });

  test('has only those addresses of its name that are possible', async () => {
    const lookUp = async () => ['192.168.1.1', '203.0.113.9'];
    const context = toServiceContext('https://service.example', []);
    expect(await resolveEndpoint({ host: 'a', port: 1 }, context, { lookUp })).toEqual([
      '203.0.113.9:1',
    ]);
  });
});
