import { expect, test } from 'vitest';
import type { CurrentTunnel } from '../../../../src/source/wireguard/current-tunnel.ts';
import { createWireGuardDriver } from '../../../../src/source/wireguard/driver.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import { createWireGuardSource } from '../../../../src/source/wireguard/wireguard-source.ts';
import { createIssued, renderIssuedText } from './issued-fixture.ts';

const spec = parseIssuedTunnel(createIssued(renderIssuedText()), { isServiceOnLoopback: false });
const ready = { spec, endpoint: '198.51.100.1:51820' };

/** What a source wants whose issued tunnel is this one. */
async function want(tunnel: CurrentTunnel['tunnel'], renewSeconds = 60) {
  const exec = async () => '';
  const source = createWireGuardSource({
    driver: createWireGuardDriver({ exec, stateDirectory: '/nowhere' }, 'tributary9'),
    exec,
    issued: () => undefined,
    context: () => ({ isServiceOnLoopback: false }),
    backend: () => 'auto',
    renewSeconds: () => renewSeconds,
    mayResolve: () => true,
    now: () => new Date(),
    uptimeMs: () => 0,
    tunnels: {
      current: async () => ({ tunnel, refusal: undefined }),
      resolveAgain: async () => undefined,
    },
  });
  return (await source.wanted()).wish;
}

test('a tunnel that was issued is wanted with its addresses, MTU and other end', async () => {
  expect(await want(ready)).toMatchObject({
    kind: 'present',
    device: 'tributary9',
    addresses: spec.addresses,
    mtu: 1420,
    outer: { protocol: 'ip', address: '198.51.100.1', port: 51_820 },
    overheadBytes: 60,
    settings: { interface: 'tributary9', backend: 'auto', persistentKeepaliveSeconds: 25 },
  });
});

test('a tunnel speaks at least as often as the service is asked again', async () => {
  expect(await want(ready, 10)).toMatchObject({ settings: { persistentKeepaliveSeconds: 10 } });
});

test('a tunnel over IPv6 has more bytes around each packet', async () => {
  const wish = await want({ spec, endpoint: '[2001:db8::1]:51820' });
  expect(wish).toMatchObject({
    outer: { protocol: 'ip6', address: '2001:db8::1', port: 51_820 },
    overheadBytes: 80,
  });
});

test('a tunnel that is not issued goes, and one whose endpoint has no address now stays', async () => {
  expect(await want(undefined)).toEqual({ kind: 'absent', device: 'tributary9' });
  expect(await want('unresolved')).toEqual({ kind: 'untouched', device: 'tributary9' });
});
