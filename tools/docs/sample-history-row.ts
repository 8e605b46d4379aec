import type { HistoryRow } from '../../src/report/history.ts';
import { pickFigures } from '../../src/report/ledger-figures.ts';

const nothing = {
  serviceOnlineSeconds: undefined,
  serviceBytes: undefined,
  servicePayoutUsdc: undefined,
  serviceUntilMs: undefined,
} as const;

/** An hour or a day in which nothing was counted but what is given. */
export function makeHistoryRow(
  given: Partial<HistoryRow> & Pick<HistoryRow, 'startMs'>,
): HistoryRow {
  return { ...pickFigures({}), ...nothing, ...given };
}
