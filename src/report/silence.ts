import type { Silence } from '../health/facts.ts';
import type { HistoryRow } from './history.ts';

/** The silence that the newest rows end with; undefined where none of them was provided in. */
export function measureSilence(rows: readonly HistoryRow[]): Omit<Silence, 'totalBytes'> | undefined {
  const loud = rows.findLastIndex(({ upBytes, downBytes }) => upBytes + downBytes > 0);
  const silent = rows.slice(loud + 1).filter(({ providingSeconds }) => providingSeconds > 0);
  const [first] = silent;
  if (first === undefined) return undefined;
  const providingSeconds = silent.reduce((sum, row) => sum + row.providingSeconds, 0);
  return { since: new Date(first.startMs), providingSeconds };
}
