import { describe, expect, test } from 'vitest';
import { listSysctls, planSysctls } from '../../../src/gateway/sysctls.ts';
import { homePolicy } from './policy-fixture.ts';

const paths = (hasIpv6: boolean) =>
  listSysctls(homePolicy, { hasIpv6 }).map(({ path, value }) => `${path}=${value}`);
const tunnelFilter = 'net/ipv4/conf/tributary0/rp_filter';
const timeouts = [
  'net/netfilter/nf_conntrack_udp_timeout=10',
  'net/netfilter/nf_conntrack_udp_timeout_stream=30',
  'net/netfilter/nf_conntrack_tcp_timeout_syn_sent=10',
  'net/netfilter/nf_conntrack_tcp_timeout_syn_recv=20',
  'net/netfilter/nf_conntrack_tcp_timeout_established=3600',
];

describe('kernel settings', () => {
  test('concern the two interfaces that forward, and no other', () => {
    expect(paths(false)).toEqual([
      'net/ipv4/conf/tributary0/rp_filter=2',
      'net/ipv4/conf/tributary0/forwarding=1',
      'net/ipv4/conf/eth0/forwarding=1',
      ...timeouts,
    ]);
  });

  test('for IPv6 keep router advertisements alive before forwarding would end them', () => {
    expect(paths(true).slice(3)).toEqual([
      'net/ipv6/conf/eth0/accept_ra=2',
      'net/ipv6/conf/all/forwarding=1',
      ...timeouts,
    ]);
  });

  test('are not set without an uplink', () => {
    expect(listSysctls({ ...homePolicy, uplink: undefined }, { hasIpv6: true })).toEqual([]);
  });

  test('that outlive the tunnel are put back', () => {
    const lasting = listSysctls(homePolicy, { hasIpv6: true }).filter(({ isLasting }) => isLasting);
    expect(lasting.every(({ path }) => !path.includes('tributary0'))).toBe(true);
    expect(lasting).toHaveLength(3 + timeouts.length);
  });

  test.each<[string | undefined, boolean]>([
    ['2', false],
    ['0', false],
    ['1', true],
    [undefined, false],
  ])('a reverse path filter of %s is written: %s', (value, isWritten) => {
    const observed = new Map([[tunnelFilter, value]]);
    expect(
      planSysctls(listSysctls(homePolicy, { hasIpv6: false }), observed).map(({ path }) => path),
    ).toEqual(isWritten ? [tunnelFilter] : []);
  });

  test.each<[string, string | undefined, boolean]>([
    ['432000', '1', true],
    ['7440', '1', true],
    ['3600', '1', false],
    ['600', '1', false],
    // Without a tunnel that has settings, the machine's own settings are left alone.
    ['432000', undefined, false],
  ])(
    'a connection that is forgotten after %s s, with forwarding %s: written %s',
    (value, forwarding, isWritten) => {
      const path = 'net/netfilter/nf_conntrack_tcp_timeout_established';
      const observed = new Map([
        [path, value],
        ['net/ipv4/conf/tributary0/forwarding', forwarding],
      ]);
      const planned = planSysctls(listSysctls(homePolicy, { hasIpv6: false }), observed);
      expect(planned.map((setting) => setting.path)).toEqual(isWritten ? [path] : []);
    },
  );

  test('need nothing in a second pass', () => {
    const desired = listSysctls(homePolicy, { hasIpv6: true });
    const observed = new Map(desired.map(({ path }) => [path, '0']));
    for (const { path } of desired.filter(({ isOptional }) => isOptional))
      observed.set(path, '432000');
    expect(planSysctls(desired, observed).length).toBeGreaterThan(3);
    for (const { path, value } of planSysctls(desired, observed)) observed.set(path, value);
    expect(planSysctls(desired, observed)).toEqual([]);
  });
});
