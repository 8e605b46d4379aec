import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMachine, type Machine, workingDirectory } from './machine.ts';
import { buildProgram } from './program.ts';
import { type Stage, setStage } from './stage.ts';

/** The boards by name, with their addresses. */
export const boards = { attic: '192.168.71.10', shed: '192.168.72.10' } as const;
export type Board = keyof typeof boards;

/**
 * Two booted machines that can be reached by ssh, the service that they register at, and a place to
 * run Ansible.
 */
export interface Fleet {
  readonly directory: string;
  /** The file of the private key that the boards know. */
  readonly key: string;
  readonly stage: Stage;
  /** Runs words of a shell where the service is: what they said. @throws Error */
  inWorld(words: string): Promise<string>;
  /** Runs words of a shell on a board, as root: what they said. @throws Error */
  ssh(board: Board, words: string): Promise<string>;
  remove(): Promise<void>;
}

/** Starts it; what was made goes with `remove`. */
export async function startFleet(): Promise<Fleet> {
  const directory = await mkdtemp(
    join(process.env.TRIBUTARY_SYSTEMS_DIRECTORY ?? tmpdir(), 'tributary-fleet-'),
  );
  const world = join(directory, 'world');
  const dist = await buildProgram();
  const place = { node: process.execPath, dist, world };
  const stage = await setStage({
    ...place,
    HOME: directory,
    ANSIBLE_CONFIG: join(directory, 'ansible.cfg'),
    PATH: process.env.PATH ?? '',
  });
  const key = join(directory, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await writeFile(
    join(directory, 'ansible.cfg'),
    '[defaults]\nhost_key_checking = False\nforks = 10\n',
  );
  const inWorld = (words: string) =>
    stage.run(['bash', '-c', `set -eu; . ${import.meta.dirname}/world.sh; ${words}`]);
  await mkdir(world);
  await stage.run(['bash', '-eu', join(import.meta.dirname, 'fleet.sh')]);
  const booted = await Promise.all(
    Object.keys(boards).map(async (_, index) =>
      bootBoard(stage, `board-${index + 1}`, await readFile(`${key}.pub`, 'utf8')),
    ),
  );
  const ssh = (board: Board, words: string) => {
    const options = [
      '-i',
      key,
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
      '-o',
      'LogLevel=ERROR',
    ];
    return stage.run(['ssh', ...options, `root@${boards[board]}`, words], 'internet');
  };
  return {
    directory,
    key,
    stage,
    inWorld,
    ssh,
    async remove() {
      await Promise.allSettled(
        (Object.keys(boards) as Board[]).map((board) => ssh(board, 'touch ~/done')),
      );
      await Promise.allSettled(booted.map(({ ended }) => ended));
      await stage[Symbol.asyncDispose]();
      await Promise.all([
        ...booted.map(({ machine }) => machine.remove()),
        rm(directory, { recursive: true, force: true }),
        rm(dist, { recursive: true, force: true }),
      ]);
    },
  };
}

async function bootBoard(stage: Stage, network: string, publicKey: string) {
  const packages = ['openssh-server', 'python3', 'python3-apt'];
  const place = {
    network: `/run/netns/${network}`,
    run: (command: readonly string[]) => stage.run(command),
  };
  const machine: Machine = await createMachine({ suite: 'bookworm', packages }, place);
  await machine.writeFile(join(workingDirectory, '.ssh/authorized_keys'), publicKey, 0o600);
  // Nobody answers there, neither for names nor for packages.
  await machine.writeFile('/etc/resolv.conf', '');
  await machine.writeFile('/etc/apt/sources.list', '');
  const ended = machine.boot(script, 1_800_000).catch(() => undefined);
  return { machine, ended };
}

/** What nspawn makes writable for a network of its own, but not for one that it is handed. */
const script = `
mount --bind /proc/sys/net /proc/sys/net && mount -o remount,bind,rw /proc/sys/net
systemctl start ssh
until [ -e done ]; do sleep 0.2; done
`;
