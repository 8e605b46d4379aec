import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { toUndefined } from '../../src/errors/codes.ts';
import type { ProfileName } from '../../src/service/profiles.ts';
import { type StatusDocument, statusDocument } from '../../src/status/document.ts';
import { askAgent } from '../../src/status/socket-client.ts';
import { LabError } from './lab-error.ts';
import {
  addresses,
  createLabNetwork,
  type HostCommand,
  type HostName,
  type LabNetwork,
} from './network.ts';
import { type LabCommand, type LabProcess, startProcess } from './processes.ts';
import { renderConfig } from './render-config.ts';
import { listServiceArguments } from './service-arguments.ts';
import { type LabConsumer, startConsumer } from './start-consumer.ts';

/** The outcome of what the consumer tries. */
export type Outcome = 'reached' | 'refused';

const download = z.object({ bytes: z.number(), seconds: z.number(), isWhole: z.boolean() });

export interface LabOptions {
  /** Distinguishes the labs of one run; at most 6 letters and digits. */
  readonly id: string;
  readonly profile: ProfileName;
  readonly distDirectory: string;
  /** How consumers' traffic gets to the device; by default through the issued tunnel. */
  readonly source?: 'wireguard' | 'connect' | undefined;
  /** By `connect`: how many clients the consumer's host is; one by default. */
  readonly consumers?: number;
  /** Sections of the configuration that replace the lab's own. */
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly keepaliveSeconds?: number;
  /** More arguments of the service; they take precedence over the lab's own. */
  readonly serviceArguments?: readonly string[];
  /**
   * A second address of the home router on the Internet, which it tells the device instead of its
   * own.
   */
  readonly publicAddress?: string;
}

/**
 * The whole path on one machine: a consumer, the service's proxy, the Internet, a home with a
 * device and a NAS.
 */
export interface Lab {
  readonly network: LabNetwork;
  /** Holds all of the lab's files, and goes with it. */
  readonly directory: string;
  readonly stateDirectory: string;
  /** The service's address. */
  readonly baseUrl: string;
  readonly authCode: string;
  /** undefined where the consumer comes by the tunnel. */
  readonly consumer: LabConsumer | undefined;
  /** The command line that runs a command of the program on the device. */
  command(...args: readonly string[]): HostCommand;
  /** What the agent says now. @throws not-running, command-failed */
  status(): Promise<StatusDocument>;
  /** By default the built program's `run`. */
  startAgent(env?: Readonly<Record<string, string>>, argv?: LabCommand['argv']): LabProcess;
  /**
   * Waits until the status fits, by default for a minute. The error has the reason that the status
   * gives otherwise.
   * @throws LabError
   */
  waitForStatus(
    fits: (status: StatusDocument) => boolean,
    timeoutMs?: number,
  ): Promise<StatusDocument>;
  /** What comes of a TCP connection from the consumer. @throws LabError */
  probe(address: string, port: number): Promise<Outcome>;
  probeFrom(host: HostName, address: string, port: number): Promise<Outcome>;
  /**
   * Runs a command of the program on the device to its end, and resolves with its output.
   * @throws LabError if it does not exit with 0
   */
  runCommand(...args: readonly string[]): Promise<string>;
  /** The consumer's; `waitForDownload` tells what came of it. */
  startDownload(bytes: number, limitSeconds: number, onLine?: LabCommand['onLine']): LabProcess;
  /** Leads the socket's connections to the device's page. Resolves when it listens. */
  bridgePage(socket: string): Promise<string>;
  /** Starts the service again, after its process has ended. */
  restartService(): Promise<void>;
  /** The service's process of now. */
  service(): LabProcess;
  /** Ends all that the lab runs, and removes what it made. */
  remove(): Promise<void>;
}

/** In ms: a busy machine answers late, and that is no fault of the agent's. */
const statusTimeoutMs = 30_000;
export const webPort = 80;

const firstLine = z.object({ baseUrl: z.string(), authCode: z.string() });

/** Makes the lab and starts everything in it except the agent. @throws LabError */
export async function createLab(options: LabOptions): Promise<Lab> {
  const network = await createLabNetwork(options.id);
  const directory = await mkdtemp(join(tmpdir(), `tributary-${options.id}-`));
  const stateDirectory = join(directory, 'state');
  const program = join(options.distDirectory, 'tributary.cjs');
  const worker = join(options.distDirectory, 'worker.cjs');
  const configPath = join(directory, 'tributary.yaml');
  const socketPath = join(directory, 'agent.sock');
  const processes = new Set<LabProcess>();
  const start = (argv: LabCommand['argv'], options?: Omit<LabCommand, 'argv'>) => {
    const started = startProcess({ argv, ...options });
    processes.add(started);
    return started;
  };
  const node = process.execPath;
  const ofService = ['sandbox', '--json', ...listServiceArguments(options, directory)];
  const startService = () => start(network.on('proxy', node, program, ...ofService));
  const command = (...args: readonly string[]) =>
    network.on(
      'device',
      node,
      program,
      ...args,
      '--config',
      configPath,
      '--state-dir',
      stateDirectory,
    );
  const probeFrom = async (host: HostName, address: string, port: number): Promise<Outcome> => {
    const probe = start(network.on(host, node, worker, 'probe', address, String(port)));
    const line = await probe.waitForLine(
      (candidate) => candidate === 'reached' || candidate === 'refused',
    );
    return line === 'reached' ? 'reached' : 'refused';
  };
  const removeAll = async () => {
    for (const running of processes) running.kill('SIGTERM');
    const patience = setTimeout(() => {
      for (const running of processes) running.kill('SIGKILL');
    }, 5_000);
    await Promise.all([...processes].map((running) => running.exited));
    clearTimeout(patience);
    await network.remove();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await mkdir(stateDirectory, { mode: 0o700 });
    let service = startService();
    let agent: LabProcess | undefined;
    const { publicAddress = addresses.homeWan } = options;
    await network.run('home', 'ip', 'address', 'replace', `${publicAddress}/32`, 'dev', 'lo');
    const servers = [
      start(network.on('home', node, worker, 'router', addresses.homeLan, publicAddress)),
      start(network.on('internet', node, worker, 'serve', addresses.internet, String(webPort))),
      start(network.on('nas', node, worker, 'serve', addresses.nas, String(webPort))),
      start(network.on('device', node, worker, 'serve', '0.0.0.0', String(webPort))),
    ];
    const said = firstLine.parse(
      JSON.parse(await service.waitForLine((line) => /^\{.*"baseUrl"/.test(line))),
    );
    await Promise.all(servers.map((server) => server.waitForLine((line) => line === 'listening')));
    await writeFile(configPath, renderConfig(options, said.baseUrl, socketPath));
    const around = { ...said, network, start, program, directory, count: options.consumers };
    const consumer = options.source === 'connect' ? await startConsumer(around) : undefined;
    const status = async () =>
      statusDocument.parse(
        await askAgent(
          { socketPaths: [socketPath] },
          { method: 'GET', path: '/status.json', timeoutMs: statusTimeoutMs },
        ),
      );
    return {
      network,
      directory,
      stateDirectory,
      baseUrl: said.baseUrl,
      authCode: said.authCode,
      consumer,
      command,
      status,
      startAgent: (
        env?: Readonly<Record<string, string>>,
        argv: LabCommand['argv'] = command('run'),
      ) => {
        agent = start(argv, { env: { TRIBUTARY_AUTH_CODE: said.authCode, ...env } });
        return agent;
      },
      async waitForStatus(fits: (status: StatusDocument) => boolean, timeoutMs = 60_000) {
        const deadlineMs = performance.now() + timeoutMs;
        let last = 'it does not answer';
        while (performance.now() < deadlineMs && !agent?.hasEnded()) {
          const current = await status().catch(toUndefined());
          if (current !== undefined && fits(current)) return current;
          if (current !== undefined) last = describePhase(current);
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
        const lines = agent?.lines.slice(-3).join(' | ');
        const how = agent?.hasEnded()
          ? 'the agent ended'
          : `waited ${timeoutMs / 1000} s for the agent`;
        throw new LabError(`${how}: ${last} (${lines})`);
      },
      probe: (address: string, port: number) => probeFrom('consumer', address, port),
      probeFrom,
      async runCommand(...args: readonly string[]) {
        const running = start(command(...args));
        const exitCode = await running.exited;
        const said = running.lines.join('\n');
        if (exitCode === 0) return said;
        throw new LabError(`tributary ${args.join(' ')} exited with ${exitCode}: ${said}`);
      },
      startDownload: (bytes: number, limitSeconds: number, onLine?: LabCommand['onLine']) => {
        const url = `http://${addresses.internet}:${webPort}/bytes/${bytes}`;
        return start(network.on('consumer', node, worker, 'download', url, String(limitSeconds)), {
          onLine,
        });
      },
      bridgePage: (socket: string) =>
        start(network.on('device', node, worker, 'bridge', socket, '9469')).waitForLine(
          (line) => line === 'listening',
        ),
      async restartService() {
        service = startService();
        await service.waitForLine((line) => /^\{.*"baseUrl"/.test(line));
      },
      service: () => service,
      remove: removeAll,
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}

/** The result of a download that has ended. @throws LabError */
export async function waitForDownload(running: LabProcess) {
  return download.parse(
    JSON.parse(await running.waitForLine((line) => line.includes('"isWhole"'), 120_000)),
  );
}

const describePhase = ({ phase, reasons: [reason] }: StatusDocument): string =>
  `it is ${phase}${reason === undefined ? '' : `: ${reason.message}`}`;
