import { readTotal, type Statistic, type StatisticsInput } from '../health/statistic.ts';
import { type LedgerFigure, statistics } from '../health/statistics.ts';

/** What the ledger measures itself, and what it keeps of the statistics. */
export type FigureName = 'providingSeconds' | LedgerFigure | 'peakBytesPerSecond';

/** What was counted in an hour or a day. */
export type Figures = Readonly<Record<FigureName, number>>;

/** The present values of the statistics that the ledger keeps; unknown ones are left out. */
export type Reading = Readonly<Partial<Record<LedgerFigure, number>>>;

interface Figure extends Pick<Statistic, 'type' | 'unit'> {
  readonly name: FigureName;
  readonly title: string;
  /** undefined for figures that the ledger measures itself. */
  readonly statistic?: Statistic;
}

/** Every figure of an hour, in the order in which it is shown. */
export const ledgerFigures: readonly Figure[] = [
  { name: 'providingSeconds', title: 'Providing', unit: 'seconds', type: 'counter' },
  ...[...statistics].flatMap((statistic) =>
    Object.entries(statistic.ledger ?? {}).map(([name, { title }]) => {
      return {
        name: name as LedgerFigure,
        title,
        unit: statistic.unit,
        type: statistic.type,
        statistic,
      };
    }),
  ),
  { name: 'peakBytesPerSecond', title: 'Peak', unit: 'bytes per second', type: 'gauge' },
];

/** The figures alone, rounded; a figure that an older version did not count is 0. */
export function pickFigures(from: Readonly<Partial<Figures>>): Figures {
  return mapFigures((name) => Math.round(from[name] ?? 0));
}

/** Adds two sets of figures: counters are summed, of gauges the higher value is kept. */
export function addFigures(
  one: Figures,
  other: Readonly<Partial<Record<FigureName, number | undefined>>>,
): Figures {
  return mapFigures((name, type) => {
    const more = other[name] ?? 0;
    return type === 'counter' ? one[name] + more : Math.max(one[name], more);
  });
}

/** A share (0 to 1) of the figures; a peak stays. */
export function scaleFigures(figures: Figures, share: number): Figures {
  return mapFigures((name, type) =>
    type === 'counter' ? Math.round(figures[name] * share) : figures[name],
  );
}

export function readFigures(input: StatisticsInput): Reading {
  return mapKnown((name, statistic) =>
    readTotal(statistic, input, statistic.ledger?.[name]?.labels),
  );
}

/**
 * How much each figure grew between two readings. A counter that began again at zero grew by its
 * present value.
 */
export function measureGrowth(before: Reading, now: Reading): Reading {
  return mapKnown((name, { type, isKept }) => {
    const [from, to] = [before[name], now[name]];
    if (to === undefined || type === 'gauge') return to;
    if (from === undefined) return 0;
    return isKept === true ? Math.max(0, to - from) : measureCounter(from, to);
  });
}

/** How much a counter grew; a smaller value than before means that it began again at 0. */
export function measureCounter(before: number, now: number): number {
  return now >= before ? now - before : now;
}

function mapFigures(read: (name: FigureName, type: Statistic['type']) => number): Figures {
  return Object.fromEntries(
    ledgerFigures.map(({ name, type }) => [name, read(name, type)]),
  ) as Figures;
}

function mapKnown(read: (name: LedgerFigure, statistic: Statistic) => number | undefined): Reading {
  const entries = ledgerFigures.flatMap(({ name, statistic }) => {
    const value = statistic && read(name as LedgerFigure, statistic);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}
