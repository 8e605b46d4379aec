import { computeSpeeds, type TrafficReading } from '../health/speeds.ts';
import { renderSparkline } from '../lib/bars.ts';
import { TributaryError } from '../lib/errors.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import { sleep } from '../lib/sleep.ts';
import { formatBitrate } from '../lib/units.ts';
import type { StatusDocument } from '../status/document.ts';
import type { Output } from './context.ts';

export interface WatchParts {
  /** The status now, and the lines that show it. @throws not-running, command-failed, not-allowed */
  readonly ask: () => Promise<{ readonly document: StatusDocument; readonly lines: readonly string[] }>;
  readonly stdout: Output;
  /** Lines of the terminal, asked for each time; undefined for a pipe. */
  readonly rows: () => number | undefined;
  /** Monotonic, in ms. */
  readonly nowMs: () => number;
  readonly intervalMs: number;
}

type JsonParts = Pick<WatchParts, 'stdout' | 'intervalMs'> & { readonly ask: () => Promise<unknown> };

const sparkWidth = 40;
// The terminal's second screen, without a cursor and without breaking lines; and back, as if nothing had been there.
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** Shows the status until the signal, in place at a terminal; a silent agent is asked again. @throws not-allowed */
export async function watchStatus(parts: WatchParts, signal: AbortSignal): Promise<void> {
  const { stdout, rows, intervalMs } = parts;
  const isTerminal = rows() !== undefined;
  let readings: readonly TrafficReading[] = [];
  if (isTerminal) stdout.write(enter);
  try {
    do {
      const { lines, reading } = await look(parts);
      readings = reading === undefined ? [] : [...readings, reading].slice(-(sparkWidth + 1));
      const all = [...lines, '', renderThroughput(readings)];
      stdout.write(isTerminal ? renderScreen(all, rows() ?? all.length) : `${all.join('\n')}\n\n`);
    } while (await sleep(intervalMs, signal));
  } finally {
    if (isTerminal) stdout.write(leave);
  }
}

async function look({ ask, nowMs }: WatchParts) {
  try {
    const { document, lines } = await ask();
    const { up, down } = document.gateway.forwardedBytes;
    const reading = up === null || down === null ? undefined : { atMs: nowMs(), upBytes: up, downBytes: down };
    return { lines, reading };
  } catch (error) {
    return { lines: [`${checkTransient(error).message}; asking again`] };
  }
}

/** The speed between the last two readings, and how it was before. */
export function renderThroughput(readings: readonly TrafficReading[]): string {
  const speeds = computeSpeeds(readings);
  const last = speeds.at(-1);
  if (last === undefined) return 'Speed     measured with the next look';
  const totals = speeds.map(({ up, down }) => up + down);
  return `Speed     ${formatBitrate(last.up)} up, ${formatBitrate(last.down)} down  ${renderSparkline(totals, Math.max(...totals))}`;
}

/** Writes over the screen before, and clears each line behind its end: nothing is blank in between, so nothing flickers. */
function renderScreen(lines: readonly string[], rows: number): string {
  const shown = lines.slice(0, Math.max(1, rows - 1));
  return `\u001b[H${shown.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`;
}

/** One JSON object on each line until the signal: the status, or `{error: {code, message}}` while there is none. @throws not-allowed */
export async function watchJson(parts: JsonParts, signal: AbortSignal): Promise<void> {
  const { ask, stdout, intervalMs } = parts;
  do {
    const shown = await ask().catch((error: unknown) => {
      const { code, message } = checkTransient(error);
      return { error: { code, message } };
    });
    stdout.write(`${toPlainJson(shown)}\n`);
  } while (await sleep(intervalMs, signal));
}

/** The error, where it may be over with the next look; any other is thrown on. */
function checkTransient(error: unknown): TributaryError {
  if (!(error instanceof TributaryError) || error.code === 'not-allowed') throw error;
  return error;
}
