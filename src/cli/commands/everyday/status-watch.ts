import { computeSpeeds, type TrafficReading } from '../../../health/speeds.ts';
import { renderSparkline } from '../../../lib/bars.ts';
import { formatBitrate } from '../../../lib/units.ts';
import type { StatusDocument } from '../../../status/document.ts';

export interface StatusLooks {
  /**
   * Asks for the present status, and for the lines that show it.
   * @throws not-running, command-failed, not-allowed
   */
  readonly ask: () => Promise<{
    readonly document: StatusDocument;
    readonly lines: readonly string[];
  }>;
  /** Monotonic time in ms. */
  readonly nowMs: () => number;
}

const sparkWidth = 40;

/** Looks at the status: returns its lines with the speed since the last look. */
export function createStatusLook({ ask, nowMs }: StatusLooks): () => Promise<readonly string[]> {
  let readings: readonly TrafficReading[] = [];
  return async () => {
    const before = readings;
    readings = [];
    const { document, lines } = await ask();
    const { up, down } = document.gateway.forwardedBytes;
    if (up !== null && down !== null) {
      readings = [...before, { atMs: nowMs(), upBytes: up, downBytes: down }].slice(
        -(sparkWidth + 1),
      );
    }
    return [...lines, '', renderThroughput(readings)];
  };
}

/** The speed between the last two readings, and a picture of the earlier speeds. */
export function renderThroughput(readings: readonly TrafficReading[]): string {
  const speeds = computeSpeeds(readings);
  const last = speeds.at(-1);
  if (last === undefined) return 'Speed     shown from the next update';
  const totals = speeds.map(({ up, down }) => up + down);
  return `Speed     ${formatBitrate(last.up)} up, ${formatBitrate(last.down)} down  ${renderSparkline(totals, Math.max(...totals))}`;
}
