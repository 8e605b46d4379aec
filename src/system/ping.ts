import { SystemError, toFailure } from './errors.ts';
import type { Exec } from './exec.ts';
import { findHostHardware } from './host-hardware.ts';
import type { KeepProgram, KeptProgram } from './kept-program.ts';
import { type PingSaid, readPingLine } from './ping-line.ts';
import { findLoader } from './program-loader.ts';
import { readSysctl, writeSysctl } from './sysctl.ts';

/** A ping that may be used here. */
export interface Ping {
  /**
   * What answered a packet that may cross `hops` routers; undefined where nothing did within a
   * second.
   */
  ask(address: string, hops: number, signal: AbortSignal): Promise<PingSaid | undefined>;
  /**
   * Asks the address twice a second until the signal aborts, and hears of each line. A ping that
   * ends is started again, each time a little later.
   */
  keepAsking(
    address: string,
    onLine: (said: PingSaid | undefined) => void,
    signal: AbortSignal,
  ): void;
}

/** Why ping cannot be used. */
export interface NoPing {
  readonly problem: 'missing' | 'not-allowed';
  /** What the system said. */
  readonly message: string;
}

export interface PingParts {
  readonly exec: Exec;
  readonly keepProgram: KeepProgram;
  /** Lets a group ping; by default in this network namespace. */
  readonly allowGroup?: ((group: number) => Promise<void>) | undefined;
  readonly findLoader?: typeof findLoader | undefined;
}

/** A ping that is told to wait a second for its answer has ended by then (ms). */
const askWithinMs = 2_000;
/**
 * A ping that outlived a killed agent ends after this time (s); one that is still wanted
 * is started again then.
 */
const longestSeconds = 3_600;

/**
 * A ping that really sends and hears here, or why ping cannot be used. Where the program
 * may not open its socket, its group is allowed to, in the agent's own network alone.
 */
export async function findPing(parts: PingParts): Promise<Ping | NoPing> {
  const { exec, keepProgram } = parts;
  const first = ['ping'];
  let failure = await tryOut(exec, first);
  if (failure === undefined) return createPing(keepProgram, first);
  if (failure.code === 'missing-program') return { problem: 'missing', message: failure.message };
  let argv: readonly string[] = first;
  // Its file may give it a right that nobody may have here.
  const loader = failure.message.includes('(EPERM)')
    ? await (parts.findLoader ?? findLoader)('ping').catch(() => undefined)
    : undefined;
  if (loader !== undefined) {
    argv = loader;
    failure = await tryOut(exec, argv);
  }
  if (failure !== undefined) {
    const allow = parts.allowGroup ?? ((group) => allowGroupHere(exec, group));
    await allow(process.getegid?.() ?? 0).catch(() => undefined);
    failure = await tryOut(exec, argv);
  }
  return failure === undefined
    ? createPing(keepProgram, argv)
    : { problem: 'not-allowed', message: failure.message };
}

/** Asks this machine itself. */
async function tryOut(exec: Exec, argv: readonly string[]): Promise<SystemError | undefined> {
  const [program = '', ...args] = [...argv, '-n', '-c', '1', '-W', '1', '127.0.0.1'];
  const trial = exec({ program, args, doing: 'trying ping', timeoutMs: 3_000 });
  const outcome = await trial.catch(toFailure('missing-program', 'command-failed'));
  return outcome instanceof SystemError ? outcome : undefined;
}

/** @throws not-allowed */
async function allowGroupHere(exec: Exec, group: number): Promise<void> {
  // Where there is hardware the network is the host's, whose settings are left alone.
  if ((await findHostHardware(exec)) !== undefined) return;
  const path = 'net/ipv4/ping_group_range';
  const range = widenGroups(await readSysctl(path), group);
  if (range !== undefined) await writeSysctl(path, range);
}

/**
 * Pure. The range of groups that has this one too, and all of the present one: it may be another
 * program's. undefined where nothing has to change: ping fails for another reason then.
 */
export function widenGroups(present: string | undefined, group: number): string | undefined {
  const [first, last] = (present ?? '').split(/\s+/).map(Number);
  if (first === undefined || last === undefined) return undefined;
  if (first <= group && group <= last) return undefined;
  // The kernel's words for nobody are a range that ends before it begins.
  return first > last ? `${group} ${group}` : `${Math.min(first, group)} ${Math.max(last, group)}`;
}

function createPing(keepProgram: KeepProgram, argv: readonly string[]): Ping {
  const start = (
    args: readonly string[],
    heard: Pick<KeptProgram, 'onLine' | 'onReturn'>,
    signal: AbortSignal,
  ) => {
    // In the owner's locale it would translate what it prints.
    const words = ['LC_ALL=C', ...argv, '-n', '-W', '1', ...args];
    return keepProgram({ program: 'env', args: words, ...heard }, signal);
  };
  return {
    async ask(address, hops, signal) {
      const over = new AbortController();
      const end = () => over.abort();
      let said: PingSaid | undefined;
      const onLine = (line: string) => {
        said ??= readPingLine(line);
        if (said !== undefined) end();
      };
      if (signal.aborted) end();
      signal.addEventListener('abort', end, { once: true });
      const late = setTimeout(end, askWithinMs);
      const args = ['-c', '1', '-t', `${hops}`, address];
      await start(args, { onLine, onReturn: end }, over.signal).ended;
      clearTimeout(late);
      signal.removeEventListener('abort', end);
      return said;
    },
    keepAsking(address, onLine, signal) {
      const heard = {
        onLine: (line: string) => onLine(readPingLine(line)),
        onReturn: () => undefined,
      };
      start(['-i', '0.5', '-w', `${longestSeconds}`, address], heard, signal);
    },
  };
}
