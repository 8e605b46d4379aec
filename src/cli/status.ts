import type { Command } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import { type StatusDocument, statusDocument } from '../status/document.ts';
import { askAgent } from '../status/socket-client.ts';
import { renderStatus, type Tone } from '../status/text.ts';
import type { CommandContext, PathOptions } from './context.ts';

const styles: Readonly<Record<Exclude<Tone, 'plain'>, 'green' | 'yellow' | 'red'>> = {
  good: 'green',
  warning: 'yellow',
  bad: 'red',
};

interface StatusOptions extends PathOptions {
  readonly json?: boolean;
  /** True: as often as it is by default. */
  readonly watch?: string | true;
}

const defaultWatchSeconds = 2;
const longestWatchSeconds = 3600;

/** `tributary status [--watch [seconds]] [--json]`. @throws usage-invalid, not-running, not-allowed */
export function registerStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('what the agent is doing, why, and what you can do about it')
    .option('--watch [seconds]', `again and again until Ctrl-C, every ${defaultWatchSeconds} seconds unless you say`)
    .option('--json', 'one JSON object, version 1; with --watch one on each line')
    .action(async (options: StatusOptions, command: Command) => {
      const socketPaths = await context.resolveSocketPaths(command.optsWithGlobals<PathOptions>());
      const ask = () => askAgent(socketPaths, { method: 'GET', path: '/status.json' });
      if (options.watch !== undefined) return watch(ask, options, context);
      const answer = await ask();
      context.stdout.write(options.json === true ? `${JSON.stringify(answer)}\n` : toPage(toLines(answer, context)));
    });
}

async function watch(ask: () => Promise<unknown>, options: StatusOptions, context: CommandContext): Promise<void> {
  const intervalMs = toWatchSeconds(options.watch) * 1000;
  const { watchStatus, watchJson } = await import('./status-watch.ts');
  const { stdout, columns } = context;
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    if (options.json === true) return await watchJson({ ask, stdout, intervalMs }, controller.signal);
    await watchStatus(
      {
        async ask() {
          const answer = await ask();
          return { document: parseStatus(answer), lines: toLines(answer, context) };
        },
        stdout,
        // A terminal that does not know its size says 0.
        rows: () => (columns === undefined ? undefined : process.stdout.rows || Number.POSITIVE_INFINITY),
        nowMs: () => performance.now(),
        intervalMs,
      },
      controller.signal,
    );
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** @throws usage-invalid */
export function toWatchSeconds(text: string | true | undefined): number {
  if (typeof text !== 'string') return defaultWatchSeconds;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= longestWatchSeconds) return seconds;
  throw new TributaryError(
    'usage-invalid',
    `watching the status: ${text} is not a number of seconds from 1 to ${longestWatchSeconds}`,
  );
}

function toLines(answer: unknown, { now, paint }: CommandContext): readonly string[] {
  return renderStatus(parseStatus(answer), now()).map(({ text, tone }) =>
    tone === 'plain' ? text : paint(styles[tone], text),
  );
}

function toPage(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function parseStatus(answer: unknown): StatusDocument {
  const parsed = statusDocument.safeParse(answer);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.');
  throw new TributaryError(
    'command-failed',
    `reading the agent's status: ${where} is not as expected; is it another version?`,
  );
}
