import { expect, onTestFinished, test, vi } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import type { Issuance } from '../../../../src/identity/registration-files.ts';
import type {
  CurrentTunnel,
  CurrentTunnelReader,
} from '../../../../src/source/wireguard/current-tunnel.ts';
import { createWireGuardDriver } from '../../../../src/source/wireguard/driver.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import type { ObservedTunnel } from '../../../../src/source/wireguard/state.ts';
import { createWireGuardSource } from '../../../../src/source/wireguard/wireguard-source.ts';
import type { Exec } from '../../../../src/system/exec.ts';
import { createIssued, renderIssuedText } from './issued-fixture.ts';

const spec = parseIssuedTunnel(createIssued(renderIssuedText()), { isServiceOnLoopback: false });
const ready = { spec, endpoint: '198.51.100.1:51820' };

const observed: ObservedTunnel = {
  kind: 'present',
  backend: 'kernel',
  isUp: true,
  mtu: 1420,
  addresses: [],
  wireGuard: {
    publicKey: spec.publicKey,
    peers: [
      {
        publicKey: spec.peer.publicKey,
        endpoint: ready.endpoint,
        allowedIps: [],
        lastHandshakeAt: 1,
        rxBytes: 1,
        txBytes: 1,
        persistentKeepaliveSeconds: 25,
      },
    ],
  },
};

/** What a source wants whose issued tunnel is this one. */
async function want(tunnel: CurrentTunnel['tunnel'], renewSeconds = 60) {
  return (await createSource(tunnel, { renewSeconds }).wanted()).wish;
}

function createSource(
  tunnel: CurrentTunnel['tunnel'],
  {
    renewSeconds = 60,
    issued,
    exec = async () => '',
    lookAgain = async () => undefined,
    noteHandshake = () => undefined,
  }: {
    renewSeconds?: number;
    issued?: Issuance;
    exec?: Exec;
    lookAgain?: CurrentTunnelReader['lookAgain'];
    noteHandshake?: CurrentTunnelReader['noteHandshake'];
  } = {},
) {
  return createWireGuardSource({
    driver: createWireGuardDriver({ exec, stateDirectory: '/nowhere' }, 'tributary9'),
    exec,
    issued: () => issued,
    context: () => ({ isServiceOnLoopback: false }),
    backend: () => 'auto',
    renewSeconds: () => renewSeconds,
    mayResolve: () => true,
    now: () => new Date(),
    uptimeMs: () => 0,
    tunnels: {
      current: async () => ({ tunnel, refusal: undefined }),
      resolveAgain: async () => undefined,
      lookAgain,
      noteHandshake,
      tried: () => [],
    },
  });
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

test.each<[Issuance['unissued'], RegExp]>([
  [
    undefined,
    /issued no WireGuard configuration: it needs proxy\.country_code, a country that has providers$/,
  ],
  [
    { said: undefined, needsUpgrade: false },
    /issued no WireGuard configuration: it needs proxy\.country_code, a country that has providers$/,
  ],
  [
    { said: 'Invalid location', needsUpgrade: false },
    /configuration \(Invalid location\): it needs proxy\.country_code, a country that has/,
  ],
  [
    { said: 'Upgrade.', needsUpgrade: true },
    /\(Upgrade\.\): the owner's plan does not include it$/,
  ],
  [{ said: undefined, needsUpgrade: true }, /configuration: the owner's plan does not include it$/],
])(
  'a tunnel that the service did not issue is the problem of this source: %j',
  async (unissued, message) => {
    const source = createSource(undefined, { issued: { tunnel: undefined, unissued } });
    expect(source.wantsIssuedTunnel).toBe(true);
    expect(await source.wanted()).toMatchObject({
      wish: { kind: 'absent' },
      problem: { code: 'registration-incomplete', message: expect.stringMatching(message) },
    });
  },
);

test('a device that is not registered yet is no problem of this source', async () => {
  expect((await createSource(undefined).wanted()).problem).toBeUndefined();
});

test('a peer of which nothing is received for fifteen seconds is followed by its name, by the next pass alone', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const ran: string[] = [];
  let asked = 0;
  let isFailing = true;
  const exec = async ({ args }: { readonly args: readonly string[] }) => {
    ran.push(args.join(' '));
    if (isFailing) throw new TributaryError('command-failed', 'no memory left');
    return '';
  };
  const source = createSource(ready, {
    exec,
    lookAgain: async () => {
      asked += 1;
      return asked === 2 ? spec.peer.publicKey : undefined;
    },
  });
  const look = async (rxBytes: number) => {
    vi.advanceTimersByTime(5_000);
    return source.followName(rxBytes);
  };
  // Before the first handshake, passes try each address in turn.
  for (let times = 0; times < 5; times += 1) expect(await look(0)).toBe(false);
  expect(asked).toBe(0);
  source.take(observed);
  for (const rxBytes of [1, 2, 2, 2]) await look(rxBytes);
  expect(asked).toBe(0);
  expect([await look(2), asked]).toEqual([false, 1]);
  expect(ran).toEqual([]);
  expect([await look(2), asked]).toEqual([true, 2]);
  // A pass under way would give the peer back to the place that it has left.
  expect(ran).toEqual([]);
  await expect(source.wanted()).rejects.toThrow('no memory left');
  isFailing = false;
  for (let passes = 0; passes < 2; passes += 1) await source.wanted();
  const removal = `set tributary9 peer ${spec.peer.publicKey} remove`;
  expect(ran).toEqual([removal, removal]);
});

test('a handshake that is seen between two passes is noted at once', async () => {
  const noted: number[] = [];
  const [at, later] = [1, Math.floor(Date.now() / 1000)];
  const peer = (handshake: number) =>
    [spec.peer.publicKey, '', ready.endpoint, '0.0.0.0/0', handshake, 1, 1, 25].join('\t');
  const source = createSource(ready, {
    exec: async () => `key\t${spec.publicKey}\t51820\toff\n${peer(later)}\n`,
    noteHandshake: (lastHandshakeAt) => void noted.push(lastHandshakeAt.getTime() / 1000),
  });
  source.take(observed);
  const apply = await source.sample();
  apply();
  expect(noted).toEqual([at, later]);
});
