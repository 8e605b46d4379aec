import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { applyTunnel, moveEndpoint } from '../../src/source/wireguard/apply.ts';
import { observeTunnel } from '../../src/source/wireguard/observe.ts';
import { parseIssuedTunnel } from '../../src/source/wireguard/parse.ts';
import { planTunnel } from '../../src/source/wireguard/plan.ts';
import type { DesiredTunnel } from '../../src/source/wireguard/state.ts';
import { type Exec, exec } from '../../src/system/exec.ts';
import { observeInterfaces } from '../../src/system/ip.ts';
import { observeWireGuard } from '../../src/system/wg.ts';
import { toPublicKey } from '../../src/system/wireguard-keys.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import {
  clientKeys,
  createIssued,
  renderIssuedText,
} from '../unit/source/wireguard/issued-fixture.ts';

const id = randomBytes(3).toString('hex');
const netns = `wg-${id}`;
// wireguard-go's sockets know no namespaces: the name is unique on the machine.
const name = `wgtest${id}`;
const inside: Exec = ({ program, args, ...rest }) =>
  exec({ ...rest, program: 'ip', args: ['netns', 'exec', netns, program, ...args] });
let directory: string;

type Present = Extract<DesiredTunnel, { kind: 'present' }>;

function createDesired(changes: Readonly<Record<string, string>> = {}): Present {
  const spec = parseIssuedTunnel(createIssued(renderIssuedText(changes)), {
    isServiceOnLoopback: false,
  });
  return {
    kind: 'present',
    interface: name,
    backend: 'auto',
    spec,
    endpoint: '198.51.100.1:51820',
    persistentKeepaliveSeconds: 25,
  };
}

const observe = async () => observeTunnel({ exec: inside }, name, await observeInterfaces(inside));

async function pass(desired: DesiredTunnel): Promise<readonly string[]> {
  const steps = planTunnel(desired, await observe());
  await applyTunnel({ exec: inside, stateDirectory: directory }, steps);
  return steps.map((step) => step.kind);
}

const other = `${'a'.repeat(42)}A=`;

// Interfaces can only be made in a network namespace of one's own, which tools/lab/enter.sh makes.
describe.skipIf(!isInsideLab())('a real WireGuard interface', () => {
  beforeAll(async () => {
    execFileSync('ip', ['netns', 'add', netns]);
    directory = await mkdtemp(join(tmpdir(), 'tributary-wg-'));
  });
  afterAll(async () => {
    await pass({ kind: 'absent', interface: name });
    execFileSync('ip', ['netns', 'delete', netns]);
    await rm(directory, { recursive: true, force: true });
  });

  test.each<[string, Present]>([
    ['with a preshared key', createDesired({ PersistentKeepalive: `PresharedKey = ${other}` })],
    ['with another peer', createDesired({ PublicKey: `PublicKey = ${other}` })],
    ['as production issues it', createDesired()],
    ['with another key of its own', createDesired({ PrivateKey: `PrivateKey = ${other}` })],
    [
      'with IPv6',
      createDesired({
        Address: 'Address = 10.23.45.67, FD00:0::1/64',
        AllowedIPs: 'AllowedIPs = ::/0',
      }),
    ],
    ['over IPv6', { ...createDesired(), endpoint: '[2001:db8::1]:51820' }],
    [
      'with odd prefixes',
      createDesired({
        AllowedIPs: 'AllowedIPs = 10.1.2.3/8, 0.0.0.0/0, ::ffff:1.2.3.4, 0.0.0.0/0',
      }),
    ],
    ['without keepalive', { ...createDesired(), persistentKeepaliveSeconds: 0 }],
    ['with an MTU', createDesired({ DNS: 'MTU = 1300' })],
    ['as production issues it, again', createDesired()],
  ])('%s is as it was asked for, and needs nothing more', async (_, desired) => {
    await pass(desired);
    const shown = await inside({
      program: 'wg',
      args: ['showconf', name],
      doing: 'reading the configuration',
    });
    const value = (key: string) => new RegExp(`^${key} = (.*)$`, 'm').exec(shown)?.[1];
    // wg may show the same private key with the bits set that its curve sets anyway.
    const publicKey = toPublicKey(new Secret(value('PrivateKey') ?? ''));
    expect([publicKey, value('PublicKey'), value('PresharedKey')]).toEqual([
      desired.spec.publicKey,
      desired.spec.peer.publicKey,
      desired.spec.peer.presharedKey?.reveal(),
    ]);
    const observed = await observe();
    expect(observed).toMatchObject({
      isUp: true,
      addresses: desired.spec.addresses.map((own) => own.address),
    });
    expect(await pass(desired)).toEqual([]);
  });

  test('follows its peer to another address, and is not moved back by the next pass', async () => {
    await pass(createDesired());
    await moveEndpoint(inside, {
      interface: name,
      peerPublicKey: createDesired().spec.peer.publicKey,
      endpoint: '192.0.2.9:1234',
    });
    expect(await pass(createDesired())).toEqual([]);
    const observed = await observe();
    const peer = observed.kind === 'present' ? observed.wireGuard?.peers[0] : undefined;
    expect(peer?.endpoint).toBe('192.0.2.9:1234');
  });

  test('with a new key shakes hands at once, not with its next keep-alive', async () => {
    const [far, wire] = [`far-${netns}`, `far${id}`];
    const onFar: Exec = ({ program, args, ...rest }) =>
      exec({ ...rest, program: 'ip', args: ['netns', 'exec', far, program, ...args] });
    const script = [
      `ip link add link0 netns ${netns} type veth peer name link0 netns ${far}`,
      `ip -n ${netns} address add 192.0.2.1/24 dev link0 && ip -n ${netns} link set link0 up`,
      `ip -n ${far} address add 192.0.2.2/24 dev link0 && ip -n ${far} link set link0 up`,
    ].join('\n');
    await exec({ program: 'ip', args: ['netns', 'add', far], doing: 'test' });
    await exec({ program: 'sh', args: ['-ec', script], doing: 'test' });
    const end = createDesired({
      PrivateKey: `PrivateKey = ${other}`,
      PublicKey: `PublicKey = ${clientKeys.publicKey}`,
    });
    const here = (desired: Present): Present => ({
      ...desired,
      endpoint: '192.0.2.2:51820',
      spec: { ...desired.spec, peer: { ...desired.spec.peer, publicKey: end.spec.publicKey } },
    });
    const newKey = `${'b'.repeat(42)}A=`;
    const [before, after] = [
      here(createDesired()),
      here(createDesired({ PrivateKey: `PrivateKey = ${newKey}` })),
    ];
    const isHeard = async ({ spec }: Present) =>
      (await observeWireGuard(onFar, wire)).peers.some(
        (peer) => peer.publicKey === spec.publicKey && peer.lastHandshakeAt !== undefined,
      );
    const expectsKey = (desired: Present) =>
      onFar({
        program: 'sh',
        args: [
          '-c',
          `wg set ${wire} listen-port 51820 peer ${desired.spec.publicKey} allowed-ips 10.0.0.0/8`,
        ],
        doing: 'test',
      });
    try {
      const made = planTunnel({ ...end, interface: wire }, { kind: 'absent' });
      await applyTunnel({ exec: onFar, stateDirectory: directory }, made);
      await expectsKey(before);
      await pass(before);
      await expect.poll(() => isHeard(before)).toBe(true);
      await onFar({
        program: 'wg',
        args: ['set', wire, 'peer', before.spec.publicKey, 'remove'],
        doing: 'test',
      });
      await expectsKey(after);
      await pass(after);
      await expect.poll(() => isHeard(after)).toBe(true);
      expect(await pass(after)).toEqual([]);
    } finally {
      await onFar({ program: 'ip', args: ['link', 'delete', wire], doing: 'test' });
      await exec({ program: 'ip', args: ['netns', 'delete', far], doing: 'test' });
    }
  });

  test('that somebody took away, turned down or readdressed is put right', async () => {
    for (const line of [
      `link delete ${name}`,
      `link set ${name} down`,
      `address flush dev ${name}`,
    ]) {
      await pass(createDesired());
      await inside({ program: 'ip', args: line.split(' '), doing: 'test' });
      expect((await pass(createDesired())).length).toBeGreaterThan(0);
      expect(await pass(createDesired())).toEqual([]);
    }
  });

  test('is gone once it is not wanted, however often', async () => {
    await pass(createDesired());
    expect(await pass({ kind: 'absent', interface: name })).toEqual(['delete-link']);
    expect(await pass({ kind: 'absent', interface: name })).toEqual([]);
    expect((await observe()).kind).toBe('absent');
  });
});
