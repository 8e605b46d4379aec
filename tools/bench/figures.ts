import { computeRatio } from './medians.ts';

/** One line in the output of `npm run bench`. */
export interface Figure {
  readonly name: string;
  /** The agent's value. */
  readonly value: number;
  readonly unit: Unit;
  /** The value of something else, and the name of that. */
  readonly beside?: { readonly name: string; readonly value: number };
  /** Wanted of the ratio where something is compared, otherwise of the value. */
  readonly goal?: Goal;
  /** An explanation of the figure. */
  readonly note?: string;
}

/** The highest or the lowest number that is wanted. */
type Goal = { readonly of: 'value' | 'ratio' } & (
  | { readonly most: number }
  | { readonly least: number }
);

const units = {
  seconds: (value: number) => `${value.toFixed(3)} s`,
  milliseconds: (value: number) => `${value.toFixed(0)} ms`,
  percent: (value: number) => `${value.toFixed(3)} %`,
  count: (value: number) => `${Number(value.toFixed(1))}`,
  times: (value: number) => `× ${value.toFixed(2)}`,
  'per minute': (value: number) => `${Number(value.toFixed(1))} a minute`,
  kibibytes: (value: number) => `${value.toFixed(0)} KiB`,
  'megabits per second': (value: number) => `${value.toFixed(0)} Mbit/s`,
} as const satisfies Readonly<Record<string, (value: number) => string>>;
type Unit = keyof typeof units;

/** The agent's value divided by the other; undefined without another. */
export function computeFigureRatio({ value, beside }: Figure): number | undefined {
  return beside === undefined ? undefined : computeRatio(value, beside.value);
}

/** undefined without a goal. */
export function isMet(figure: Figure): boolean | undefined {
  if (figure.goal === undefined) return undefined;
  const judged = figure.goal.of === 'value' ? figure.value : computeFigureRatio(figure);
  if (judged === undefined) return false;
  return 'most' in figure.goal ? judged <= figure.goal.most : judged >= figure.goal.least;
}

const widths = [30, 16, 28, 8, 14] as const;

/** A table with the goal beside each figure. A missed goal is named, but is no failure. */
export function renderFigures(figures: readonly Figure[]): string {
  const rows = [['', 'agent', 'beside it', 'ratio', 'goal', ''], ...figures.map(toRow)];
  return rows.map((cells) => `${renderRow(cells)}\n`).join('');
}

function renderRow([name = '', ...cells]: readonly string[]): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index + 1];
    return width === undefined ? `  ${cell}` : cell.padStart(width);
  });
  return [name.padEnd(widths[0]), ...padded].join('').trimEnd();
}

function renderGoal(goal: Goal, format: (value: number) => string): string {
  const say = (number: number) => (goal.of === 'ratio' ? `× ${number.toFixed(2)}` : format(number));
  return 'most' in goal ? say(goal.most) : `≥ ${say(goal.least)}`;
}

function toRow(figure: Figure): readonly string[] {
  const { name, value, unit, beside, goal, note = '' } = figure;
  const format = units[unit];
  const met = isMet(figure);
  const wanted = goal === undefined ? '' : renderGoal(goal, format);
  const verdict = met === undefined ? '' : met ? 'met' : 'missed';
  return [
    name,
    format(value),
    beside === undefined ? '' : `${beside.name} ${format(beside.value)}`,
    computeFigureRatio(figure)?.toFixed(2) ?? '',
    wanted,
    [verdict, note].filter(Boolean).join('; '),
  ];
}
