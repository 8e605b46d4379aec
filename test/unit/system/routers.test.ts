import { describe, expect, test } from 'vitest';
import { isOtherRouter, observeRouters } from '../../../src/system/routers.ts';

const router = { interface: 'eth0', address: '192.168.1.1', hardwareAddress: '02:00:00:00:00:01' };
const router6 = { interface: 'eth0', address: 'fe80::1', hardwareAddress: '02:00:00:00:00:06' };

describe('the routers of the ways', () => {
  test('are asked for once each, with the hardware address that the kernel knows', async () => {
    const asked: string[] = [];
    const known = ['[{"dst":"192.168.1.1","lladdr":"02:00:00:00:00:01","state":["STALE"]}]', '[]'];
    const found = await observeRouters(
      async ({ args }) => {
        asked.push(args.join(' '));
        return known[asked.length - 1] ?? '';
      },
      [
        { family: 4, interface: 'eth0', gateway: '192.168.1.1' },
        { family: 4, interface: 'eth0', gateway: '192.168.1.1' },
        { family: 4, interface: 'eth1', otherGateway: 'fe80::1' },
        { family: 6, interface: 'ppp0' },
      ],
    );
    expect(asked).toEqual([
      '-j -4 neighbour show to 192.168.1.1 dev eth0',
      '-j -6 neighbour show to fe80::1 dev eth1',
    ]);
    expect(found).toEqual([
      router,
      { interface: 'eth1', address: 'fe80::1', hardwareAddress: undefined },
    ]);
  });
});

describe('what ip monitor tells of neighbours', () => {
  // As iproute2 6.1 prints them.
  test.each([
    ['[NEIGH]192.168.1.1 dev eth0 lladdr 02:00:00:00:00:01 REACHABLE ', false],
    ['[NEIGH]192.168.1.1 dev eth0 lladdr 02:00:00:00:00:02 STALE ', true],
    ['[NEIGH]192.168.1.1 dev eth1 lladdr 02:00:00:00:00:02 STALE ', false],
    ['[NEIGH]192.168.1.7 dev eth0 lladdr 02:00:00:00:00:02 STALE ', false],
    ['[NEIGH]192.168.1.1 dev eth0 FAILED ', false],
    ['[NEIGH]Deleted 192.168.1.1 dev eth0 lladdr 02:00:00:00:00:01 STALE ', false],
    ['[NEIGH]fe80::1 dev eth0 lladdr 02:00:00:00:00:06 router PROBE ', false],
    ['[NEIGH]fe80::1 dev eth0 lladdr 02:00:00:00:00:07 router STALE ', true],
  ])('is another router: %s %s', (line, isOther) => {
    expect(isOtherRouter(line, [router, router6])).toBe(isOther);
  });
});
