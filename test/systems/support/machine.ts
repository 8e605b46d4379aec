import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';
import { makeTree, ownArchitecture, type TreeOptions } from './tree.ts';

/** What a script said, both streams, and its exit code. */
interface Ended {
  readonly exitCode: number;
  readonly text: string;
}

/**
 * A Debian machine: a tree that nobody writes to, and what this machine changed. It keeps that from
 * boot to boot.
 */
export interface Machine {
  /** Copies a file or a folder of this machine to the place in that one. */
  copyIn(from: string, to: string): Promise<void>;
  /** Default mode: 0644. */
  writeFile(path: string, text: string, mode?: number): Promise<void>;
  /**
   * Boots it with systemd as process 1, in a container whose network is a loopback alone, runs the
   * script (bash, as root) once it is up, and powers it off. @throws command-failed with the end of
   * the console where it does not boot, or takes several times the limit
   */
  boot(script: string, limitMs?: number): Promise<Ended>;
  /**
   * Like `boot`, but in a virtual machine on Debian's own kernel; the tree needs
   * linux-image-cloud-… of its architecture. The machine forgets its changes.
   */
  bootVirtual(script: string, limitMs?: number): Promise<Ended>;
  remove(): Promise<void>;
}

/**
 * Scripts wait for what they are about, and say what they waited for in vain. This only ends one
 * that says nothing more, where other work may make the machine several times slower.
 */
const generosity = 4;

/** Where in the machine its scripts run. */
export const workingDirectory = '/root';

/** Where a machine boots. */
export interface Place {
  /** Runs a command there to its end. */
  run(command: readonly string[]): Promise<unknown>;
  /**
   * The path of the network namespace that is the machine's; undefined: it has a loopback alone.
   */
  readonly network?: string;
}

/**
 * A machine of its own on the tree with these packages, which is made where it is not cached.
 * @throws command-failed
 */
export async function createMachine(options: TreeOptions, place?: Place): Promise<Machine> {
  const tree = await makeTree(options);
  const directory = await mkdtemp(
    join(process.env.TRIBUTARY_SYSTEMS_DIRECTORY ?? tmpdir(), 'tributary-machine-'),
  );
  const changes = join(directory, 'changes');
  await Promise.all(
    ['changes', 'overlay', 'root'].map((name) => mkdir(join(directory, name), { mode: 0o755 })),
  );
  await chmod(directory, 0o755);
  const write = async (path: string, text: string, mode = 0o644) => {
    const place = join(changes, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
    await chmod(place, mode);
  };
  const boot = async (program: string, script: string, limitMs: number): Promise<Ended> => {
    await write(join(workingDirectory, 'check'), script, 0o755);
    const { architecture = ownArchitecture } = options;
    const args = [tree, directory, String(Math.ceil(limitMs / 1000)), architecture];
    const command = ['sh', join(import.meta.dirname, program), ...args];
    const network = place?.network === undefined ? [] : [`network=${place.network}`];
    // Its own limit ends it in good order before this one does.
    await (place?.run(['env', ...network, ...command]) ??
      exec({
        program: 'env',
        args: command,
        doing: 'booting a machine',
        timeoutMs: limitMs + 60_000,
      }));
    return {
      text: await read(directory, 'said'),
      exitCode: Number(await read(directory, 'exit-code')),
    };
  };
  return {
    writeFile: write,
    async copyIn(from, to) {
      const place = join(changes, to);
      await mkdir(dirname(place), { recursive: true });
      await cp(from, place, { recursive: true, verbatimSymlinks: true });
    },
    boot: (script, limitMs = 180_000) => boot('boot.sh', script, limitMs * generosity),
    bootVirtual: (script, limitMs = 420_000) => boot('boot-virtual.sh', script, limitMs),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/**
 * On an emulated machine the agent's start alone may take more than the minute that systemd gives
 * it, which no real one is slow enough for.
 */
export async function beSlow(machine: Machine): Promise<void> {
  for (const unit of ['tributary.service', 'tributary-netns.service'])
    await machine.writeFile(
      `/etc/systemd/system/${unit}.d/patience.conf`,
      '[Service]\nTimeoutStartSec=1800\nTimeoutStopSec=600\nWatchdogSec=600\n',
    );
}

function read(directory: string, name: string): Promise<string> {
  return readFile(join(directory, name), 'utf8');
}
