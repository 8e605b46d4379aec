import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { toUndefined } from '../../src/errors/codes.ts';
import type { ProfileName } from '../../src/service/profiles.ts';
import { type StatusDocument, statusDocument } from '../../src/status/document.ts';
import { askAgent } from '../../src/status/socket-client.ts';
import { LabError } from './lab-error.ts';
import { addresses, createLabNetwork, type HostName, labInternet } from './network.ts';
import { type LabCommand, type LabProcess, startProcess } from './processes.ts';
import { listServiceArguments } from './service-arguments.ts';
import { startConsumer } from './start-consumer.ts';

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
export type Lab = Awaited<ReturnType<typeof createLab>>;

/** In ms: a busy machine answers late, and that is no fault of the agent's. */
const statusTimeoutMs = 30_000;
export const webPort = 80;

const firstLine = z.object({ baseUrl: z.string(), authCode: z.string() });

/** Makes the lab and starts everything in it except the agent. @throws LabError */
export async function createLab(options: LabOptions) {
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
  const startService = () =>
    start(
      network.on(
        'proxy',
        node,
        program,
        'sandbox',
        '--json',
        ...listServiceArguments(options, directory),
      ),
    );
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
      /** undefined where the consumer comes by the tunnel. */
      consumer,
      command,
      status,
      /** By default the built program's `run`. */
      startAgent: (
        env?: Readonly<Record<string, string>>,
        argv: LabCommand['argv'] = command('run'),
      ) => {
        agent = start(argv, { env: { TRIBUTARY_AUTH_CODE: said.authCode, ...env } });
        return agent;
      },
      /**
       * Waits until the status fits. The error has the reason that the status gives otherwise.
       * @throws LabError
       */
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
      /**
       * Runs a command of the program on the device to its end, and resolves with its output.
       * @throws LabError if it does not exit with 0
       */
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

/** The configuration as JSON, which is YAML too. */
function renderConfig(options: LabOptions, baseUrl: string, socketPath: string): string {
  const own: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    service: { base_url: baseUrl, profile: options.profile, allow_insecure_http: true },
    device: { description: `lab device ${options.id}` },
    tunnel: { interface: `trib-${options.id}` },
    connect: { interface: `tribc-${options.id}` },
    // Its consumer is a stranger to the device, as most consumers are.
    provide: { mode: 'public' },
    gateway: { allow_destinations: [labInternet] },
    status: { listen: '127.0.0.1:9469', socket: socketPath },
  };
  const names = Object.keys({ ...own, ...options.config });
  const merged = names.map((name) => [name, { ...own[name], ...options.config?.[name] }]);
  return JSON.stringify({ source: options.source, ...Object.fromEntries(merged) }, null, 2);
}

const describePhase = ({ phase, reasons: [reason] }: StatusDocument): string =>
  `it is ${phase}${reason === undefined ? '' : `: ${reason.message}`}`;
