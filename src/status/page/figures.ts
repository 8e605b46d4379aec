import type { HistoryRow } from '../../report/history.ts';
import type { Slot } from './slots.ts';

/** One figure by both counts. */
export type Figure = ReturnType<typeof pickTransfer>;

export function pickTransfer(row: HistoryRow) {
  return { here: row.upBytes + row.downBytes, service: row.serviceBytes };
}

export function pickUptime(row: HistoryRow): Figure {
  return { here: row.providingSeconds, service: row.serviceOnlineSeconds };
}

export type Comparison = Readonly<ReturnType<typeof compareFigures>>;

/** Both counts over the rows for which the service said something (undefined: about none), and ours over all. */
export function compareFigures(figures: readonly Figure[]) {
  let here = 0;
  let both: { readonly here: number; readonly service: number } | undefined;
  for (const figure of figures) {
    here += figure.here;
    if (figure.service === undefined) continue;
    both = { here: (both?.here ?? 0) + figure.here, service: (both?.service ?? 0) + figure.service };
  }
  return { here, both };
}

/** The same over slots; what the service said of a time that still runs is left out. */
export function compareSlots(
  slots: readonly Pick<Slot, 'row' | 'isWhole'>[],
  pickFigure: (row: HistoryRow) => Figure,
): Comparison {
  const figures = slots.flatMap(({ row, isWhole }) => {
    if (row === undefined) return [];
    return isWhole ? pickFigure(row) : { ...pickFigure(row), service: undefined };
  });
  return compareFigures(figures);
}

/** What the service counted of the same; it may not have spoken of all of it yet. */
export function describeServiceCount(
  { here, both }: Comparison,
  format: (value: number) => string,
  unsaid = 'The service has not said.',
): string {
  if (both === undefined) return unsaid;
  const part = both.here === here ? '' : ` of ${format(both.here)}`;
  return `The service counted ${format(both.service)}${part}: ${describeDifference(both.here, both.service)}.`;
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
