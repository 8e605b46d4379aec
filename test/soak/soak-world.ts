import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, toUndefined } from '../../src/errors/codes.ts';
import { Secret } from '../../src/lib/secret.ts';
import { readClaims } from '../../src/service/jwt.ts';
import { exec } from '../../src/system/exec.ts';
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
import { type LabCommand, type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { countRules } from '../net/support/observe-device.ts';
import { createTestLab } from '../net/support/test-lab.ts';
import { createNumbers, shuffle } from '../random.ts';
import { startBroker } from './broker.ts';
import { type EventName, events, type SoakEvent, type World } from './events.ts';
import { hasOwnEtc, names, startNames } from './names.ts';
import { buildSlowDisk } from './slow-disk.ts';
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
  /** How long a token is good. A token that nothing renews in time signs the device out. */
  readonly tokenSeconds: number;
  /** Called for what this machine does not have, and is left out. */
  readonly onMissing?: (what: string) => void;
  /** Called after each sample. */
  readonly onSample?: (sample: Sample, recoveries: readonly Recovery[]) => void;
}

const keepaliveSeconds = 10;
const settleMs = 13_000;

/** Runs an agent and lets things happen to it. @throws LabError where it never provides */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { id, seed, tokenSeconds, onMissing } = options;
  const hasNames = await hasOwnEtc();
  if (!hasNames) onMissing?.('names: this kernel lays no private folder over /etc');
  const hasBroker = hasNames && (await isInstalled('mosquitto'));
  if (!hasBroker) onMissing?.('the broker: mosquitto is not installed, or there are no names');
  const lab = await createTestLab({
    id,
    profile: 'documented',
    keepaliveSeconds,
    serviceArguments: [
      ...['--token-seconds', String(tokenSeconds)],
      ...(hasNames ? ['--listen', '0.0.0.0:8080', '--proxy-host', names.endpoint] : []),
    ],
    config: composeConfig(hasNames, hasBroker),
  });
  const started: LabProcess[] = [];
  const start = (command: LabCommand) => {
    const running = startProcess(command);
    started.push(running);
    return running;
  };
  try {
    const slowDisk = await buildSlowDisk(join(lab.directory, 'slow-disk'));
    if (slowDisk === undefined) onMissing?.('the slow disk: there is no C compiler');
    const place = { lab, start };
    const known = hasNames ? await startNames(place) : undefined;
    const broker = hasBroker ? await startBroker(place) : undefined;
    const agent = lab.startAgent(slowDisk?.env);
    await lab.waitForStatus(isProviding, 60_000);
    // By then the programs that it keeps are started, and the start's garbage is collected.
    await sleep(settleMs);
    const flow = await startSteadyTraffic(place);
    const around = { lab, agent, names: known, broker, slowDisk, tunnel: `trib-${id}` };
    return await watch({ ...around, random: createNumbers(seed) }, flow, options);
  } finally {
    for (const running of started) running.kill('SIGKILL');
    await lab.remove();
  }
}

const isInstalled = (program: string) =>
  exec({ program, args: ['-h'], doing: `looking for ${program}` }).then(
    () => true,
    (error: unknown) => !messageOf(error).includes('not found'),
  );

/**
 * A limit is there from the start: the one that is read later changes its number, not the rules.
 */
function composeConfig(hasNames: boolean, hasBroker: boolean) {
  const url = `mqtt://${names.broker}:1883`;
  return {
    provide: { rate_limit: { line: '19 Mbit' } },
    ...(hasNames ? { service: { base_url: `http://${names.service}:8080` } } : {}),
    ...(hasBroker ? { report: { mqtt: { url, allow_insecure_mqtt: true } } } : {}),
  };
}

const isProviding = ({ phase }: { readonly phase: string }) => phase === 'providing';

async function watch(world: World, flow: SteadyTraffic, options: SoakOptions): Promise<SoakResult> {
  const { seed, seconds, sampleSeconds, gapSeconds, rounds = Number.POSITIVE_INFINITY } = options;
  const possible = (options.events ?? (Object.keys(events) as EventName[])).filter((name) => {
    const { isPossible }: SoakEvent = events[name];
    return isPossible?.(world) !== false;
  });
  const tokenEnds = new Set<number>();
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
      tokenEnds.add(readTokenEnd(world));
      samples.push(sample);
      options.onSample?.(sample, recoveries);
      await sleep(sampleSeconds * 1000);
    }
  })();
  try {
    for (let round = 0; round < rounds && !hasEnded(); round += 1) {
      for (const name of shuffle(possible, world.random)) {
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
    longestSilentSeconds: flow.longestSilentSeconds,
    tokens: tokenEnds.size,
    leastTokens: Math.floor(readSeconds() / options.tokenSeconds) + 1,
    clients: countClients(world),
    signedOut: world.agent.lines.filter((line) => line.includes('signed-out')).length,
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
  const { backSeconds: limitSeconds, happen, isTold }: SoakEvent = events[name];
  const silentBefore = flow.silentSeconds;
  await happen(world);
  flow.flowingNow = 0;
  const endedMs = performance.now();
  const toldBefore = world.broker?.delivered ?? 0;
  const readBack = () => (performance.now() - endedMs) / 1000;
  let isBack = false;
  while (!isBack && readBack() < limitSeconds * 2 && !world.agent.hasEnded()) {
    await sleep(100);
    const status = await world.lab.status().catch(toUndefined());
    isBack =
      flow.flowingNow >= 2 &&
      (isTold === undefined || (world.broker?.delivered ?? 0) > toldBefore) &&
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
    logKilobytes: agent.lines.reduce((sum, line) => sum + line.length + 1, 0) / 1000,
    writtenMb:
      Number(/^write_bytes: (\d+)/m.exec(readOrEmpty(`/proc/${pid}/io`))?.[1] ?? Number.NaN) / 1e6,
    cpuSeconds: tree.cpuSeconds,
  };
}

/**
 * Of the one network that the service has a device in. The owner's token has ended by now, so no
 * command can list them.
 */
function countClients({ lab }: World): number {
  const path = join(lab.directory, 'service', 'reference-service.sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare('select count(*) as clients from client').get()?.clients);
  } finally {
    database.close();
  }
}

/** When the token that the device asks by next time ends, in ms since 1970. */
function readTokenEnd({ lab }: World): number {
  const path = join(lab.stateDirectory, 'registration.json');
  const { clientJwt } = JSON.parse(readFileSync(path, 'utf8')).data;
  return readClaims(new Secret(clientJwt))?.expiresAtMs ?? Number.NaN;
}
