import { describe, expect, test } from 'vitest';
import { fitTunnel } from '../../../../src/source/wireguard/fit.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import type { DesiredTunnel } from '../../../../src/source/wireguard/state.ts';
import { createIssued, renderIssuedText } from './issued-fixture.ts';

const name = 'tributary0';
const absent: DesiredTunnel = { kind: 'absent', interface: name };

function createDesired(address: string, allowedIps: string): DesiredTunnel {
  const text = renderIssuedText({
    Address: `Address = ${address}`,
    AllowedIPs: `AllowedIPs = ${allowedIps}`,
  });
  const spec = parseIssuedTunnel(createIssued(text), { isServiceOnLoopback: false });
  const endpoint = '198.51.100.1:51820';
  const fitting = { ...spec, mtu: 1420 };
  return {
    kind: 'present',
    interface: name,
    backend: 'auto',
    spec: fitting,
    endpoint,
    persistentKeepaliveSeconds: 25,
  };
}

const both = createDesired('10.1.1.1, fd00::1', '0.0.0.0/0, ::/0');
const ipv4 = createDesired('10.1.1.1', '0.0.0.0/0');

describe('a tunnel where IPv6 is switched off', () => {
  test.each<[string, DesiredTunnel, DesiredTunnel, ReturnType<typeof fitTunnel>['missing']]>([
    ['issued for both loses its IPv6', both, ipv4, 'ipv6'],
    [
      'that has prefixes of IPv6 alone loses nothing of use',
      createDesired('10.1.1.1', '0.0.0.0/0, ::/0'),
      ipv4,
      undefined,
    ],
    ['issued for IPv4 is left as it is', ipv4, ipv4, undefined],
    ['issued for IPv6 alone cannot be', createDesired('fd00::1', '::/0'), absent, 'everything'],
    [
      'whose IPv4 address nothing may come to cannot be',
      createDesired('10.1.1.1', '::/0'),
      absent,
      'everything',
    ],
    [
      'that has no IPv4 address for its prefixes cannot be',
      createDesired('fd00::1', '0.0.0.0/0'),
      absent,
      'everything',
    ],
    [
      'whose prefixes alone are of IPv4 cannot be',
      createDesired('fd00::1', '0.0.0.0/0, ::/0'),
      absent,
      'everything',
    ],
    ['that is not wanted stays unwanted', absent, absent, undefined],
  ])('%s', (_, desired, tunnel, missing) => {
    expect(fitTunnel(desired, { hasIpv6: false, uplinkMtu: undefined })).toEqual({
      tunnel,
      missing,
    });
  });

  test('is whole where it is on', () => {
    expect(fitTunnel(both, { hasIpv6: true, uplinkMtu: undefined })).toEqual({
      tunnel: both,
      missing: undefined,
    });
  });
});

describe('the MTU of a tunnel', () => {
  const withMtu = (mtu: number | undefined) =>
    ipv4.kind === 'present' ? { ...ipv4, spec: { ...ipv4.spec, mtu } } : ipv4;
  test.each<[string, DesiredTunnel, number | undefined, number]>([
    ['that is not named, over a usual uplink', withMtu(undefined), 1500, 1420],
    ['usual, over a usual uplink', ipv4, 1500, 1420],
    ['usual, where the uplink has a byte less', ipv4, 1499, 1419],
    ['usual, over a very wide uplink', ipv4, 65_520, 1420],
    ['narrower by itself, over a usual uplink', withMtu(1380), 1500, 1380],
    ['narrower by itself, over a narrow uplink', withMtu(1380), 1400, 1320],
    ['for IPv4 alone, over a narrow uplink', ipv4, 1300, 1220],
    ['for IPv6 too, over a narrow uplink', both, 1300, 1280],
    ['over an uplink that is absurd', ipv4, 68, 576],
    ['without an uplink', ipv4, undefined, 1420],
  ])('%s', (_, desired, uplinkMtu, mtu) => {
    const { tunnel } = fitTunnel(desired, { hasIpv6: true, uplinkMtu });
    expect(tunnel).toMatchObject({ spec: { mtu } });
  });
});
