import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, toUndefined } from '../../src/errors/codes.ts';
import { type SteadyTraffic, startSteadyTraffic } from '../../tools/bench/consumer-traffic.ts';
import {
  countZombies,
  findProcesses,
  type ProcessStat,
  readKilobytes,
  readOrEmpty,
  readProcesses,
  readTreeUse,
} from '../../tools/bench/process-tree.ts';
import type { Lab } from '../../tools/lab/lab.ts';
import { type LabCommand, type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { countRules } from '../net/support/observe-device.ts';
import { changeConfig, changeServiceKey, createTestLab } from '../net/support/test-lab.ts';
import { createNumbers, shuffle } from '../random.ts';
import type { Figures, Recovery, Sample, SoakResult } from './verdicts.ts';

export interface SoakOptions {
  /** Of the lab; at most 6 letters. */
  readonly id: string;
  readonly seed: number;
  /** No event begins after it; the agent is watched to its end. */
  readonly seconds: number;
  readonly sampleSeconds: number;
  /** Of rest before each event, at least; at most twice as long. */
  readonly gapSeconds: number;
  /** Those that happen; all by default. */
  readonly events?: readonly EventName[];
  /** Each event happens at most so often. */
  readonly rounds?: number;
  /** Called after each sample. */
  readonly onSample?: (sample: Sample, recoveries: readonly Recovery[]) => void;
}

interface World {
  readonly lab: Lab;
  readonly agent: LabProcess;
  readonly tunnel: string;
  readonly random: () => number;
}

interface SoakEvent {
  /** Seconds after its end within which the agent has to provide again. */
  readonly backSeconds: number;
  readonly happen: (world: World) => Promise<unknown>;
}

type EventName = keyof typeof events;

const keepaliveSeconds = 10;
const settleMs = 13_000;
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

const events = {
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
} as const satisfies Readonly<Record<string, SoakEvent>>;

/** Runs an agent and lets things happen to it. @throws LabError where it never provides */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const tunnel = `trib-${options.id}`;
  // A limit is there from the start: the one that is read later changes its number, not the rules.
  const config = { provide: { rate_limit: { line: '19 Mbit' } } };
  const lab = await createTestLab({
    id: options.id,
    profile: 'documented',
    keepaliveSeconds,
    config,
  });
  const started: LabProcess[] = [];
  try {
    const agent = lab.startAgent();
    await lab.waitForStatus(isProviding, 60_000);
    // By then the programs that it keeps are started, and the start's garbage is collected.
    await sleep(settleMs);
    const start = (command: LabCommand) => {
      const running = startProcess(command);
      started.push(running);
      return running;
    };
    const flow = await startSteadyTraffic({ lab, start });
    return await watch({ lab, agent, tunnel, random: createNumbers(options.seed) }, flow, options);
  } finally {
    for (const running of started) running.kill('SIGKILL');
    await lab.remove();
  }
}

const isProviding = ({ phase }: { readonly phase: string }) => phase === 'providing';

async function watch(world: World, flow: SteadyTraffic, options: SoakOptions): Promise<SoakResult> {
  const { seed, seconds, sampleSeconds, gapSeconds, rounds = Number.POSITIVE_INFINITY } = options;
  const names = options.events ?? (Object.keys(events) as EventName[]);
  const line = world.lab.command('run').slice(4).join('\0');
  const isAgent = ({ pid }: ProcessStat) => readOrEmpty(`/proc/${pid}/cmdline`).startsWith(line);
  const pid = readProcesses().find(isAgent)?.pid ?? Number.NaN;
  const [samples, recoveries]: [Sample[], Recovery[]] = [[], []];
  const startedMs = performance.now();
  const readSeconds = () => (performance.now() - startedMs) / 1000;
  const hasEnded = () => readSeconds() >= seconds || world.agent.hasEnded();
  let wasAtRest = true;
  let isOver = false;
  let ending: string | undefined;
  const rest = async (restSeconds: number) => {
    const until = readSeconds() + restSeconds;
    while (readSeconds() < until && !hasEnded()) await sleep(200);
  };
  const sampling = (async () => {
    while (!isOver) {
      const sample = {
        atSeconds: readSeconds(),
        isAtRest: wasAtRest && flow.isAtRest,
        ...(await look(world, pid)),
      };
      wasAtRest = flow.isAtRest;
      samples.push(sample);
      options.onSample?.(sample, recoveries);
      await sleep(sampleSeconds * 1000);
    }
  })();
  try {
    for (let round = 0; round < rounds && !hasEnded(); round += 1) {
      for (const name of shuffle(names, world.random)) {
        flow.isAtRest = true;
        await rest(gapSeconds * (1 + world.random()));
        flow.isAtRest = wasAtRest = false;
        if (hasEnded()) break;
        recoveries.push(await undergo(world, flow, { name, atSeconds: readSeconds() }));
        // What the agent still says of it is no part of the rest.
        await rest(Math.min(10, gapSeconds));
      }
    }
  } catch (error) {
    ending = messageOf(error);
  }
  isOver = true;
  await sampling.catch((error: unknown) => {
    ending ??= messageOf(error);
  });
  if (world.agent.hasEnded()) ending ??= 'the agent ended';
  return {
    seed,
    samples,
    recoveries,
    restSeconds: flow.restSeconds,
    flowingSeconds: flow.flowingSeconds,
    ending,
  };
}

/**
 * Lets it happen, and waits until the agent says that it provides and the consumer got answers for
 * two seconds.
 */
async function undergo(
  world: World,
  flow: SteadyTraffic,
  { name, atSeconds }: { name: EventName; atSeconds: number },
) {
  const { backSeconds: limitSeconds, happen }: SoakEvent = events[name];
  const silentBefore = flow.silentSeconds;
  await happen(world);
  flow.flowingNow = 0;
  const endedMs = performance.now();
  const readBack = () => (performance.now() - endedMs) / 1000;
  let isBack = false;
  while (!isBack && readBack() < limitSeconds * 2 && !world.agent.hasEnded()) {
    await sleep(100);
    const status = await world.lab.status().catch(toUndefined());
    isBack =
      flow.flowingNow >= 2 &&
      status !== undefined &&
      isProviding(status) &&
      status.service.reachable === true;
  }
  const silentSeconds = flow.silentSeconds - silentBefore;
  return {
    event: name,
    atSeconds,
    silentSeconds,
    backSeconds: isBack ? readBack() : undefined,
    limitSeconds,
  };
}

async function look({ lab, agent, tunnel }: World, pid: number): Promise<Figures> {
  const tree = readTreeUse(pid);
  const connections = await lab.network.run(
    'device',
    'cat',
    '/proc/sys/net/netfilter/nf_conntrack_count',
  );
  return {
    agentMib: readKilobytes(pid) / 1024,
    treeMib: tree.kilobytes / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
    children: tree.kept.length,
    zombies: await countZombies(pid),
    wireGuards: findProcesses('wireguard-go', tunnel).length,
    stateFiles: readdirSync(lab.stateDirectory).length,
    ...(await countRules(lab)),
    connections: Number(connections),
    logLines: agent.lines.length,
    writtenMb:
      Number(/^write_bytes: (\d+)/m.exec(readOrEmpty(`/proc/${pid}/io`))?.[1] ?? Number.NaN) / 1e6,
    cpuSeconds: tree.cpuSeconds,
  };
}
