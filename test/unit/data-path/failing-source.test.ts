import { expect, test } from 'vitest';
import type { DataPathHost } from '../../../src/data-path/state.ts';
import { TributaryError } from '../../../src/errors/codes.ts';
import type { DeviceStep, ObservedDevice, SourceDriver } from '../../../src/source/source.ts';
import { createRestoreFile } from '../../../src/system/restore-file.ts';
import { createDesired, createWorld, tunnelInterface } from './data-path-world.ts';
import { observeAndReconcile } from './observe-and-reconcile.ts';

const device = 'fakeprogram9';
const refused = new TributaryError('tunnel-failed', `making ${device}: refused`);

/** A driver whose device has to be made, which fails at this stage. */
function createFailingDriver(
  { machine }: ReturnType<typeof createWorld>,
  failsAt: DeviceStep['stage'],
): SourceDriver<unknown, ObservedDevice, string> {
  return {
    name: 'program',
    device,
    consumers: ['10.99.0.0/24'],
    fit: (wish) => ({ wish, missing: undefined }),
    async observe(interfaces) {
      const link = interfaces.find(({ name }) => name === device);
      if (link === undefined) return { kind: 'absent' };
      return { kind: 'present', isUp: link.isUp, mtu: link.mtu, addresses: [] };
    },
    plan: (_wish, observed) => [
      ...(observed.kind === 'absent' ? [{ stage: 'make', step: 'made' } as const] : []),
      { stage: 'raise', step: 'raised' },
    ],
    async apply(steps) {
      for (const { stage } of steps) {
        if (stage === failsAt) throw refused;
        if (stage === 'make')
          machine.links.set(device, {
            kind: 'tun',
            isUp: false,
            mtu: 1400,
            addresses: [],
            configuration: '',
          });
      }
    },
    show: () => [],
    findRenamed: () => undefined,
  };
}

test.each(['make', 'raise'] as const)(
  'a source that fails where it has to %s a device stops no other source, wherever it stands',
  async (failsAt) => {
    for (const isFirst of [true, false]) {
      const world = createWorld();
      const [tunnel] = world.host.sources;
      if (tunnel === undefined) throw new Error('there is no tunnel');
      const failing = createFailingDriver(world, failsAt);
      const host: DataPathHost = {
        ...world.host,
        restore: createRestoreFile(world.host.stateDirectory, 'other', () => undefined),
        sources: isFirst ? [failing, tunnel] : [tunnel, failing],
      };
      const [wish] = createDesired().sources;
      const desired = createDesired({
        sources: [
          ...(wish === undefined ? [] : [wish]),
          {
            kind: 'present',
            device,
            addresses: [{ family: 4, address: '10.99.0.1' }],
            mtu: 1400,
            outer: undefined,
            overheadBytes: 40,
            settings: undefined,
          },
        ],
      });
      const made = await observeAndReconcile(host, desired);
      const find = (name: string) => made.sources.find((source) => source.device === name);
      expect(made.isFenced).toBe(true);
      expect(find(tunnelInterface)).toMatchObject({
        failure: undefined,
        observed: { kind: 'present', isUp: true },
      });
      expect(find(device)?.failure).toBe(refused);
      expect(find(device)?.observed.kind).toBe(failsAt === 'make' ? 'absent' : 'present');
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
