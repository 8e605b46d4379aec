import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../../tools/lab/lab.ts';
import { addresses, deviceUplink, isInsideLab } from '../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { createTestLab } from '../net/support/test-lab.ts';
import { wayIn, withoutRights } from './way-in.ts';

const program = join(import.meta.dirname, 'taken-over.py');
/** As the agent's unit was before, and is where user namespaces are switched off. */
const withHostsRight = [
  'setpriv',
  '--bounding-set=-all,+net_admin',
  '--inh-caps=-all,+net_admin',
  '--ambient-caps=-all,+net_admin',
  '--no-new-privs',
];

const victim = 'victim0';

/** What a program in the agent's place tries: `host` is what its network calls the host's. */
const attempts = [
  {
    name: "reaches the home network past the host, by an interface of its own on the host's card",
    list: ({ host, card }: Target) => [
      ...['reach_neighbour', host, card],
      ...['192.168.77.99', addresses.nas],
    ],
  },
  { name: "lists the host's interfaces", list: ({ host }: Target) => ['list_links', host] },
  {
    name: "lists another network's, without any link there, by a process in it",
    list: ({ process }: Target) => ['name_by_process', process],
  },
  {
    name: "makes an interface among the host's",
    list: ({ host }: Target) => ['make_link', host, 'taken1'],
  },
  {
    name: "removes an interface of the host's",
    list: ({ host }: Target) => ['remove_link', host, victim],
  },
] as const;

interface Target {
  readonly host: string;
  /** The number of the host's card. */
  readonly card: string;
  /** The number of a process in a network next to the host's. */
  readonly process: string;
}

/**
 * What the host's side of the fence is worth against the agent itself. Each thing is also seen to
 * work where the agent's right is one on the host, so that a refusal says something.
 */
export function describeTakenOver(): void {
  describe.skipIf(!isInsideLab())('an agent that was taken over', () => {
    let lab: Lab;
    let neighbour: LabProcess;
    let target: Target;
    const onHost = async (...command: readonly string[]) => {
      const running = startProcess({
        argv: ['nsenter', `--net=/run/netns/${lab.network.netns('device')}`, ...command],
      });
      const exitCode = await running.exited;
      return { exitCode, text: running.lines.join('\n') };
    };
    const inside = (...command: readonly string[]) =>
      onHost('ip', 'netns', 'exec', 'tributary', ...command);
    const attack = (rights: readonly string[], words: readonly string[]) =>
      inside(...rights, '/usr/bin/python3', program, ...words);
    const onHostOnly = async (...command: readonly string[]) => {
      const { exitCode, text } = await onHost(...command);
      expect(exitCode, text).toBe(0);
      return text;
    };
    const namespace = (to: 'up' | 'down') => onHostOnly(...lab.command('namespace', to).slice(4));
    const findTarget = async (): Promise<Target> => {
      const { text } = await inside('ip', 'netns', 'list-id');
      const card = await onHostOnly('ip', '-o', 'link', 'show', deviceUplink);
      return {
        host: /^nsid (\d+)/m.exec(text)?.[1] ?? 'none',
        card: /^(\d+):/m.exec(card)?.[1] ?? 'none',
        process: String(neighbour.pid),
      };
    };

    beforeAll(async () => {
      lab = await createTestLab({ id: 'atktak', profile: 'documented' });
      neighbour = startProcess({
        argv: ['nsenter', `--net=/run/netns/${lab.network.netns('home')}`, 'sleep', '600'],
      });
    });

    afterAll(async () => {
      await namespace('down').catch(() => undefined);
      neighbour?.kill('SIGKILL');
      await neighbour?.exited;
      await lab?.remove();
    });

    describe('with a right on the host', () => {
      beforeAll(async () => {
        await onHostOnly('ip', 'link', 'add', victim, 'type', 'bridge');
        // Made by hand, or by an older version: `namespace up` takes it as it is.
        await onHostOnly('ip', 'netns', 'add', 'tributary');
        await namespace('up');
        target = await findTarget();
      });

      afterAll(() => namespace('down'));

      it.each(attempts)('$name', async ({ list }) => {
        const { exitCode, text } = await attack(withHostsRight, list(target));
        expect(exitCode, text).toBe(0);
      });
    });

    describe('in a namespace of its own user', () => {
      beforeAll(async () => {
        await onHost('ip', 'link', 'add', victim, 'type', 'bridge');
        await namespace('up');
        target = await findTarget();
      });

      it.each([
        ...attempts,
        {
          name: "enters the host's network",
          list: () => ['enter', `/run/netns/${lab.network.netns('device')}`],
        },
        {
          name: "enters the host's user namespace",
          list: ({ process }: Target) => ['enter', `/proc/${process}/ns/user`],
        },
      ])('never $name', async ({ list }) => {
        const { exitCode, text } = await attack([...withoutRights, ...wayIn], list(target));
        expect(text).toMatch(/not permitted|denied/);
        expect(exitCode, text).not.toBe(0);
      });

      it('has its right over its own network all the same, and no other', async () => {
        const { exitCode, text } = await inside(
          ...[...withoutRights, ...wayIn, 'sh', '-ec'],
          'ip link add own0 type bridge; nft add table inet own; grep ^Cap /proc/self/status',
        );
        expect({ exitCode, text }).toEqual({
          exitCode: 0,
          text: ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']
            .map((set) => `Cap${set}:\t0000000000001000`)
            .join('\n'),
        });
      });

      it('makes no user namespace, in which it would be root', async () => {
        const make = ['unshare', '--user', 'true'];
        expect(await inside(...withHostsRight, ...make)).toMatchObject({ exitCode: 0 });
        expect((await inside(...withoutRights, ...wayIn, ...make)).text).toContain(
          'No space left on device',
        );
      });

      it('cannot get its way with packets that the kernel does not build', async () => {
        const raw = 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)';
        const { text } = await inside(...withoutRights, ...wayIn, '/usr/bin/python3', '-c', raw);
        expect(text).toContain('not permitted');
      });
    });
  });
}
