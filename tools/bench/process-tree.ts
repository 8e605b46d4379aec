import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One process, from `/proc/PID/stat`. */
export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** Processor time of this process and of its children that have ended, in seconds of one core. */
  readonly cpuSeconds: number;
  /** The part of `cpuSeconds` that the ended children used. */
  readonly endedSeconds: number;
}

/** What a program and the programs that it keeps running have used. */
export interface TreeUse {
  readonly cpuSeconds: number;
  /** Used by the program itself and its ended children; the rest is its living children's. */
  readonly ownCpuSeconds: number;
  /** Resident, KiB, shared pages divided among their users. */
  readonly kilobytes: number;
  readonly ownKilobytes: number;
  /**
   * The part of `kilobytes` that is of no file. Under pressure the kernel gives the rest to others,
   * and reads it again from the file when it is used.
   */
  readonly anonymousKilobytes: number;
  /** The kept programs, by name. */
  readonly kept: readonly string[];
}

/** What a process that is at rest has done until now. */
export interface Wakes {
  /** Of its own thread, each time that it waited. */
  readonly own: number;
  /** Of all its threads. */
  readonly all: number;
}

/** This value is the same on every Linux: sysconf(_SC_CLK_TCK). */
const ticksPerSecond = 100;

/**
 * Reads a line of `/proc/PID/stat`; a program's name may hold blanks and parentheses. undefined for
 * any other text.
 */
export function parseStat(line: string): ProcessStat | undefined {
  const [, pid, name = '', rest = ''] = /^(\d+) \((.*)\) (.*)$/s.exec(line) ?? [];
  const fields = rest.trim().split(' ').map(Number);
  if (pid === undefined || fields.length < 15) return undefined;
  // `rest` begins after the name, with state, ppid, …; utime, stime, cutime and cstime are fields
  // 14 to 17 of the whole line.
  const toSeconds = (ticks: readonly number[]) =>
    ticks.reduce((sum, count) => sum + count, 0) / ticksPerSecond;
  return {
    pid: Number(pid),
    name,
    parent: fields[1] ?? 0,
    cpuSeconds: toSeconds(fields.slice(11, 15)),
    endedSeconds: toSeconds(fields.slice(13, 15)),
  };
}

/** The process and its descendants, the process first. */
export function selectTree(
  processes: readonly ProcessStat[],
  root: number,
): readonly ProcessStat[] {
  const below = (pid: number): readonly ProcessStat[] =>
    processes
      .filter(({ parent }) => parent === pid)
      .flatMap((child) => [child, ...below(child.pid)]);
  return [...processes.filter(({ pid }) => pid === root), ...below(root)];
}

/**
 * What a process and its descendants have used until now. A daemon that left its parent, as
 * wireguard-go does, is not counted.
 */
export function readTreeUse(root: number): TreeUse {
  const tree = selectTree(readProcesses(), root);
  const [own, ...kept] = tree;
  const ownCpuSeconds = own?.cpuSeconds ?? Number.NaN;
  const ownKilobytes = readKilobytes(root);
  return {
    ownCpuSeconds,
    cpuSeconds: kept.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, ownCpuSeconds),
    ownKilobytes,
    kilobytes: kept.reduce((sum, { pid }) => sum + readKilobytes(pid), ownKilobytes),
    anonymousKilobytes: tree.reduce((sum, { pid }) => sum + readKilobytes(pid, 'Pss_Anon'), 0),
    kept: kept.map(({ name }) => name),
  };
}

/** Lets the kernel forget which of their pages a process and its descendants have used. */
export function forgetUse(root: number): void {
  for (const { pid } of selectTree(readProcesses(), root))
    writeFileSync(`/proc/${pid}/clear_refs`, '1');
}

/**
 * What a process and its descendants need: pages of no file, and pages of files that were used
 * since `forgetUse` (KiB).
 */
export function readUsedKilobytes(root: number): number {
  return selectTree(readProcesses(), root).reduce(
    (sum, { pid }) =>
      sum +
      readKilobytes(pid, 'Pss_Anon') +
      sumReferencedOfFiles(readOrEmpty(`/proc/${pid}/smaps`)),
    0,
  );
}

/** Of each mapping of a file, less the pages that are copies of their own. */
export function sumReferencedOfFiles(smaps: string): number {
  const mappings = smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).filter((text) => / \//.test(text));
  const read = (text: string, name: string) =>
    Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  return mappings.reduce(
    (sum, text) => sum + Math.max(0, read(text, 'Referenced') - read(text, 'Anonymous')),
    0,
  );
}

/** How often the threads of a process went to sleep, which at rest is how often they were woken. */
export function countWakes(pid: number): Wakes {
  const count = (thread: string) =>
    Number(
      /^voluntary_ctxt_switches:\s+(\d+)/m.exec(
        readOrEmpty(`/proc/${pid}/task/${thread}/status`),
      )?.[1] ?? 0,
    );
  return {
    own: count(String(pid)),
    all: listThreads(pid).reduce((sum, thread) => sum + count(thread), 0),
  };
}

/**
 * Processor time of a process and its descendants, in seconds, to the nanosecond; only of children
 * that have ended to the hundredth. A thread that ends meanwhile is not counted.
 */
export function readExactSeconds(root: number): { readonly all: number; readonly own: number } {
  const seconds = selectTree(readProcesses(), root).map(({ pid, endedSeconds }) =>
    listThreads(pid).reduce(
      (sum, thread) =>
        sum + Number(readOrEmpty(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0) / 1e9,
      endedSeconds,
    ),
  );
  return { all: seconds.reduce((sum, own) => sum + own, 0), own: seconds[0] ?? Number.NaN };
}

function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Every process that can be seen from here. */
export function readProcesses(): readonly ProcessStat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .map((pid) => parseStat(readOrEmpty(`/proc/${pid}/stat`)))
    .filter((found) => found !== undefined);
}

/** The processes of this program, wherever its file is, with this first argument. */
export function findProcesses(program: string, argument: string): readonly ProcessStat[] {
  return readProcesses().filter(({ pid }) => {
    const [path = '', first] = readOrEmpty(`/proc/${pid}/cmdline`).split('\0');
    return basename(path) === program && first === argument;
  });
}

/**
 * How many descendants have ended and are not collected a second later. Node needs a moment for
 * that.
 */
export async function countZombies(root: number): Promise<number> {
  const isZombie = ({ pid }: ProcessStat) =>
    /^\d+ \(.*\) Z /s.test(readOrEmpty(`/proc/${pid}/stat`));
  const find = () => selectTree(readProcesses(), root).filter(isZombie);
  const first = find();
  if (first.length === 0) return 0;
  await sleep(1_000);
  const still = find().map(({ pid }) => pid);
  return first.filter(({ pid }) => still.includes(pid)).length;
}

/** Processor time that ended children of this process used, in seconds of one core. */
export function readEndedSeconds(): number {
  return parseStat(readOrEmpty('/proc/self/stat'))?.endedSeconds ?? Number.NaN;
}

/**
 * Resident memory, with shared pages divided among their users, or the part of it that is of no
 * file (`Pss_Anon`); 0 for a process that has ended.
 */
export function readKilobytes(pid: number, part: 'Pss' | 'Pss_Anon' = 'Pss'): number {
  const text = readOrEmpty(`/proc/${pid}/smaps_rollup`);
  return Number(new RegExp(`^${part}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
}

/** The file's text, or '', because a process may end while it is looked at. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
