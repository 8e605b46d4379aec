import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createLineShaper } from '../../../src/data-path/line-shaper.ts';
import { grantPermit } from '../../../src/data-path/permit.ts';
import type { DataPath } from '../../../src/data-path/reconcile.ts';
import type { DataPathHost, DesiredDataPath } from '../../../src/data-path/state.ts';
import { closeDataPath, removeDataPath } from '../../../src/data-path/tear-down.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import { createWireGuardDriver, toWish } from '../../../src/source/wireguard/driver.ts';
import { parseIssuedTunnel } from '../../../src/source/wireguard/parse.ts';
import type { TunnelSpec } from '../../../src/source/wireguard/state.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { observeNftTable } from '../../../src/system/nft.ts';
import { createRestoreFile } from '../../../src/system/restore-file.ts';
import { createIssued, renderIssuedText } from '../source/wireguard/issued-fixture.ts';
import { usualDesired } from './desired-fixture.ts';
import { createFakeHost, type FakeHost } from './fake-host.ts';
import { observeAndReconcile } from './observe-and-reconcile.ts';

const parse = (changes: Readonly<Record<string, string>> = {}): TunnelSpec =>
  parseIssuedTunnel(createIssued(renderIssuedText(changes)), { isServiceOnLoopback: false });

// The kernel's settings are the real ones here, so these are interface names that no machine has
// and for which the kernel has no settings.
const uplink = 'fakeuplink9';
const tunnelInterface = 'faketunnel9';

interface Change {
  readonly spec?: TunnelSpec;
  readonly isAbsent?: boolean;
  readonly gateway?: Partial<DesiredDataPath['gateway']>;
  readonly line?: DesiredDataPath['line'];
  readonly remainingBytes?: number;
  readonly endpoint?: string;
}

function createDesired(change: Change): DesiredDataPath {
  const { spec = parse(), remainingBytes, endpoint = '198.51.100.1:51820' } = change;
  return {
    sources: [
      change.isAbsent === true
        ? { kind: 'absent', device: tunnelInterface }
        : toWish({
            kind: 'present',
            interface: tunnelInterface,
            backend: 'auto',
            spec,
            endpoint,
            persistentKeepaliveSeconds: spec.peer.persistentKeepaliveSeconds ?? 0,
          }),
    ],
    ...usualDesired,
    gateway: { ...usualDesired.gateway, ...change.gateway },
    line: change.line ?? usualDesired.line,
    stopAtBytes: remainingBytes,
  };
}

const scenarios: Readonly<Record<string, Change>> = {
  'a tunnel': {},
  'no tunnel': { isAbsent: true },
  'another peer': { spec: parse({ PublicKey: `PublicKey = ${'a'.repeat(42)}A=` }) },
  'another private key': { spec: parse({ PrivateKey: `PrivateKey = ${'a'.repeat(42)}A=` }) },
  'two other addresses': { spec: parse({ Address: 'Address = 10.4.4.4, 10.5.5.5/8' }) },
  'an MTU and no keepalive': { spec: parse({ DNS: 'MTU = 1300', PersistentKeepalive: '' }) },
  'odd allowed prefixes': {
    spec: parse({ AllowedIPs: 'AllowedIPs = 10.1.2.3/8, 0.0.0.0/0, 10.0.0.0/8, 0.0.0.0/0' }),
  },
  'an address that the home has': { spec: parse({ Address: 'Address = 192.168.1.77' }) },
  'a cap, limits and ports': {
    remainingBytes: 10 ** 9,
    gateway: { blockedPorts: [25, 465] },
    line: { limitBits: 1e6, isHouseholdFirst: false, isLowPriority: false },
  },
  'an exception': { gateway: { allowDestinations: ['192.0.2.0/24'] } },
};

const stateDirectory = await mkdtemp(join(tmpdir(), 'tributary-data-path-'));
afterAll(() => rm(stateDirectory, { recursive: true, force: true }));

/** A tear-down whose counts do not matter. */
const forget = async () => undefined;
const of = (name: string): Change => scenarios[name] ?? {};
const ways = Object.keys(scenarios).flatMap((from) =>
  Object.keys(scenarios).map((to) => ({ from, to })),
);

function makeHome(): FakeHost {
  const host = createFakeHost([`4 route default dev ${uplink} table main`]);
  host.links.set(uplink, {
    kind: undefined,
    isUp: true,
    mtu: 1500,
    addresses: ['192.168.1.10'],
    configuration: '',
  });
  return host;
}

function asHost(host: FakeHost): DataPathHost {
  const restore = createRestoreFile(stateDirectory, 'restore', () => undefined);
  const { exec } = host;
  const sources = [createWireGuardDriver({ exec, stateDirectory }, tunnelInterface)];
  return { exec, stateDirectory, restore, line: createLineShaper(exec), sources };
}

const pass = (host: FakeHost, name: string, before?: DataPath) =>
  observeAndReconcile(asHost(host), createDesired(of(name)), before);

/** What stopped a source's device, and not the whole pass. */
const findFailure = ({ sources }: DataPath) => sources.find(({ failure }) => failure)?.failure;

/** How many changes there were. */
async function countChanges(host: FakeHost, act: () => Promise<unknown>): Promise<number> {
  const before = host.changes();
  await act();
  return host.changes() - before;
}

describe('the data path', () => {
  test.each(ways)(
    'with $from, then with $to, needs nothing in a second pass',
    async ({ from, to }) => {
      const host = makeHome();
      await pass(host, from);
      const after = await pass(host, to);
      expect(after.isFenced).toBe(true);
      expect(await countChanges(host, () => pass(host, to, after))).toBe(0);
    },
  );

  test.each(ways)(
    'with $from, then with $to, cut short anywhere, ends the same',
    async ({ from, to }) => {
      const whole = makeHome();
      await pass(whole, from);
      const changes = await countChanges(whole, () => pass(whole, to));
      for (let done = 0; done < changes; done += 1) {
        const host = makeHome();
        await pass(host, from);
        host.breakAfterLines(done);
        expect(await pass(host, to).then(findFailure, (error) => error)).toBeInstanceOf(
          TributaryError,
        );
        host.breakAfterLines(undefined);
        await pass(host, to);
        expect(host.print()).toBe(whole.print());
      }
    },
  );

  test.each(Object.keys(scenarios))(
    'with %s leaves no trace once removed, however often it is cut short',
    async (name) => {
      const untouched = makeHome().print();
      for (let done = 0; ; done += 1) {
        const host = makeHome();
        await pass(host, name);
        await grantPermit(host.exec, [tunnelInterface], 60);
        host.breakAfterLines(done);
        const isWhole = await removeDataPath(asHost(host), forget).then(
          () => true,
          () => false,
        );
        host.breakAfterLines(undefined);
        await removeDataPath(asHost(host), forget);
        expect(host.print()).toBe(untouched);
        if (isWhole) break;
      }
    },
  );

  test('leaves a table without a permit behind for a restart, and nothing else', async () => {
    const host = makeHome();
    const untouched = host.print();
    await pass(host, 'a tunnel');
    await grantPermit(host.exec, [tunnelInterface], 60);
    await closeDataPath(asHost(host), forget);
    expect((await observeNftTable(host.exec, 'tributary'))?.sets.get('permit')).toEqual([]);
    expect(host.links.has(tunnelInterface)).toBe(false);
    await host.exec({
      program: 'nft',
      args: ['-f', '-'],
      input: 'delete table inet tributary\n',
      doing: 'test',
    });
    expect(host.print()).toBe(untouched);
  });

  test('has its fence before its tunnel, and the way through last', async () => {
    const host = makeHome();
    const order: string[] = [];
    const exec: Exec = (command) => {
      order.push([command.program, ...command.args].join(' '));
      return host.exec(command);
    };
    await observeAndReconcile(asHost({ ...host, exec }), createDesired({}));
    const first = (start: string) => order.findIndex((line) => line.startsWith(start));
    expect(first('nft -f')).toBeLessThan(first('ip link add'));
    expect(first('ip link add')).toBeLessThan(first('ip -4 -batch'));
  });

  test('does not make a tunnel whose address the home has, and says which', async () => {
    const host = makeHome();
    const path = await pass(host, 'an address that the home has');
    const [source] = path.sources;
    expect([source?.collision, source?.observed.kind, host.links.has(tunnelInterface)]).toEqual([
      '192.168.1.77',
      'absent',
      false,
    ]);
  });

  test('keeps a granted permit through every change that no cap depends on', async () => {
    const host = makeHome();
    await pass(host, 'a tunnel');
    await grantPermit(host.exec, [tunnelInterface], 60);
    for (const name of Object.keys(scenarios).filter(
      (other) => of(other).remainingBytes === undefined,
    )) {
      expect((await pass(host, name)).table?.sets.get('permit')).toEqual([tunnelInterface]);
    }
  });

  test('holds traffic while a ruleset with a cap is put in place, so that every byte counts', async () => {
    const host = makeHome();
    await pass(host, 'a tunnel');
    await grantPermit(host.exec, [tunnelInterface], 60);
    expect((await pass(host, 'a cap, limits and ports')).table?.sets.get('permit')).toEqual([]);
    await grantPermit(host.exec, [tunnelInterface], 60);
    expect((await pass(host, 'a cap, limits and ports')).table?.sets.get('permit')).toEqual([
      tunnelInterface,
    ]);
  });

  test('hands the private key to wg alone, and leaves it in no file', async () => {
    const host = makeHome();
    const lines: string[] = [];
    const inputs: (readonly [string, string])[] = [];
    const exec: Exec = ({ input, ...command }) => {
      lines.push(JSON.stringify(command));
      if (input !== undefined) inputs.push([command.program, input]);
      return host.exec({ ...command, ...(input !== undefined && { input }) });
    };
    await observeAndReconcile(asHost({ ...host, exec }), createDesired({}));
    const key = parse().privateKey.reveal();
    expect(lines.filter((line) => line.includes(key))).toEqual([]);
    const given = inputs.filter(([, input]) => input.includes(key));
    expect(new Set(given.map(([program]) => program))).toEqual(new Set(['wg']));
    expect(await readdir(stateDirectory)).not.toContain('wireguard.conf');
  });
});
