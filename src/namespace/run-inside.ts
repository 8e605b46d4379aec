import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rmdir } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { TributaryError, toUndefined } from '../errors/codes.ts';
import { exec } from '../system/exec.ts';
import { isThere, removeFile } from '../system/files.ts';
import { findHostHardware, isBitSet, isNetworkAdmin } from '../system/host-hardware.ts';
import { requestName } from '../system/host-request.ts';
import { createRestoreFile } from '../system/restore-file.ts';
import { sayOnSetAside } from '../system/state-file.ts';
import { forgetOnRequest } from './forget.ts';
import { warnOfNoServer } from './name-servers.ts';
import { namespaceName } from './plan.ts';
import {
  bringNamespaceUp,
  checkNamespaceIsFree,
  type NamespaceHost,
  takeNamespaceDown,
} from './up.ts';
import { chooseWayIn, observeMeans } from './way-in.ts';

/**
 * Outside of a namespace that the agent may change: makes one, runs the agent in it, cleans up, and
 * resolves with its exit code. undefined: this namespace is already the agent's own, and the caller
 * goes on here.
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
  // Inside, every user is user 0 and /run is another folder. So the socket is made where commands
  // outside would look for it without a namespace.
  const inside = { ...environment, TRIBUTARY_STATUS_SOCKET: loaded.socketPaths[0] };
  if (way.kind === 'pasta') {
    const exitCode = await runToEnd(way.argv, inside, passToAgent);
    await waitForAgent(loaded.stateDirectory);
    return exitCode;
  }
  const host = openNamespaceHost();
  await checkNamespaceIsFree(exec);
  try {
    const { uplink, whyNone, nameServers } = await bringNamespaceUp(host, loaded.waysOut);
    // If an uplink came later, nothing would fit the namespace to it.
    if (uplink === undefined) {
      const message =
        whyNone ??
        'this host has no way to the Internet over IPv4 yet, or gateway.uplink names another interface; connect it first';
      throw new TributaryError('gateway-failed', `making the namespace: ${message}`);
    }
    process.stderr.write(warnOfNoServer(nameServers) ?? '');
    using _forgetting = forgetOnRequest(exec, hostDirectory);
    return await runToEnd(way.argv, { ...inside, RUNTIME_DIRECTORY: hostDirectory });
  } finally {
    await takeNamespaceDown(host);
  }
}

const lastBreathSeconds = 15;

/**
 * At a signal from the terminal pasta ends before the agent has ended. The agent's lock tells when
 * it has.
 */
async function waitForAgent(stateDirectory: string): Promise<void> {
  const args = ['-w', `${lastBreathSeconds}`, join(stateDirectory, 'agent.lock'), 'true'];
  await exec({ program: 'flock', args, doing: 'waiting for the agent', timeoutMs: 20_000 }).catch(
    toUndefined(),
  );
}

const hostDirectory = '/run/tributary-netns';

/**
 * The host's side for the namespace's commands. Settings of the host are kept in `directory` alone.
 */
export function openNamespaceHost(directory = hostDirectory): NamespaceHost {
  // Only root writes there. What is kept lasts as long as the settings that it is about: until the
  // host restarts.
  return {
    exec,
    restore: createRestoreFile(directory, 'host-restore', sayOnSetAside(process.stderr)),
    async forget() {
      await removeFile(join(directory, 'host-restore.json'));
      await removeFile(join(directory, requestName));
      // systemd's check keeps files of its own in this folder.
      await rmdir(directory).catch(() => undefined);
    },
  };
}

/** Runs a command with our own standard streams, passes signals on to it, and waits for its end. */
async function runToEnd(
  [program, ...args]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  passOn: (child: ChildProcess, signal: NodeJS.Signals) => Promise<unknown> = async (
    child,
    signal,
  ) => child.kill(signal),
): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: environment });
  // A process that has ended needs no signal, so a failure means nothing.
  const pass = (signal: NodeJS.Signals) => void passOn(child, signal).catch(() => undefined);
  // A terminal sends Ctrl-C to the child as well, and this process must not end before the child.
  const wait = () => undefined;
  process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', wait);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGTERM', pass).off('SIGHUP', pass).off('SIGINT', wait);
  return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}

/**
 * Signals the agent, pasta's only child. pasta itself would end at once, and take the network away
 * too early.
 */
export async function passToAgent(
  pasta: Pick<ChildProcess, 'pid' | 'kill'>,
  signal: NodeJS.Signals,
): Promise<void> {
  const agent = await findAgent(`/proc/${pasta.pid}/task/${pasta.pid}/children`);
  if (agent === undefined) return void pasta.kill(signal);
  // The first process of a process namespace loses signals that it does not handle yet. SIGHUP is
  // the agent's last handler, and plain Node handles only others.
  const status = await readFile(`/proc/${agent}/status`, 'utf8');
  const isListening = isBitSet(status, 'SigCgt', os.constants.signals.SIGHUP - 1);
  if (isListening) process.kill(agent, signal);
  else if (signal !== 'SIGHUP') process.kill(agent, 'SIGKILL');
}

const birthMs = 2_000;

/**
 * The agent's process id; undefined where it did not appear in time, or where the kernel does not
 * list children.
 */
async function findAgent(listOfChildren: string): Promise<number | undefined> {
  const deadlineMs = performance.now() + birthMs;
  while (performance.now() < deadlineMs) {
    const processId = Number.parseInt(await readFile(listOfChildren, 'utf8').catch(() => ''), 10);
    if (processId > 0) return processId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}

/**
 * Runs `plan` inside the namespace and resolves with what it printed; undefined where this
 * namespace is already the agent's own.
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
