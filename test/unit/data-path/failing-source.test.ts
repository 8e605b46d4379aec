import { expect, test } from 'vitest';
import { observeHost } from '../../../src/data-path/observe.ts';
import { planChanges } from '../../../src/data-path/plan.ts';
import type { DataPath } from '../../../src/data-path/reconcile.ts';
import type { DataPathHost } from '../../../src/data-path/state.ts';
import { removeDataPath } from '../../../src/data-path/tear-down.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import type { DeviceStep, ObservedDevice, SourceDriver } from '../../../src/source/source.ts';
import { createRestoreFile } from '../../../src/system/restore-file.ts';
import { createDesired, createWorld, tunnelInterface } from './data-path-world.ts';
import { observeAndReconcile } from './observe-and-reconcile.ts';

const device = 'fakeprogram9';
const renamed = 'renamed9';
const refused = new TributaryError('tunnel-failed', `making ${device}: refused`);

type World = ReturnType<typeof createWorld>;
type FailsAt = DeviceStep['stage'] | 'observe' | 'nothing';

/** A driver whose device has to be made, which fails at this. */
function createFailingDriver(
  { machine }: World,
  failsAt: FailsAt,
): SourceDriver<unknown, ObservedDevice, string> {
  return {
    name: 'program',
    device,
    consumers: ['10.99.0.0/24'],
    fit: (wish) => ({ wish, missing: undefined }),
    async observe(interfaces) {
      if (failsAt === 'observe') throw refused;
      const link = interfaces.find(({ name }) => name === device);
      if (link === undefined) return { kind: 'absent' };
      return { kind: 'present', isUp: link.isUp, mtu: link.mtu, addresses: [] };
    },
    plan: (wish, observed) => [
      ...(wish.kind === 'absent' ? [{ stage: 'remove', step: 'removed' } as const] : []),
      ...(observed.kind === 'absent' ? [{ stage: 'make', step: 'made' } as const] : []),
      { stage: 'raise', step: 'raised' },
    ],
    async apply(steps) {
      for (const { stage } of steps) {
        if (stage === failsAt) throw refused;
        if (stage === 'make') makeLink(machine);
        if (stage === 'remove') {
          machine.links.delete(device);
          return;
        }
      }
    },
    show: () => [],
    findRenamed: (_wish, interfaces) => interfaces.find(({ name }) => name === renamed)?.name,
  };
}

function makeLink({ links }: World['machine'], name = device): void {
  links.set(name, { kind: 'tun', isUp: false, mtu: 1400, addresses: [], configuration: '' });
}

/** A machine with a tunnel and the failing source, in either order. */
function createPair(failsAt: FailsAt, { isFirst }: { readonly isFirst: boolean }) {
  const world = createWorld();
  const [tunnel] = world.host.sources;
  if (tunnel === undefined) throw new Error('there is no tunnel');
  const failing = createFailingDriver(world, failsAt);
  const host: DataPathHost = {
    ...world.host,
    restore: createRestoreFile(world.host.stateDirectory, 'other', () => undefined),
    sources: isFirst ? [failing, tunnel] : [tunnel, failing],
  };
  return { world, host, desired: createDesired({ sources: [...createDesired().sources, wish] }) };
}

const wish = {
  kind: 'present',
  device,
  addresses: [{ family: 4, address: '10.99.0.1' }],
  mtu: 1400,
  outer: undefined,
  overheadBytes: 40,
  settings: undefined,
} as const;
const find = ({ sources }: DataPath, name: string) => sources.find((own) => own.device === name);
const works = { failure: undefined, isSeen: true, observed: { kind: 'present', isUp: true } };

test.each(['make', 'raise'] as const)(
  'a source that fails where it has to %s a device stops no other source, wherever it stands',
  async (failsAt) => {
    for (const isFirst of [true, false]) {
      const { world, host, desired } = createPair(failsAt, { isFirst });
      const made = await observeAndReconcile(host, desired);
      expect(made.isFenced).toBe(true);
      expect(find(made, tunnelInterface)).toMatchObject(works);
      expect(find(made, device)?.failure).toBe(refused);
      expect(find(made, device)?.observed.kind).toBe(failsAt === 'make' ? 'absent' : 'present');
      // The kernel refuses a table with an entrance at a device that is not there.
      const own = isFirst ? /"entrance"/ : /"entrance_1"/;
      expect(own.test(world.machine.print())).toBe(failsAt !== 'make');
      // What cannot be made is tried again, and the fence is not loaded again for it.
      const again = await observeAndReconcile(host, desired, made);
      expect(again.record?.listing).toBe(made.record?.listing);
      expect(again.isFenced).toBe(true);
    }
  },
);

test('a source that cannot be observed stops no other, and its device stays as it is, fenced', async () => {
  for (const isFirst of [true, false]) {
    const { world, host, desired } = createPair('observe', { isFirst });
    makeLink(world.machine);
    const made = await observeAndReconcile(host, desired);
    expect(made.isFenced).toBe(true);
    expect(find(made, tunnelInterface)).toMatchObject(works);
    expect(find(made, device)).toMatchObject({
      failure: refused,
      isSeen: false,
      observed: { kind: 'present', isUp: false, mtu: 1400 },
    });
    expect(world.machine.print()).toMatch(isFirst ? /"entrance"/ : /"entrance_1"/);
    const { changes } = world.machine;
    const before = changes();
    const again = await observeAndReconcile(host, desired, made);
    expect([again.isFenced, changes()]).toEqual([true, before]);
  }
});

test('a source that cannot be observed after its steps has the failure, and stops no other', async () => {
  const { world, host, desired } = createPair('nothing', { isFirst: true });
  const [driver, tunnel] = host.sources;
  if (driver === undefined || tunnel === undefined) throw new Error('there are two sources');
  let looks = 0;
  const observe: typeof driver.observe = async (interfaces) => {
    looks += 1;
    if (looks > 1) throw refused;
    return driver.observe(interfaces);
  };
  const made = await observeAndReconcile(
    { ...host, sources: [{ ...driver, observe }, tunnel] },
    desired,
  );
  expect(find(made, tunnelInterface)).toMatchObject(works);
  expect(find(made, device)).toMatchObject({ failure: refused, isSeen: false });
  expect(world.machine.links.has(device)).toBe(true);
});

test('a source whose device cannot get its name back stops no other, and gets no second device', async () => {
  for (const isFirst of [true, false]) {
    const { world, host, desired } = createPair('nothing', { isFirst });
    makeLink(world.machine, renamed);
    const exec: typeof host.exec = async (command) => {
      if (command.doing.includes('its name')) throw refused;
      return host.exec(command);
    };
    const made = await observeAndReconcile({ ...host, exec }, desired);
    expect(made.isFenced).toBe(true);
    expect(find(made, tunnelInterface)).toMatchObject(works);
    expect(find(made, device)).toMatchObject({ failure: refused, observed: { kind: 'absent' } });
    expect(world.machine.links.has(device)).toBe(false);
  }
});

test('what a pass would change is not told where a source cannot be observed', async () => {
  const { host, desired } = createPair('observe', { isFirst: false });
  const observed = await observeHost(host.exec, {
    devices: [device],
    isDenying: true,
    readListeningPorts: async () => [],
  });
  await expect(planChanges(host, desired, observed)).rejects.toBe(refused);
});

test.each(['observe', 'remove'] as const)(
  'a source that fails at %s keeps no other from being taken down, and the fence stays around it',
  async (failsAt) => {
    for (const isFirst of [true, false]) {
      const { world, host, desired } = createPair(failsAt, { isFirst });
      makeLink(world.machine);
      await observeAndReconcile(host, desired);
      let isKept = false;
      const keep = async () => {
        isKept = true;
      };
      await expect(removeDataPath(host, keep)).rejects.toBe(refused);
      expect(isKept).toBe(true);
      expect([...world.machine.links.keys()]).toContain(device);
      expect(world.machine.links.has(tunnelInterface)).toBe(false);
      expect(world.machine.print()).toContain('"name":"permit"');
    }
  },
);
