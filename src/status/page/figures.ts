import { formatBytes } from '../../lib/units.ts';
import type { HistoryRow } from '../../report/history.ts';
import type { Slot } from './slots.ts';

/** One figure, counted here and by the service. */
interface Figure {
  readonly here: number;
  /** undefined where the service said nothing. */
  readonly service: number | undefined;
}

/** The sums of a figure over several slots. */
export interface Comparison {
  /** Our count, over all slots. */
  readonly here: number;
  /** Both counts, over the ended slots of which the service said something. */
  readonly both: { readonly here: number; readonly service: number } | undefined;
}

type CountedSlot = Pick<Slot, 'row' | 'isWhole'>;

/** Bytes both ways. */
export function pickTransfer(row: HistoryRow): Figure {
  return { here: row.upBytes + row.downBytes, service: row.serviceBytes };
}

/** Seconds. */
export function pickUptime(row: HistoryRow): Figure {
  return { here: row.providingSeconds, service: row.serviceOnlineSeconds };
}

export function compareSlots(
  slots: readonly CountedSlot[],
  pickFigure: (row: HistoryRow) => Figure,
): Comparison {
  const figures = slots.flatMap(({ row, isWhole }) =>
    row === undefined ? [] : [{ ...pickFigure(row), isWhole }],
  );
  const said = figures.filter(({ service, isWhole }) => isWhole && service !== undefined);
  const sum = (some: typeof figures, count: keyof Figure) =>
    some.reduce((total, own) => total + (own[count] ?? 0), 0);
  const both =
    said.length === 0 ? undefined : { here: sum(said, 'here'), service: sum(said, 'service') };
  return { here: sum(figures, 'here'), both };
}

/**
 * What the service counted. It may not have reported all of the bytes yet, so the text says of how
 * many.
 */
export function describeServiceCount({ here, both }: Comparison, unsaid = ''): string {
  if (both === undefined) return unsaid;
  const part = both.here === here ? '' : ` of ${formatBytes(both.here)}`;
  return `The service counted ${formatBytes(both.service)}${part}: ${describeDifference(both.here, both.service)}.`;
}

/** How far the service's count is from ours, in words: `2.1 % less`, `as much`. */
export function describeDifference(here: number, service: number): string {
  if (here === service) return 'as much';
  const words = service > here ? 'more' : 'less';
  if (here === 0) return words;
  const percent = (Math.abs(service - here) / here) * 100;
  if (percent < 0.05) return 'as much';
  return `${percent >= 9.95 ? percent.toFixed(0) : percent.toFixed(1)} % ${words}`;
}
