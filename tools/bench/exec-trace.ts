/** One try to start a program, seen by strace. */
export interface ExecAttempt {
  readonly pid: number;
  /** In seconds since 1970. */
  readonly atSeconds: number;
  readonly path: string;
  /** False where the file is missing, and the next folder of PATH is tried. */
  readonly isStarted: boolean;
}

/** Reads what `strace -f -ttt -e trace=execve -o FILE` wrote. */
export function parseExecTrace(text: string): readonly ExecAttempt[] {
  const unfinished = new Map<number, { readonly atSeconds: number; readonly path: string }>();
  return text.split('\n').flatMap((line): readonly ExecAttempt[] => {
    const [, pidText, seconds, rest = ''] = /^(\d+)\s+(\d+\.\d+) (.*)$/.exec(line) ?? [];
    if (pidText === undefined) return [];
    const pid = Number(pidText);
    const isStarted = / = 0$/.test(rest);
    const path = /^execve\("((?:[^"\\]|\\.)*)"/.exec(rest)?.[1];
    const begun = path === undefined ? unfinished.get(pid) : { atSeconds: Number(seconds), path };
    if (begun === undefined || !/^(execve\(|<\.\.\. execve resumed>)/.test(rest)) return [];
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(pid, begun);
      return [];
    }
    unfinished.delete(pid);
    return [{ pid, ...begun, isStarted }];
  });
}

/** How often each program was started, the most frequent first. */
export function countPrograms(attempts: readonly ExecAttempt[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { path, isStarted } of attempts) {
    const name = path.replace(/.*\//, '');
    if (isStarted) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].toSorted(([, one], [, other]) => other - one));
}
