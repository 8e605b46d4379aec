import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLineShaper } from '../../src/data-path/line-shaper.ts';
import { grantPermit } from '../../src/data-path/permit.ts';
import type { DataPathHost, DesiredDataPath } from '../../src/data-path/state.ts';
import { removeDataPath } from '../../src/data-path/tear-down.ts';
import { TributaryError } from '../../src/errors/codes.ts';
import { createWireGuardDriver, toWish } from '../../src/source/wireguard/driver.ts';
import { parseIssuedTunnel } from '../../src/source/wireguard/parse.ts';
import { type Exec, exec } from '../../src/system/exec.ts';
import { observeNftTable } from '../../src/system/nft.ts';
import { createRestoreFile } from '../../src/system/restore-file.ts';
import { isInsideLab } from '../../tools/lab/network.ts';
import { usualDesired } from '../unit/data-path/desired-fixture.ts';
import { observeAndReconcile } from '../unit/data-path/observe-and-reconcile.ts';
import { createIssued, renderIssuedText } from '../unit/source/wireguard/issued-fixture.ts';

const id = randomBytes(3).toString('hex');
const tunnelInterface = `path${id}`;

/**
 * Programs run in the namespace; the kernel's settings are read where the test runs, which has none
 * of these names.
 */
function createExec(netns: string): Exec {
  return ({ program, args, ...rest }) =>
    exec({ ...rest, program: 'ip', args: ['netns', 'exec', netns, program, ...args] });
}

function createDesired(
  changes: Readonly<Record<string, string>>,
  more: Partial<DesiredDataPath> = {},
): DesiredDataPath {
  const spec = parseIssuedTunnel(createIssued(renderIssuedText(changes)), {
    isServiceOnLoopback: false,
  });
  return {
    sources: [
      toWish({
        kind: 'present',
        interface: tunnelInterface,
        backend: 'auto',
        spec,
        endpoint: '198.51.100.1:51820',
        persistentKeepaliveSeconds: 25,
      }),
    ],
    ...usualDesired,
    ...more,
  };
}

/** An Exec that makes so many changes and fails at the next. */
function breakAt(inside: Exec, changes: number): Exec {
  let left = changes;
  return async (command) => {
    if (command.args.includes('-j') || command.args.includes('list') || command.args[0] === 'show')
      return inside(command);
    if (left === 0) throw new TributaryError('command-failed', 'broken by the test');
    left -= 1;
    return inside(command);
  };
}

/** For a tear-down whose counts do not matter. */
const forget = async () => undefined;

// Namespaces can only be made inside tools/lab/enter.sh.
describe.skipIf(!isInsideLab()).each([
  { kind: 'with IPv6', netns: `path6-${id}`, ipv6: '0' },
  { kind: 'with IPv6 turned off, as in many containers', netns: `path4-${id}`, ipv6: '1' },
])('the data path on a system $kind', ({ netns, ipv6 }) => {
  const inside = createExec(netns);
  let directory: string;
  const host = (own: Exec = inside): DataPathHost => ({
    exec: own,
    stateDirectory: directory,
    restore: createRestoreFile(directory, 'restore', () => undefined),
    line: createLineShaper(own),
    sources: [createWireGuardDriver({ exec: own, stateDirectory: directory }, tunnelInterface)],
  });
  const print = async () => {
    const lists = [
      'rule',
      '-6 rule',
      'route show table all',
      '-6 route show table all',
      '-br address show',
    ].map((list) => inside({ program: 'ip', args: list.split(' '), doing: 'printing' }));
    return (await Promise.all(lists)).join('').replaceAll(/ linkdown| dead|\s+$/gm, '');
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tributary-path-'));
    execFileSync('ip', ['netns', 'add', netns]);
    const script = [
      `for which in all default; do echo ${ipv6} >/proc/sys/net/ipv6/conf/$which/disable_ipv6; done`,
      'echo 1 >/proc/sys/net/ipv6/conf/default/addr_gen_mode',
      'ip link set lo up',
      'ip link add up0 type veth peer name far0',
      'ip address add 192.168.77.10/24 dev up0',
      'ip link set far0 up',
      'ip link set up0 up',
      'ip route add default via 192.168.77.1',
    ].join('\n');
    await inside({ program: 'sh', args: ['-c', script], doing: 'setting up' });
  });
  afterAll(async () => {
    await removeDataPath(host(), forget);
    execFileSync('ip', ['netns', 'delete', netns]);
    await rm(directory, { recursive: true, force: true });
  });

  const scenarios = [
    ['a tunnel', createDesired({})],
    ['another peer', createDesired({ PublicKey: `PublicKey = ${'a'.repeat(42)}A=` })],
    [
      'an exception',
      createDesired(
        {},
        {
          gateway: {
            ...createDesired({}).gateway,
            allowDestinations: ['192.0.2.0/24', '192.168.77.20'],
          },
        },
      ),
    ],
    ['a cap', createDesired({}, { stopAtBytes: 10 ** 9 })],
    ['another address', createDesired({ Address: 'Address = 172.20.1.2' })],
    ['another MTU', createDesired({ DNS: 'MTU = 1300' })],
    ['no tunnel', { ...createDesired({}), sources: [{ kind: 'absent', device: tunnelInterface }] }],
  ] as const satisfies readonly (readonly [string, DesiredDataPath])[];

  test.each(scenarios)(
    'with %s, after the one before it, is fenced and needs nothing in a second pass',
    async (_, desired) => {
      const path = await observeAndReconcile(host(), desired);
      expect([path.isFenced, path.uplink, path.sources[0]?.observed.kind]).toEqual([
        true,
        'up0',
        desired.sources[0]?.kind,
      ]);
      await expect(
        observeAndReconcile(host(breakAt(inside, 0)), desired, path),
      ).resolves.toMatchObject({
        isFenced: true,
      });
    },
  );

  test('puts back at once what goes away with the interface', async () => {
    await observeAndReconcile(host(), createDesired({}));
    const whole = await print();
    await inside({ program: 'ip', args: ['link', 'delete', tunnelInterface], doing: 'test' });
    await observeAndReconcile(host(), createDesired({}));
    expect(await print()).toBe(whole);
  });

  test('in one pass takes the place of a stranger of its name, and makes the routes anew that go with it', async () => {
    await observeAndReconcile(host(), createDesired({}));
    const whole = await print();
    const script = [
      `ip link delete ${tunnelInterface}`,
      `ip link add ${tunnelInterface} type bridge`,
      `ip link set ${tunnelInterface} up`,
      `ip route add default dev ${tunnelInterface} table 51820`,
    ].join('\n');
    await inside({ program: 'sh', args: ['-ec', script], doing: 'test' });
    await observeAndReconcile(host(), createDesired({}));
    expect(await print()).toBe(whole);
  });

  test('cut short at any change ends as it would have', async () => {
    const desired = createDesired({});
    await removeDataPath(host(), forget);
    const untouched = await print();
    await observeAndReconcile(host(), desired);
    const whole = await print();
    expect(whole).not.toBe(untouched);
    for (let changes = 0, isWhole = false; !isWhole; changes += 1) {
      await removeDataPath(host(), forget);
      expect(await print()).toBe(untouched);
      isWhole = await observeAndReconcile(host(breakAt(inside, changes)), desired).then(
        () => true,
        () => false,
      );
      await observeAndReconcile(host(), desired);
      expect(await print()).toBe(whole);
    }
  });

  test('keeps its table, closed, where the count cannot be kept', async () => {
    await observeAndReconcile(host(), createDesired({}));
    await grantPermit(inside, [tunnelInterface], 600);
    const full = async () => {
      throw new TributaryError('state-unwritable', 'no space left');
    };
    await expect(removeDataPath(host(), full)).rejects.toMatchObject({
      code: 'state-unwritable',
    });
    expect((await observeNftTable(inside, 'tributary'))?.sets.get('permit')).toEqual([]);
    await removeDataPath(host(), forget);
    expect(await observeNftTable(inside, 'tributary')).toBeUndefined();
  });

  test('removed at any change leaves no trace, and says what it forwarded', async () => {
    await removeDataPath(host(), forget);
    const untouched = await print();
    for (let changes = 0, isWhole = false; !isWhole; changes += 1) {
      await observeAndReconcile(host(), createDesired({}));
      await grantPermit(inside, [tunnelInterface], 600);
      isWhole = await removeDataPath(host(breakAt(inside, changes)), forget).then(
        () => true,
        () => false,
      );
      await removeDataPath(host(), forget);
      expect(await print()).toBe(untouched);
    }
    const kept: unknown[] = [];
    await removeDataPath(host(), async (totals) => void kept.push(totals));
    expect(kept).toEqual([undefined]);
  });
});
