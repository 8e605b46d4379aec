import { TributaryError } from '../../errors/codes.ts';
import { toPlainLines, toPlainText } from '../../lib/plain-text.ts';
import { sleep } from '../../lib/sleep.ts';
import { parseNumber } from '../frame/command.ts';
import type { CommandContext, Output } from '../frame/context.ts';
import { renderJson } from './text.ts';

export interface Watch {
  readonly stdout: Output;
  /** The height of the terminal, asked for each time; undefined for a pipe. */
  readonly rows: () => number | undefined;
  readonly intervalMs: number;
}

const longestSeconds = 3600;
// Enters the terminal's second screen, without a cursor and without breaking lines; leaving it
// restores the first one.
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** What `--watch` asks for, with a signal that aborts at Ctrl-C. @throws usage-invalid */
export function openWatch(seconds: string, { screen, columns }: CommandContext) {
  const intervalMs = parseWatchSeconds(seconds) * 1000;
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // A terminal that does not know its size says 0.
  const rows = () =>
    columns === undefined ? undefined : process.stdout.rows || Number.POSITIVE_INFINITY;
  return { watch: { stdout: screen, rows, intervalMs }, signal: controller.signal };
}

/** The seconds between two looks. @throws usage-invalid */
export function parseWatchSeconds(seconds: string): number {
  return parseNumber('--watch', seconds, { least: 1, most: longestSeconds });
}

/**
 * Shows lines until the signal aborts, at a terminal always in one place. An error that the next
 * look may not meet is shown in their place.
 */
export async function watchLines(
  look: () => Promise<readonly string[]>,
  watch: Watch,
  signal: AbortSignal,
) {
  const { stdout, rows, intervalMs } = watch;
  const isTerminal = rows() !== undefined;
  const explain = (error: unknown) => [
    `${toPlainText(checkTransient(error).message)}; asking again`,
  ];
  if (isTerminal) stdout.write(enter);
  try {
    for await (const found of repeat(() => look().catch(explain), intervalMs, signal)) {
      const lines = found.map(toPlainLines);
      stdout.write(
        isTerminal ? renderScreen(lines, rows() ?? lines.length) : `${lines.join('\n')}\n\n`,
      );
    }
  } finally {
    if (isTerminal) stdout.write(leave);
  }
}

/** The result of each look until the signal aborts, which also ends a look under way. */
async function* repeat<T>(look: () => Promise<T>, intervalMs: number, signal: AbortSignal) {
  do {
    const stopped = Promise.withResolvers<undefined>();
    // A result that came just now is still shown.
    const stop = () => setImmediate(() => stopped.resolve(undefined));
    signal.addEventListener('abort', stop, { once: true });
    const found = await Promise.race([look(), stopped.promise]);
    signal.removeEventListener('abort', stop);
    if (found === undefined) return;
    yield found;
  } while (await sleep(intervalMs, signal));
}

/**
 * Overwrites the last screen and clears the rest of each line. No line is blank in between, so the
 * screen does not flicker.
 */
function renderScreen(lines: readonly string[], rows: number): string {
  const shown = lines.slice(0, Math.max(1, rows - 1));
  return `\u001b[H${shown.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`;
}

/**
 * Prints a JSON object on each line until the signal aborts: the answer, or
 * `{error: {code, message}}`.
 * @throws not-allowed
 */
export async function watchJson(
  ask: () => Promise<unknown>,
  { stdout, intervalMs }: Omit<Watch, 'rows'>,
  signal: AbortSignal,
): Promise<void> {
  const explain = (error: unknown) => {
    const { code, message } = checkTransient(error);
    return { error: { code, message } };
  };
  for await (const shown of repeat(() => ask().catch(explain), intervalMs, signal)) {
    stdout.write(`${renderJson(shown)}\n`);
  }
}

/** Returns an error that the next look may not meet; throws any other. */
function checkTransient(error: unknown): TributaryError {
  const isLasting =
    !(error instanceof TributaryError) || ['not-allowed', 'usage-invalid'].includes(error.code);
  if (isLasting) throw error;
  return error;
}
