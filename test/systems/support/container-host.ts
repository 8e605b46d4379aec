import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { type StatusDocument, statusDocument } from '../../../src/status/document.ts';
import { type HostName, labInternet } from '../../../tools/lab/network.ts';
import { startConsumer } from '../../../tools/lab/start-consumer.ts';
import { findRunArguments } from '../../architecture/container-flags.ts';
import { addOnFolder, buildAddOn, buildImage, prepareImageTools } from './image.ts';
import { type Stage, setStage } from './stage.ts';

const root = join(import.meta.dirname, '../../..');
const dist = join(root, 'dist');
const id = 'image';
const ordinaryUser = 1000;

/**
 * A home server of the lab that runs containers on a bridge of its own, with the image of the
 * project.
 */
export interface ContainerHost extends AsyncDisposable {
  readonly stage: Stage;
  /**
   * A file of an ordinary user, in a folder that is closed to others, with a code for one login.
   */
  writeAuthCode(): Promise<string>;
  /** Runs podman on the host to its end: what it said. */
  podman(...args: readonly string[]): Promise<string>;
  /** Like `podman`, with a file as its standard input. */
  podmanReading(file: string, ...args: readonly string[]): Promise<string>;
  /** A code for one login. */
  makeAuthCode(): Promise<string>;
  /**
   * Builds Home Assistant's add-on on the image, writes these options of its owner, and says how
   * its Supervisor starts it: as the container of the agent.
   */
  prepareAddOn(options: AddOnOptions): Promise<readonly string[]>;
  /** Options of a container beside it, without any privilege, that knows the service. */
  readonly asideOptions: readonly string[];
  /** The documented command, with what only this machine and this lab need. */
  readonly documentedRun: readonly string[];
  /**
   * From now on the consumer's host goes to the Internet by the network's own protocol, and no
   * longer through the tunnel. Resolves when it has found its provider.
   */
  changeConsumer(): Promise<void>;
  /** Runs a command in the container of the agent. @throws Error where it does not exit with 0 */
  inside(...command: readonly string[]): Promise<string>;
  waitForStatus(fits: (status: StatusDocument) => boolean): Promise<StatusDocument>;
  /** What the lab's worker says on a host of the lab. */
  work(host: string, ...args: readonly string[]): Promise<string>;
}

/** What an owner sets in Home Assistant. The service, and what this lab needs, are the host's. */
interface AddOnOptions {
  readonly mode: string;
  readonly auth_code?: string;
}

const firstLine = z.object({ baseUrl: z.string(), directory: z.string() });

/**
 * Builds the image, makes the lab, and runs in it beside the device. Needs root, and `dist` built.
 */
export async function createContainerHost(): Promise<ContainerHost> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-image-'));
  const tools = await prepareImageTools(directory);
  const stage = await setStage(tools.env);
  const remove = async () => {
    await stage[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await buildImage(stage, tools);
    // What the lab keeps goes with the folder.
    const argv = [
      'env',
      `TMPDIR=${directory}`,
      process.execPath,
      join(import.meta.dirname, 'serve-lab.ts'),
      id,
      dist,
    ];
    const lab = stage.start(argv);
    const said = firstLine.parse(
      JSON.parse(await lab.waitForLine((line) => line.startsWith('{'), 60_000)),
    );
    const documented = findRunArguments(await readFile(join(root, 'Dockerfile'), 'utf8'));
    const podman = (...args: readonly string[]) =>
      stage.run([...tools.podman, ...args], `${id}-device`);
    const inside = (...command: readonly string[]) => podman('exec', 'tributary', ...command);
    const order = [
      process.execPath,
      join(dist, 'tributary.cjs'),
      'sandbox',
      'auth-code',
      '--json',
      '--data',
    ];
    const makeAuthCode = async () => {
      const answer = await stage.run([...order, join(said.directory, 'service')], `${id}-proxy`);
      return z.object({ authCode: z.string() }).parse(JSON.parse(answer)).authCode;
    };
    return {
      stage,
      podman,
      inside,
      asideOptions: [
        ...ofThisMachine,
        '--cap-drop',
        'ALL',
        ...toEnvironment(ofTheLab),
        '--env',
        `TRIBUTARY_SERVICE_BASE_URL=${said.baseUrl}`,
      ],
      documentedRun: buildLocalRun(documented, said.baseUrl),
      async changeConsumer() {
        const consumer = await startConsumer({
          network: {
            on: (host, ...command) => ['ip', 'netns', 'exec', `${id}-${host}`, ...command],
            run: (host: HostName, program = 'true', ...args) =>
              stage.run([program, ...args], `${id}-${host}`),
          },
          start: (argv) => stage.start(argv),
          program: join(dist, 'tributary.cjs'),
          ...said,
        });
        await consumer.isReady;
      },
      podmanReading: (file, ...args) =>
        stage.run(['sh', '-c', 'exec "$@" <"$0"', file, ...tools.podman, ...args], `${id}-device`),
      makeAuthCode,
      async prepareAddOn(options) {
        await buildAddOn(stage, tools, join(directory, 'add-on'));
        const data = join(directory, 'data');
        await mkdir(data, { recursive: true });
        const settings = ofTheLab.map(([name, value]) => ({ name, value }));
        const all = { service: said.baseUrl, ...options, settings };
        await writeFile(join(data, 'options.json'), JSON.stringify(all), { mode: 0o600 });
        return buildAddOnRun(data);
      },
      async writeAuthCode() {
        const path = join(directory, 'auth-code');
        await writeFile(path, `${await makeAuthCode()}\n`, { mode: 0o644 });
        await chown(path, ordinaryUser, ordinaryUser);
        return path;
      },
      waitForStatus: (fits) => waitForStatus(() => inside('tributary', 'status', '--json'), fits),
      work: (host, ...args) =>
        stage.run([process.execPath, join(dist, 'worker.cjs'), ...args], `${id}-${host}`),
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * A machine without an init system has neither control groups nor timers for podman, and limits of
 * its own.
 */
export const ofThisMachine: readonly string[] = [
  ...['--cgroups=disabled', '--no-healthcheck'],
  ...['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=4096:4096'],
];

// The lab's service has no TLS, and its Internet consists of documentation ranges.
const ofTheLab = [
  ['TRIBUTARY_SERVICE_ALLOW_INSECURE_HTTP', 'true'],
  ['TRIBUTARY_GATEWAY_ALLOW_DESTINATIONS', labInternet],
] as const;

const toEnvironment = (variables: Iterable<readonly [name: string, value: string]>) =>
  [...variables].flatMap(([name, value]) => ['--env', `${name}=${value}`]);

function buildLocalRun(documented: readonly string[], baseUrl: string): readonly string[] {
  const [image = ''] = documented.slice(-1);
  // Limits that control groups hold.
  const limits = documented.flatMap((word, index) =>
    /^--(memory|pids-limit)$/.test(word) ? [index, index + 1] : [],
  );
  const options = documented
    .slice(0, -1)
    .filter((_word, index) => !limits.includes(index))
    .map((word) => word.replace('https://service.example', baseUrl));
  return ['run', ...ofThisMachine, ...options, ...toEnvironment(ofTheLab), image];
}

/** As the Supervisor makes the container of its description, with the capabilities of Docker. */
async function buildAddOnRun(data: string): Promise<readonly string[]> {
  const text = await readFile(join(addOnFolder, 'config.yaml'), 'utf8');
  const { privileged, tmpfs, environment } = addOnDescription.parse(parse(text));
  const given = { ...environment, SUPERVISOR_TOKEN: 'secret', HASSIO_TOKEN: 'secret' };
  return [
    ...['run', '--detach', '--name', 'tributary', ...ofThisMachine],
    ...privileged.flatMap((name) => ['--cap-add', name]),
    ...['--volume', '/dev:/dev:ro', '--volume', `${data}:/data`],
    ...(tmpfs ? ['--tmpfs', '/tmp'] : []),
    // A container has these of its host: Home Assistant's forwards, because Docker runs on it.
    ...['--sysctl', 'net.ipv4.ip_forward=1', '--sysctl', 'net.ipv4.conf.default.rp_filter=2'],
    ...toEnvironment(Object.entries(given)),
    'add-on',
  ];
}

const addOnDescription = z.object({
  privileged: z.array(z.string()),
  tmpfs: z.boolean(),
  environment: z.record(z.string(), z.string()),
});

async function waitForStatus(
  ask: () => Promise<string>,
  fits: (status: StatusDocument) => boolean,
): Promise<StatusDocument> {
  const deadlineMs = performance.now() + 60_000;
  let last = '';
  while (performance.now() < deadlineMs) {
    last = await ask().catch((error: unknown) => String(error));
    if (last.startsWith('{')) {
      const status = statusDocument.parse(JSON.parse(last));
      if (fits(status)) return status;
      last = `${status.phase}: ${JSON.stringify(status.reasons)}`;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`waited a minute for the agent: ${last.slice(-1500)}`);
}
