import { readdirSync, readFileSync } from 'node:fs';

/** What a process took until now; a figure is undefined where it cannot be read. */
export interface ProcessFigures {
  /** User and system time together. */
  readonly cpuSeconds: number;
  readonly residentBytes: number | undefined;
  readonly openFiles: number | undefined;
  readonly mostFiles: number | undefined;
}

/** What this process took. Never throws: there may be no descriptor left to read with. */
export function readProcessFigures(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: tryRead(() => process.memoryUsage.rss()),
    // The listing itself has one open.
    openFiles: tryRead(() => readdirSync('/proc/self/fd').length - 1),
    mostFiles: tryRead(() => parseMostFiles(readFileSync('/proc/self/limits', 'utf8'))),
  };
}

/** The soft limit of `/proc/PID/limits`; undefined where the number is not limited. */
export function parseMostFiles(limits: string): number | undefined {
  const [, most] = /^Max open files\s+(\d+)\s/m.exec(limits) ?? [];
  return most === undefined ? undefined : Number(most);
}

function tryRead(read: () => number | undefined): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
