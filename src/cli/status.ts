import { TributaryError } from '../lib/errors.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import type { StatusDocument } from '../status/document.ts';
import { renderStatus, type Tone } from '../status/text.ts';
import type { LocalCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import type { OptionValues } from './option-values.ts';
import { joinLines } from './present/text.ts';
import { refuse } from './refuse.ts';

const styles = { good: 'green', warning: 'yellow', bad: 'red' } as const satisfies Record<
  Exclude<Tone, 'plain'>,
  string
>;

const defaultWatchSeconds = 2;
const longestWatchSeconds = 3600;

const flags = {
  '--watch [seconds]': `again and again until Ctrl-C, every ${defaultWatchSeconds} seconds unless you say`,
  '--json': 'one JSON object, version 1; with --watch one on each line',
};
type Options = OptionValues<typeof flags>;

/** `tributary status [--watch [seconds]] [--json]`. @throws usage-invalid, not-running, not-allowed */
export const status: LocalCommand<Options> = {
  usage: 'status',
  description: 'what the agent is doing, why, and what you can do about it',
  options: flags,
  async act({ options }, context) {
    const { askAgent } = await import('../status/socket-client.ts');
    const socketPaths = await context.resolveSocketPaths(options);
    const ask = () => askAgent(socketPaths, { method: 'GET', path: '/status.json' });
    if (options.watch !== undefined) return watch(ask, options, context);
    const answer = await ask();
    if (options.json === true) context.stdout.write(`${toPlainJson(answer)}\n`);
    else context.stdout.write(joinLines(renderLines(await parseStatus(answer), context)));
  },
};

async function watch(ask: () => Promise<unknown>, options: Options, context: CommandContext): Promise<void> {
  const intervalMs = parseWatchSeconds(options.watch) * 1000;
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
          const document = await parseStatus(await ask());
          return { document, lines: renderLines(document, context) };
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
export function parseWatchSeconds(text: unknown): number {
  if (typeof text !== 'string') return defaultWatchSeconds;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= longestWatchSeconds) return seconds;
  throw refuse(`watching the status: ${text} is not a number of seconds from 1 to ${longestWatchSeconds}`);
}

function renderLines(document: StatusDocument, { now, paint }: CommandContext): readonly string[] {
  return renderStatus(document, now()).map(({ text, tone }) => (tone === 'plain' ? text : paint(styles[tone], text)));
}

async function parseStatus(answer: unknown): Promise<StatusDocument> {
  const { statusDocument } = await import('../status/document.ts');
  const parsed = statusDocument.safeParse(answer);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.');
  throw new TributaryError(
    'command-failed',
    `reading the agent's status: ${where} is not as expected; is it another version?`,
  );
}
