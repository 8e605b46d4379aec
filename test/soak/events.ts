import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../../tools/lab/lab.ts';
import type { LabProcess } from '../../tools/lab/processes.ts';
import { changeConfig, changeServiceKey } from '../net/support/test-lab.ts';
import type { Broker } from './broker.ts';
import type { Names } from './names.ts';
import type { SlowDisk } from './slow-disk.ts';

/** Where it happens; what this machine cannot have is undefined. */
export interface World {
  readonly lab: Lab;
  readonly names: Names | undefined;
  readonly broker: Broker | undefined;
  readonly slowDisk: SlowDisk | undefined;
  readonly agent: LabProcess;
  readonly tunnel: string;
  readonly random: () => number;
}

export interface SoakEvent {
  /** Seconds after its end within which the agent has to provide again. */
  readonly backSeconds: number;
  readonly happen: (world: World) => Promise<unknown>;
  /** True where this machine has what it needs; always, where it is left out. */
  readonly isPossible?: (world: World) => boolean;
  /** What has to be told to the broker again before it counts as over. */
  readonly isTold?: true;
}

export type EventName = keyof typeof events;

/**
 * Keep-alives that failed make the next one come later, by up to 2¼ intervals; a busy machine needs
 * some more.
 */
const askedAgain = 45;
/**
 * In 40 s three tries may fail, and each doubles the longest wait for the next: 2¼ intervals, 4¼,
 * 8¼.
 */
const afterOutage = 90;
const atOnce = 20;
/** The service is told one mode a minute at most, but for `none`. */
const nextMode = 80;
/** Three tries without an answer, each with a rest that doubles. */
const asideAgain = 120;
/** A handshake that nobody renews is good for three minutes. */
const elsewhere = 180;

/** Drops or refuses on the proxy what fits, for as long as the work takes. */
async function blockOnProxy({ lab }: World, rule: string, seconds: number): Promise<void> {
  const chain = (hook: string) => `chain ${hook} { type filter hook ${hook} priority 0; ${rule}; }`;
  await lab.network.run(
    'proxy',
    'nft',
    `table inet soak { ${chain('input')}; ${chain('output')}; }`,
  );
  await sleep(seconds * 1000);
  await lab.network.run('proxy', 'nft', 'delete table inet soak');
}

/** For five seconds, by hand. */
async function chooseMode(lab: Lab, mode: 'none' | 'network'): Promise<void> {
  await lab.runCommand('provide', mode);
  await sleep(5_000);
  await lab.runCommand('provide', 'auto');
}

export const events = {
  'pause and resume': { backSeconds: nextMode, happen: ({ lab }) => chooseMode(lab, 'none') },
  'another mode': { backSeconds: nextMode, happen: ({ lab }) => chooseMode(lab, 'network') },
  /** The service starts again with a key that the device learns of by a renewal. */
  'a new key': {
    backSeconds: askedAgain,
    happen: ({ lab }) => changeServiceKey(lab),
  },
  'no service for 40 s': {
    backSeconds: afterOutage,
    happen: (world) => blockOnProxy(world, 'tcp dport 8080 reject with tcp reset', 40),
  },
  /** As when its cable is pulled. */
  'no uplink for 15 s': {
    backSeconds: askedAgain,
    async happen({ lab }) {
      await lab.network.run('home', 'ip', 'link', 'set', 'port2', 'down');
      await sleep(15_000);
      await lab.network.run('home', 'ip', 'link', 'set', 'port2', 'up');
    },
  },
  'rules flushed': {
    backSeconds: atOnce,
    happen: ({ lab }) => lab.network.run('device', 'nft', 'flush', 'ruleset'),
  },
  'tunnel deleted': {
    backSeconds: askedAgain,
    happen: ({ lab, tunnel }) => lab.network.run('device', 'ip', 'link', 'delete', tunnel),
  },
  'configuration read again': {
    backSeconds: atOnce,
    async happen({ lab, agent, random }) {
      await changeConfig(lab, {
        provide: { rate_limit: { line: `${20 + Math.floor(random() * 20)} Mbit` } },
      });
      agent.kill('SIGHUP');
      await sleep(2_000);
    },
  },
  'status asked 50 times': {
    backSeconds: atOnce,
    async happen({ lab }) {
      for (let asked = 0; asked < 50; asked += 1) await lab.status();
    },
  },
  'page open': {
    backSeconds: atOnce,
    async happen({ lab }) {
      const headers = { host: 'localhost', accept: 'text/event-stream' };
      const request = get({
        socketPath: join(lab.directory, 'agent.sock'),
        path: '/events',
        headers,
      });
      const [answer] = await once(request, 'response');
      if (answer.statusCode !== 200) throw new Error(`/events answered ${answer.statusCode}`);
      answer.resume().on('error', () => undefined);
      await sleep(10_000);
      request.destroy();
    },
  },
  "silence of WireGuard's other end": {
    backSeconds: askedAgain,
    happen: (world) => blockOnProxy(world, 'meta l4proto udp drop', 30),
  },
  'the first name server dead for 40 s': {
    backSeconds: askedAgain,
    isPossible: ({ names }) => names !== undefined,
    async happen({ lab }) {
      const rule = 'chain in { type filter hook input priority 0; udp dport 53 drop; }';
      await lab.network.run('home', 'nft', `table inet deaf { ${rule}; }`);
      await sleep(40_000);
      await lab.network.run('home', 'nft', 'delete table inet deaf');
    },
  },
  'the service at another address': {
    backSeconds: elsewhere,
    isPossible: ({ names }) => names !== undefined,
    happen: async ({ names }) => names?.move(),
  },
  'the broker hangs up': {
    backSeconds: asideAgain,
    isPossible: ({ broker }) => broker !== undefined,
    isTold: true,
    happen: async ({ broker }) => broker?.hangUp(10),
  },
  'the broker stalls for 20 s': {
    backSeconds: asideAgain,
    isPossible: ({ broker }) => broker !== undefined,
    isTold: true,
    happen: async ({ broker }) => broker?.stall(20),
  },
  'a slow disk': {
    backSeconds: nextMode,
    isPossible: ({ slowDisk }) => slowDisk !== undefined,
    happen: async ({ lab, slowDisk }) =>
      slowDisk?.during(async () => {
        await chooseMode(lab, 'none');
        await sleep(20_000);
      }),
  },
} as const satisfies Readonly<Record<string, SoakEvent>>;
