import { copyFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { toEngineNodeOptions } from '../../../src/connect/engine/node-options.ts';
import { planLaunch } from '../../../src/source/connect/launch.ts';
import { type Lab, waitForDownload } from '../../lab/lab.ts';
import { LabError } from '../../lab/lab-error.ts';
import { type Bench, pause, startScript, stopScript, withBench } from '../bench-lab.ts';
import { type Figure, renderFigures } from '../figures.ts';
import { computeMedian } from '../medians.ts';
import { findProcesses, parseStat, readKilobytes, readOrEmpty } from '../process-tree.ts';
import { benchDevice, leadTraffic, makeDevice, register, startConsumers } from './connect-world.ts';
import { type AloneSpeed, measureAlone } from './engine-alone.ts';
import { type EngineProcess, startEngineProcess } from './engine-process.ts';
import { measureSealed } from './sealed.ts';
import { measureTwenty } from './twenty.ts';

interface ConnectBench {
  readonly rounds: number;
  readonly distDirectory: string;
  readonly isJson: boolean;
  /** `engine`, `twenty`, `sealed`; undefined for all. */
  readonly only: readonly string[] | undefined;
}

interface Sample {
  readonly megabitsPerSecond: number;
  /** Of one core, for 10^9 bytes of the download. */
  readonly cpuSecondsPerGigabyte: number;
}

const downloadBytes = 64 * 1024 ** 2;
/**
 * V8 goes on compiling until about so much has passed, and a device's engine runs for days: what it
 * costs then is what counts. What the first of it cost is shown, too.
 */
const warmUpDownloads = 6;
/** Each way; the first half of it warms up. */
const aloneMegabytes = 500;
/** The garbage of the start is collected by then. */
const settleSeconds = 15;
const megabyte = 1024;
/** Of a gigabyte: a third of one core at 200 Mbit/s. */
const mostCpuSeconds = 13.3;
/** Of what WireGuard carries on the same two cores, one flow carries at least so much. */
const leastOfWireguard = 0.5;
/** And sealed of what it carries in plaintext. */
const leastOfPlaintext = 0.85;

/**
 * `npm run bench -- connect`: the engine of the network's own protocol as a process: memory at rest
 * and under load, what one flow carries and what a gigabyte costs, in turn with a WireGuard tunnel.
 * Then twenty consumers at once, through a whole agent, and what it costs the engine to seal.
 */
export async function benchConnect(bench: ConnectBench): Promise<void> {
  const { rounds, isJson, only = Object.keys(parts) } = bench;
  const figures: Figure[] = [];
  for (const name of only) {
    const measure = parts[name];
    if (measure === undefined)
      throw new LabError(`${name}: one of ${Object.keys(parts).join(', ')}`);
    figures.push(...(await measure(bench)));
  }
  process.stdout.write(
    isJson ? `${JSON.stringify({ rounds, figures })}\n` : renderFigures(figures),
  );
}

const parts: Readonly<Record<string, (bench: ConnectBench) => Promise<readonly Figure[]>>> = {
  engine: measureEngine,
  twenty: measureTwenty,
  sealed: measureSealed,
};

function measureEngine({ rounds, distDirectory }: ConnectBench): Promise<readonly Figure[]> {
  return withBench({ distDirectory }, async (bench) => {
    // The agent runs from the same file: beside it, pages of Node's own count once for both.
    const node = join(bench.lab.directory, 'node');
    await copyFile(process.execPath, node);
    bench.start({ argv: [node, '-e', 'setInterval(() => {}, 1e6)'] });
    await makeDevice(bench);
    const start = await register(bench);
    const file = await realpath(join(distDirectory, 'program/engine.cjs'));
    const engine = startEngineProcess(
      bench.lab.network.on('device', ...toLaunch(node, file)),
      start,
    );
    const seen = await observeEngine(bench, engine, { provider: start.ownId, rounds }).finally(
      engine.stop,
    );
    return toFigures({ ...seen, alone: await measureAlone(aloneMegabytes) });
  });
}

async function observeEngine(
  bench: Bench,
  engine: EngineProcess,
  { provider, rounds }: { readonly provider: string; readonly rounds: number },
): Promise<Record<'rest' | 'load', Memory> & { readonly samples: Samples }> {
  await engine.waitForLife();
  await pause(settleSeconds);
  const rest = readMemory(engine.pid);
  await startConsumers(bench, provider);
  const samples = await measureInTurn(bench, engine.pid, rounds);
  return { rest, load: readMemory(engine.pid), samples };
}

/** As the agent starts it; in the lab there is one user. */
function toLaunch(node: string, file: string): readonly string[] {
  const launch = planLaunch({
    command: [node, ...toEngineNodeOptions(file, process.allowedNodeEnvironmentFlags), file],
    user: { uid: 0, gid: 0, name: 'root', isOther: false },
    device: benchDevice,
  });
  if (launch === undefined) throw new LabError(`no engine runs on ${process.arch}`);
  return [launch.program, ...launch.args];
}

async function measureInTurn(bench: Bench, enginePid: number, rounds: number): Promise<Samples> {
  const samples = { started: [], engine: [], sealed: [], tunnel: [] } as Record<
    keyof Samples,
    Sample[]
  >;
  await leadTraffic(bench, 'engine');
  for (let count = 0; count < warmUpDownloads; count += 1)
    samples.started.push(await download(bench.lab, enginePid));
  await leadTraffic(bench, 'sealed');
  await download(bench.lab, enginePid);
  for (let round = 0; round < rounds; round += 1) {
    await leadTraffic(bench, 'engine');
    samples.engine.push(await download(bench.lab, enginePid));
    await leadTraffic(bench, 'sealed');
    samples.sealed.push(await download(bench.lab, enginePid));
    await leadTraffic(bench, 'tunnel');
    await startScript(bench);
    const pid = findProcesses('wireguard-go', 'base-bench')[0]?.pid;
    samples.tunnel.push(await download(bench.lab, pid));
    await stopScript(bench);
  }
  return samples;
}

async function download(lab: Lab, pid: number | undefined): Promise<Sample> {
  await waitForDownload(lab.startDownload(100_000, 20));
  const before = readCpu(pid);
  const { bytes, seconds, isWhole } = await waitForDownload(lab.startDownload(downloadBytes, 60));
  if (!isWhole) throw new LabError(`a download ended after ${bytes} bytes`);
  return {
    megabitsPerSecond: (bytes * 8) / seconds / 1e6,
    cpuSecondsPerGigabyte: ((readCpu(pid) - before) * 1e9) / bytes,
  };
}

/**
 * Seconds of one core that all of its threads have used, in the kernel too; a tunnel in the kernel
 * has no process.
 */
function readCpu(pid: number | undefined): number {
  return parseStat(readOrEmpty(`/proc/${pid}/stat`))?.cpuSeconds ?? Number.NaN;
}

interface Samples {
  /** The first ones of the engine's life. */
  readonly started: readonly Sample[];
  readonly engine: readonly Sample[];
  readonly sealed: readonly Sample[];
  readonly tunnel: readonly Sample[];
}

interface Memory {
  /** Shared pages divided among their users. */
  readonly kilobytes: number;
  readonly residentKilobytes: number;
  readonly ownKilobytes: number;
  readonly mostKilobytes: number;
}

function readMemory(pid: number): Memory {
  const [rollup, status] = [
    readOrEmpty(`/proc/${pid}/smaps_rollup`),
    readOrEmpty(`/proc/${pid}/status`),
  ];
  const find = (text: string, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  return {
    kilobytes: readKilobytes(pid),
    residentKilobytes: find(rollup, 'Rss'),
    ownKilobytes: find(rollup, 'Private_Dirty'),
    mostKilobytes: find(status, 'VmHWM'),
  };
}

function toFigures(of: {
  readonly rest: Memory;
  readonly load: Memory;
  readonly alone: AloneSpeed;
  readonly samples: Samples;
}): readonly Figure[] {
  const { rest, load, samples, alone } = of;
  const median = (all: readonly Sample[], what: keyof Sample) =>
    computeMedian(all.map((one) => one[what]));
  return [
    {
      name: 'engine: memory at rest',
      value: rest.kilobytes,
      unit: 'kibibytes',
      goal: { of: 'value', most: 40 * megabyte },
    },
    { name: '  its own pages', value: rest.ownKilobytes, unit: 'kibibytes' },
    {
      name: 'engine: memory under load',
      value: load.kilobytes,
      unit: 'kibibytes',
      goal: { of: 'value', most: 120 * megabyte },
    },
    { name: '  resident, at most', value: load.mostKilobytes, unit: 'kibibytes' },
    {
      name: 'one flow down',
      value: median(samples.engine, 'megabitsPerSecond'),
      unit: 'megabits per second',
      beside: { name: 'WireGuard', value: median(samples.tunnel, 'megabitsPerSecond') },
      goal: { of: 'ratio', least: leastOfWireguard },
    },
    {
      name: '  sealed',
      value: median(samples.sealed, 'megabitsPerSecond'),
      unit: 'megabits per second',
      beside: { name: 'plaintext', value: median(samples.engine, 'megabitsPerSecond') },
      goal: { of: 'ratio', least: leastOfPlaintext },
    },
    {
      name: 'CPU of a gigabyte',
      value: median(samples.engine, 'cpuSecondsPerGigabyte'),
      unit: 'seconds',
      beside: { name: 'wireguard-go', value: median(samples.tunnel, 'cpuSecondsPerGigabyte') },
      goal: { of: 'value', most: mostCpuSeconds },
    },
    {
      name: '  sealed',
      value: median(samples.sealed, 'cpuSecondsPerGigabyte'),
      unit: 'seconds',
      beside: { name: 'plaintext', value: median(samples.engine, 'cpuSecondsPerGigabyte') },
    },
    {
      name: '  of the first 64 MiB',
      value: samples.started[0]?.cpuSecondsPerGigabyte ?? Number.NaN,
      unit: 'seconds',
    },
    {
      name: 'in one core, alone: down',
      value: alone.downMegabitsPerSecond,
      unit: 'megabits per second',
    },
    { name: '  up', value: alone.upMegabitsPerSecond, unit: 'megabits per second' },
  ];
}
