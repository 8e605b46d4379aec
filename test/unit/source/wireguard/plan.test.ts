import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { applyTunnel } from '../../../../src/source/wireguard/apply.ts';
import { observeTunnel } from '../../../../src/source/wireguard/observe.ts';
import { parseIssuedTunnel } from '../../../../src/source/wireguard/parse.ts';
import { planTunnel } from '../../../../src/source/wireguard/plan.ts';
import { renderWireGuard } from '../../../../src/source/wireguard/render.ts';
import type { DesiredTunnel } from '../../../../src/source/wireguard/state.ts';
import { observeInterfaces } from '../../../../src/system/ip.ts';
import { createFakeHost, type FakeHost } from '../../data-path/fake-host.ts';
import { createIssued, renderIssuedText } from './issued-fixture.ts';

const name = 'faketunnel9';
const directory = await mkdtemp(join(tmpdir(), 'tributary-tunnel-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

type Present = Extract<DesiredTunnel, { kind: 'present' }>;

function createDesired(
  changes: Readonly<Record<string, string>> = {},
  more: Partial<Present> = {},
): Present {
  const spec = parseIssuedTunnel(createIssued(renderIssuedText(changes)), {
    isServiceOnLoopback: false,
  });
  const endpoint = '198.51.100.1:51820';
  return {
    kind: 'present',
    interface: name,
    backend: 'auto',
    spec,
    endpoint,
    persistentKeepaliveSeconds: 25,
    ...more,
  };
}

const other = `${'a'.repeat(42)}A=`;
const absent: DesiredTunnel = { kind: 'absent', interface: name };
/**
 * Silent and then not: WireGuard tells the other end of its new port, and of a new key, at once.
 */
const twice = ['configure', 'configure'];
const cases: readonly [string, DesiredTunnel, DesiredTunnel, readonly string[]][] = [
  ['none wanted, none there', absent, absent, []],
  [
    'made',
    absent,
    createDesired(),
    ['create-link', 'configure', 'add-address', 'set-mtu', 'set-up'],
  ],
  ['taken down', createDesired(), absent, ['delete-link']],
  ['left as it is', createDesired(), createDesired(), []],
  [
    'left as it is while nobody knows better',
    createDesired(),
    { kind: 'untouched', interface: name },
    [],
  ],
  [
    'left as it is with another endpoint, which the peer may have moved to',
    createDesired(),
    createDesired({}, { endpoint: '192.0.2.9:1' }),
    [],
  ],
  [
    'given another peer',
    createDesired(),
    createDesired({ PublicKey: `PublicKey = ${other}` }),
    twice,
  ],
  [
    'given another key of its own',
    createDesired(),
    createDesired({ PrivateKey: `PrivateKey = ${other}` }),
    twice,
  ],
  [
    'given another keepalive',
    createDesired(),
    createDesired({}, { persistentKeepaliveSeconds: 10 }),
    twice,
  ],
  [
    'told to be silent',
    createDesired(),
    createDesired({}, { persistentKeepaliveSeconds: 0 }),
    ['configure'],
  ],
  [
    'given other allowed prefixes',
    createDesired(),
    createDesired({ AllowedIPs: 'AllowedIPs = 10.0.0.0/8' }),
    twice,
  ],
  [
    'given the same prefixes in other words',
    createDesired(),
    createDesired({ AllowedIPs: 'AllowedIPs = 1.2.3.4/0, 0.0.0.0/0' }),
    [],
  ],
  [
    'given the same prefixes in another order',
    createDesired({ AllowedIPs: 'AllowedIPs = 10.0.0.0/8, 0.0.0.0/0' }),
    createDesired({ AllowedIPs: 'AllowedIPs = 0.0.0.0/0, 10.0.0.0/8' }),
    [],
  ],
  [
    'given the one of two prefixes',
    createDesired({ AllowedIPs: 'AllowedIPs = 10.0.0.0/8, 0.0.0.0/0' }),
    createDesired({ AllowedIPs: 'AllowedIPs = 0.0.0.0/0' }),
    twice,
  ],
  [
    'left as it is by the kernel, which was asked for',
    createDesired(),
    createDesired({}, { backend: 'kernel' }),
    [],
  ],
  [
    'given another address',
    createDesired(),
    createDesired({ Address: 'Address = 10.9.9.9' }),
    ['add-address', 'remove-address'],
  ],
  [
    'given the same address in other words',
    createDesired({ Address: 'Address = fd00::1' }),
    createDesired({ Address: 'Address = FD00:0::1/64' }),
    [],
  ],
  ['given another MTU', createDesired(), createDesired({ DNS: 'MTU = 1300' }), ['set-mtu']],
  [
    'made anew for another backend',
    createDesired(),
    createDesired({}, { backend: 'userspace' }),
    ['delete-link', 'create-link', 'configure', 'add-address', 'set-mtu', 'set-up'],
  ],
];

async function observe(host: FakeHost) {
  return observeTunnel(host, name, await observeInterfaces(host.exec));
}

async function pass(host: FakeHost, desired: DesiredTunnel): Promise<readonly string[]> {
  const steps = planTunnel(desired, await observe(host));
  await applyTunnel({ exec: host.exec, stateDirectory: directory }, steps);
  return steps.map((step) => step.kind);
}

describe('a tunnel', () => {
  test.each(cases)('is %s', async (_, from, to, steps) => {
    const host = createFakeHost();
    await pass(host, from);
    expect(planTunnel(to, await observe(host)).map((step) => step.kind)).toEqual(steps);
  });

  const kernelOnly = cases.filter(
    ([, , to]) => to.kind !== 'present' || to.backend !== 'userspace',
  );
  test.each(kernelOnly)(
    'that is %s needs nothing more, and cut short after any step ends the same',
    async (_, from, to, steps) => {
      const whole = createFakeHost();
      await pass(whole, from);
      await pass(whole, to);
      expect(await pass(whole, to)).toEqual([]);
      for (let done = 0; done < steps.length; done += 1) {
        const host = createFakeHost();
        await pass(host, from);
        const planned = planTunnel(to, await observe(host));
        await applyTunnel({ exec: host.exec, stateDirectory: directory }, planned.slice(0, done));
        await pass(host, to);
        expect(host.print()).toBe(whole.print());
      }
    },
  );

  test('whose name another kind of interface has takes its place', async () => {
    const host = createFakeHost();
    host.links.set(name, {
      kind: 'dummy',
      isUp: true,
      mtu: 1500,
      addresses: [],
      configuration: '',
    });
    expect((await pass(host, createDesired()))[0]).toBe('delete-link');
    expect(host.links.get(name)?.kind).toBe('wireguard');
  });

  test.each([
    ['which nothing answers for', { backend: 'userspace' as const, wireGuard: undefined }],
    [
      'of another kind, whatever it answers',
      { backend: undefined, wireGuard: { publicKey: undefined, peers: [] } },
    ],
  ])('in the place of an interface %s is made again', (_, found) => {
    const observed = { kind: 'present' as const, isUp: true, mtu: 1420, addresses: [], ...found };
    const all = ['delete-link', 'create-link', 'configure', 'add-address', 'set-mtu', 'set-up'];
    expect(planTunnel(createDesired(), observed).map((step) => step.kind)).toEqual(all);
  });

  test('loses a second peer that another program gave it', () => {
    const observed = {
      kind: 'present' as const,
      backend: 'kernel' as const,
      isUp: true,
      mtu: 1420,
      addresses: ['10.23.45.67'],
    };
    const desired = createDesired();
    const peer = {
      publicKey: desired.spec.peer.publicKey,
      endpoint: undefined,
      allowedIps: ['0.0.0.0/0'],
      persistentKeepaliveSeconds: 25,
      lastHandshakeAt: undefined,
      rxBytes: 0,
      txBytes: 0,
    };
    const plan = (peers: readonly (typeof peer)[]) =>
      planTunnel(desired, { ...observed, wireGuard: { publicKey: desired.spec.publicKey, peers } });
    expect(plan([peer])).toEqual([]);
    const { spec, endpoint, persistentKeepaliveSeconds } = desired;
    const configure = {
      interface: name,
      kind: 'configure',
      settings: { spec, endpoint, persistentKeepaliveSeconds },
    };
    const silent = {
      ...configure,
      settings: { ...configure.settings, persistentKeepaliveSeconds: 0 },
    };
    expect(plan([peer, { ...peer, publicKey: other }])).toEqual([silent, configure]);
    expect(plan([])).toEqual([silent, configure]);
  });

  test.each([
    ['kernel', 'this kernel has no WireGuard', 'tunnel-failed'],
    ['auto', 'neither the kernel nor wireguard-go', 'missing-program'],
    ['userspace', 'neither the kernel nor wireguard-go', 'missing-program'],
  ] as const)('that cannot be made with the backend %s says so', async (backend, message, code) => {
    const host = createFakeHost();
    host.hasKernelWireGuard = false;
    const error = await pass(host, createDesired({}, { backend })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(TributaryError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

test.each<[string, Present]>([
  ['usual', createDesired()],
  [
    'full',
    createDesired(
      {
        PersistentKeepalive: `PresharedKey = ${other}`,
        AllowedIPs: 'AllowedIPs = 0.0.0.0/0, ::/0',
      },
      { endpoint: '[2001:db8::1]:51820', persistentKeepaliveSeconds: 0 },
    ),
  ],
])('the %s tunnel is written for wg as reviewed', async (what, desired) => {
  const text = renderWireGuard(desired);
  const shown = text.replace(/^(PrivateKey|PresharedKey) = .*$/gm, '$1 = (a key)');
  expect(text).toContain(`PrivateKey = ${desired.spec.privateKey.reveal()}\n`);
  await expect(shown).toMatchFileSnapshot(`../../../golden/wireguard-${what}.conf`);
});
