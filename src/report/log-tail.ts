/** A line of the log, with the time at which it was written. */
export interface LogLine {
  readonly at: Date;
  /** Without the time, and without the priority that the journal reads from it. */
  readonly text: string;
}

/** The log's last lines, kept in memory for the page, beside where the log goes. */
export interface LogTail {
  write(line: string): void;
  /** The newest last. */
  lines(): readonly LogLine[];
}

const mostLines = 100;
const longestLine = 400;
const priorities: Readonly<Record<string, string>> = { 3: 'error', 4: 'warn ', 6: 'info ' };

export function createLogTail(output: { write(line: string): unknown }, now: () => Date): LogTail {
  let kept: readonly LogLine[] = [];
  return {
    write(line) {
      output.write(line);
      const text = line
        .replace(/^<(\d)>/, (_, priority: string) => `${priorities[priority] ?? 'debug'} `)
        .replace(/^\d\d:\d\d:\d\d /, '')
        .trimEnd()
        .slice(0, longestLine);
      kept = [...kept.slice(1 - mostLines), { at: now(), text }];
    },
    lines: () => kept,
  };
}
