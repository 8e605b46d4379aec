import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLab, type Lab, waitForDownload } from '../../src/lab/lab.ts';
import { isInsideLab, labInternet } from '../../src/lab/network.ts';
import { type LabProcess, startProcess } from '../../src/lab/processes.ts';
import { messageOf, TributaryError } from '../../src/lib/errors.ts';
import { renderBaseline } from './baseline.ts';
import { computeMedian, computeRatio } from './medians.ts';

/*
 * `npm run bench`: the agent beside a shell script that makes the same tunnel and forwards the same traffic, in turn, in
 * one run on one machine; only the ratios mean something elsewhere. Bounded: a few rounds of a few seconds. With `service`
 * behind it: the reference service, in worlds of different sizes; with `rules`: one tunnel with all rules and without.
 */

interface Round {
  /** From the start of the process to traffic being forwarded. */
  readonly startSeconds: number;
  readonly megabitsPerSecond: number;
}

const downloadBytes = 64 * 1024 ** 2;
const tunnel = 'trib-bench';
const metricsUrl = 'http://127.0.0.1:9469/metrics';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const isService = positionals[0] === 'service';
  const rounds = Number(values.rounds ?? (isService ? 30 : 5));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 50) {
    throw new TributaryError('usage-invalid', '--rounds: a number from 1 to 50');
  }
  if (isService) {
    const { benchService } = await import('./bench-service.ts');
    return benchService({ program: join(__dirname, 'tributary.cjs'), rounds, isJson: values.json === true });
  }
  if (!isInsideLab())
    throw new TributaryError('usage-invalid', 'start it with `npm run bench`, which makes the namespaces');
  if (positionals[0] === 'rules') {
    const { benchRules } = await import('./bench-rules.ts');
    return benchRules({ rounds, distDirectory: __dirname, isJson: values.json === true });
  }
  const lab = await createLab({ id: 'bench', profile: 'documented', distDirectory: __dirname });
  try {
    const memory = await measureMemory(lab);
    const script = await writeBaseline(lab);
    const agentRounds: Round[] = [];
    const scriptRounds: Round[] = [];
    for (let index = 0; index < rounds; index += 1) {
      agentRounds.push(await measureAgent(lab));
      scriptRounds.push(await measureScript(lab, script));
    }
    const agent = computeMedians(agentRounds);
    const shellScript = computeMedians(scriptRounds);
    const result = {
      rounds,
      agent,
      script: shellScript,
      ratios: {
        start: computeRatio(agent.startSeconds, shellScript.startSeconds),
        throughput: computeRatio(agent.megabitsPerSecond, shellScript.megabitsPerSecond),
        memory: computeRatio(memory.agentKilobytes, memory.bareKilobytes),
      },
      memory,
    };
    process.stdout.write(values.json === true ? `${JSON.stringify(result)}\n` : renderText(result));
  } finally {
    await lab.remove();
  }
}

/** Resident memory of a providing agent at rest beside an idle Node of the same build. */
async function measureMemory(lab: Lab) {
  const agent = lab.startAgent();
  await lab.waitForStatus((status) => status.phase === 'providing');
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  // At rest: the start's garbage is collected ten seconds after it.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const metrics = await lab.network.run('device', process.execPath, `${__dirname}/worker.cjs`, 'get', metricsUrl);
  const agentKilobytes = Math.round(Number(/^tributary_resident_memory_bytes (\d+)/m.exec(metrics)?.[1]) / 1024);
  const status = await readFile(`/proc/${bare.pid}/status`, 'utf8');
  bare.kill();
  await stop(agent);
  return { agentKilobytes, bareKilobytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) };
}

async function measureAgent(lab: Lab): Promise<Round> {
  const startedAtMs = performance.now();
  const agent = lab.startAgent();
  await lab.waitForStatus((status) => status.phase === 'providing');
  const startSeconds = (performance.now() - startedAtMs) / 1000;
  const megabitsPerSecond = await measureThroughput(lab);
  await stop(agent);
  return { startSeconds, megabitsPerSecond };
}

/** The script's last line comes when it sees the handshake, as soon as the agent would. */
async function measureScript(lab: Lab, script: string): Promise<Round> {
  const startedAtMs = performance.now();
  const running = startProcess({ argv: lab.network.on('device', 'sh', script, 'up') });
  await running.waitForLine((line) => line === 'providing');
  const startSeconds = (performance.now() - startedAtMs) / 1000;
  await running.exited;
  const megabitsPerSecond = await measureThroughput(lab);
  await lab.network.run('device', 'sh', script, 'down');
  return { startSeconds, megabitsPerSecond };
}

/** The first short download waits until the service sends consumers here. */
async function measureThroughput(lab: Lab): Promise<number> {
  await waitForDownload(lab.startDownload(100_000, 20));
  const { bytes, seconds, isWhole } = await waitForDownload(lab.startDownload(downloadBytes, 60));
  if (!isWhole) throw new TributaryError('lab-failed', `a download ended after ${bytes} bytes`);
  return (bytes * 8) / seconds / 1e6;
}

async function writeBaseline(lab: Lab): Promise<string> {
  const registration = JSON.parse(await readFile(join(lab.stateDirectory, 'registration.json'), 'utf8'));
  const script = join(lab.directory, 'baseline.sh');
  const wireGuardFile = join(lab.stateDirectory, 'wireguard.conf');
  const address = registration.data.tunnel.address as string;
  await writeFile(script, renderBaseline({ tunnel, wireGuardFile, address, allowed: labInternet }));
  return script;
}

async function stop(agent: LabProcess): Promise<void> {
  agent.kill('SIGTERM');
  await agent.exited;
}

function computeMedians(rounds: readonly Round[]): Round {
  return {
    startSeconds: computeMedian(rounds.map((round) => round.startSeconds)),
    megabitsPerSecond: computeMedian(rounds.map((round) => round.megabitsPerSecond)),
  };
}

interface BenchResult {
  readonly rounds: number;
  readonly agent: Round;
  readonly script: Round;
  readonly ratios: { readonly start: number; readonly throughput: number; readonly memory: number };
  readonly memory: { readonly agentKilobytes: number; readonly bareKilobytes: number };
}

const widths = [14, 16, 9] as const;

function renderText({ rounds, agent, script, ratios, memory }: BenchResult): string {
  const row = (name: string, cells: readonly (string | number)[]) =>
    `${name.padEnd(24)}${cells.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join('')}\n`;
  const seconds = ({ startSeconds }: Round) => `${startSeconds.toFixed(3)} s`;
  const rate = ({ megabitsPerSecond }: Round) => `${megabitsPerSecond.toFixed(0)} Mbit/s`;
  return [
    `Medians of ${rounds} rounds, in turn; the ratio is the agent's figure over the other's.\n`,
    row('', ['agent', 'shell script', 'ratio']),
    row('start to providing', [seconds(agent), seconds(script), ratios.start]),
    row('throughput', [rate(agent), rate(script), ratios.throughput]),
    row('', ['agent', 'bare node', 'ratio']),
    row('resident memory', [`${memory.agentKilobytes} KiB`, `${memory.bareKilobytes} KiB`, ratios.memory]),
  ].join('');
}

main().catch((error: unknown) => {
  process.stderr.write(`tributary: the benchmark failed: ${messageOf(error)}\n`);
  process.exitCode = error instanceof TributaryError && error.code === 'usage-invalid' ? 64 : 1;
});
