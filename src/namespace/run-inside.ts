import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, readFile, rmdir } from 'node:fs/promises';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { TributaryError, toUndefined } from '../lib/errors.ts';
import { exec } from '../system/exec.ts';
import { isThere, removeFile } from '../system/files.ts';
import { findHostHardware, isBitSet, isNetworkAdmin } from '../system/host-hardware.ts';
import { createRestoreFile } from '../system/restore-file.ts';
import { sayOnSetAside } from '../system/state-file.ts';
import { namespaceName } from './plan.ts';
import {
  bringNamespaceUp,
  checkNamespaceIsFree,
  type NamespaceHost,
  takeNamespaceDown,
} from './up.ts';

/**
 * Outside of a namespace that the agent may change: makes one, runs the agent in it and cleans up;
 * its exit code. undefined: this namespace is the agent's own already, go on here.
 * @throws host-namespace, not-allowed, gateway-failed
 */
export async function runInside(
  loaded: LoadedConfig,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number | undefined> {
  const hardware = await findHostHardware(exec);
  const means = await observeMeans(environment);
  if (hardware === undefined && (means.isRoot || !means.hasPasta || (await isNetworkAdmin())))
    return undefined;
  const way = chooseWayIn(means, [
    process.execPath,
    ...process.execArgv,
    ...argv,
    '--own-namespace',
  ]);
  const why =
    hardware === undefined
      ? 'this user may not change the network here'
      : `${hardware} is this host's`;
  process.stderr.write(`tributary: ${why}; going on in a network namespace of its own\n`);
  // In there everybody is user 0 and /run is another: the commands outside look where they would
  // without it.
  const inside = { ...environment, TRIBUTARY_STATUS_SOCKET: loaded.socketPaths[0] };
  if (way.kind === 'pasta') {
    const exitCode = await runToEnd(way.argv, inside, passToAgent);
    await waitForAgent(loaded.stateDirectory);
    return exitCode;
  }
  const host = openNamespaceHost();
  await checkNamespaceIsFree(exec);
  try {
    const uplink = await bringNamespaceUp(host, loaded.waysOut);
    // Nothing would fit the namespace to an uplink that comes later.
    if (uplink === undefined) {
      const message = 'making the namespace: this host has no default route yet; connect it first';
      throw new TributaryError('gateway-failed', message);
    }
    return await runToEnd(way.argv, inside);
  } finally {
    await takeNamespaceDown(host);
  }
}

const lastBreathSeconds = 15;

/**
 * pasta ends at a signal from the terminal before the agent has: its lock says when that is done
 * too.
 */
async function waitForAgent(stateDirectory: string): Promise<void> {
  const args = ['-w', `${lastBreathSeconds}`, join(stateDirectory, 'agent.lock'), 'true'];
  await exec({ program: 'flock', args, doing: 'waiting for the agent', timeoutMs: 20_000 }).catch(
    toUndefined(),
  );
}

/** What the namespace's commands work with; settings of the host are kept in `directory` alone. */
export function openNamespaceHost(directory = '/run/tributary-netns'): NamespaceHost {
  // Only root writes there, and what is kept lasts as long as the settings that it is about: until
  // the host restarts.
  return {
    exec,
    restore: createRestoreFile(directory, 'host-restore', sayOnSetAside(process.stderr)),
    async forget() {
      await removeFile(join(directory, 'host-restore.json'));
      // systemd's check keeps notes of its own there.
      await rmdir(directory).catch(() => undefined);
    },
  };
}

/**
 * Runs a command with our own standard streams, passes on the signals that we get, and waits for
 * its end.
 */
async function runToEnd(
  [program, ...args]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  passOn: (child: ChildProcess, signal: NodeJS.Signals) => Promise<unknown> = async (
    child,
    signal,
  ) => child.kill(signal),
): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: environment });
  // A process that has ended needs no signal.
  const pass = (signal: NodeJS.Signals) => void passOn(child, signal).catch(() => undefined);
  // A terminal sends Ctrl-C to the child too; this process must not end before it.
  const wait = () => undefined;
  process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', wait);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGTERM', pass).off('SIGHUP', pass).off('SIGINT', wait);
  return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}

/**
 * Signals the agent, pasta's one child: pasta itself would end at once, and take the network away
 * too early.
 */
export async function passToAgent(
  pasta: Pick<ChildProcess, 'pid' | 'kill'>,
  signal: NodeJS.Signals,
): Promise<void> {
  const agent = await findAgent(`/proc/${pasta.pid}/task/${pasta.pid}/children`);
  if (agent === undefined) return void pasta.kill(signal);
  // The first process of a process namespace loses signals that it does not listen to yet.
  // SIGHUP is the agent's last handler, and Node alone catches only others.
  const status = await readFile(`/proc/${agent}/status`, 'utf8');
  const isListening = isBitSet(status, 'SigCgt', os.constants.signals.SIGHUP - 1);
  if (isListening) process.kill(agent, signal);
  else if (signal !== 'SIGHUP') process.kill(agent, 'SIGKILL');
}

const birthMs = 2_000;

/** The process; undefined where it did not come, or where the kernel does not list children. */
async function findAgent(listOfChildren: string): Promise<number | undefined> {
  const deadlineMs = performance.now() + birthMs;
  while (performance.now() < deadlineMs) {
    const processId = Number.parseInt(await readFile(listOfChildren, 'utf8').catch(() => ''), 10);
    if (processId > 0) return processId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}

export type Means = Awaited<ReturnType<typeof observeMeans>>;

/**
 * How a command gets into a namespace of the agent's own, by these means.
 * @throws host-namespace where neither works
 */
export function chooseWayIn(means: Means, command: readonly string[]) {
  // Should this process be killed, the agent inside is told to stop as well.
  const tied = ['setpriv', '--pdeathsig', 'TERM', ...command];
  if (means.isRoot)
    return { kind: 'netns', argv: ['ip', 'netns', 'exec', namespaceName, ...tied] } as const;
  const inPasta = ['unshare', '--mount', 'sh', '-c', pastaScript, 'sh', ...tied];
  if (means.hasPasta)
    return { kind: 'pasta', argv: ['pasta', ...pastaOptions, ...inPasta] } as const;
  const message =
    "this is the host's own network namespace, and the agent changes none but its own: run it with sudo, or install pasta (apt-get install passt)";
  throw new TributaryError('host-namespace', message);
}

/**
 * Neither the host's loopback (--no-map-gw) nor a port is led across: the agent is asked through
 * its socket.
 */
const pastaOptions = [
  '--config-net',
  '--quiet',
  '--foreground',
  '--no-map-gw',
  ...['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none'],
  '--',
];

/**
 * A private /run: the host's, and the /run/wireguard that wireguard-go wants and an ordinary user
 * cannot make.
 */
const pastaScript = [
  'set -e',
  // A place that everybody has; nothing is left there, also where this is cut short.
  'new=/tmp',
  'mount -n -t tmpfs -o mode=755 tmpfs "$new"',
  'for entry in /run/*; do',
  '  name=$(basename "$entry")',
  '  if [ "$name" = wireguard ] || [ ! -r "$entry" ]; then continue',
  '  elif [ -d "$entry" ]; then mkdir "$new/$name" && mount -n --rbind "$entry" "$new/$name"',
  '  elif [ -f "$entry" ] || [ -S "$entry" ]; then : >"$new/$name" && mount -n --bind "$entry" "$new/$name"; fi',
  'done',
  'mkdir "$new/wireguard"',
  'mount -n --move "$new" /run',
  // A resolver on the host's loopback is out of reach in there; the servers that systemd's asks are
  // not.
  'servers=/run/systemd/resolve/resolv.conf',
  'if [ -r $servers ] && grep -q "^nameserver 127[.]" /etc/resolv.conf; then mount -n --bind $servers /etc/resolv.conf; fi',
  // nft is not where Debian lets ordinary users look.
  'PATH=$PATH:/usr/sbin:/sbin',
  'exec "$@"',
].join('\n');

export async function observeMeans(environment: NodeJS.ProcessEnv) {
  const folders = [...(environment.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  const found = await Promise.allSettled(
    folders.map((folder) => access(join(folder, 'pasta'), constants.X_OK)),
  );
  return {
    isRoot: process.geteuid?.() === 0,
    hasPasta: found.some(({ status }) => status === 'fulfilled'),
  };
}

/**
 * What it printed in there; undefined: this namespace is it.
 * @throws host-namespace, not-allowed, command-failed
 */
export async function planInside(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const hardware = await findHostHardware(exec);
  if (hardware === undefined) {
    if (await isNetworkAdmin()) return undefined;
    const message = 'reading the firewall takes the right over this network (CAP_NET_ADMIN)';
    throw new TributaryError('not-allowed', message);
  }
  if (process.geteuid?.() !== 0) {
    const message = `${hardware} is this host's: the agent has a network namespace of its own, into which only root may look`;
    throw new TributaryError('not-allowed', message);
  }
  if (!(await isThere(`/run/netns/${namespaceName}`))) {
    const message = `${hardware} is this host's, and the agent's own network namespace is not there yet: sudo tributary namespace up`;
    throw new TributaryError('host-namespace', message);
  }
  const given = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const args = ['netns', 'exec', namespaceName, process.execPath, ...argv, '--own-namespace'];
  return exec({
    program: 'ip',
    args,
    env: Object.fromEntries(given),
    doing: "planning in the agent's namespace",
  });
}
